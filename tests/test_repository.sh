#!/usr/bin/env bash
# Habits of the repository that a script can see: white space, opening comments, sizes of functions and files, no traces of
# the machine it was written on, every paper that is cited is in docs/references.bib, and what the pages point at exists.
# Usage: test_repository.sh SOURCE_DIR [BUILD_DIR]
# Each offence is printed as "file:line: what". The checks prove first, on a small tree made for them, that they can fail.
set -euo pipefail
longest_function=90 longest_file=600 largest_bytes=700000

# Tracked files and new ones that git does not ignore; without git, everything but what builds and runs leave behind.
all_files() {
  if [ -e .git ] && command -v git >/dev/null && git ls-files --cached --others --exclude-standard 2>/dev/null; then return; fi
  find . -type f ! -path './.git/*' ! -path './build/*' ! -path './runs/*' ! -path './demo/*' | sed 's|^\./||'
}

# The files of $files whose names match the pattern $1, those that exist.
named() { grep -E "$1" <<<"$files" | while IFS= read -r file; do [ ! -f "$file" ] || printf '%s\n' "$file"; done || true; }
# grep over the files named on standard input; finding nothing is fine.
search() { tr '\n' '\0' | xargs -0 -r grep -HnE "$@" || true; }

check_white_space() {
  named '\.[ch]$' | search $'\t' | sed -E 's/^([^:]*:[0-9]+):.*/\1: a tab/'
  named '\.[ch]$' | search '[[:space:]]+$' | sed -E 's/^([^:]*:[0-9]+):.*/\1: white space at the end of the line/'
}

check_opening() {
  local file
  for file in $(named '^src/.*\.c$'); do
    [ "$(head -c 2 "$file")" = '/*' ] || echo "$file:1: does not open with a comment that says what it is for"
  done
}

# A function's body lies between braces in the first column.
check_sizes() {
  local file
  for file in $(named '\.[ch]$'); do
    awk -v file="$file" -v most="$longest_function" -v most_file="$longest_file" '
      /^\{/ { begin = NR }
      /^\}/ && begin { if (NR - begin - 1 > most) print file ":" begin ": a function of " NR - begin - 1 " lines, more than " most; begin = 0 }
      END { if (NR > most_file) print file ":" NR ": a file of " NR " lines, more than " most_file }' "$file"
  done
}

# What a script can make again, frames and runs above all, stays out.
check_bytes() {
  named . | tr '\n' '\0' | xargs -0 -r stat -c '%s %n' |
    awk -v most="$largest_bytes" '$1 > most { size = $1; sub(/^[0-9]+ /, ""); print $0 ":1: a file of " size " bytes, more than " most }'
}

# The patterns are written so that they do not match themselves.
check_machine() {
  local paths='(^|[^A-Za-z0-9_.)}])/(wor[k]|hom[e]/[a-z])/' hosts='(deb|snapshot|security|ftp)\.debia[n]\.org|archive\.ubunt[u]\.com|pypi\.or[g]|npmjs\.or[g]|pkg\.de[v]'
  named . | search -I "$paths" | sed -E 's/^([^:]*:[0-9]+):.*/\1: a path of the machine it was written on/'
  named . | search -I "$hosts" | sed -E 's/^([^:]*:[0-9]+):.*/\1: the address of a package host/'
}

check_citations() {
  local place key keys
  keys=$(grep -oE '^@[a-z]+\{[^,]+' docs/references.bib | sed 's/.*{//' || true)
  uniq -d <<<"$(sort <<<"$keys")" | sed 's|^|docs/references.bib: twice the key |'
  { named '^(src|include|app|view|render|tests|validate|bench)/.*\.[ch]$'; named '^docs/.*\.md$'; } |
    search -o '\[[a-z]{2,}[12][0-9]{3}[^]]*' | awk '{
      place = $0; sub(/:\[.*/, "", place)
      list = substr($0, length(place) + 3)
      n = split(list, part, /; */)
      for (i = 1; i <= n; i++) if (match(part[i], /^[a-z]+[0-9]+[a-z]?/)) print place, substr(part[i], 1, RLENGTH)
    }' |
    while read -r place key; do
      grep -qx "$key" <<<"$keys" || echo "$place: [$key] is not in docs/references.bib"
    done
}

# Files and folders that pages name in back quotes, and the targets of their links, must exist.
check_pages() {
  local place name
  named '\.md$' | search -o '`(src|include|app|tests|validate|bench|scripts|docs|scenes)/[A-Za-z0-9_./-]+`' | tr -d '`' | sed -E 's/:([0-9]+):/:\1 /' |
    while read -r place name; do [ -e "$name" ] || echo "$place: $name does not exist"; done
  named '\.md$' | search -o '\]\([A-Za-z0-9_./-]+' | sed -E 's/:([0-9]+):\]\(/:\1 /' |
    while read -r place name; do [ -e "$(dirname "${place%:*}")/$name" ] || echo "$place: the link to $name leads nowhere"; done
}

offences() {
  cd "$1"
  files=$(all_files)
  check_white_space
  check_opening
  check_sizes
  check_bytes
  check_machine
  check_citations
  check_pages
}

# One offence of each kind, and things close to one that are none.
prove() {
  local tree=$1 found expected
  mkdir -p "$tree"/{src/base,docs}
  echo '@book{known2001, title = {A}}' >"$tree/docs/references.bib"
  printf '/* Good: [known2001, eq. 3]; a[2001] and sim->work/x are none. */\nint x;\n' >"$tree/src/base/good.c"
  printf 'int x;\n' >"$tree/src/base/bare.c"
  { echo '/* [known2001; unknown1999] */'; printf 'int\ta;\nint b; \n/* /%s/x */\n/* deb.%s.org */\n' work debian; } >"$tree/src/base/bad.c"
  { echo '/* long */'; echo 'void f(void)'; echo '{'; seq -f '  g(%g);' $((longest_function + 1)); echo '}'; } >"$tree/src/base/long.c"
  { echo '/* huge */'; seq -f 'int x%g;' "$longest_file"; } >"$tree/src/base/huge.c"
  head -c $((largest_bytes + 1)) /dev/zero >"$tree/frame.vtp"
  printf '%s\n' '`src/base/good.c` [a](references.bib)' '`src/base/gone.c`' '[b](gone.md)' >"$tree/docs/page.md"
  found=$(offences "$tree" | cut -d: -f1,2 | tr '\n' ' ')
  expected="src/base/bad.c:2 src/base/bad.c:3 src/base/bare.c:1 src/base/huge.c:601 src/base/long.c:3 src/base/bad.c:4 src/base/bad.c:5 src/base/bad.c:1 docs/page.md:2 docs/page.md:3 frame.vtp:1 "
  [ "$(tr ' ' '\n' <<<"$found" | sort)" = "$(tr ' ' '\n' <<<"$expected" | sort)" ] ||
    { printf 'the check itself is broken:\n  found    %s\n  expected %s\n' "$found" "$expected"; return 1; }
}

source=$(cd "$1" && pwd)
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
prove "$tree"
found=$(offences "$source")
[ -z "$found" ] || { echo "$found"; exit 1; }
echo "the repository keeps its habits"
