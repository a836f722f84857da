#!/usr/bin/env bash
# What a body is made of is the business of src/solid, and of what reads and checks scenes, src/scene:
# fails where other code in src/ names a kind of body, with its file and line.
# Usage: test_body_kinds.sh SOURCE_DIR [BUILD_DIR]
# Comments and texts may speak of kinds, code goes through vlBody and its table (src/solid/body.h). The check proves first, on
# a small tree made for it, that it finds what it should and nothing else.
set -euo pipefail

# Prints "file:line: name" for each name of a kind in the code under the folder $1.
offences() {
  cd "$1"
  find src \( -path src/solid -o -path src/scene \) -prune -o \
    \( -name '*.[ch]' -o -name '*.cu' \) -print | LC_ALL=C sort |
    xargs awk '
      BEGIN {
        kind = "^(vlElastic|vlRigid|vlScripted|vlReduced|vl_elastic_|vl_rigid_|vl_scripted_|vl_reduced_)"
        word = "^(VL_BODY_ELASTIC|VL_BODY_RIGID|VL_BODY_SCRIPTED|VL_BODY_REDUCED|rigid|driven|scripted)$"
        text = "^([^\"\\\\]|\\\\.)*\""
        character = "^([^\047\\\\]|\\\\.)*\047"
        header = "^[ \t]*#[ \t]*include[ \t]*[\"<]solid/(elastic|rigid|scripted|reduced)"
      }
      FNR == 1 { comment = 0 }
      { # the line without comments, texts and single characters
        rest = $0
        code = ""
        if (!comment && rest ~ header) print FILENAME ":" FNR ": " $0
        while (rest != "") {
          if (comment) {
            if (!(end = index(rest, "*/"))) break
            rest = substr(rest, end + 2)
            comment = 0
          }
          if (!match(rest, /\/\*|\/\/|["\047]/)) {
            code = code rest
            break
          }
          code = code substr(rest, 1, RSTART - 1) " "
          begins = substr(rest, RSTART, RLENGTH)
          rest = substr(rest, RSTART + RLENGTH)
          if (begins == "//") break
          if (begins == "/*") comment = 1
          else if (match(rest, begins == "\"" ? text : character)) rest = substr(rest, RLENGTH + 1)
        }
        while (match(code, /[A-Za-z_][A-Za-z_0-9]*/)) {
          name = substr(code, RSTART, RLENGTH)
          code = substr(code, RSTART + RLENGTH)
          if (name ~ kind || name ~ word) print FILENAME ":" FNR ": " name
        }
      }'
}

# A tree with each name of a kind once, and all that is none.
prove() {
  local tree=$1 found expected
  mkdir -p "$tree"/src/{solid,scene,cut,engine/sharp,io}
  echo 'vlRigid *vl_rigid_of(const vlBody *rigid);' | tee "$tree"/src/{solid/a.h,scene/a.c} >/dev/null
  cat >"$tree/src/cut/b.c" <<'TREE'
/* rigid and scripted bodies, vlElastic: words */ static void weigh(vlElastic *b);
/* over two lines: vlRigid
 * driven */ vlRigidBody *one; // rigid
const char *text = "rigid \" vl_rigid_of"; char quote = '"'; vlRigid two; char other = '\'';
int rigidity, vl_body_rigid, is_rigid, VL_BODY_RIGID_2, not_driven, elastics;
#include "solid/body.h" /* of scripted ones too */
vl_elastic_begin(b); vl_rigid_of(b);
TREE
  cat >"$tree/src/engine/sharp/c.h" <<'TREE'
switch (kind) { case VL_BODY_ELASTIC: case VL_BODY_RIGID: break; case VL_BODY_SCRIPTED: break; }
if (body->rigid) x = b.driven; /* a */ bool scripted = 2.0 * /* b */ m.elastic;
  #  include "solid/rigid_body.h"
TREE
  printf 'int x; /* not closed\n' >"$tree/src/io/d.c"
  printf '#include "solid/elastic.h"\nint rigid;\n' >"$tree/src/io/e.cu"
  echo 'extern vlScripted vl_scripted_type;' >"$tree/src/io/f.h"
  found=$(offences "$tree" | sed 's/^src.//; s/ *# *include *"/</; s/"$/>/' | tr -d ' ' | tr '\n' ' ')
  expected="cut/b.c:1:vlElastic cut/b.c:3:vlRigidBody cut/b.c:4:vlRigid cut/b.c:7:vl_elastic_begin cut/b.c:7:vl_rigid_of "
  expected+="engine/sharp/c.h:1:VL_BODY_ELASTIC engine/sharp/c.h:1:VL_BODY_RIGID engine/sharp/c.h:1:VL_BODY_SCRIPTED "
  expected+="engine/sharp/c.h:2:rigid engine/sharp/c.h:2:driven engine/sharp/c.h:2:scripted "
  expected+="engine/sharp/c.h:3:<solid/rigid_body.h> io/e.cu:1:<solid/elastic.h> io/e.cu:2:rigid "
  expected+="io/f.h:1:vlScripted io/f.h:1:vl_scripted_type "
  [ "$found" = "$expected" ] || { printf 'the check itself is broken:\n  found    %s\n  expected %s\n' "$found" "$expected"; return 1; }
}

source=$(cd "$1" && pwd)
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
prove "$tree"
found=$(offences "$source")
[ -z "$found" ] || { echo "$found"; exit 1; }
echo "no code but that of solids and scenes knows kinds of bodies"
