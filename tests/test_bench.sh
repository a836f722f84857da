#!/usr/bin/env bash
# velella bench from outside, at sizes that take seconds: valid JSON, solutions that agree, what is kept and what is not, messages.
# Usage: test_bench.sh SOURCE_DIR BUILD_DIR [PROGRAM]. Exits 0 when all went well; each failure is named on a line.
set -u
program=$(realpath "${3:-$2/velella}")
[ -x "$program" ] || { echo "skipped: $program is not there"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
mkdir tmp
export TMPDIR=$work/tmp
failures=0

fail() { echo "FAILED: $*"; failures=$((failures + 1)); }

# expect CODE TEXT ARGUMENTS: velella bench's exit code, and a text in what it prints
expect() {
  local wanted=$1 text=$2 code=0
  shift 2
  "$program" bench "$@" >out 2>err || code=$?
  [ "$code" = "$wanted" ] || fail "bench $*: exit code $code instead of $wanted: $(tail -c 300 err)"
  cat out err | grep -qF -- "$text" || fail "bench $*: no '$text' in: $(cat out err | tail -c 300)"
}

# holds FILE EXPRESSION: the file is one JSON object, `run`, and the Python expression holds
have_python=$(command -v python3 || true)
holds() {
  [ -n "$have_python" ] || return 0
  python3 -c 'import json, sys
run = json.load(open(sys.argv[1]))
sys.exit(0 if eval(sys.argv[2]) else 1)' "$1" "$2" 2>python_err || fail "$1: not ($2): $(tail -n 1 python_err)"
}

expect 0 "Schur form with multigrid" table2 --sizes 16 --no-condition --json --threads 2
holds out 'len(run["sizes"]) == 1 and run["sizes"][0]["n"] == 16 and run["sizes"][0]["nodes"] == 135'
holds out 'run["sizes"][0]["unknowns"] == 378 and run["sizes"][0]["pressures"] > 1000'      # 135 nodes less 9 pinned ones
holds out 'run["sizes"][0]["ours"]["solved"] and 0 < run["sizes"][0]["ours"]["residual"] <= 1e-10'
holds out 'all(0 <= way[k] <= 1e-7 for name in ("spd", "indefinite") for way in [run["sizes"][0][name]] for k in ("p_difference", "v_difference"))'
# the same bits for any number of threads
holds out 'run["sizes"][0]["ours_threads"]["threads"] == 2 and run["sizes"][0]["ours_threads"]["p_difference"] == 0'
holds out 'run["sizes"][0]["ours"]["factor_seconds"] < run["sizes"][0]["ours"]["seconds"] and run["sizes"][0]["log10_condition"]["schur"] is None'
# eq. 19 holds L, J twice and S; eq. 33 couples more
holds out 'run["sizes"][0]["nonzeros"]["eq33"] > run["sizes"][0]["nonzeros"]["eq19"] > run["sizes"][0]["pressures"]'
peer=$(dirname "$program")/velella-peer-eigen
if [ -x "$peer" ]; then
  holds out 'run["peer"].startswith("Eigen") and all(run["sizes"][0][k]["solved"] and run["sizes"][0][k]["v_difference"] <= 1e-7 for k in ("eigen_spd", "eigen_indefinite"))'
else
  grep -qF "velella-peer-eigen is not beside this program" err || fail "a missing peer is not told: $(head -c 300 err)"
  holds out 'run["peer"] is None and run["sizes"][0]["eigen_spd"] is None'
fi
[ -z "$(ls tmp)" ] || fail "left behind: $(ls tmp)"

expect 0 "Difference from ours" table2 --sizes=12 --hard --out kept/here --threads 1
[ -s kept/here/n12/L.mtx ] && [ -s kept/here/n12/J.mtx ] && [ -s kept/here/n12/S.mtx ] || fail "--out keeps no matrices: $(ls -R kept)"
holds kept/here/table2.json 'run["hard"] and run["sizes"][0]["dt"] == 1 / 60 and all(run["sizes"][0]["log10_condition"][k] > 0 for k in ("eq19", "eq33", "schur"))'
grep -qF "log10 condition" out || fail "no table: $(head -c 300 out)"

# all scenes of the paper, two of them also without their bodies; stages add up to the step
expect 0 "beam_small without its body" table1 --small --steps 1 --json --threads 2
holds out 'run["steps"] == 1 and [r["scene"] for r in run["scenes"]] == [n + "_small" for n in ("toy", "beam", "shell", "buoyancy", "compress", "panel", "platform")]'
holds out 'all(r["nodes"] > 0 and r["elements"] > r["nodes"] and r["seconds"]["liquid_cells"] > 0 for r in run["scenes"])'
holds out 'all(abs(sum(v for k, v in c.items() if k not in ("step", "cpu", "liquid_cells", "iterations", "dt")) - c["step"]) < 1e-9 for r in run["scenes"] for c in [r["seconds"]])'
holds out '[r["scene"] for r in run["scenes"] if "body_adds" in r] == ["beam_small", "platform_small"]'
# the steps are as long without it
holds out 'all(r["seconds"]["dt"] == r["seconds_without_body"]["dt"] for r in run["scenes"] if "body_adds" in r)'
expect 0 "the body adds" table1 --small --steps 1 --threads 1
expect 2 "'bench table2' has no option --steps; 'bench table1' has" table2 --steps 3
expect 2 "'bench table1' has no option --sizes; 'bench table2' has" table1 --sizes 40
expect 2 "--steps 0: a whole number" table1 --steps 0

# three steps show nothing yet: verdicts are given, and are not what is expected
expect 7 "weak is calm instead of unstable" stability --until 0.02 --json --threads 1
holds out '[r["coupling"] for r in run["runs"]] == ["weak", "damping_only", "full", "full_undamped"]'
holds out 'all(r["verdict"] == "calm" and abs(r["time"] - 0.02) < 1e-9 and r["elements"] == 480 for r in run["runs"])'

# all parts of the immersed engine's, but the one that takes long
expect 0 "fit: 99 handles" immersed --small --steps 2 --json --threads 1
holds out 'all(k in run for k in ("speed", "fig9", "fig10", "fit")) and "table1" not in run and run["threads"] == 1'
holds out '[r["scene"] for r in run["speed"]["scenes"]] == ["two_in_pool", "one_in_tank", "toy_bath"]'
holds out 'all(r["steps"] == 2 and abs(r["dt"] * 60 - 1) < 1e-9 and r["particles"] > 1000 and r["tets"] > 100 for r in run["speed"]["scenes"])'
holds out 'all(abs(r["fps"] * r["step"] - 1) < 1e-9 and 0 < sum(r["seconds"].values()) <= r["step"] <= r["worst"] for r in run["speed"]["scenes"])'
# the same mat and water in both engines, but for how evenly particles are seeded at a surface, which come to much the same
holds out 'run["fig9"]["sharp"]["nodes"] == run["fig9"]["immersed"]["nodes"] and abs(run["fig9"]["sharp"]["particles"] / run["fig9"]["immersed"]["particles"] - 1) < 0.01'
holds out '0.5 < run["fig9"]["immersed"]["sag"] / run["fig9"]["sharp"]["sag"] < 2'
# as many iterations as their names say, and less is left with each
holds out 'all(run["fig10"]["ways"][k]["iterations"] == n for k, n in (("jacobi_10", 10), ("jacobi_50", 50), ("jacobi_200", 200), ("jacobi_200_cells", 200), ("jacobi_200_last", 200), ("multigrid_2", 2), ("multigrid_4", 4)))'
holds out '(lambda m: all(a > b for a, b in zip(m, m[1:])))([run["fig10"]["ways"][k]["mean_divergence"] for k in ("jacobi_10", "jacobi_50", "jacobi_200", "jacobi_200_last", "multigrid_2", "multigrid_4", "multigrid_8")])'
holds out '(lambda m: all(a > b for a, b in zip(m, m[1:])))([run["fig10"]["ways"]["jacobi_" + k]["mean_divergence"] for k in ("200", "1000", "10000")])'
holds out 'all(abs(sum(w["frames"]) / len(w["frames"]) / w["mean_divergence"] - 1) < 1e-9 for w in run["fig10"]["ways"].values())'
# reduced bodies go the elastic one's way, and more handles nearer to it
holds out '[b["body"] for b in run["fit"]["bodies"]][:2] == ["elastic", "20 handles"] and run["fit"]["bodies"][0]["first"] > 0.01'
holds out 'run["fit"]["bodies"][2]["first"] < run["fit"]["bodies"][1]["first"] < 0.2 * run["fit"]["bodies"][0]["first"]'
# every row of the table has its scene
expect 0 "flood_stiff_small" immersed table1 --small --steps 1 --json --threads 1
holds out '[r["scene"] for r in run["table1"]["scenes"]] == [n + "_small" for n in ("immersed_buoyancy", "immersed_pair", "immersed_squeeze", "immersed_cup", "plate_ball", "four_bodies", "flood_stiff")]'
holds out 'all(r["bodies"] >= 1 and r["tets"] > 1000 and r["iterations"] > 0 and "paper_fps" not in r for r in run["table1"]["scenes"])'
expect 0 "of way" immersed fit --small --threads 1
grep -q "^speed" out && fail "bench immersed fit also runs speed"
expect 2 "did you mean 'fig10'" immersed fig11
expect 2 "it has speed, table1, fig9, fig10 and fit" immersed everything
expect 2 "'bench table1' has no parts, but 'fit' is named" table1 fit
expect 2 "'bench immersed' has no option --until; 'bench stability' has" immersed --until 1

# liquid finer than the grid, beside plain cells
expect 0 "the surface by itself" subgrid --sizes 8,12 --steps 2 --json --threads 1
holds out '[r["n"] for r in run["sizes"]] == [8, 12] and all(r["ratio"] > 0 and r["cells"]["steps"] == r["subgrid"]["steps"] == 2 for r in run["sizes"])'
holds out 'all(r["cut_cells"] > 0 and r["nodes"] > 0 and r["carry"] > 0 and r["distance"] > 0 and r["pieces"] > 0 for r in run["sizes"])'
expect 2 "'bench subgrid' has no option --small" subgrid --small

expect 2 "velella bench WHAT" 
expect 2 "did you mean 'table2'" tabel2
expect 2 "there are table1, table2, stability, immersed and subgrid" everything
expect 2 "--sizes 40,x: whole numbers from 8 to 512" table2 --sizes 40,x
expect 2 "--sizes 4: whole numbers" table2 --sizes 4
expect 2 "--sizes 40,: whole numbers" table2 --sizes 40,
expect 2 "--threads 0" table2 --threads 0
expect 2 "'bench stability' has no option --sizes" stability --sizes 40
expect 2 "'bench table2' has no option --until" table2 --until 1
expect 2 "did you mean --no-condition" table2 --no-conditon
: >file
expect 4 "file" table2 --sizes 12 --out file/x

[ "$failures" -eq 0 ] || exit 1
echo "velella bench does what it says"
