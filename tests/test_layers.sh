#!/usr/bin/env bash
# Layers point one way: fails on every include that points up or across, with its file and line.
# Usage: test_layers.sh SOURCE_DIR [BUILD_DIR]
# Each folder may include itself, include/velella and the folders of its line below. The check proves first, on a small tree
# made for it, that it finds what it should and nothing else.
set -euo pipefail

table() {
  cat <<'TABLE'
include:
base:
grid:     base
mesh:     base
linear:   base grid
liquid:   base grid mesh linear
solid:    base grid mesh linear
scene:    base grid mesh linear solid
contact:  base grid mesh linear solid
cut:      base grid mesh linear liquid solid
pressure: base grid mesh linear liquid solid contact cut
engine:   base grid mesh linear liquid solid scene
engine/sharp: base grid mesh linear liquid solid scene contact cut pressure engine
engine/immersed: base grid mesh linear liquid solid scene contact cut pressure engine engine/sharp
files:    base grid mesh
frames:   base grid mesh linear liquid files
drawing:  base files
figures:  base grid mesh linear liquid solid cut files drawing
app:      base grid mesh linear liquid solid scene contact cut pressure engine engine/sharp files frames drawing figures
view:     base grid mesh linear liquid solid scene contact cut pressure engine files frames drawing figures
render:   base mesh files drawing
TABLE
}

# Prints "file:line: what is wrong" for each offending include under the folder $1.
offences() {
  local folder folders=()
  cd "$1"
  for folder in include src app view render; do [ ! -d "$folder" ] || folders+=("$folder"); done
  find "${folders[@]}" -name '*.[ch]' | LC_ALL=C sort | { xargs grep -HnE '^[[:space:]]*#[[:space:]]*include' || true; } |
    awk -v table="$(table)" '
      BEGIN {
        rows = split(table, row, "\n")
        for (r = 1; r <= rows; r++) {
          words = split(row[r], word, "[: ]+")
          known[word[1]] = 1
          allowed[word[1], word[1]] = 1
          for (w = 2; w <= words; w++) if (word[w] != "") allowed[word[1], word[w]] = 1
        }
      }
      {
        split($0, part, ":")
        file = part[1]
        place = part[1] ":" part[2] ": "
        split(file, step, "/")
        from = step[1] == "src" ? step[2] (step[4] != "" ? "/" step[3] : "") : step[1]
        text = substr($0, length(place))
        if (!match(text, /["<][^">]*[">]/)) { print place "an include that cannot be read: " text; next }
        quoted = substr(text, RSTART, 1) == "\""
        target = substr(text, RSTART + 1, RLENGTH - 2)
        to = target
        slash = sub(/\/[^\/]*$/, "", to)
        if (!(from in known)) print place "the folder " from " is not in the table of layers"
        else if (to ~ /^\.\.?(\/|$)/) print place "\"" target "\" is relative: write it from src/ or include/"
        else if (!slash && quoted && (from == "app" || from == "view" || from == "render")) next
        else if (to == "velella" || (!quoted && !(to in known))) next
        else if (!slash || !(to in known)) print place "\"" target "\" belongs to no folder of the table of layers"
        else if (!((from, to) in allowed)) print place from " may not include " to ": \"" target "\""
      }'
}

# A tree with good includes and one of each kind of bad ones.
prove() {
  local tree=$1 found expected
  mkdir -p "$tree"/src/{base,grid,cut,scene,files,spare,engine/sharp} "$tree"/{app,include/velella}
  printf '%s\n' '#include "velella/types.h"' '#include <stdio.h>' '#include <sys/stat.h>' '#include "base/a.h"' '#include "grid/b.h"' >"$tree/src/base/a.c"
  printf '%s\n' '#include "base/a.h"' '#include "mesh/c.h"' >"$tree/src/grid/b.h"
  printf '%s\n' '#include "../base/a.h"' '  #  include "engine/sim.h"' >"$tree/src/cut/d.c"
  printf '%s\n' '#include "files/e.h"' >"$tree/src/scene/e.c"
  printf '%s\n' '#include <scene/e.h>' '#include "e.h"' >"$tree/src/files/e.c"
  printf '%s\n' '#include "base/a.h"' >"$tree/src/spare/f.c"
  printf '%s\n' '#include "engine/engine.h"' '#include "engine/sharp/sharp.h"' | tee "$tree/src/engine/sim.c" >"$tree/src/engine/sharp/step.c"
  printf '%s\n' '#include "own.h"' '#include "files/e.h"' '#include "scene/e.h"' >"$tree/app/main.c"
  printf '%s\n' '#include "velella/types.h"' '#include "base/a.h"' >"$tree/include/velella/velella.h"
  found=$(offences "$tree" | cut -d: -f1,2 | tr '\n' ' ')
  expected="include/velella/velella.h:2 src/base/a.c:5 src/cut/d.c:1 src/cut/d.c:2 src/engine/sim.c:2 src/files/e.c:1 src/files/e.c:2 src/grid/b.h:2 src/scene/e.c:1 src/spare/f.c:1 "
  [ "$found" = "$expected" ] || { printf 'the check itself is broken:\n  found    %s\n  expected %s\n' "$found" "$expected"; return 1; }
}

source=$(cd "$1" && pwd)
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
prove "$tree"
found=$(offences "$source")
[ -z "$found" ] || { echo "$found"; exit 1; }
echo "all includes point down"
