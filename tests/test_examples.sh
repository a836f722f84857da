#!/usr/bin/env bash
# The programs of examples/ run, and what they print is right. Usage: test_examples.sh SOURCE_DIR BUILD_DIR
set -euo pipefail
examples=$2/examples
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
fail() { echo "test_examples: $1"; cat "$folder/out"; exit 1; }
# The table without its header line must satisfy the awk program $1, which exits with 0 when it does.
table() { awk -F, 'NR > 1 && NF > 1' "$folder/out" | awk -F, "$1"; }

"$examples/dam_break" 16 >"$folder/out"
# The front begins at 0.4 m, advances, never faster than 2 sqrt(g 0.75 m) = 5.4 m/s, and reaches the wall, which feels it.
table '{ if (NR == 1) start = $2; else if ($2 < before - 1e-4 || $2 > before + 5.5 * ($1 - time)) bad = 1
         before = $2; time = $1; if ($3 > most) most = $3 }
       END { exit bad || NR != 11 || start < 0.38 || start > 0.4 || before < 0.95 || most < 1000 }' || fail "the dam break's front"
"$examples/dam_break" no 2>"$folder/out" >"$folder/table" && fail "nonsense was taken"
grep -q "grid.cells" "$folder/out" || fail "the message does not name the setting"

"$examples/gauge" >"$folder/out"
# Period 1.40 s: down, and up again; the steepness of the wave and 48 cells may cost 5 %.
table '{ h[NR] = $2; t[NR] = $1; if (NR == 1 || $2 < h[low]) low = NR }
       END { high = low; for (i = low; i <= NR; i++) if (h[i] > h[high]) high = i
             exit NR != 65 || h[1] < 0.28 || h[low] > 0.23 || t[high] < 0.95 * 1.398 || t[high] > 1.05 * 1.398 }' || fail "the gauge"

"$examples/two_tanks" "$folder" >"$folder/out"
# Equal while the drop falls; in the splash PIC loses more.
table '{ if (NR == 1 && ($2 - $3 > 0.01 * $2 || $3 - $2 > 0.01 * $2)) bad = 1; flip = $2; pic = $3 }
       END { exit bad || NR != 12 || pic > 0.8 * flip }' || fail "the two tanks"
for name in flip pic; do
  [ "$(head -c 3 "$folder/$name.ply")" = ply ] || fail "$name.ply is no PLY file"
  grep -qE "$name.ply: [0-9]{4,} triangles" "$folder/out" || fail "$name.ply has few triangles"
done
echo "the examples print what they should"
