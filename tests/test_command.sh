#!/usr/bin/env bash
# The command `velella` from outside: every command, exit codes, messages, what is written and what is not.
# Usage: test_command.sh SOURCE_DIR BUILD_DIR [PROGRAM]. Exits 0 when all went well; each failure is named on a line.
set -u
source=$(cd "$1" && pwd)
program=$(realpath "${3:-$2/velella}")
[ -x "$program" ] || { echo "skipped: $program is not there"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
failures=0

fail() { echo "FAILED: $*"; failures=$((failures + 1)); }

# velella ARGUMENTS: leaves its exit code in $code, its output in the files out and err
velella() {
  code=0
  "$program" "$@" >out 2>err || code=$?
}

# expect CODE ARGUMENTS
expect() {
  local wanted=$1
  shift
  velella "$@"
  [ "$code" = "$wanted" ] || fail "velella $*: exit code $code instead of $wanted: $(head -c 300 err)"
}

# says FILE TEXT...: each text stands in the file
says() {
  local file=$1 text
  shift
  for text in "$@"; do
    grep -qF -- "$text" "$file" || fail "no '$text' in $file: $(head -c 300 "$file")"
  done
}

# refuses CODE TEXT ARGUMENTS: exit code, an error that holds the text, nothing on standard output
refuses() {
  local wanted=$1 text=$2
  shift 2
  expect "$wanted" "$@"
  says err "velella: error: " "$text"
  [ ! -s out ] || fail "velella $*: printed to standard output"
}

absent() { [ ! -e "$1" ] || fail "$1 is there"; }
present() { [ -s "$1" ] || fail "$1 is missing or empty"; }

# parses FILE EXPRESSION: every line is a JSON object, and the Python expression over the list `lines` holds
have_python=$(command -v python3 || true)
parses() {
  [ -n "$have_python" ] || return 0
  python3 -c 'import json, sys
lines = [json.loads(line) for line in open(sys.argv[1])]
sys.exit(0 if eval(sys.argv[2]) else 1)' "$1" "$2" 2>python_err || fail "$1: not ($2): $(tail -n 1 python_err)"
}
# holds FILE EXPRESSION: the same for a file that is one object, `run`
holds() {
  [ -n "$have_python" ] || return 0
  python3 -c 'import json, sys
run = json.load(open(sys.argv[1]))
sys.exit(0 if eval(sys.argv[2]) else 1)' "$1" "$2" 2>python_err || fail "$1: not ($2): $(tail -n 1 python_err)"
}

# A basin without solids is the quickest scene there is.
cat >basin.yaml <<'YAML'
about: A small basin.
grid: {size: [1, 1, 1], cells: 8}
liquid: {level: 0.45, transfer: still}
time: {end: 0.1 s, frames_per_second: 30}
YAML

test_words() {
  expect 0 version
  says out "velella "
  cp out version
  expect 0 --version
  cmp -s out version || fail "--version differs from version"
  expect 0
  says out run check new list help schema info version units exit-codes
  expect 0 help
  expect 0 --help
  for name in run check new list help schema info version; do
    expect 0 help $name
    says out "velella $name"
    cp out explained
    for option in --help -h; do
      expect 0 $name $option
      cmp -s out explained || fail "$name $option differs from help $name"
    done
  done
  expect 0 run basin.yaml --until 1 --help
  absent runs
  expect 0 help units
  says out cm "kg/m^3" "1/60 s"
  expect 0 help sphere
  says out radius solids.name solids.solid
  expect 0 help solids
  says out "solids: [{shape:" "cone           radius, radius_top, height, round"
  expect 0 help run
  says out --set --threads --out --until --json --quiet --overwrite --resume --check-level --export-system
  expect 0 help exit-codes
  [ "$(grep -c '^  [0-9]  ' out)" = 10 ] || fail "help exit-codes does not list ten codes"
  expect 0 help scene
  says out cells
  expect 0 help grid.cells
  says out grid.cells 4096
  refuses 2 "did you mean 'check'" help chekc
  refuses 2 "did you mean" help gravty
  refuses 2 "no help on 'xyzzyxyzzy'" help xyzzyxyzzy
  expect 0 info
  says out version compiler CHOLMOD libfyaml cores memory
  expect 0 info --json
  parses out 'len(lines) == 1 and lines[0]["cores"] >= 1'
}

test_usage() {
  refuses 2 "did you mean 'run'" rnu basin.yaml
  refuses 2 "there is no command 'xyzzyxyzzy'" xyzzyxyzzy
  refuses 2 "velella run SCENE" run
  refuses 2 "does not take 'b'" run basin.yaml b
  refuses 2 "did you mean --threads" run basin.yaml --theads 2
  refuses 2 "--threads 0" run basin.yaml --threads 0
  refuses 2 "--threads two" run basin.yaml --threads two
  refuses 2 "--threads needs a value" run basin.yaml --threads
  refuses 2 "--until -1" run basin.yaml --until -1
  refuses 2 "--until nan" run basin.yaml --until nan
  refuses 2 "a time in seconds" run basin.yaml --until soon
  refuses 2 "m is a length" run basin.yaml --until "5 m"
  refuses 2 "--check-level 4" run basin.yaml --check-level=4
  refuses 2 "--quiet takes no value" run basin.yaml --quiet=yes
  refuses 2 "no option --out" check basin.yaml --out x
  refuses 2 "no option -q" run basin.yaml -q
  refuses 2 "it is a key of the scene: --set grid.cells=24" run basin.yaml --cells=24
  refuses 2 "--set time.end=VALUE" check basin.yaml --end 3
  refuses 2 "no option --json" version --json
  absent runs
}

test_scene_files() {
  expect 0 list
  says out pool rest/cube
  expect 0 list --json
  parses out 'len(lines) >= 2 and all(s["name"] and s["about"] for s in lines)'
  expect 0 schema
  holds out '"$schema" in run and "grid" in run["properties"]'
  expect 0 new pond
  says out pond.yaml
  expect 0 check pond.yaml --set grid.cells=12
  cp pond.yaml before
  refuses 4 "pond.yaml is there already" new pond
  refuses 4 "pond.yaml is there already" new pond.yaml
  cmp -s pond.yaml before || fail "new changed pond.yaml"
  refuses 4 "No such file" new nowhere/pond
  refuses 2 "names no file" new ""
  refuses 2 "names no file" new .yaml
  refuses 2 "lake.yaml" new lake.json
  absent lake.json
  expect 0 new lake.yml
  says out lake.yml
  present lake.yml
  absent lake.yml.yaml
}

test_check() {
  expect 0 check basin.yaml
  says out "8 x 8 x 8" "1 x 1 x 1 m" "liquid cells" "solid triangles" memory disk time
  [ ! -s err ] || fail "a warning without a reason: $(cat err)"
  expect 0 check basin.yaml --json --set grid.cells=10
  parses out 'len(lines) == 1 and lines[0]["cells"] == [10, 10, 10] and lines[0]["liquid_cells"] > 0'
  parses out 'lines[0]["disk_bytes"] == 4 * lines[0]["frame_bytes"] + lines[0]["checkpoint_bytes"] and lines[0]["size"] == lines[0]["size_wanted"]'
  parses out 'lines[0]["memory_bytes"] > 0 and lines[0]["run_seconds"] > 0 and lines[0]["steps"] == 3'
  absent runs
}

# Grids that are too large to try are estimated, and refused when they cannot fit.
test_large() {
  local fitting whole=$program
  # within 8 GB of addresses, so that a mistake does not take the machine's memory; sanitizers need more to begin with
  printf '#!/usr/bin/env bash\nulimit -v 8000000\nexec "%s" "$@"\n' "$program" >limited
  chmod +x limited
  ./limited version >out 2>err || return 0
  program=$work/limited
  expect 0 check dam_break --set grid.cells=64 --json
  cp out tried
  [ ! -s err ] || fail "a small grid is told of: $(cat err)"
  expect 0 check dam_break --set grid.cells=256 --json
  # 64 times the cells; the lattice of 48 points misses the block's sides by a part of a cell of its own: 3 of 100
  parses out 'abs(lines[0]["liquid_cells"] / 64 / json.load(open("tried"))["liquid_cells"] - 1) < 0.03 and not lines[0]["tried"]'
  parses out '0.6 < lines[0]["memory_bytes"] / 64 / json.load(open("tried"))["memory_bytes"] < 1.7 and "run_seconds" not in lines[0]'
  expect 0 check dam_break --set grid.cells=256
  says out "256 x 256 x 256" "about 5e+06" "not measured"
  # terabytes; what fits is only estimated, since nothing is tried that could take most of the memory
  refuses 6 "grid.cells: 1290 makes 1290 x 1290 x 1290 cells" check basin.yaml --set grid.cells=1290 --set 'liquid={level: 1, particles: 4}'
  fitting=$(sed -n 's/^the largest that fits is about //p' err)
  expect 0 check basin.yaml --set "grid.cells=$fitting" --set 'liquid={level: 1, particles: 4}' --json
  parses out 'not lines[0]["tried"]'
  refuses 6 "the largest that fits" run basin.yaml --set grid.cells=1290 --set 'liquid={level: 1, particles: 4}'
  refuses 6 "the smallest that fits" check basin.yaml --set grid.dx=0.8mm --set 'liquid={level: 1, particles: 4}'
  expect 0 check basin.yaml --set grid.cells=104 --set liquid.level=0.02
  says err "building 104 x 104 x 104 cells" "making two steps"
  absent runs
  program=$whole
}

# Scenes that are valid and surely not meant: a warning, and no more.
test_doubts() {
  local none="warning: the scene has no liquid: "
  expect 0 check basin.yaml --set liquid.level=-1
  says err "$none" "liquid.level is -1 m, and the box begins at y = 0 m"
  expect 0 check basin.yaml --set liquid.level=1.5
  says err "warning: liquid.level is 1.5 m, and the box ends at y = 1 m: it is full"
  expect 0 check basin.yaml --set liquid.level=1
  ! grep -q 'liquid.level' err || fail "a level at the top of the box is no matter of doubt: $(cat err)"
  expect 0 check basin.yaml --set engine=immersed --set liquid.transfer=flip --set 'bodies=[{name: crumb, shape: sphere, center: [0.5, 0.7, 0.5], radius: 0.02, cell: 0.02}]'
  says err "warning: body 'crumb' has" "less than a cell"
  expect 0 check basin.yaml --set 'liquid={density: 900}'
  says err "$none" "neither liquid.level nor liquid.shapes"
  expect 0 check basin.yaml --set 'liquid={shapes: [{shape: sphere, radius: 10 cm, center: [5, 5, 5]}]}'
  says err "$none" "its shape lies outside of the box"
  expect 0 check basin.yaml --set 'solids=[{shape: box, size: [3, 3, 3]}]'
  says err "$none" "solids fill the whole box"
  expect 0 run basin.yaml --set liquid.level=-1 --out dry --quiet
  says err "$none"
  expect 0 check basin.yaml --set 'grid.size=[1, 1, 0.3]'
  says err "warning: the box is 0.25 m long along z instead of 0.3 m"
  says out "1 x 1 x 0.25 m"
  expect 0 check basin.yaml --set 'grid.size=[1, 1, 0.3]' --json
  parses out 'lines[0]["size"][2] == 0.25 and lines[0]["size_wanted"][2] == 0.3'
}

# The modes of bodies, of a free one and of one that is held; bodies without any are passed over.
test_modes() {
  cat >modes.yaml <<'SCENE'
grid: {size: [1, 1, 1], cells: 8}
liquid: {level: 0.2}
bodies:
  - {name: ball, shape: sphere, rigid: yes, center: [0.2, 0.6, 0.5], radius: 0.1}
  - {name: free, shape: box, center: [0.5, 0.8, 0.5], size: [0.4, 0.1, 0.1], cells: [4, 1, 1]}
  - {name: held, shape: box, center: [0.5, 0.5, 0.5], size: [0.4, 0.1, 0.1], cells: [4, 1, 1], pins: [{shape: box, center: [0.3, 0.5, 0.5], size: [0.01, 1, 1]}]}
SCENE
  expect 0 modes modes.yaml --count 7 --out modes.vtu
  [ "$(grep -c 'as a whole' out)" = 6 ] || fail "not six modes as a whole: $(cat out)"
  grep -q '^held: 20 nodes, 4 kg, 4 nodes pinned' out || fail "modes does not tell of its body: $(cat out)"
  grep -aq 'Name="mode_7"' modes.vtu || fail "modes.vtu has not seven modes"
  expect 0 modes modes.yaml --count 1 --set bodies.free.young=4e6 --json
  grep -q '"bodies": \[{"name": "free", "mass": [34]' out || fail "modes --json: $(cat out)"
  expect 2 modes modes.yaml --out modes.vtk
  expect 3 modes modes.yaml --count 200
  says err "error: body 'free': 200 modes are asked for"
  expect 3 modes modes.yaml --set 'bodies.held={name: held, shape: sphere, center: [0.5, 0.5, 0.5], radius: 0.2, cell: 0.1, reduced: yes}' --set bodies.free.cells=[12,3,3]
  says err "error: body 'held' is reduced: only elastic ones have modes"
  expect 3 modes pool
}

# What people write for our words, and where a slip is told.
test_other_words() {
  refuses 3 "did you mean 'box'?" check basin.yaml --set 'solids=[{shape: cube}]'
  refuses 3 "half the diameter" check basin.yaml --set 'solids=[{shape: sphere, diameter: 1}]'
  refuses 3 "did you mean 'center'?" check basin.yaml --set 'solids=[{shape: sphere, radius: 1, position: [0, 0, 0]}]'
  refuses 3 "'type' is called 'shape' here" check basin.yaml --set 'solids=[{type: sphere, radius: 1}]'
  echo '{"grid": {"size": [1, 1, 1,], "cells": 8,}, "liquid": {"level": 0.4,},}' >comma.json # YAML allows it
  expect 0 check comma.json
  refuses 3 "with a point, not a comma" check basin.yaml --set 'liquid.level=0,4'
  refuses 3 "1e-09 to" check basin.yaml --set 'grid.size=[1e-300, 1, 1]'
  refuses 3 "1e-09 to" check basin.yaml --set 'grid.size=[1, 1e300, 1]'
  sed 's/^liquid/solids: [{name: ball, shape: sphere, radius: 0.1}]\nliquid/' basin.yaml >ball.yaml
  refuses 3 "did you mean 'ball'?" check ball.yaml --set solids.bal.radius=1
  refuses 3 "its names: ball" check ball.yaml --set solids.xyzzy.radius=1
  refuses 3 "with two entries because the scene is a slab" check slab --set 'solids=[{shape: sphere, radius: 0.1, center: [1]}]'
  expect 0 check slab --set 'solids=[{shape: sphere, radius: 0.1, center: [1, 1]}]'
  # of cells and dx the one that is set wins
  expect 0 check basin.yaml --set grid.dx=10cm
  says out "10 x 10 x 10"
  sed 's/cells: 8/dx: 0.25/' basin.yaml >coarse.yaml
  expect 0 check coarse.yaml --set grid.cells=10
  says out "10 x 10 x 10"
}

# Bad scenes: exactly the message of NAME.expected, written for the path tests/broken/NAME.yaml; nothing on the disk.
test_broken() {
  local count=0 scene wanted
  for scene in "$source"/tests/broken/*.yaml; do
    scene=tests/broken/$(basename "$scene")
    case $scene in */missing_mesh.yaml) wanted=4 ;; */hole.yaml) wanted=5 ;; *) wanted=3 ;; esac
    code=0
    (cd "$source" && exec "$program" run "$scene" --out "$work/bad") >out 2>err || code=$?
    [ $code = $wanted ] || fail "$scene: exit code $code instead of $wanted"
    [ ! -s out ] || fail "$scene: printed to standard output"
    absent bad
    says err "velella: error: $scene"
    [ -e "$source/${scene%.yaml}.expected" ] || continue
    count=$((count + 1))
    [ "$(cat err)" = "velella: error: $(cat "$source/${scene%.yaml}.expected")" ] || fail "$scene: other words: $(cat err)"
  done
  [ $count -ge 10 ] || fail "only $count broken scenes with an expected message"
  refuses 4 "there is no scene file 'no_such_scene.yaml'" run no_such_scene.yaml
  refuses 4 "no built-in scene of this name" run nope
  says err "velella list"
  ! grep -q "did you mean" err || fail "nope is taken for another name: $(cat err)"
  refuses 4 "did you mean 'dam_break'?" run damm_break
  refuses 4 "did you mean 'rest/cube'?" check cube
  refuses 3 "gird" run basin.yaml --set gird.cells=8
  refuses 3 "cells" run basin.yaml --set grid.cells=-8
  absent runs
}

test_run() {
  expect 0 run basin.yaml --export-system
  says out "4 frames" "steps" "max speed" "volume" "force / weight" "files in runs/basin"
  says err "t 0 s" "t 0.1 s  100%" "liquid cells 256" "iterations" "max speed"
  for file in fields.pvd series.csv timings.csv run.json fields/fields_00000.vti fields/fields_00003.vti system_A.mtx; do
    present runs/basin/$file
  done
  absent runs/basin/fields/fields_00004.vti
  [ -z "$(find runs -name '*.part')" ] || fail "partial files are left"
  holds runs/basin/run.json 'run["state"] == "finished" and run["exit_code"] == 0 and run["totals"]["frames"] == 4'
  holds runs/basin/run.json '"cells: 8" in run["scene"]["text"] and run["totals"]["time"] == 0.1'
  # frames are at n / 30, to the last bit
  python_frames runs/basin
  expect 0 info runs/basin
  says out basin finished "frames" "max speed" "force / weight" "volume" "iterations"
  cp out told
  expect 0 info runs/basin/run.json
  cmp -s out told || fail "info of run.json differs from info of its folder"
  expect 0 info runs/basin --json
  refuses 4 "run.json" info "$work"

  # never overwritten unless told
  cp -r runs/basin kept
  refuses 4 "runs/basin already holds a run" run basin.yaml --until 0.05
  says err --overwrite
  diff -r runs/basin kept >differences || fail "a refused run changed the folder: $(cat differences)"
  mkdir runs/basin/render runs/basin/preview
  touch runs/basin/preview/frame_00001.png runs/basin/preview/video.mp4
  touch runs/basin/notes.txt runs/basin/render/frame_00001.png runs/basin/render/video.mp4 runs/basin/render/mine.png
  expect 0 run basin.yaml --until 0.05 --overwrite --quiet
  [ ! -s err ] && [ ! -s out ] || fail "--quiet is not quiet"
  [ -e runs/basin/notes.txt ] && [ "$(ls runs/basin/render)" = mine.png ] && [ ! -e runs/basin/preview ] ||
    fail "--overwrite removed a file that is not the run's, or kept its pictures"
  absent runs/basin/fields/fields_00002.vti
  absent runs/basin/system_A.mtx
  [ "$(wc -l <runs/basin/series.csv)" = 3 ] || fail "series.csv does not have a header and two lines"
  mkdir private && touch private/letter
  refuses 4 "private holds files but no run.json" run basin.yaml --out private --overwrite
  [ "$(ls private)" = letter ] || fail "a foreign folder was changed"
  refuses 4 "Not a directory" run basin.yaml --out basin.yaml/below
}

python_frames() {
  [ -n "$have_python" ] || return 0
  python3 - "$1" <<'PYTHON' || fail "frame times are not n / 30"
import sys, xml.etree.ElementTree as tree
times = [float(e.get("timestep")) for e in tree.parse(sys.argv[1] + "/fields.pvd").getroot().iter("DataSet")]
steps = [float(line.split(",")[1]) for line in open(sys.argv[1] + "/series.csv").readlines()[1:]]
ok = times == [n / 30 for n in range(4)] and set(times[1:]) <= set(steps)
sys.exit(0 if ok else 1)
PYTHON
}

# Where a run goes when nothing is said, and a scene from standard input.
test_names() {
  expect 0 run rest/cube --set grid.cells=8 --until 0.02 --quiet
  present runs/rest-cube/run.json
  cp basin.yaml 'Größe 1.yaml'
  expect 0 run 'Größe 1.yaml' --until '40 ms' --quiet
  present runs/Größe_1/run.json
  holds runs/Größe_1/run.json 'run["totals"]["time"] == 0.04 and run["totals"]["frames"] == 2'
  code=0
  "$program" run - --quiet <basin.yaml || code=$?
  [ $code = 0 ] || fail "run -: exit code $code"
  present runs/stdin/run.json
  code=0
  echo "gird: 1" | "$program" check - 2>err || code=$?
  [ $code = 3 ] || fail "check - with a mistake: exit code $code"
  says err "stdin:1:1" "did you mean 'grid'"
}

# Long runs do not fill a log: a line for each twentieth of the time.
test_progress() {
  expect 0 run basin.yaml --until 4 --set output.fields=no --out long
  local count
  count=$(grep -c '^t ' err)
  [ "$count" -ge 20 ] && [ "$count" -le 22 ] || fail "$count lines of progress: $(cat err)"
}

# What the documentation calls a column is one, and every column is there; so are the arrays of the frames.
test_documented() {
  local name
  for name in $(head -qn 1 runs/basin/series.csv runs/basin/timings.csv | tr ',' '\n' | sed 's/ .*//; s/_[yz]$/_x/' | sort -u) \
    $(grep -ao 'Name="[a-z]*"' runs/basin/fields/fields_00000.vti | sed 's/Name="//; s/"//' | sort -u) \
    $(grep -o '^  "[a-z_]*"' runs/basin/run.json | tr -d ' "'); do
    [ "$name" = TimeValue ] || grep -qF "\`$name\`" "$source/docs/command.md" || fail "docs/command.md does not explain $name"
  done
  # and those of walls: of the sides of the box, then of each solid
  [ "$(head -n 1 runs/basin/walls.csv | cut -d , -f 1-5)" = 'step,time [s],x-_force_x [N],x-_force_y [N],x-_force_z [N]' ] ||
    fail "walls.csv: $(head -n 1 runs/basin/walls.csv)"
  for name in $(head -n 1 runs/basin/walls.csv | tr ',' '\n' | sed 's/ .*//; s/^.*_\([a-z]*\)_[xyz]$/NAME_\1_x/' | sort -u); do
    grep -qF "\`$name\`" "$source/docs/command.md" || fail "docs/command.md does not explain $name"
  done
  # headers carry units, as both pages say
  for name in command outputs; do
    grep -qF '`time [s]`' "$source/docs/$name.md" || fail "docs/$name.md does not show how columns are called"
  done
  head -n 1 runs/basin/series.csv | grep -q '^step,time \[s\],dt \[s\],' || fail "series.csv: $(head -n 1 runs/basin/series.csv)"
}

# `open` tells air from solid in every cell of the frame, also where no liquid is near.
test_open() {
  [ -n "$have_python" ] || return 0
  cat >corners.yaml <<'YAML'
grid: {size: [2, 1, 1], cells: 40}
liquid:
  transfer: still
  shapes:
    - {shape: box, center: [0.1, 0.1, 0.1], size: [0.2, 0.2, 0.2]}
    - {shape: box, center: [1.9, 0.9, 0.9], size: [0.2, 0.2, 0.2]}
solids:
  - {shape: sphere, center: [1, 0.5, 0.5], radius: 0.3}
  - {shape: box, center: [0.3, 0.7, 0.5], size: [0.22, 0.31, 0.4]}
time: {end: 0.01}
YAML
  expect 0 run corners.yaml --quiet
  expect 0 check corners.yaml --json
  python3 - runs/corners/fields/fields_00000.vti out <<'PYTHON' || fail "open volume and solid volume do not add up"
import json, re, struct, sys
data = open(sys.argv[1], "rb").read()
wanted = json.load(open(sys.argv[2]))["solid_volume"]
at = data.index(b"_", data.index(b"<AppendedData")) + 1
offset = int(re.search(rb'Name="open"[^>]*offset="(\d+)"', data).group(1))
head = 8 if b'header_type="UInt64"' in data else 4
size = int.from_bytes(data[at + offset:at + offset + head], "little")
open_part = struct.unpack("<%df" % (size // 4), data[at + offset + head:at + offset + head + size])
found = sum(1.0 - x for x in open_part) * 0.05 ** 3
# floats have 24 bits, and there are some thousand cells with solid in them
ok = len(open_part) == 40 * 20 * 20 and min(open_part) == 0.0 and abs(found - wanted) < 1e-6 * wanted
if not ok: print(len(open_part), min(open_part), found, wanted)
sys.exit(0 if ok else 1)
PYTHON
}

# Moving liquid, with something of everything: a solid, a source, a sink and probes.
cat >moving.yaml <<'YAML'
grid: {size: [1, 1, 1], cells: 12}
liquid:
  shapes: [{shape: box, center: [0, 0, 0.5], size: [0.8, 1, 2]}]
  sources: [{shape: sphere, center: [0.5, 0.8, 0.5], radius: 0.1, velocity: [0, -1, 0]}]
  sinks: [{shape: sphere, center: [0.9, 0.1, 0.5], radius: 0.1}]
solids: [{shape: box, center: [0.6, 0.1, 0.5], size: [0.21, 0.23, 0.4]}]
probes:
  - {name: gauge, probe: height, position: [0.1, 0, 0.5]}
  - {name: gate, probe: flux, position: [0.5, 0.5, 0.5], axis: x, size: [0, 1, 1]}
  - {name: jet, probe: velocity, position: [0.5, 0.7, 0.5]}
  - {name: push, probe: pressure, position: [0.1, 0.1, 0.5]}
time: {end: 0.2, frames_per_second: 30}
output: {format: [vtk, ply], particles: yes}
YAML

# Particles and surfaces of liquid that moves, in the formats asked for; what is not asked for is not there.
test_moving() {
  local kind
  expect 0 run moving.yaml --quiet
  for kind in particles surface; do
    present runs/moving/$kind.pvd
    for frame in 0 6; do
      present runs/moving/$kind/${kind}_0000$frame.vtp
      present runs/moving/$kind/${kind}_0000$frame.ply
    done
    [ "$(grep -c '<DataSet' runs/moving/$kind.pvd)" = 7 ] || fail "$kind.pvd does not list seven frames"
  done
  present runs/moving/fields/fields_00006.vti
  present runs/moving/solids.vtp
  grep -qa '^element face [1-9]' runs/moving/solids.ply || fail "solids.ply has no faces"
  grep -qa '^comment time 0.2 s$' runs/moving/surface/surface_00006.ply || fail "surface_00006.ply does not tell its time"
  present runs/moving/checkpoint.vl
  [ "$(head -n 1 runs/moving/probes.csv)" = 'step,time [s],gauge [m],gate [m3/s],jet_x [m/s],jet_y [m/s],jet_z [m/s],push [Pa]' ] ||
    fail "probes.csv: $(head -n 1 runs/moving/probes.csv)"
  [ "$(wc -l <runs/moving/probes.csv)" = "$(wc -l <runs/moving/series.csv)" ] || fail "not a line of probes.csv for each step"
  expect 0 run moving.yaml --overwrite --quiet --set output.format=ply --set output.surface=no --set output.fields=no
  present runs/moving/particles/particles_00006.ply
  for name in surface surface.pvd fields fields.pvd particles.pvd particles/particles_00006.vtp; do absent runs/moving/$name; done
  expect 0 run moving.yaml --overwrite --quiet --set liquid.transfer=still --set liquid.sources=[] --set liquid.sinks=[]
  for name in particles particles.pvd surface; do absent runs/moving/$name; done
  expect 0 run moving.yaml --overwrite --quiet
  expect 0 check moving.yaml --json
  [ -z "$have_python" ] || python3 - out "$(du -cb runs/moving/*/*_00000.* | tail -n 1 | cut -f 1)" <<'PYTHON' || fail "check does not estimate a frame's bytes"
import json, sys
told, found = json.load(open(sys.argv[1]))["frame_bytes"], float(sys.argv[2])
sys.exit(0 if abs(told - found) < 6000 else 1)  # the heads of five files
PYTHON
}

# same_run A B: equal but for clocks and command lines
same_run() {
  diff -r -x run.json -x timings.csv "$1" "$2" >differences || fail "$1 and $2 differ: $(head -n 5 differences)"
  [ "$(wc -l <"$1/timings.csv")" = "$(wc -l <"$2/timings.csv")" ] || fail "$1 and $2: timings.csv of different lengths"
}

# A run that goes on from its checkpoint writes the bytes of one that was never stopped.
test_resume() {
  local transfer
  rm -rf runs/moving
  expect 0 run moving.yaml --quiet --out whole
  expect 0 run moving.yaml --quiet --out parts --until 0.1
  holds parts/run.json 'run["totals"]["frames"] == 4'
  cp parts/run.json first.json
  expect 0 run moving.yaml --quiet --out parts --resume
  same_run whole parts
  holds parts/run.json 'run["state"] == "finished" and run["totals"]["frames"] == 7 and run["started"] == json.load(open("first.json"))["started"]'
  holds parts/run.json 'run["totals"]["wall_seconds"] > json.load(open("first.json"))["totals"]["wall_seconds"]'
  # from a checkpoint in the middle: what was written behind it is taken back
  expect 0 run moving.yaml --quiet --out back --until 0.1
  cp back/checkpoint.vl middle.vl
  expect 0 run moving.yaml --quiet --out back --resume
  cp middle.vl back/checkpoint.vl
  expect 0 run moving.yaml --quiet --out back --resume --until 0.1
  absent back/fields/fields_00004.vti
  absent back/surface/surface_00004.ply
  [ "$(grep -c '<DataSet' back/surface.pvd)" = 4 ] || fail "surface.pvd lists frames that were taken back"
  expect 0 run moving.yaml --quiet --out back --resume
  same_run whole back
  expect 0 run moving.yaml --quiet --out back --resume # nothing is left to do
  same_run whole back
  # an end that is behind us: a word, and nothing is touched
  cp -r back kept_back
  expect 0 run moving.yaml --out back --resume --until 0.1
  says out "back: the run is already at 0.2 s, past the end time of 0.1 s"
  [ ! -s err ] || fail "progress of a run that has nothing to do: $(cat err)"
  expect 0 run moving.yaml --out back --resume --until 0.1 --json
  parses out 'len(lines) == 1 and lines[0]["state"] == "finished" and lines[0]["folder"] == "back" and "past" in lines[0]["reason"]'
  diff -r back kept_back >differences || fail "a resume with nothing to do changed the folder: $(cat differences)"
  # settings are kept, and later ones go before
  expect 0 run moving.yaml --quiet --out set_whole --set grid.cells=10 --set output.particles=no
  expect 0 run moving.yaml --quiet --out set_parts --set grid.cells=10 --set output.particles=no --until 0.1
  for _ in 1 2; do expect 0 run moving.yaml --quiet --out set_parts --resume; done
  same_run set_whole set_parts
  holds set_parts/run.json 'run["scene"]["settings"] == ["grid.cells=10", "output.particles=no"]'
  for _ in 1 2; do expect 0 run moving.yaml --quiet --out set_parts --resume --set time.cfl=2 --until=0.3; done
  holds set_parts/run.json 'run["scene"]["settings"][1:] == ["output.particles=no", "time.cfl=2"] and run["time"]["cfl"] == 2'
  code=0
  "$program" run - --quiet --out set_stdin --set grid.cells=10 --until 0.1 <moving.yaml && "$program" run - --quiet --out set_stdin --resume <moving.yaml || code=$?
  [ $code = 0 ] || fail "run - --resume: exit code $code"
  expect 0 run moving.yaml --quiet --out set_solid --set 'solids[0].size=[0.2, 0.2, 0.4]' --until 0.04
  refuses 3 "the run in set_solid has had so far: --set solids[0].size" run basin.yaml --out set_solid --resume
  # other ways to move, and other numbers of threads
  for transfer in apic semi-lagrangian still; do
    local set=(--set liquid.transfer=$transfer --quiet)
    [ $transfer != still ] || set+=(--set 'liquid.sources=[]' --set 'liquid.sinks=[]')
    expect 0 run moving.yaml "${set[@]}" --out "whole_$transfer"
    expect 0 run moving.yaml "${set[@]}" --out "parts_$transfer" --until 0.1 --threads 1
    expect 0 run moving.yaml "${set[@]}" --out "parts_$transfer" --resume --threads 2
    same_run "whole_$transfer" "parts_$transfer"
  done
}

# Stopped by Ctrl-C, or killed after a checkpoint.
test_stopped() {
  local signal long=(--until 0.5 --set grid.cells=16 --set output.checkpoint=2 --quiet)
  expect 0 run moving.yaml "${long[@]}" --out long_whole
  for signal in INT KILL; do
    set -m
    "$program" run moving.yaml "${long[@]}" --out "long_$signal" >out 2>err &
    local pid=$!
    set +m
    for _ in $(seq 200); do
      [ -e "long_$signal/checkpoint.vl" ] && break
      sleep 0.02
    done
    kill -"$signal" $pid
    wait $pid 2>/dev/null
    [ $signal = KILL ] || says err "--resume"
    present "long_$signal/checkpoint.vl"
    expect 0 run moving.yaml "${long[@]}" --out "long_$signal" --resume
    same_run long_whole "long_$signal"
  done
}

# Checkpoints that cannot be gone on from are refused with the reason, and nothing is touched.
test_bad_checkpoint() {
  refuses 4 "no run in the folder nothing_there" run moving.yaml --out nothing_there --resume
  absent nothing_there
  refuses 2 "give one of them" run moving.yaml --out parts --resume --overwrite
  expect 0 run moving.yaml --quiet --out cut --until 0.04
  mv cut/checkpoint.vl good.vl
  refuses 4 "no checkpoint.vl" run moving.yaml --out cut --resume
  head -c 1000 good.vl >cut/checkpoint.vl
  cp -r cut kept_cut
  refuses 4 "cut/checkpoint.vl" run moving.yaml --out cut --resume
  says err "cannot go on"
  cp basin.yaml cut/checkpoint.vl
  refuses 4 "cut/checkpoint.vl" run moving.yaml --out cut --resume
  cp good.vl cut/checkpoint.vl
  refuses 4 "written for 12 x 12 x 12 cells" run moving.yaml --set grid.cells=13 --out cut --resume
  refuses 4 "liquid.transfer" run moving.yaml --set liquid.transfer=apic --out cut --resume
  head -c 1000 good.vl >cut/checkpoint.vl
  diff -r cut kept_cut >differences || fail "a refused resume changed the folder: $(cat differences)"
}

# A run that goes on is told as one, is never overwritten, and a killed one is known as such.
test_running() {
  "$program" run basin.yaml --until 1000000 --set output.fields=no --out going --quiet >out_going 2>err_going &
  local pid=$!
  for _ in $(seq 100); do
    [ -e going/series.csv ] && [ "$(wc -l <going/series.csv)" -gt 20 ] && break
    sleep 0.05
  done
  sleep 0.2
  expect 0 info going
  says out "running (pid $pid)" "max speed"
  holds going/run.json 'run["state"] == "running" and run["totals"]["steps"] > 0 and run["totals"]["frames"] > 1'
  refuses 4 "by process $pid" run basin.yaml --out going
  refuses 4 "by process $pid" run basin.yaml --out going --overwrite
  kill -KILL $pid
  wait $pid 2>/dev/null
  expect 0 info going
  says out "ended without saying so (last frame at" "force / weight"
  refuses 4 "going already holds a run" run basin.yaml --out going
  expect 0 run basin.yaml --out going --overwrite --quiet
}

test_json() {
  expect 0 run basin.yaml --json --quiet --out json_run
  parses out '[l["frame"] for l in lines[:-1]] == [0, 1, 2, 3] and lines[-1]["event"] == "end"'
  parses out 'lines[-1]["state"] == "finished" and lines[-1]["exit_code"] == 0 and lines[-1]["folder"] == "json_run"'
  velella run no_such_scene.yaml --json
  [ $code = 4 ] || fail "--json with a missing scene: exit code $code"
  parses out 'len(lines) == 1 and lines[0]["state"] == "failed" and lines[0]["exit_code"] == 4 and not lines[0]["folder"]'
}

# A step that fails: the reason is said, what is there stays, run.json tells.
test_failing_step() {
  expect 7 run pool --set grid.cells=16 --set pressure.max_iterations=1 --set pressure.tolerance=1e-14 --out failing --json
  says err "velella: error: step 1"
  parses out 'lines[-1]["state"] == "failed" and lines[-1]["exit_code"] == 7'
  holds failing/run.json 'run["state"] == "failed" and run["exit_code"] == 7 and "step 1" in run["exit_reason"]'
  present failing/fields/fields_00000.vti
  present failing/fields.pvd
  present failing/checkpoint.vl
}

test_full_disk() {
  # 24 KiB a file: run.json fits, a frame of 24 cells a side does not
  code=0
  (ulimit -f 24 && exec "$program" run basin.yaml --set grid.cells=24 --out full --quiet) >out 2>err || code=$?
  [ $code = 4 ] || fail "a full disk: exit code $code"
  says err "velella: error: " full/fields/fields_00000.vti "File too large"
  [ -z "$(find full -name '*.part' -o -name '*.vti')" ] || fail "a full disk left a partial file"
  holds full/run.json 'run["state"] == "failed" and run["exit_code"] == 4'
  if [ -w /dev/full ]; then
    code=0
    "$program" list >/dev/full 2>err || code=$?
    [ $code = 4 ] || fail "list to a full disk: exit code $code"
  fi
}

# interrupt SIGNAL: the step is finished, the files are closed, the code is 9
test_interrupt() {
  local signal
  for signal in INT TERM; do
    # job control gives the background job a Ctrl-C that is not ignored
    set -m
    "$program" run basin.yaml --until 1000000 --set output.fields=no --out "stop_$signal" --quiet >out 2>err &
    local pid=$!
    set +m
    for _ in $(seq 100); do
      [ -e "stop_$signal/series.csv" ] && [ "$(wc -l <"stop_$signal/series.csv")" -gt 3 ] && break
      sleep 0.05
    done
    kill -"$signal" $pid
    code=0
    wait $pid || code=$?
    [ $code = 9 ] || fail "SIG$signal: exit code $code"
    says err "velella: stopped by" "--resume"
    present "stop_$signal/checkpoint.vl"
    holds "stop_$signal/run.json" 'run["state"] == "interrupted" and run["exit_code"] == 9 and run["totals"]["steps"] >= 3'
    [ "$(tail -c 1 "stop_$signal/series.csv" | od -An -c | tr -d ' ')" = '\n' ] || fail "SIG$signal: series.csv ends within a line"
    [ -z "$(find "stop_$signal" -name '*.part')" ] || fail "SIG$signal left a partial file"
  done
}

# The same bytes whatever the number of threads.
test_threads() {
  local threads
  for threads in 1 2 4; do
    expect 0 run pool --set grid.cells=24 --until 0.1 --threads $threads --out "threads_$threads" --quiet
    present "threads_$threads/solids.vtp"
    absent "threads_$threads/solids.ply"
    rm -f "threads_$threads/run.json" "threads_$threads/timings.csv"
  done
  [ "$(ls threads_1/fields | wc -l)" = 4 ] || fail "not four frames"
  for threads in 2 4; do
    diff -r threads_1 "threads_$threads" >differences || fail "1 and $threads threads differ: $(cat differences)"
  done
}

for name in words usage scene_files check large doubts modes other_words broken run names progress documented open moving resume stopped bad_checkpoint running json failing_step full_disk interrupt threads; do test_$name; done
[ -n "$have_python" ] || echo "without python3 the JSON was not parsed"
[ $failures = 0 ] && echo "velella does what it says"
exit $((failures > 0))
