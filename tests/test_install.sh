#!/usr/bin/env bash
# What `cmake --install` leaves is enough to build a program: headers, library, velella.pc, the command.
# Usage: test_install.sh SOURCE_DIR BUILD_DIR
set -euo pipefail
source=$1 build=$2
if grep -qE '^VELELLA_SANITIZE:[A-Z]*=.+' "$build/CMakeCache.txt"; then echo "a build with sanitizers is not installed"; exit 77; fi
prefix=$(mktemp -d)
trap 'rm -rf "$prefix"' EXIT
fail() { echo "test_install: $1"; exit 1; }

cmake --install "$build" --prefix "$prefix/usr" >"$prefix/log" 2>&1 || { cat "$prefix/log"; exit 1; }
mv "$prefix/usr" "$prefix/moved" # what was installed may be moved
found=$(find "$prefix/moved" -name velella.pc)
[ -n "$found" ] || fail "there is no velella.pc"
PKG_CONFIG_PATH=$(dirname "$found")
export PKG_CONFIG_PATH
"$prefix/moved/bin/velella" list >/dev/null || fail "the command does not run"

compiler=$(sed -n 's/^CMAKE_C_COMPILER:[A-Z]*=//p' "$build/CMakeCache.txt")
"$compiler" -std=c17 -Wall -Wextra -Werror -o "$prefix/gauge" "$source/examples/gauge.c" $(pkg-config --cflags --libs velella)
"$prefix/gauge" | awk -F, 'END { exit NR != 66 }' || fail "the program does not print its table"
# The program on the page of the API is a program.
sed -n '/^```c$/,/^```$/p' "$source/docs/api.md" | sed '1d;$d' >"$prefix/page.c"
"$compiler" -std=c17 -Wall -Wextra -Werror -o "$prefix/page" "$prefix/page.c" $(pkg-config --cflags --libs velella)
"$prefix/page" | awk -F, '{ if (NR == 1) first = $2; last = $2 } END { exit NR != 31 || !(first > 0.28 && last < first) }' ||
  fail "the program of docs/api.md does not print a wave"
# Packages are made below a folder; make hands both on.
DESTDIR=$prefix/stage cmake --install "$build" --prefix /opt/velella >"$prefix/log" 2>&1 || { cat "$prefix/log"; exit 1; }
[ -x "$prefix/stage/opt/velella/bin/velella" ] || fail "nothing is installed below DESTDIR"
if command -v make >/dev/null; then
  make -C "$source" -n install PREFIX=/opt/velella DESTDIR="$prefix/stage" >"$prefix/made" 2>&1 || fail "make install: $(cat "$prefix/made")"
  grep -qF "DESTDIR=\"$prefix/stage\" cmake --install build/release --prefix \"/opt/velella\"" "$prefix/made" || fail "make install does something else: $(cat "$prefix/made")"
fi
# Each header can stand alone.
for header in "$prefix"/moved/include/velella/*.h; do
  echo "#include <velella/$(basename "$header")>" >"$prefix/alone.c"
  "$compiler" -std=c17 -Wall -Wextra -Wpedantic -Werror -fsyntax-only $(pkg-config --cflags velella) "$prefix/alone.c"
done
# No mutable globals, and nothing visible that does not begin with vl_.
library=$(find "$prefix/moved" -name libvelella.a)
if command -v nm >/dev/null; then
  nm -f sysv "$library" >"$prefix/names" 2>/dev/null
  globals=$(awk -F'|' '$7 ~ /^\.(data|bss)$|COM/ && $4 ~ /OBJECT/ { print $1 }' "$prefix/names")
  [ -z "$globals" ] || fail "mutable globals: $globals"
  others=$(nm -g --defined-only "$library" 2>/dev/null | awk 'NF == 3 && $3 !~ /^vl_/ { print $3 }')
  [ -z "$others" ] || fail "names that are not ours to take: $others"
fi
echo "what is installed can be used"
