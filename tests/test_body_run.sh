#!/usr/bin/env bash
# A run with elastic bodies: its files are there, a run that was stopped and went on has the same bytes, and --overwrite
# takes all of them away. Usage: test_body_run.sh SOURCE_DIR BUILD_DIR
set -euo pipefail
velella=$2/velella
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
fail() { echo "test_body_run: $1"; exit 1; }
cat >scene.yaml <<'SCENE'
grid: {size: [1, 1, 1], cells: 10}
liquid: {level: 0.2}
bodies:
  - {name: beam, shape: box, center: [0.3, 0.6, 0.5], size: [0.1, 0.4, 0.1], cells: [1, 4, 1],
     pins: [{shape: box, center: [0.3, 0.8, 0.5], size: [0.2, 0.02, 0.2]}]}
  - {name: jelly, shape: box, center: [0.7, 0.6, 0.5], size: [0.2, 0.2, 0.2], element: quadratic, velocity: [0.3, 0, 0]}
probes: [{name: tip, probe: node, body: beam, position: [0.3, 0.4, 0.5]}]
time: {end: 0.2}
output: {format: [vtk, ply]}
SCENE
"$velella" run scene.yaml --out through --quiet
"$velella" run scene.yaml --out parts --until 0.1 --quiet
"$velella" run scene.yaml --out parts --resume --quiet
for name in bodies.pvd bodies/beam.csv bodies/jelly.csv bodies/bodies_00006.{vtu,vtp,ply} probes.csv; do
  [ -s "through/$name" ] || fail "there is no $name"
  cmp "through/$name" "parts/$name" || fail "$name differs after going on"
done
cmp through/series.csv parts/series.csv || fail "series.csv differs after going on"
# what bodies there are is told when a run starts, and by check and info
"$velella" run scene.yaml --out loud --until 0.04 >said 2>&1
grep -q 'body beam: 20 nodes, 24 tetrahedra, 4 kg, 4 nodes pinned' said || fail "the run does not tell of its beam: $(head -n 3 said)"
"$velella" check scene.yaml >said
grep -q '^bodies  *beam: 20 nodes, 24 tetrahedra, 4 kg, 4 nodes pinned' said || fail "check does not tell of the beam: $(cat said)"
grep -q '^  *jelly: 27 nodes, 6 quadratic tetrahedra, 8 kg, free' said || fail "check does not tell of the jelly: $(cat said)"
grep -q '^  *together 47 nodes, 30 tetrahedra, 0.012 m3, 12 kg' said || fail "check does not add up: $(cat said)"
grep -q '^body memory  *about' said || fail "check does not tell the memory of bodies: $(cat said)"
"$velella" check scene.yaml --json | grep -q '"bodies": \[{"name": "beam", "nodes": 20, "elements": 24,' || fail "check --json has no bodies"
"$velella" info through >said
grep -q '^bodies  *beam: 20 nodes, 24 tetrahedra, 4 kg, 4 nodes pinned' said || fail "info does not tell of the beam: $(cat said)"
grep -q '^  force on bodies  (' said || fail "info does not tell the force on bodies: $(cat said)"
grep -q '"coupling": "schur"' through/run.json || fail "run.json has no coupling"
head -1 through/series.csv | grep -q ',lost,.*,body_force_x \[N\],.*,bodies,inverted,contacts,overlap \[m\],contact_turns,contact_error \[m/s\]$' || fail "series.csv lacks columns of bodies"
tail -1 through/series.csv | grep -qE ',2,0,[0-9]+,[^,]+,[0-9]+,[^,]+$' || fail "series.csv does not count 2 bodies: $(tail -1 through/series.csv)"
lines=$(wc -l <through/series.csv)
[ "$(wc -l <through/bodies/beam.csv)" = "$lines" ] || fail "beam.csv has not a line for each step"
head -1 through/probes.csv | grep -q 'tip_x \[m\],tip_y \[m\],tip_z \[m\]' || fail "the node probe has no columns"
grep -rqiE '(^|[, "])-?(nan|inf)' through/bodies/*.csv && fail "numbers are not finite"
sed -i 's/cells: \[1, 4, 1\]/cells: [1, 5, 1]/' scene.yaml
"$velella" run scene.yaml --out parts --resume --until 0.3 --quiet 2>refused && fail "another body was taken"
grep -q "its body 'beam' has 20 nodes" refused || fail "the message does not name the body: $(cat refused)"
"$velella" run scene.yaml --out parts --overwrite --until 0.1 --set output.bodies=no --quiet
[ ! -e parts/bodies.pvd ] && [ -z "$(find parts -name 'bodies_*')" ] || fail "frames of bodies were left behind"
[ -s parts/bodies/beam.csv ] || fail "there is no table without frames"
# a scene without liquid tells of its bodies
cat >dry.yaml <<'SCENE'
grid: {size: [1, 1, 1], cells: 8}
bodies:
  - {name: block, shape: box, center: [0.3, 0.6, 0.5], size: [0.2, 0.2, 0.2], velocity: [0.5, 0, 0]}
  - {name: ball, shape: sphere, center: [0.7, 0.6, 0.5], radius: 0.15, cell: 0.12}
  - {name: piston, shape: box, center: [0.5, 0.1, 0.5], size: [0.1, 0.1, 0.1],
     pins: [{shape: box, center: [0.5, 0.1, 0.5], size: [0.2, 0.2, 0.2], velocity: [0, -0.5, 0], start: 0.1}]}
gravity: [0, 0, 0]
time: {end: 0.3}
SCENE
"$velella" run dry.yaml --out dry >said 2>err
grep -qE '; no liquid; 3 bodies, the fastest (block|piston) at 0\.5[0-9]* m/s; files in dry$' said || fail "the end does not tell of the bodies: $(cat said)"
grep -qE '^t 0\.[0-9]* s .* 3 bodies, the fastest ' err || fail "progress does not tell of the bodies: $(cat err)"
grep -q "warning: body 'piston': pins\[0\] carries it out of the box along y at t = 0.2 s" err || fail "no word of the pin: $(cat err)"
grep -qE "body ball: .* kg \\([0-9.]+ % less than its shape\\), free" err || fail "no word of the ball's volume: $(cat err)"
grep -qE '"missing_volume": 0\.[0-9]+' dry/run.json || fail "run.json does not tell the ball's volume"
"$velella" info dry | grep -qE 'ball: .*% less than its shape' || fail "info does not tell the ball's volume"
# mistakes of bodies show their line
"$velella" check dry.yaml --set 'bodies.ball.center=[0.95, 0.5, 0.5]' >said 2>err && fail "a body outside of the box was taken"
grep -q "dry.yaml:4:5: body 'ball': it begins from x = " err && grep -q '^    4 |   - {name: ball, ' err && grep -q '^      |     ^' err || fail "no caret: $(cat err)"
# keys that a rigid body has no use for are told; masses of slabs are by the metre
cat >flat.yaml <<'SCENE'
grid: {slab: yes, size: [1, 1], cells: 10}
liquid: {level: 0.3}
bodies:
  - {name: disc, shape: cylinder, rotate: x 90, radius: 0.1, height: 1, center: [0.3, 0.7], rigid: yes, mass: 2 kg, young: 1 kPa}
  - {name: beam, shape: box, center: [0.7, 0.7], size: [0.2, 0.1], cells: [2, 1], density: 500}
time: {end: 0.02}
SCENE
"$velella" check flat.yaml >said 2>err
grep -q "warning: body 'disc' is rigid: without effect: young$" err || fail "no word of the disc's young: $(cat err)"
grep -q '^bodies  *disc: .*, 2 kg/m, rigid' said || fail "check does not tell the disc's mass by the metre: $(cat said)"
grep -q 'm2, 12 kg/m$' said || fail "check does not add up masses by the metre: $(cat said)"
"$velella" run flat.yaml --out flat >said 2>err
grep -qE 'volume [0-9.]+ m3 inside the surface, 0\.03 m3 by particles' said || fail "the end does not tell the volume of the particles: $(cat said)"
"$velella" info flat | grep -qE '^  volume .* inside the surface, 0\.03 m3 by particles' || fail "info does not tell the volume of the particles"
"$velella" info flat | grep -q 'beam: .*, 10 kg/m, free' || fail "info does not tell the beam's mass by the metre: $("$velella" info flat)"
echo "runs with bodies write what they should"
