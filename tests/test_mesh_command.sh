#!/usr/bin/env bash
# velella mesh from outside: a surface to tetrahedra and back in, statistics, exit codes, messages.
# Usage: test_mesh_command.sh SOURCE_DIR BUILD_DIR [PROGRAM]. Exits 0 when all went well; each failure is named on a line.
set -u
program=$(realpath "${3:-$2/velella}")
[ -x "$program" ] || { echo "skipped: $program is not there"; exit 77; }
source=$(realpath "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
failures=0

fail() { echo "FAILED: $*"; failures=$((failures + 1)); }

# expect CODE TEXT ARGUMENTS: velella mesh's exit code, and a text in what it prints
expect() {
  local wanted=$1 text=$2 code=0
  shift 2
  "$program" mesh "$@" >out 2>err || code=$?
  [ "$code" = "$wanted" ] || fail "mesh $*: exit code $code instead of $wanted: $(head -c 300 err)"
  cat out err | grep -qF -- "$text" || fail "mesh $*: no '$text' in: $(cat out err | head -c 300)"
}

# number KEY: of the JSON in `out`
number() { sed -E "s/.*\"$1\": ([-0-9.e+]+).*/\1/" out; }
# holds EXPRESSION: of numbers
holds() { awk "BEGIN { exit !($1) }" || fail "$1 does not hold: $(cat out)"; }

# a cube of 2 m with its lowest corner at the origin
cat >cube.obj <<'OBJ'
v 0 0 0
v 2 0 0
v 2 2 0
v 0 2 0
v 0 0 2
v 2 0 2
v 2 2 2
v 0 2 2
f 1 4 3 2
f 5 6 7 8
f 1 2 6 5
f 2 3 7 6
f 3 4 8 7
f 4 1 5 8
OBJ
grep -v 'f 5 6 7 8' cube.obj >open.obj

expect 0 "tetrahedra" cube.obj --cell 0.25 -o cube.msh
head -2 cube.msh | grep -qF "4.1 0 8" || fail "cube.msh is no Gmsh 4.1 file"
[ -z "$(ls ./*.part 2>/dev/null)" ] || fail "a part was left"
grep -qF "velella: octree:" err || fail "no progress: $(cat err)"
# edges of the cube are multiples of the cell: it is met exactly
expect 0 '"output": "cube.vtu"' cube.obj --cell 250mm --out cube.vtu --json --quiet
[ ! -s err ] || fail "--quiet says: $(cat err)"
holds "$(number volume) > 7.999999 && $(number volume) < 8.000001 && $(number surface_volume) == 8"
holds "$(number dihedral_min) > 44.9 && $(number dihedral_max) < 120.1 && $(number pieces) == 1"
holds "$(number thin) == 0 && $(number torn) == 0 && $(number crumbs) == 0"
graded=$(number tetrahedra)
expect 0 uniform cube.obj --cell 0.25 --uniform --json --quiet
holds "$(number tetrahedra) > $graded"
expect 0 '"cell": 0.06' cube.obj --scale 0.9 --json --quiet
holds "$(number volume) > 5.83 && $(number volume) < 5.84"
# without a name nothing is written
expect 0 "nothing was written" cube.obj --cell 1

# the same bytes for any number of threads
"$program" mesh cube.obj --cell 0.13 --out one.msh --threads 1 --quiet >/dev/null || fail "one thread"
"$program" mesh cube.obj --cell 0.13 --out three.msh --threads 3 --quiet >/dev/null || fail "three threads"
cmp -s one.msh three.msh || fail "the mesh depends on the number of threads"

# tetrahedra are filled anew from their surface
expect 0 '"input": "cube.msh"' cube.msh --cell 0.5 --json --quiet
holds "$(number volume) > 7.999999 && $(number volume) < 8.000001"
expect 0 '"input": "cube.vtu"' cube.vtu --cell 0.5 --json --quiet

# a mesh with a hole: refused with its place, or repaired
expect 5 "4 open edges" open.obj --cell 0.25
grep -qF "the first is at (1, 0, 2)" err || fail "the place of the hole is not named: $(cat err)"
grep -qF -- "--repair" err || fail "no way out is named: $(cat err)"
expect 0 '"pieces": 1' open.obj --cell 0.25 --repair --json --quiet
holds "$(number volume) > 6 && $(number volume) < 8.1"

# a plate too thin for the cell is told, one far too thin refused
sed -E 's/^v ([0-9]) ([0-9]) 2/v \1 \2 0.2/' cube.obj >plate.obj
expect 0 "is thin for a cell of 0.22 m" plate.obj --cell 0.22
expect 5 "it needs a smaller one" plate.obj --cell 1.5

expect 2 "'mesh' needs a word more" --cell 1
expect 2 "more than 0 and at most 1e+09, is wanted" cube.obj --cell 0
expect 2 "a length in metres" cube.obj --cell 3kg
expect 2 "a number, more than 0" cube.obj --scale big
expect 2 "a name that ends in .msh" cube.obj --out cube.obj
expect 2 "did you mean --uniform" cube.obj --unifrom
expect 4 "nothing.obj" nothing.obj
expect 5 "cells; 262136 are allowed" cube.obj --cell 1e-6
expect 4 "nowhere" cube.obj --cell 0.5 --out nowhere/cube.msh
echo "rubbish" >rubbish.obj
expect 5 "rubbish.obj" rubbish.obj

# meshes that nobody here made, where they are
meshes="$source/../shared/meshes"
if [ -d "$meshes" ]; then
  expect 0 '"pieces": 1' "$meshes/spot.obj" --cell 0.1 --json --quiet
  holds "$(number dihedral_min) > 10.7 && $(number dihedral_max) < 164.8"
  holds "$(number volume) > 0.95 * $(number surface_volume) && $(number volume) < $(number surface_volume)"
  expect 5 "223 open edges" "$meshes/stanford-bunny.obj" --cell 0.02
fi

# two tetrahedra that touch along an edge with nodes of their own, as places that were set apart do
cat >touch.mesh <<'MESH'
MeshVersionFormatted 1
Dimension 3
Vertices
8
0 0 0 0
0 0 1 0
1 0 0 0
0 1 0 0
0 0 0 0
0 0 1 0
-1 0 0 0
0 -1 0 0
Tetrahedra
2
1 3 4 2 0
5 7 8 6 0
End
MESH
expect 0 "tetrahedra" touch.mesh --cell 0.2

[ "$failures" = 0 ] || { echo "$failures failures"; exit 1; }
echo "velella mesh: all as expected"
