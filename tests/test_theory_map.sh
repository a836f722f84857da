#!/usr/bin/env bash
# docs/theory/map.md: every file in its tables exists, and every function of a row is defined in one of the row's files.
# Usage: test_theory_map.sh SOURCE BUILD
set -euo pipefail
cd "$1"
map=${3:-docs/theory/map.md}
failed=0 rows=0 names=0

fail() { echo "$map: $*" >&2; failed=1; }

# "`a`, `b`" as a b
quoted() { grep -o '`[^`]*`' <<<"$1" | tr -d '`' || true; }

defined() { grep -qE "^(static )?(inline )?(const )?[A-Za-z_][A-Za-z0-9_ ]*[ *]$1\(" "$2"; }

while IFS= read -r line; do
  files=$(quoted "$line" | grep -E '^src/[a-z_/0-9]+\.[ch]$' || true)
  [ -n "$files" ] || continue
  rows=$((rows + 1))
  for file in $files; do [ -f "$file" ] || fail "there is no $file"; done
  for name in $(quoted "$line" | grep -E '^[a-z][a-z0-9_]*$' || true); do
    names=$((names + 1))
    found=no
    for file in $files; do [ -f "$file" ] && defined "$name" "$file" && found=yes; done
    [ "$found" = yes ] || fail "$name is not defined in $(tr '\n' ' ' <<<"$files")"
  done
done < <(grep '^|' "$map")
[ "$rows" -ge 30 ] && [ "$names" -ge 40 ] || fail "only $rows rows and $names functions were found"

# every equation of the paper has a row
for ((eq = 1; eq <= 33; eq++)); do
  grep -qE "^\| ([0-9, ]*, )?$eq(,[0-9, ]*)? \|" "$map" || fail "equation $eq has no row"
done
grep -q '^| eq. 34' "$map" || fail "equation 34 has no row"
exit $failed
