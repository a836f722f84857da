#!/usr/bin/env bash
# velella settle: tells how bodies rest, writes a state that a run begins with and stays calm; what moves still is told and
# nothing is written. Usage: test_settle_command.sh SOURCE_DIR BUILD_DIR
set -euo pipefail
velella=$2/velella
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
fail() { echo "test_settle_command: $1"; exit 1; }
# runs velella; its exit code must be the first word
expect() {
  local wanted=$1 code=0
  shift
  "$velella" "$@" >out 2>err || code=$?
  [ "$code" = "$wanted" ] || fail "velella $*: exit code $code instead of $wanted: $(cat out err)"
}
cat >raft.yaml <<'SCENE'
grid: {size: [1, 0.7], cells: 24, slab: yes}
liquid: {level: 0.4}
bodies:
  - {name: raft, rigid: yes, shape: box, center: [0.4, 0.47], size: [0.4, 0.2], density: 600}
  - {name: wheel, shape: box, center: [0.85, 0.6], size: [0.1, 0.1], motion: [{move: slide, velocity: [0, 0.1]}]}
time: {end: 0.4}
SCENE
expect 0 settle raft.yaml --threads 1
draft=$(sed -n 's/^  draft  *\([0-9.]*\) m.*/\1/p' out)
awk -v d="$draft" 'BEGIN { exit !(d > 0.12 - 0.02 / 24 && d < 0.12 + 0.02 / 24) }' || fail "a draft of $draft m instead of 0.12 m: $(cat out)"
grep -q '^wheel (scripted): stands where its motion begins' out || fail "the wheel is not told of: $(cat out)"
grep -q '^settled in [0-9]* steps; velella run raft.yaml --start raft.settled.vl begins so$' out || fail "the end is not told: $(cat out)"
grep -q '^  weight  *carried by liquid to 100\.*[0-9]* %\|carried by liquid to 99\.[5-9]' out || fail "the liquid does not carry it: $(cat out)"
# a file that is there stays
cp raft.settled.vl before
expect 2 settle raft.yaml
grep -q 'raft.settled.vl is there already' err || fail "it does not name the file: $(cat err)"
cmp before raft.settled.vl || fail "the file was replaced"
# as JSON, with another name
expect 0 settle raft.yaml --threads 1 --json --out other.vl
grep -q '^{"settled": true, "out": "other.vl", "steps": [0-9]*, .*"bodies": \[{"name": "raft", "kind": "rigid", "center": ' out || fail "json: $(cat out)"
cmp other.vl raft.settled.vl || fail "the same scene settles otherwise"
# a run begins there, at its very start, and the raft stays while the wheel goes
expect 0 run raft.yaml --start raft.settled.vl --threads 1 --quiet
awk -F, 'NR == 2 { y = $4 } NR > 1 && ($4 - y > 0.0005 || y - $4 > 0.0005) { exit 1 }' runs/raft/bodies/raft.csv || fail "the raft moves: $(tail -1 runs/raft/bodies/raft.csv)"
tail -1 runs/raft/bodies/wheel.csv | awk -F, '{ exit !($4 > 0.6399 && $4 < 0.6401) }' || fail "the wheel does not go: $(tail -1 runs/raft/bodies/wheel.csv)"
sed -n 2p runs/raft/series.csv | grep -q '^1,' || fail "steps do not begin with 1: $(sed -n 2p runs/raft/series.csv)"
expect 0 run raft.yaml --resume --until 0.5 --quiet
expect 2 run raft.yaml --start runs/raft/checkpoint.vl --out third
grep -q 'a run begins with states at t = 0' err || fail "a later state was taken: $(cat err)"
[ ! -e third ] || fail "a folder was left behind"
expect 2 run raft.yaml --resume --start raft.settled.vl
expect 4 run raft.yaml --start nothing.vl --out third
grep -q -- '--start nothing.vl: ' err || fail "the missing file is not named: $(cat err)"
# what has not settled
expect 7 settle raft.yaml --steps 5 --out fourth.vl
grep -q "after 5 steps it has not settled: body 'raft' is still pushed with" err || fail "it is not told what moves: $(cat err)"
grep -q '^  left ' out || fail "what is left is not told: $(cat out)"
[ ! -e fourth.vl ] || fail "a state was written that has not settled"
expect 3 settle pool --threads 1 --out fourth.vl
grep -q 'no body that could settle' err || fail "a scene without bodies: $(cat err)"
