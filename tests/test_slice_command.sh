#!/usr/bin/env bash
# velella slice from outside: figures of a small run, exit codes, messages.
# Usage: test_slice_command.sh SOURCE_DIR BUILD_DIR [PROGRAM]. Exits 0 when all went well; each failure is named on a line.
set -u
program=$(realpath "${3:-$2/velella}")
[ -x "$program" ] || { echo "skipped: $program is not there"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
failures=0

fail() { echo "FAILED: $*"; failures=$((failures + 1)); }

# expect CODE TEXT ARGUMENTS: velella slice's exit code, and a text in what it prints
expect() {
  local wanted=$1 text=$2 code=0
  shift 2
  "$program" slice "$@" >out 2>err || code=$?
  [ "$code" = "$wanted" ] || fail "slice $*: exit code $code instead of $wanted: $(head -c 300 err)"
  cat out err | grep -qF -- "$text" || fail "slice $*: no '$text' in: $(cat out err | head -c 300)"
}

present() { [ -s "$1" ] || fail "$1 is missing or empty"; }

"$program" run slab --set grid.cells=24 --until 0.1 --quiet --out run >/dev/null 2>err || fail "run: $(cat err)"
expect 0 run/slices/z_00003.svg run
present run/slices/z_00003.svg
grep -q "slab, t = 0.1 s, z = 0 m" run/slices/z_00003.svg || fail "no title: $(grep title run/slices/z_00003.svg)"
expect 0 one.png run --out one.png --plane x=0.7 --frame 1 --show kinds,pressure,samples --size 400
[ "$(head -c 4 one.png | tail -c 3)" = PNG ] || fail "one.png is no PNG"
expect 0 all/y_00002.png run --out all --frame all --plane "y=30 cm" --format png
[ "$(ls all | wc -l)" = 4 ] || fail "all holds $(ls all)"
expect 0 deep/zoom.svg run --out deep/zoom.svg --window 0.7,0.1,1.3,70cm
present deep/zoom.svg
# a run without solids has no solids.vtp
"$program" run dam_break --set grid.cells=12 --until 0.04 --quiet --out open >/dev/null 2>err || fail "run: $(cat err)"
expect 0 open/slices/z_00001.svg open

# elastic bodies: their outline and mesh; a frame without its file of them is named
cat >body.yaml <<'YAML'
grid: {size: [1, 1, 1], cells: 12}
liquid: {level: 0.4}
bodies: [{name: cork, shape: box, center: [0.5, 0.5, 0.5], size: [0.3, 0.3, 0.3], cells: [2, 2, 2], rotate: z 20, density: 300}]
YAML
"$program" run body.yaml --until 0.1 --quiet --out body >/dev/null 2>err || fail "run: $(cat err)"
expect 0 body/slices/z_00003.svg body
grep -q ">body<" body/slices/z_00003.svg || fail "the body is not in the legend"
grep -q "#f2a395" body/slices/z_00003.svg || fail "the body is not in a tint of the first body's colour"
expect 0 mesh/x_00000.svg body --plane x --frame all --out mesh --show grid,kinds,liquid,bodies,mesh,areas,patches,samples,velocity
grep -q "its tetrahedra" mesh/x_00003.svg || fail "the mesh is not in the legend"
cp body/bodies/bodies_00001.vtu body/bodies/bodies_00003.vtu
expect 4 "or its file of bodies is another frame's" body
rm body/bodies/bodies_00003.vtu
expect 4 "has bodies but no body/bodies/bodies_00003.vtu" body
expect 4 "1 of 4 frames could not be drawn" body --frame all

expect 2 "from 0 m to 2 m" run --plane x=3
expect 2 "x, y or z is wanted" run --plane w=1
expect 2 "did you mean 'pressure'" run --show presure
expect 2 "a frame's number, last or all is wanted" run --frame last-one
expect 2 "has 4 frames of fields, from 0 to 3" run --frame 4
expect 2 "svg or png is wanted" run --format jpg
expect 2 ".svg or .png is wanted" run --out figure.jpg
expect 2 "needs four lengths" run --window 0,0,1
expect 2 "misses the domain" run --window 3,0,4,1
expect 2 "is empty or misses the domain" run --window 0.2,0.1,0.20000000000000004,0.5
expect 2 "200 to 10000" run --size 1
expect 4 "is not the folder of a run" nothing
head -c 3000 run/fields/fields_00001.vti >cut && mv cut run/fields/fields_00001.vti
expect 4 "fields_00001.vti is damaged or not Velella's: its end is missing" run --frame 1
rm -r all
expect 4 "error: run/fields/fields_00001.vti is damaged" run --frame all --out all --format=png
grep -qF "1 of 4 frames could not be drawn" err || fail "no count of broken frames: $(cat err)"
[ "$(ls all | tr '\n' ' ')" = "z_00000.png z_00002.png z_00003.png " ] || fail "the other frames are not drawn: $(ls all)"
expect 2 "misses the domain" run --frame all --window 3,0,4,1
rm -r run/fields
expect 4 "output.fields: yes" run

[ "$failures" = 0 ] || { echo "$failures failed"; exit 1; }
