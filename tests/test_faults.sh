#!/usr/bin/env bash
# What hard trials broke: bodies far away, speeds that cannot be, values out of range, folders that are no run's, tables that
# lost lines, a full standard output. Usage: test_faults.sh SOURCE_DIR BUILD_DIR
set -euo pipefail
velella=$(realpath "$2/velella")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
fail() { echo "test_faults: $1"; exit 1; }
# ends WANTED ARGUMENTS...: the exit code of velella; what it says goes to said
ends() {
  local wanted=$1 code=0
  shift
  "$velella" "$@" >said 2>&1 || code=$?
  [ $code = "$wanted" ] || fail "velella $*: exit code $code instead of $wanted: $(tail -n 2 said)"
}
says() { grep -qF -- "$1" said || fail "no '$1' in: $(cat said)"; }
scene() { cat >"$1.yaml"; }

scene base <<'SCENE'
grid: {cells: 6}
liquid: {level: 0.4}
bodies: [{name: a, shape: box, center: [0.5,0.6,0.5], size: [0.2,0.2,0.2], rigid: yes}]
time: {end: 0.1, frames_per_second: 20}
output: {format: [vtk, ply]}
SCENE

# bodies farther away than integers count cells
for motion in '[{move: keys, keys: [{time: 0, position: [1e10,0.6,0.5]}]}]' '[{move: slide, velocity: [0,-1e6,0]}]'; do
  ends 0 run base.yaml --set "bodies[0].motion=$motion" --set time.dt_fixed=0.05 --out far --overwrite --quiet
  [ "$(wc -l <far/series.csv)" = 3 ] || fail "a far scripted body: not two steps"
done
for kind in '' 'bodies[0].rigid=no'; do
  for way in 'bodies[0].velocity=[1e6,0,0]' 'bodies[0].velocity=[0,0,-1e6]' 'bodies[0].pushes=[{force: [1e18,1e18,0]}]'; do
    code=0
    "$velella" run base.yaml ${kind:+--set "$kind"} --set "$way" --set time.dt_fixed=0.05 --out far --overwrite --quiet >said 2>&1 || code=$?
    [ $code = 0 ] || [ $code = 7 ] || fail "$way $kind: exit code $code: $(tail -n 2 said)"
    ! grep -qriE '(^|,)-?(nan|inf)(,|$)' --include='*.csv' far || fail "$way $kind: a table holds a number that is none"
  done
done

# values that no run could stand are refused by name before anything is written
refused() { ends 3 run base.yaml --out never --set "$1"; says "$2"; [ ! -e never ] || fail "$1 left a folder behind"; }
refused 'bodies[0].velocity=[1e30,0,0]' 'velocity'
refused 'bodies[0].pushes=[{force: [1e30,0,0]}]' 'force'
refused 'liquid.density=1e100' 'liquid.density: 1e100: out of range'
refused 'liquid.velocity=[1e100,0,0]' 'liquid.velocity[0]: 1e100: out of range'
refused 'liquid.swirl_speed=1e100' 'liquid.swirl_speed'
refused 'bodies[0]={name: a, motion: [{move: slide, velocity: [0.1,0,0]}], shape: box, size: [1e160,1,0.3], center: [0.5,0.5,0.5]}' 'it reaches to x ='
refused 'gravity=[0,-1e300,0]' 'gravity[1]: -1e300: out of range'
refused 'time.dt_fixed=1e-30' 'time.dt_fixed: steps of 1e-30 s'
refused 'time.dt_max=1e-30' 'time.dt_max: steps of 1e-30 s'

# a folder that is no run's is left alone; of a run's nothing goes but what it lists
mkdir -p foreign/bodies
echo '{}' >foreign/run.json
touch foreign/thesis.part foreign/bodies/mine.csv
ends 4 run base.yaml --out foreign --overwrite
says "is not of a run of Velella's"
[ "$(find foreign -type f | wc -l)" = 3 ] || fail "a foreign folder lost files"
ends 0 run base.yaml --out own --quiet
mine=(thesis.part bodies/mine.csv system_mine.mtx surface/surface_1.ply surface/surface_00001.txt fields/fields_000x1.vti frame_00001.png)
for name in "${mine[@]}"; do touch "own/$name"; done
touch own/fields/fields_00007.vti own/fields/fields_00008.vti.part own/checkpoint.vl.part
ends 0 run base.yaml --out own --overwrite --quiet --until 0.05 --set output.surface=no
for name in "${mine[@]}"; do [ -e "own/$name" ] || fail "--overwrite removed $name"; done
for name in fields/fields_00007.vti fields/fields_00008.vti.part checkpoint.vl.part surface.pvd surface/surface_00001.ply; do
  [ ! -e "own/$name" ] || fail "--overwrite left $name"
done
sed 's|"series.csv"|"../letter"|' own/run.json >other && cp other own/run.json && touch letter
ends 4 run base.yaml --out own --overwrite
says "'../letter', which is no name of a run's file"
[ -e letter ] || fail "a file beside the run was removed"
# with other settings a resumed run still knows what it wrote before
ends 0 run base.yaml --out grown --quiet --until 0.05 --set output.format=ply
ends 0 run base.yaml --out grown --quiet --resume --set output.format=vtk
ends 0 run base.yaml --out grown --overwrite --quiet --until 0.05 --set output.surface=no --set output.particles=no
[ -z "$(find grown -name 'surface*' -o -name 'particles*')" ] || fail "--overwrite left frames of before: $(ls grown)"

# every table of a run is on its list: a scene with other walls, bodies and probes takes the folder over
scene walled <<'SCENE'
grid: {size: [0.4, 0.4, 0.4], cells: 8}
liquid: {level: 0.2}
solids: [{name: post, shape: box, center: [0.2, 0.1, 0.2], size: [0.1, 0.2, 0.1]}]
probes: [{probe: height, position: [0.1, 0, 0.1]}]
time: {end: 0.05}
SCENE
ends 0 run walled.yaml --out taken --quiet
ends 0 run base.yaml --out taken --overwrite --quiet
ends 0 run walled.yaml --out taken --overwrite --quiet

# tables that have lost lines are refused with file and line, and nothing is touched
ends 0 run base.yaml --out holes --until 0.05 --quiet
lines=$(wc -l <holes/series.csv)
cp -r holes kept
for table in series.csv timings.csv bodies/a.csv; do
  sed -i '$d' holes/$table
  cp -r holes before
  ends 4 run base.yaml --out holes --resume
  says "holes/$table:$((lines - 1)): it ends with step $((lines - 2)); the checkpoint is of step $((lines - 1))"
  diff -r holes before || fail "a refused resume changed the folder"
  rm -r holes before
  cp -r kept holes
done
sed -i 3d holes/series.csv
ends 4 run base.yaml --out holes --resume
says "holes/series.csv:3: a line of step 3 follows step 1"
rm holes/series.csv
ends 4 run base.yaml --out holes --resume
says "cannot read holes/series.csv"

# names of scene files that are dots and endings alone do not lead out of the folder of runs
mkdir dots
for name in ... .. .x; do cp base.yaml "dots/${name}yaml"; done
for name in ... .. .x; do ends 0 run "dots/${name}yaml" --quiet --until 0.01 --overwrite; done
[ "$(find runs -maxdepth 1 -mindepth 1 -name '_*' | wc -l)" -ge 2 ] && [ ! -e run.json ] && [ ! -e runs/run.json ] || fail "runs are in: $(find . -name run.json)"

# too much liquid, and lost liquid, are told
ends 0 run base.yaml --out full --until 0.4 --quiet --set grid.cells=14 --set bodies=[] --set liquid.level=2 --set 'liquid.sources=[{shape: sphere, center: [0.5,0.5,0.5], radius: 0.1, velocity: [0,5,0]}]'
says "to where there is no room for it"
ends 0 run base.yaml --out lost --until 0.5 --quiet --set grid.cells=20 --set time.dt_fixed=0.25 --set time.frames_per_second=4 \
  --set 'bodies=[{name: block, shape: box, center: [0.5, 0.6, 0.5], size: [0.24, 0.24, 0.24], rotate: "z 20, x 10", cells: [3,3,3], density: 30, young: 1}]'
says "of liquid have been taken away so far"

if [ -w /dev/full ]; then
  code=0
  "$velella" run base.yaml --json --out unheard --quiet >/dev/full 2>said || code=$?
  [ $code = 4 ] || fail "a full standard output ends in exit code $code"
  says "cannot write to standard output"
fi
