#!/usr/bin/env bash
# How the command `velella` answers what people do wrong, and what becomes of a run when something gets in its way.
# Usage: test_manners.sh SOURCE_DIR BUILD_DIR [PROGRAM]. Exits 0 when all went well; each failure is named on a line.
set -u
source=$(cd "$1" && pwd)
program=$(realpath "${3:-$2/velella}")
[ -x "$program" ] || { echo "skipped: $program is not there"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failures=0

fail() { echo "FAILED: $*"; failures=$((failures + 1)); }

# expect CODE ARGUMENTS: leaves the output in the files out and err
expect() {
  local wanted=$1 code=0
  shift
  "$program" "$@" >out 2>err || code=$?
  [ "$code" = "$wanted" ] || fail "velella $*: exit code $code instead of $wanted: $(head -c 300 err)"
}

# says FILE TEXT...: each text stands in the file
says() {
  local file=$1 text
  shift
  for text in "$@"; do
    grep -qF -- "$text" "$file" || fail "no '$text' in $file: $(head -c 400 "$file")"
  done
}

# Words for what is not there lead to what comes nearest.
test_words() {
  expect 0 help viscosity
  says out "viscosity: not there" "nearest" "liquid.flip"
  expect 0 help surface tension
  says out "surface tension: not there" "nearest"
  expect 0 help Surface-Tension
  expect 0 help temperature
  says out "temperature: not there" "liquid.density"
  # what is there by another name
  local word
  for word in wall inflow inlet drain hinge torque lift gauge fbx video threads reynolds keyframes inertia time-step symmetry boat collision; do
    expect 0 help $word
    says out "$word: no key of this name" "see"
    [ "$(grep -c '^  [a-z]*\.*[a-z_]*  ' out)" -ge 1 ] || fail "help $word names no key"
  done
  expect 0 help staircase
  says out "no command, topic or key; these speak of it"
  expect 2 help xyzzy
}

# All mistakes at once, up to twenty, and how many there are.
test_all_mistakes() {
  {
    echo "liquid: {level: 0.5}"
    echo "solids:"
    for i in $(seq 30); do echo "  - {name: s$i, shape: sphere, radius: -$i}"; done
  } >thirty.yaml
  expect 3 check thirty.yaml
  says err "thirty.yaml:3:39: solids[0].radius: -1: out of range" "solids[19].radius: -20" "30 mistakes; the first 20 are shown"
  ! grep -q "solids\[20\]" err || fail "more than twenty mistakes are shown"
  # each --set is told of too, and what follows from a mistake is not
  expect 3 check thirty.yaml --set 'solids=[]' --set grid.cell=4 --set 'probes=[{probe: height, position: [9, 0, 0]}]'
  says err "--set grid.cell=4: grid.cell: unknown key"
  ! grep -q "outside of the box" err || fail "a probe is checked against a box that is not known"
}

# Two entries are enough in a slab.
test_slab() {
  cat >slab.yaml <<'YAML'
grid: {slab: yes, size: [1, 1], cells: 16}
gravity: [0, -9.81]
liquid: {level: 0.4, velocity: [0.1, 0], swirl_speed: 0.1, swirl_center: [0.5, 0.2], swirl_size: [0.2, 0.2]}
solids: [{shape: box, center: [0.1, 0], size: [0.1, 0.1]}]
bodies:
  - {name: ball, rigid: yes, shape: box, center: [0.5, 0.6], size: [0.2, 0.2], velocity: [0, 0], spin: [0, 0]}
  - {name: mill, shape: box, center: [0.5, 0.2], size: [0.2, 0.05], motion: [{move: spin, axis: [0, 0], about: [0.5, 0.2], rate: 1}]}
probes:
  - {name: through, probe: flux, position: [0.5, 0.2], axis: x, size: [0, 0.4]}
time: {end: 0.02}
render: {target: [0.5, 0.5]}
YAML
  expect 0 run slab.yaml --out slab
}

# A cube of edge 2 from (0, 0, 0) on, $1 times as large, with $2 of its twelve triangles
cube() {
  local v f
  for v in "0 0 0" "2 0 0" "2 2 0" "0 2 0" "0 0 2" "2 0 2" "2 2 2" "0 2 2"; do
    awk -v s="$1" '{ print "v", s * $1, s * $2, s * $3 }' <<<"$v"
  done
  for f in "1 3 2" "1 4 3" "5 6 7" "5 7 8" "1 2 6" "1 6 5" "2 3 7" "2 7 6" "3 4 8" "3 8 7" "4 1 5" "4 5 8"; do echo "f $f"; done | head -n "$2"
}

# Meshes from elsewhere: what they are, how large, where their middle is.
test_meshes() {
  cube 1 12 >cube.obj
  cube 1000 12 >large.obj
  cube 1 11 >open.obj
  expect 0 mesh cube.obj --quiet
  says out "12 triangles, 8 vertices" "2 x 2 x 2 m, from (0, 0, 0) to (2, 2, 2) m" "closed           yes; volume 8 m3"
  expect 5 mesh open.obj
  says out "no: 3 open edges in 1 hole, 0 bad edges" "3 edges around (0, 1, 1) m"
  head="grid: {cells: 12}
liquid: {level: 0.3}
time: {end: 0.01}"
  printf '%s\nsolids: [{name: c, shape: mesh, file: large.obj}]\n' "$head" >s.yaml
  expect 0 check s.yaml
  says err "warning: solid 'c': it is 2e+03 m long and the box 1 m; is its file in millimetres? scale: 0.001"
  printf '%s\nbodies: [{name: c, shape: mesh, rigid: yes, file: large.obj}]\n' "$head" >s.yaml
  expect 3 check s.yaml
  says err "is its file in millimetres? scale: 0.001 makes it 2 m"
  printf '%s\nbodies: [{name: c, shape: mesh, rigid: yes, file: large.obj, fit: 20 cm}]\n' "$head" >s.yaml
  expect 0 check s.yaml
  says out "8 kg, rigid"
  printf '%s\nbodies: [{name: c, shape: mesh, rigid: yes, file: cube.obj, scale: [0.1, 0.2, 0.05], origin: middle, center: [0.5, 0.5, 0.5]}]\n' "$head" >s.yaml
  expect 0 check s.yaml
  says out "8 kg, rigid"
  expect 3 check s.yaml --set bodies.c.origin=file --set 'bodies.c.center=[0.9, 0.5, 0.5]'
  says err "with origin: middle the mesh's own middle"
  # a cell is found; wrong kinds of file are answered with all kinds
  printf '%s\nbodies: [{name: c, shape: mesh, file: cube.obj, fit: 0.4, origin: middle, center: [0.5, 0.5, 0.5]}]\n' "$head" >s.yaml
  expect 0 check s.yaml
  says out "tetrahedra"
  printf 'Kaydara FBX Binary  \0' >toy.fbx
  for rigid in yes no; do
    printf '%s\nbodies: [{name: c, shape: mesh, file: toy.fbx, rigid: %s}]\n' "$head" $rigid >s.yaml
    expect 5 check s.yaml
    says err "meshes are read from OBJ, PLY, STL (triangles), Gmsh .msh, MEDIT .mesh, TetGen .node and .ele, VTU (tetrahedra)"
  done
  rm toy.fbx # also where there is none
  expect 4 check s.yaml
  says err "toy.fbx does not exist" "meshes are read from OBJ, PLY, STL"
}

# Bodies that begin inside each other are refused with both names, unless they may.
test_overlap() {
  cat >over.yaml <<'YAML'
grid: {cells: 16}
liquid: {level: 0.2}
bodies:
  - {name: low, rigid: yes, shape: box, size: [0.2, 0.2, 0.2], center: [0.5, 0.5, 0.5]}
  - {name: high, rigid: yes, shape: box, size: [0.2, 0.2, 0.2], center: [0.5, 0.6, 0.5]}
  - {name: ball, shape: sphere, radius: 0.1, cell: 0.05, center: [0.61, 0.5, 0.5]}
time: {end: 0.01}
YAML
  expect 3 check over.yaml
  says err "over.yaml:5:5: body 'high' begins inside body 'low', 0.1 m deep" "so does 'ball' in 'low'" "overlap: yes"
  expect 3 check over.yaml --set bodies.ball.overlap=yes
  expect 0 check over.yaml --set bodies.low.overlap=yes --set bodies.ball.overlap=yes
  expect 0 check over.yaml --set 'bodies.high.center=[0.5, 0.7, 0.5]' --set 'bodies.ball.center=[0.7, 0.5, 0.5]'
  expect 3 check over.yaml --set 'bodies.high.center=[0.5, 0.5, 0.5]' --set bodies.ball.overlap=yes # a copy in the same place
  says err "body 'high' begins inside body 'low'"
}

# A reader who leaves is no error, a full disk is one.
test_output() {
  local code
  "$program" help scene 2>err | head -n 1 >out
  code=${PIPESTATUS[0]}
  [ "$code" = 0 ] && [ ! -s err ] || fail "help scene | head: exit code $code: $(cat err)"
  "$program" schema 2>err | true
  code=${PIPESTATUS[0]}
  [ "$code" = 0 ] && [ ! -s err ] || fail "schema | true: exit code $code: $(cat err)"
  "$program" run basin.yaml --json --quiet --out piped 2>err | true
  code=${PIPESTATUS[0]}
  [ "$code" = 0 ] || fail "run --json | true: exit code $code: $(cat err)"
  grep -q '"finished"' piped/run.json || fail "a run ends because nobody reads what it prints"
  [ -w /dev/full ] || return 0
  for words in "help scene" schema version "check basin.yaml --json"; do
    code=0
    "$program" $words >/dev/full 2>err || code=$?
    [ "$code" = 4 ] || fail "$words on a full disk: exit code $code"
    says err "cannot write to standard output"
  done
}

cat >basin.yaml <<'YAML'
grid: {cells: 8}
liquid: {level: 0.45, transfer: still}
time: {end: 0.1 s}
YAML

# begin FOLDER ARGUMENTS: a run without end in the background, as $pid; job control gives it a Ctrl-C that is not ignored
begin() {
  local folder=$1
  shift
  set -m
  "$program" run basin.yaml --until 1000000 --set output.fields=no --out "$folder" --quiet "$@" >out 2>err &
  pid=$!
  set +m
}

# waits FILE
waits() {
  for _ in $(seq 400); do
    [ -s "$1" ] && return
    sleep 0.05
  done
  fail "$1 does not come"
}

# Checkpoints by the clock: a run that is killed goes on from the last one.
test_checkpoint_time() {
  begin killed --set output.checkpoint_time=100ms
  waits killed/checkpoint.vl
  kill -KILL $pid
  wait $pid 2>killed_err
  expect 0 run basin.yaml --until 0.001 --resume --out killed
  says out "past the end time"
  begin never --set output.checkpoint_time=0
  waits never/series.csv
  sleep 0.5
  [ ! -e never/checkpoint.vl ] || fail "a checkpoint that nobody asked for"
  kill -KILL $pid
  wait $pid 2>killed_err
}

# The second signal within a second is an echo; a later one ends the program at once.
test_echo() {
  local code
  begin echo
  waits echo/series.csv
  kill -INT $pid
  kill -TERM $pid
  kill -INT $pid
  code=0
  wait $pid || code=$?
  [ "$code" = 9 ] || fail "two signals at once: exit code $code"
  [ -s echo/checkpoint.vl ] || fail "no checkpoint after two signals"
}

# What a run takes beside what there is.
test_disk() {
  expect 0 check basin.yaml
  says out " free"
  expect 0 check basin.yaml --set time.end=3000 --set time.frames_per_second=1e6 --json
  says out '"disk_bytes_free"'
  says err "warning: the run takes about" "are free"
}

for name in words all_mistakes slab meshes overlap output checkpoint_time echo disk; do test_$name; done
[ $failures = 0 ] && echo "velella keeps its manners"
exit $((failures > 0))
