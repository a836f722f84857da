#!/usr/bin/env bash
# `velella report` from outside: a run's page opens in Chromium, wide and narrow, light and dark, without a word in the console
# and without asking for anything; runs without pictures, video, probes or steps get a page, damaged ones an error.
# Usage: test_report_page.sh SOURCE_DIR BUILD_DIR [PROGRAM]. Skipped where Chromium or Python is not there, or the program has
# no charts. Exits 0 when all went well; each failure is named on a line.
set -u
source=$(cd "$1" && pwd)
program=$(realpath "${3:-$2/velella}")
[ -x "$program" ] || { echo "skipped: $program is not there"; exit 77; }
chromium=$(command -v chromium || command -v chromium-browser || true)
[ -n "$chromium" ] || { echo "skipped: chromium is not there (Debian package chromium)"; exit 77; }
command -v python3 >/dev/null || { echo "skipped: python3, which drives Chromium, is not there"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
failures=0
fail() { echo "FAILED: $*"; failures=$((failures + 1)); }

"$program" run dam_break --out wave --set grid.cells=12 --set output.fields=false --until 0.2 --quiet >/dev/null || fail "the run of a wave"
"$program" run pool --out still --set grid.cells=12 --set output.fields=false --until 0.001 --quiet >/dev/null || fail "the run of a pool"

# a short beam that the water reaches at once
cat >beam.yaml <<'YAML'
grid: {size: [1, 1, 1], cells: 12}
liquid: {level: 0.4}
bodies:
  - {name: beam, shape: box, center: [0.5, 0.5, 0.5], size: [0.2, 0.5, 0.2], cells: [1, 3, 1], young: 50 kPa, velocity: [1, 0, 0],
     pins: [{shape: box, center: [0.5, 0.75, 0.5], size: [0.4, 0.01, 0.4]}]}
  - {name: cork, shape: box, center: [0.2, 0.6, 0.2], size: [0.2, 0.2, 0.2], cells: [1, 1, 1], density: 300}
probes: [{name: tip, probe: node, body: beam, position: [0.5, 0.25, 0.5]}]
YAML
"$program" run beam.yaml --out beam --set output.fields=false --until 0.2 --quiet >/dev/null || fail "the run of a beam"

code=0
"$program" report wave >out 2>err || code=$?
if [ "$code" = 8 ]; then echo "skipped: $(head -n 1 err)"; exit 77; fi
[ "$code" = 0 ] || fail "velella report wave: exit code $code: $(cat err)"
grep -q 'no pictures, no video' out || fail "the report does not say that there are no pictures: $(cat out)"

# Two frames and a picture that is none of ours, as small as PNG files are.
mkdir still/render
for frame in 0 7; do
  python3 - "still/render/frame_0000$frame.png" <<'PYTHON'
import struct, sys, zlib
def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
rows = b"".join(b"\0" + bytes([40, 90, 160]) * 64 for _ in range(36))
open(sys.argv[1], "wb").write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 64, 36, 8, 2, 0, 0, 0))
                              + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))
PYTHON
done
touch still/render/frame_7.png
"$program" report still >out 2>err || fail "velella report still: $(cat err)"
grep -q '1 step, 2 of 2 pictures' out || fail "not one step and two pictures: $(cat out)"

# opens RUN CHARTS TEXT...: in all four views nothing is said or asked for, so many charts are drawn, the page has the texts
opens() {
  local run=$1 charts=$2 view text
  shift 2
  mkdir "$run-views"
  timeout 120 python3 "$source/tests/open_page.py" "$chromium" "$run/report.html" "$run-views" "$@" >seen 2>err ||
    { fail "$run: cannot be opened: $(tail -n 3 err)"; return; }
  while IFS= read -r text; do fail "$run: $text"; done < <(grep -vE '^canvases: ' seen)
  for view in desk-light desk-dark phone-light phone-dark; do
    [ "$(sed -n "s/^canvases: $view //p" seen)" = "$charts" ] || fail "$run, $view: not $charts charts: $(grep "$view" seen)"
    # a picture of one colour would be a few kB
    [ "$(stat -c %s "$run-views/$view.png" 2>/dev/null || echo 0)" -gt 30000 ] || fail "$run, $view: the picture of the page is blank"
  done
}
"$program" report beam >out 2>err || fail "velella report beam: $(cat err)"
grep -q '2 bodies' out || fail "the report does not count its bodies: $(cat out)"
opens wave 14 'This run has no pictures' 'This run has no video' 'far-wall' 'Finished'
# 13 of the liquid, 1 of the force on bodies; of each body 5, of the pinned one also pins and a probe
opens beam 26 'schur: pressure alone' '16 nodes' '18 linear tetrahedra' 'Node at tip' 'none, it is free' 'Force of the pins' 'Volume change' 'Force on the bodies'
opens still 13 'one step only' 'This scene has no probes' 'All that were rendered'
# without liquid there are only the body's charts, and the stage times
cat >dry.yaml <<'SCENE'
grid: {cells: 8}
bodies: [{name: block, shape: box, center: [0.5, 0.6, 0.5], size: [0.2, 0.2, 0.2]}]
time: {end: 0.1}
SCENE
"$program" run dry.yaml --out dry --quiet 2>/dev/null || fail "velella run dry.yaml"
"$program" report dry >out 2>err || fail "velella report dry: $(cat err)"
opens dry 6 "highest speed of a body's centre" 'An elastic body.'

# Damaged files are named, and the page of before stays.
cp -r wave broken
head -c 3000 wave/series.csv >broken/series.csv
code=0
"$program" report broken >out 2>err || code=$?
{ [ "$code" = 4 ] && grep -q 'broken/series.csv' err; } || fail "a cut series.csv: exit code $code: $(cat err)"
cmp -s wave/report.html broken/report.html || fail "a failed report has changed the page of before"
cp -r still torn
head -c 60 still/render/frame_00007.png >torn/render/frame_00007.png
code=0
"$program" report torn >out 2>err || code=$?
{ [ "$code" = 0 ] && grep -q 'warning: .*torn/render/frame_00007.png' err && grep -q '1 of 2 pictures' out; } ||
  fail "a cut picture: exit code $code: $(cat out err)"
mv still/render still/preview
"$program" report still >out 2>err || fail "velella report with previews: $(cat err)"
grep -q '2 of 2 previews' out || fail "previews are not shown: $(cat out)"
rm -r still-views
opens still 13 'Previews' 'All that were rendered'
code=0
"$program" report nowhere >out 2>err || code=$?
{ [ "$code" = 4 ] && grep -q 'nowhere is not the folder of a run' err; } || fail "no folder: exit code $code: $(cat err)"

[ "$failures" = 0 ] && echo "reports open, narrow and wide, and need nothing but themselves"
[ "$failures" = 0 ]
