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

for name in words all_mistakes slab; do test_$name; done
[ $failures = 0 ] && echo "velella keeps its manners"
exit $((failures > 0))
