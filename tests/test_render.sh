#!/usr/bin/env bash
# The renderer from outside: pictures, resuming, broken frames, the video, exit codes; and that it holds nothing of the engine.
# Usage: test_render.sh SOURCE_DIR BUILD_DIR. Each failure is named on a line.
set -u
velella=$(realpath "$2/velella")
renderer=$(dirname "$velella")/velella-render
[ -x "$velella" ] && [ -x "$renderer" ] || { echo "skipped: no renderer in $2"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
failures=0
fail() { echo "FAILED: $*"; failures=$((failures + 1)); }

# expect CODE ARGUMENTS of velella
expect() {
  local wanted=$1 code=0
  shift
  "$velella" "$@" >out 2>err || code=$?
  [ "$code" = "$wanted" ] || fail "velella $*: exit code $code instead of $wanted: $(head -c 300 err)"
}
says() { grep -qF -- "$2" "$1" || fail "no '$2' in $1: $(head -c 300 "$1")"; }
is_png() { [ "$(head -c 4 "$1" 2>/dev/null | tail -c 3)" = PNG ] || fail "$1 is no PNG file"; }

quick=(--size 48x32 --samples 1 --quiet)
expect 0 run dam_break --out run --set grid.cells=12 --set output.fields=false --until 0.2 --quiet
[ -s run/look.json ] || fail "run/look.json is missing"

# pictures, and the same bytes for another number of threads
expect 0 render run "${quick[@]}" --no-video --threads 1
for n in 0 3 6; do is_png run/render/frame_0000$n.png; done
expect 0 render run "${quick[@]}" --no-video --threads 3 --out other
is_png run/render/sheet.png
cmp -s run/render/sheet.png other/sheet.png || fail "contact sheets depend on the number of threads"
cmp -s run/render/frame_00003.png other/frame_00003.png || fail "pictures depend on the number of threads"

# a second time they are kept; a cut one, one older than its frame and ones with other options are made again
expect 0 render run "${quick[@]}" --no-video
says out "7 of them were there"
truncate -s 60 run/render/frame_00002.png
touch -d '1 hour ago' run/render/frame_00004.png
expect 0 render run "${quick[@]}" --no-video
says out "5 of them were there"
is_png run/render/frame_00002.png
[ run/render/sheet.png -nt run/render/frame_00004.png ] || fail "the contact sheet is older than a picture"
expect 0 render run "${quick[@]}" --no-video --exposure 1
says out "0 of them were there"
expect 0 render run "${quick[@]}" --no-video --exposure 1 --overwrite --frames 0-4/2
says out "3 pictures in run/render (0 of them were there)"

# pictures of other solids are made again, and a full disk is named at once
expect 0 run slab --out held --set grid.cells=12 --set output.fields=false --until 0.05 --quiet
expect 0 render held "${quick[@]}" --no-video
rm held/solids.vtp
expect 0 render held "${quick[@]}" --no-video
says out "(0 of them were there)"
if [ -e /dev/full ]; then
  ln -s /dev/full held/render/frame_00000.png.part
  expect 4 render held "${quick[@]}" --no-video --overwrite
  says err "frame_00000.png: No space left on device"
  [ "$(wc -l <err)" = 1 ] || fail "a full disk is named more than once: $(cat err)"
fi

# broken frames are named, the others are made
cp -r run broken
head -c 2000 run/surface/surface_00001.vtp >broken/surface/surface_00001.vtp
: >broken/surface/surface_00002.vtp
rm broken/surface/surface_00003.vtp
echo "no frame" >broken/surface/surface_00004.vtp
rm -r broken/render
expect 5 render broken "${quick[@]}" --no-video
for n in 1 2 3 4; do
  says err "velella: error: frame $n: "
  says err "broken/surface/surface_0000$n.vtp"
  [ ! -e broken/render/frame_0000$n.png ] || fail "a picture of the broken frame $n"
done
says err "is empty"
says err "is missing"
says err "4 of 7 pictures could not be made"
for n in 0 5 6; do is_png broken/render/frame_0000$n.png; done

# frames beyond the last one and a gap are one error each
expect 4 render run "${quick[@]}" --no-video --frames 5-60 --out beyond
says err "frames 7 to 60: the last frame of run is 6"
[ "$(wc -l <err)" = 2 ] || fail "frames beyond the last: $(cat err)"
is_png beyond/frame_00006.png
cp -r run gap
rm gap/surface/surface_0000[1-4].vtp
expect 4 render gap "${quick[@]}" --no-video --out between
says err "velella: error: frames 1 to 4: "
[ "$(wc -l <err)" = 2 ] || fail "a gap: $(cat err)"

# off a terminal progress is a few lines
expect 0 render run --size 16x16 --samples 1 --no-video --turntable 40 --out turns
[ "$(wc -l <err)" -le 10 ] || fail "progress has $(wc -l <err) lines"

# the picture does not change when the run goes on
expect 0 run dam_break --out grows --set grid.cells=12 --set output.fields=false --until 0.1 --quiet
expect 0 render grows "${quick[@]}" --no-video
expect 0 run dam_break --out grows --set grid.cells=12 --set output.fields=false --until 0.3 --quiet --resume
expect 0 render grows "${quick[@]}" --no-video
says out "(4 of them were there)"

# one command at a time in a folder, and what a killed one left is no obstacle
if command -v flock >/dev/null; then
  code=0
  flock run/render "$velella" render run "${quick[@]}" --no-video >out 2>err || code=$?
  [ "$code" = 4 ] || fail "exit code $code in a folder that another one uses"
  says err "another command is making pictures in the folder run/render"
fi
echo "left by a killed one" >run/render/frame_00003.png.part
expect 0 render run "${quick[@]}" --no-video --overwrite --frames 3
[ ! -e run/render/frame_00003.png.part ] || fail "a partial file stays"

# liquid that stands still has no surface: solids alone, with a word about it
expect 0 run rest/cube --out still --set grid.cells=8 --until 0.05 --quiet
expect 0 render still "${quick[@]}"
says err "velella: warning: still has no frames of the liquid's surface"
is_png still/render/frame_00000.png

# colours tell what they mean
expect 0 render run "${quick[@]}" --no-video --color speed --frames 3 --out speed
says out "speed: dark blue is 0, orange "
expect 0 render held "${quick[@]}" --no-video --color stress --frames 0 --out stress
says err "velella: warning: no stress is shown"

# elastic bodies: shown, in every coloring, with or without liquid, and a broken frame of theirs is named like any other
small=(--set grid.cells=12 --set "bodies[0].cells=[1, 4, 1]" --set output.fields=false --quiet)
expect 0 run beam_small --out bent "${small[@]}" --until 0.1
grep -q '"bodies": \[' bent/look.json || fail "look.json does not speak of bodies"
expect 0 render bent "${quick[@]}" --no-video
is_png bent/render/frame_00003.png
mv bent/bodies gone
expect 0 render bent "${quick[@]}" --no-video --out without
says err "velella: warning: bent has no frames of its bodies"
cmp -s bent/render/frame_00003.png without/frame_00003.png && fail "the picture does not show the body"
mv gone bent/bodies
expect 0 render bent "${quick[@]}" --no-video
says out "(4 of them were there)"
touch bent/bodies/bodies_00002.vtp
expect 0 render bent "${quick[@]}" --no-video
says out "(3 of them were there)"
expect 0 render bent "${quick[@]}" --no-video --color stress --out stressed
says out "stress: dark blue is 0, orange "
cmp -s bent/render/frame_00003.png stressed/frame_00003.png && fail "the picture does not show the stress"
expect 0 render bent "${quick[@]}" --no-video --color speed --frames 3 --out bodyspeed
expect 0 render bent --preview --frames 3 --quiet
is_png bent/preview/frame_00003.png
sed -zi 's/"color": \[[^]]*\]/"color": [0.1, 0.9, 0.1]/' bent/look.json
expect 0 render bent "${quick[@]}" --no-video --frames 3
says out "(0 of them were there)"
cp -r bent torn
rm -r torn/render
: >torn/bodies/bodies_00001.vtp
rm torn/bodies/bodies_00002.vtp
expect 4 render torn "${quick[@]}" --no-video
says err "velella: error: frame 1: torn/bodies/bodies_00001.vtp is empty"
says err "velella: error: frame 2: torn/bodies/bodies_00002.vtp is missing"
for n in 0 3; do is_png torn/render/frame_0000$n.png; done
for n in 1 2; do [ ! -e torn/render/frame_0000$n.png ] || fail "a picture of the torn frame $n"; done
rm -r bent/surface
expect 0 render bent "${quick[@]}" --no-video --out dry
says out "4 pictures in dry"

# a turntable, previews, colours, another camera
expect 0 render run "${quick[@]}" --no-video --turntable 3
is_png run/turntable/frame_00002.png
expect 0 render run --preview --frames 2 --quiet
is_png run/preview/frame_00002.png
expect 0 render run "${quick[@]}" --no-video --color speed --frames 3 --out speed --camera 2,1,2 --target 0.5,0.3,0.5 --fov 40
is_png speed/frame_00003.png

# the video, and what is said without ffmpeg
if command -v ffmpeg >/dev/null; then
  expect 0 render run "${quick[@]}" --video
  [ -s run/render/video.mp4 ] || fail "run/render/video.mp4 is missing"
  # a name that begins with a dash, and one that ffmpeg could take for a protocol
  for name in -run way:run; do
    cp -r run "./$name"
    expect 0 render "${quick[@]}" --video --frames 0-1 --out "$name/new" -- "$name"
    [ -s "./$name/new/video.mp4" ] || fail "no video in $name"
  done
fi
rm -f run/render/video.mp4
mkdir empty
code=0
PATH=$work/empty "$renderer" run "${quick[@]}" --video >out 2>err || code=$?
[ "$code" = 8 ] || fail "exit code $code without ffmpeg"
says err "the program ffmpeg was not found; install it"
code=0
PATH=$work/empty "$renderer" run "${quick[@]}" >out 2>err || code=$?
[ "$code" = 0 ] || fail "exit code $code without ffmpeg and without --video"
says err "velella: warning: "

# mistakes on the command line
expect 2 render
says err "needs the folder of a run"
expect 2 render run --frames 5-2
says err "--frames 5-2: "
expect 2 render run --quality great
says err "low, medium, high or best is wanted"
expect 2 render run --smaples 4
says err "no option --smaples"
expect 2 render run --camera 1e30,0,0
says err "is too far away"
expect 2 render run --camera 0.5,0.5,1e7 "${quick[@]}"
expect 2 render -run
says err "options begin with two dashes"
expect 4 render nowhere
says err "nowhere is not the folder of a run"
mkdir bare
expect 4 render bare
says err "bare has nothing to show: no frames of the liquid's surface"
expect 4 render run --frames 50-90 "${quick[@]}"
says err "--frames from 50 on: run has the frames from 0 to 6"
[ "$(wc -l <err)" = 1 ] || fail "frames that are not there are named more than once: $(cat err)"
expect 0 render --help
says out "--turntable N"

# reads frames and nothing else
if command -v nm >/dev/null && nm "$renderer" | grep -qE ' T vl_(sim|pressure|scene|statics)_'; then
  fail "the renderer holds parts of the engine"
fi
[ "$failures" = 0 ] || exit 1
echo "the renderer does what it says"
