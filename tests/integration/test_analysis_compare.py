"""analysis/compare.py and advise.py: verdicts, refusals and exit codes."""
import itertools
import json
import os
import random
import re
import shutil
import subprocess

import numpy as np
import pytest

from conftest import ROOT
from result_files import Directory, analysis
from analysis import compare_verdicts  # found by result_files

TEN = [1.0, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.7, 1.8, 1.9]
SCHEMES = ["static", "ss", "gss:min=1", "fss:alpha=2"]
NEAR, FAR = 68e-9, 258e-9
SAME, SLOWER, USAGE, CANNOT_TELL = 0, 1, 2, 3


def directory(path, factors, launches=("l1",), **manifest):
    there = Directory(path)
    for launch in launches:
        for scheme, factor in factors.items():
            there.cell([factor * t for t in TEN], launch, scheme=scheme)
        there.manifest(launch, **manifest)
    return there


def launch(path, number, factors, state=NEAR, luck=1.0, **manifest):
    """A folder of one launch below a path; `factors` by scheme, or a
    Directory with all schemes named where there are none."""
    there = Directory(path / str(number))
    for scheme in SCHEMES:
        there.name({"scheme": scheme})
    run = {} if state is None else {"handover_before_s": state,
                                    "handover_after_s": state}
    for scheme, factor in factors.items():
        there.cell([factor * luck * t for t in TEN], f"{path.name}{number}",
                   scheme=scheme, run=run)
    there.manifest(f"{path.name}{number}", **manifest)
    return there


def side(path, launches, schemes=None, seed=None, **manifest):
    """A folder of launches: (factor, or factors by scheme; state).  Their luck
    differs by 2 %."""
    luck = random.Random(seed or path.name)
    for number, (factor, state) in enumerate(launches, 1):
        factors = factor if isinstance(factor, dict) else dict.fromkeys(
            schemes or SCHEMES, factor)
        launch(path, number, factors, state, luck.gauss(1, 0.02), **manifest)
    return path


@pytest.mark.parametrize("probes,longer,noted", [
    ([1.0] * 8 + [1.02] * 2, 1.2, False), ([1.0] * 7 + [1.2] * 3, 1.2, True),
    ([1.0] * 7 + [1.2] * 3, 1.0, False)])
def test_slow_cores_are_noted_where_times_rose(tmp_path, probes, longer,
                                               noted):
    there = Directory(tmp_path / "a")
    for probe in probes:
        there.cell([longer if probe > 1.1 else 1.0], "l1", scheme="ss",
                   run={"core_probe_s": 3e-6 * probe})
    there.manifest("l1")
    _, out, err = analysis("report", tmp_path / "a")
    said = ("a core was slow before 3 of 10 repetitions: a fixed piece of "
            "arithmetic took 1.20 times as long there as usually, and the "
            "repetitions 1.20 times")
    assert (said in " ".join((out + err).split())) == noted


def test_slower_cores_of_one_side_are_said(tmp_path):
    for name, probe in ("a", 3e-6), ("b", 3.6e-6):
        there = Directory(tmp_path / name)
        for scheme in SCHEMES:
            there.cell(TEN, name, scheme=scheme, run={"core_probe_s": probe})
        there.manifest(name)
    _, out, _ = analysis("compare", tmp_path / "a", tmp_path / "b")
    assert ("The cores of B were slower: a fixed piece of arithmetic took 1.2 "
            "times as long there") in out
    Directory(tmp_path / "b").manifest("b", flags="-O0")
    for sides in ("a", "a"), ("a", "b"):
        _, out, _ = analysis("compare", *(tmp_path / s for s in sides))
        assert "The cores of" not in out


def compared(tmp_path, a, b, *words, **more):
    """(code, answer, the numbers below it) of two sides of launches."""
    code, out, err = analysis("compare", side(tmp_path / "a", a, **more),
                              side(tmp_path / "b", b, **more), *words)
    assert "Traceback" not in err
    above, _, below = out.partition("\n\n")
    return code, above, below


# ---- launches ----

SIX = [(1, NEAR)] * 6


def test_six_alike_launches_are_the_same_and_say_what_could_have_hidden(
        tmp_path):
    code, said, below = compared(tmp_path, SIX, SIX)
    assert code == SAME and said.startswith("No difference was seen: B takes")
    assert "0 slower, 0 faster, 4 no difference seen" in said
    hidden = said.split("A slowdown of up to ")[1]
    assert 0 <= float(hidden.split(" %")[0]) < 10
    assert "over all cells, and of up to" in hidden
    assert below.count("6, 6") == 4
    assert f"\nA is {tmp_path}/a, B is {tmp_path}/b.\n" in below


def test_who_is_b_has_all_its_directories(tmp_path):
    b = side(tmp_path / "b", SIX)
    code, out, _ = analysis("compare", side(tmp_path / "a", SIX), "--against",
                            b / "1", b / "2")
    assert code == CANNOT_TELL
    assert f"\nA is {tmp_path}/a, B is {b}/1 {b}/2.\n" in out


@pytest.mark.parametrize("states", [
    [NEAR] * 6, [NEAR] * 2 + [FAR] * 4, [FAR] * 6, [None] * 6,
    [None] * 3 + [FAR] * 3])
@pytest.mark.parametrize("factor", [1.6, 3])
def test_six_slower_launches_are_slower_in_whatever_state(tmp_path, states,
                                                          factor):
    code, said, below = compared(tmp_path, SIX,
                                 [(factor, state) for state in states])
    assert code == SLOWER and said.startswith("B is slower: it takes ")
    assert "4 slowdowns beyond 5 %" in said and below.count("6, 6") == 4
    far = states.count(FAR)
    assert ("The state of the machine differs" in said) == bool(far)
    if far:
        assert "A 68 ns in all 6 launches" in said
        assert "258 ns in " + ("all 6 launches" if far == 6 else
                               f"{far} of 6 launches") in said
    if far == 6:
        assert "No launch of one side is in a state of the other" in said
    if far == 4:
        assert "at 68 ns, 6 and 2 launches: B takes " in said


def test_another_state_alone_is_a_finding(tmp_path):
    code, said, _ = compared(tmp_path, SIX, [(1, FAR)] * 6)
    assert code == CANNOT_TELL
    assert said.startswith("Cannot tell whether B is slower: the machine was "
                           "in another state")
    assert "4 no difference seen" in said and "p = 0.002" in said


def test_a_slowdown_that_states_hide_is_seen_within_them(tmp_path):
    a = [(1, NEAR)] * 2 + [(2, FAR)] * 4
    b = [(1.3, NEAR)] * 4 + [(2.6, FAR)] * 2
    code, said, below = compared(tmp_path, a, b)
    assert code == SLOWER
    assert "in the same state of the machine (95 % interval 1." in said
    assert "Within one state the difference stays" in said
    assert "in one state" in below and below.count(" 1.3") >= 4


def test_states_that_explain_a_difference_are_no_slowdown_of_b(tmp_path):
    """But nobody can tell either, as both sides differ twofold in
    themselves."""
    a = [(1, NEAR)] * 4 + [(2, FAR)] * 2
    b = [(1, NEAR)] * 2 + [(2, FAR)] * 4
    code, said, _ = compared(tmp_path, a, b)
    assert code == CANNOT_TELL and "0 slower" in said
    assert "Within one state no difference is seen either" in said
    assert "out of line" not in said


@pytest.mark.parametrize("a, b, code", [
    (1, 1, CANNOT_TELL), (1, 6, CANNOT_TELL), (2, 6, CANNOT_TELL),
    (3, 3, CANNOT_TELL), (3, 6, SLOWER), (4, 4, SLOWER)])
def test_numbers_of_launches(tmp_path, a, b, code):
    found, said, below = compared(tmp_path, [(1, NEAR)] * a, [(3, NEAR)] * b)
    assert found == code
    assert ("for all cells. -: too few samples.\n" in below) == (
        "  -  " in below)
    if a == b == 1:
        assert said.startswith("Cannot tell the machine from luck: one launch "
                               "a side. B's takes ")
        assert "4 slower, or luck" in said
    elif code == CANNOT_TELL:
        assert f"{a} and {b} launches are too few for a proof" in said
        assert "It takes 4 launches a side, better 6 (--out A/1" in said


def test_one_alike_launch_a_side_is_no_verdict(tmp_path):
    directory(tmp_path / "a", dict.fromkeys(SCHEMES, 1))
    directory(tmp_path / "b", dict.fromkeys(SCHEMES, 1.001))
    code, out, err = analysis("compare", tmp_path / "a", tmp_path / "b")
    assert (code, err) == (CANNOT_TELL, "")
    assert out.startswith("Cannot tell the machine from luck: one launch a "
                          "side. B's takes 1.001 times as long as A's over")
    assert "0 slower, 0 faster, 4 no difference seen" in out


def test_one_odd_launch_is_named_and_makes_no_slowdown(tmp_path):
    code, said, _ = compared(tmp_path, SIX, [*SIX[1:], (3, NEAR)])
    assert code == CANNOT_TELL and "0 slower" in said
    assert f"B, launch {tmp_path}/b/6 is out of line: it takes " in said
    assert "a slowdown of up to 2" in said.replace("1", "2")


def test_an_odd_launch_of_a_hides_no_slowdown(tmp_path):
    code, said, _ = compared(tmp_path, [*SIX[1:], (3, NEAR)],
                             [(1.3, NEAR)] * 6)
    assert code == CANNOT_TELL and "4 perhaps slower" in said
    assert f"A, launch {tmp_path}/a/6 is out of line" in said


def test_a_verdict_on_repetitions_has_an_interval_without_1():
    """One test makes both: many draws at the border of 5 %."""
    rng, found = np.random.default_rng(3), 0
    for n in (8, 50):
        for _ in range(60):
            times = rng.exponential(0.2, (2, n)) + [[1.0], [1.08]]
            pair = {"na": n, "nb": n, "simulated": False, "times": times}
            compare_verdicts.judge_repetitions([pair])
            counts = pair["p"] < 0.05
            found += counts
            assert counts == ("luck" in pair["verdict"])
            assert counts == (not pair["low"] <= 1 <= pair["high"])
    assert 20 < found < 100


def test_slower_faster_and_alike_cells(tmp_path):
    b = [({"static": 1, "ss": 1.5, "gss:min=1": 0.5, "fss:alpha=2": 1},
          NEAR)] * 6
    code, said, _ = compared(tmp_path, SIX, b)
    assert code == SLOWER
    assert said.startswith("B is slower in 1 of 4 cells, and faster in 1: "
                           "adjoint ss over shared, flat, 1x2 1.4")
    assert "1 slower, 1 faster, 2 no difference seen" in said


def test_one_cell_whose_launches_vary_twofold_tells_nothing(tmp_path):
    """No difference is not said where half of the time could have hidden."""
    sides = [[({"static": factor}, NEAR) for factor in factors]
             for factors in ([1, 2, 1.1, 2.2], [2.1, 1, 2, 1.05])]
    code, said, _ = compared(tmp_path, *sides)
    assert code == CANNOT_TELL and said.startswith("Cannot tell")
    assert "over all cells" not in said.partition(".")[0]


def test_a_faster_side(tmp_path):
    code, said, _ = compared(tmp_path, SIX, [(0.8, NEAR)] * 6)
    assert code == SAME and said.startswith("B is faster: B takes 0.")
    assert "could have hidden" not in said


def test_one_slower_cell_of_many(tmp_path):
    """Any number of cells can be told apart with six launches a side."""
    schemes = [f"css:chunk={i}" for i in range(1, 31)]
    b = [({s: 1 + (s == "css:chunk=7") for s in schemes}, NEAR)] * 6
    code, said, _ = compared(tmp_path, SIX, b, schemes=schemes)
    assert code == SLOWER and "B is slower in 1 of 30 cells" in said


def test_the_threshold(tmp_path):
    sides = [(1, NEAR)] * 6, [(1.5, NEAR)] * 6
    code, said, _ = compared(tmp_path, *sides, "--threshold", 80)
    assert code == SAME
    assert said.startswith("B is slower, but not by more than 80 %: B takes")


# ---- what became of launches ----

def test_launches_and_cells_that_failed_are_said(tmp_path):
    a, b = side(tmp_path / "a", SIX), side(tmp_path / "b", SIX[:4])
    (b / "9").mkdir()
    Directory(b / "8").manifest("b8")
    for number in 5, 6, 7:
        good = dict.fromkeys(SCHEMES if number == 7 else ["static"], 1)
        there = launch(b, number, {} if number == 7 else good)
        there.cell([], f"b{number}", status="failed", reason="signal 11",
                   scheme="ss")
    code, out, err = analysis("compare", a, b)
    assert code == CANNOT_TELL
    assert f"B, launch {b}/5: 1 cell failed: signal 11\n" in out
    assert f"B, launch {b}/7: it has nothing to compare: 1 cell failed" in out
    for number in 8, 9:
        assert f"B, {b}/{number}: it has nothing to compare, no results" in out
    assert "1 cell failed more often in B" in out
    assert "3 launches of B without results, 0 of A" in out
    assert f"compare: B: {b}/9: no results are here, left out" in err


def test_a_cell_that_fails_on_one_side(tmp_path):
    a = side(tmp_path / "a", SIX)
    b = side(tmp_path / "b", SIX, schemes=["static"])
    for number in range(1, 7):
        there = launch(b, number, {})
        there.cell([], f"b{number}", status="failed", reason="signal 11",
                   scheme="ss")
    code, out, _ = analysis("compare", a, b)
    assert code == CANNOT_TELL and "1 cell cannot be compared" in out
    assert "refused: adjoint ss over shared, flat, 1x2: failed: signal 11 " \
        "in B" in out
    assert "only in A: 2 cells" in out


def test_launches_that_all_failed(tmp_path):
    a, b = side(tmp_path / "a", SIX), tmp_path / "b"
    for number in range(1, 7):
        launch(b, number, {}).cell([], f"b{number}", status="failed",
                                   reason="signal 11", scheme="ss")
    for sides in ((a, b), (b, a), (b, b)):
        code, out, err = analysis("compare", *sides)
        assert (code, out) == (CANNOT_TELL, "")
        assert "has no complete and verified cell" in err
        assert f"launch {b}/6: it has nothing to compare: 1 cell failed: " \
            "signal 11" in err


def test_a_launch_that_was_cut_off(tmp_path):
    a, b = side(tmp_path / "a", SIX), side(tmp_path / "b", SIX)
    launch(b, 7, {}).cell(TEN, "b7", scheme="ss", done=False)
    code, out, _ = analysis("compare", a, b)
    assert code == CANNOT_TELL
    assert f"B, launch {b}/7: it has nothing to compare: 1 cell not complete" \
        in out


def test_the_same_launches_twice(tmp_path):
    a = side(tmp_path / "a", SIX)
    shutil.copytree(a, tmp_path / "copy")
    for other in (a, f"{a}/../a", tmp_path / "copy"):
        code, out, _ = analysis("compare", a, other)
        assert (code, out) == (SAME,
                               "The same: A and B are the same launches.\n")
    shutil.copytree(a / "1", tmp_path / "one")
    code, out, err = analysis("compare", tmp_path / "one", a)
    assert code == CANNOT_TELL and "1 and 5 launches are too few" in out
    assert "B: 1 launch of A is in B, too: left out of B" in err
    assert "is on both sides: give each launch to one side" in refused(
        a / "1", a / "2", "--against", a / "1", a / "3")


def test_other_builds_are_said(tmp_path):
    a = side(tmp_path / "a", SIX, compiler="gcc 12")
    b = side(tmp_path / "b", SIX, compiler="clang 14", mpi="MPICH 5")
    code, out, _ = analysis("compare", a, b)
    said, _, below = out.partition("\n\n")
    assert code == SAME and said.endswith(
        "The sides also differ in other ways (below): MPI, compiler")
    assert below.endswith("environment: these differ\n"
                          "  MPI: not known  ->  MPICH 5\n"
                          "  compiler: gcc 12  ->  clang 14\n")


@pytest.mark.parametrize("output, code", [
    ("| head -1", SLOWER), (">/dev/full", USAGE), (">&-", USAGE)])
def test_the_exit_code_is_the_verdicts_whoever_reads_on(tmp_path, output,
                                                        code):
    """A pipe that was left is no failure; a disk that is full is one."""
    a, b = side(tmp_path / "a", SIX), side(tmp_path / "b", [(3, NEAR)] * 6)
    done = subprocess.run(
        ["bash", "-c", f'"$@" {output}; exit "${{PIPESTATUS[0]}}"', "-",
         ROOT / "analysis/compare.py", a, b], text=True, capture_output=True)
    assert done.returncode == code and "Traceback" not in done.stderr
    assert ("standard output" in done.stderr) == (code == USAGE)


def test_make_compare_adds_no_line_of_its_own(tmp_path):
    a = side(tmp_path / "a", SIX)
    b = side(tmp_path / "b", [(2, NEAR)] * 6)
    for sides, code, first in [((a, b), 1, "B is slower"),
                               ((a, a), 0, "The same")]:
        done = subprocess.run(
            ["make", "-s", f"BUILD={tmp_path}/build", "compare",
             f"A={sides[0]}", f"B={sides[1]}"], cwd=ROOT, check=False,
            capture_output=True, text=True, timeout=120,
            env={k: v for k, v in os.environ.items() if "MAKE" not in k})
        assert done.returncode == code and done.stdout.startswith(first)
        said = (done.stdout + done.stderr).replace(str(tmp_path), "")
        assert "make" not in said


def test_states_of_the_hand_overs_that_are_known(tmp_path):
    """Simulations and launches of one worker have none; a single odd value
    among many is no state."""
    a = [(1, NEAR)] * 4 + [(1, None)] * 2
    code, said, _ = compared(tmp_path, a, [(1, NEAR)] * 3 + [(1, FAR)] * 3)
    assert code == SAME and "4 no difference seen" in said
    assert "A 68 ns in 4 of 6 launches, not known in 2 of 6 launches; B 68 ns"\
        in said and "nan" not in said
    near = [(NEAR, NEAR)] * 99 + [(NEAR, 1e-5)]
    import numpy as np
    from analysis import states
    assert states.split(np.array(near).ravel()) is None


@pytest.mark.parametrize("factor, code, word", [
    (1, SAME, "not slower"), (1.5, SLOWER, "slower")])
def test_json_is_one_answer_with_its_lines_and_rows(
        tmp_path, factor, code, word):
    a = side(tmp_path / "a", SIX)
    b = side(tmp_path / "b", [(factor, NEAR)] * 6)
    got, out, _ = analysis("compare", a, b, "--format", "json")
    found = json.loads(out)
    assert got == found["exit_code"] == code
    assert found["schema"] == 1 and found["answer"] == word
    assert len(found["rows"]) == 4 and found["rows"][0]["na"] == 6
    text = analysis("compare", a, b)[1]
    assert text.startswith("\n".join(found["lines"]) + "\n")


def test_json_of_what_cannot_be_compared(tmp_path):
    a = directory(tmp_path / "a", {"ss": 1})
    code, out, _ = analysis("compare", a.path, a.path, "--format", "json")
    assert code == SAME and json.loads(out)["answer"] == "not slower"
    b = directory(tmp_path / "b", {"ss": 1.5}, launches=["l2"])
    code, out, _ = analysis("compare", a.path, b.path, "--format", "json")
    found = json.loads(out)
    assert code == CANNOT_TELL == found["exit_code"]
    assert found["answer"] == "cannot tell" and len(found["rows"]) == 1
    assert found["rows"][0]["low"] is None or found["rows"][0]["na"] == 10


def test_csv(tmp_path):
    a = side(tmp_path / "a", SIX)
    b = side(tmp_path / "b", [(2, NEAR)] * 6)
    code, out, _ = analysis("compare", a, b, "--format", "csv")
    lines = out.splitlines()
    assert code == SLOWER and len(lines) == 5
    assert lines[0].startswith("kernel,scheme,label")
    assert all(line.endswith(",launches,6,6,slower") for line in lines[1:])


# ---- simulations ----

def simulated(path, *times):
    there = Directory(path)
    for scheme, values in zip(SCHEMES, times):
        there.cell(values, path.name, scheme=scheme, run={"simulated": True})
    there.manifest(path.name)
    return path


def test_simulations_have_no_luck(tmp_path):
    a = simulated(tmp_path / "a", [1.0], [1.0])
    for name, times, code, words in [
            ("b", ([2.0], [0.5]), SLOWER, "1 slower, 1 faster, 0 no"),
            ("c", ([1.0], [1.0]), SAME, "2 no difference seen")]:
        found, out, _ = analysis("compare", a,
                                 simulated(tmp_path / name, *times))
        assert found == code and words in out
        assert "luck" not in out.replace(str(tmp_path), "")


# ---- matching ----

def test_one_scheme_against_another(tmp_path):
    directory(tmp_path / "a", {"ss": 1})
    directory(tmp_path / "b", {"gss:min=1": 2})
    sides = (tmp_path / "a", tmp_path / "b")
    assert "--across scheme" in refused(*sides)
    code, out, err = analysis("compare", *sides, "--across", "scheme")
    assert (code, err) == (CANNOT_TELL, "")
    assert "ss -> gss:min=1" in out and "1 slower, or luck" in out
    directory(tmp_path / "c", {"ss": 1, "static": 1})
    assert "two on one side, static and ss" in refused(
        tmp_path / "a", tmp_path / "c", "--across", "scheme")


def test_cells_of_one_side_are_listed(tmp_path):
    directory(tmp_path / "a", {"ss": 1, "static": 1})
    directory(tmp_path / "b", {"ss": 1, "gss:min=1": 1})
    code, out, _ = analysis("compare", tmp_path / "a", tmp_path / "b")
    assert code == CANNOT_TELL
    assert "only in A: 1 cell\n  adjoint static over" in out
    assert "only in B: 1 cell\n  adjoint gss:min=1 over" in out


def test_intervals_that_a_model_chose_match_whatever_they_are(tmp_path):
    for name, h in (("a", 90), ("b", 110)):
        there = Directory(tmp_path / name)
        there.cell(TEN, sync_interval=h, sync_choice="auto",
                   kernel="heat:rows=10,cols=1000")
        there.cell(TEN, sync_interval=h, sync_choice="given",
                   kernel="heat:rows=10,cols=1000")
        there.manifest()
    out = analysis("compare", tmp_path / "a", tmp_path / "b")[1]
    assert "over 1 cell" in out and "only in A: 1 cell" in out


def refused(*words):
    code, out, err = analysis("compare", *words)
    assert code == 2 and "Traceback" not in err
    return err.splitlines()[-1]


def test_different_problems_are_refused(tmp_path):
    directory(tmp_path / "a", {"ss": 1})
    there = Directory(tmp_path / "b")
    there.cell(TEN, kernel="adjoint:size=200,seed=1", scheme="ss")
    there.manifest()
    assert refused(tmp_path / "a", there.path) == (
        "compare: different problems: A ran adjoint:size=100,seed=1 and B ran "
        "adjoint:size=200,seed=1")
    there = Directory(tmp_path / "c")
    there.cell(TEN, scheme="ss", run={"iterations": 7})
    there.manifest()
    assert "has 1,000 iterations in A and 7 in B" in refused(
        tmp_path / "a", there.path)
    directory(tmp_path / "d", {"static": 1})
    assert "no cell is in both" in refused(tmp_path / "a", tmp_path / "d")


def test_unverified_runs_are_refused(tmp_path):
    directory(tmp_path / "a", {"ss": 1, "static": 1})
    there = directory(tmp_path / "b", {"static": 1})
    there.cell(TEN, scheme="ss", status="unverified")
    code, out, err = analysis("compare", tmp_path / "a", tmp_path / "b")
    assert code == CANNOT_TELL
    assert "refused: adjoint ss over shared, flat, 1x2: unverified in B" in out
    only = Directory(tmp_path / "c")
    only.cell(TEN, scheme="ss", status="unverified")
    code, _, err = analysis("compare", tmp_path / "a", only.path)
    assert code == CANNOT_TELL and "has no complete and verified cell" in err


@pytest.mark.parametrize("text", ["x", "-1", "nan", "inf"])
def test_a_threshold_is_a_percentage(tmp_path, text):
    code, _, err = analysis("compare", "a", "b", f"--threshold={text}")
    assert code == 2 and "is not a percentage" in err


def test_advice_names_the_best_and_what_it_is_sure_of(tmp_path):
    there = Directory(tmp_path / "d")
    for h, scheme in itertools.product((10, 100), ("ss", "gss:min=1")):
        factor = 1 + (h == 10) * 2 + (scheme == "ss") * 0.01
        there.cell([factor * t for t in TEN], kernel="heat:rows=10,cols=1000",
                   scheme=scheme, sync_interval=h)
    there.manifest()
    code, out, err = analysis("advise", there.path)
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert lines[0] == "heat, 2 workers"
    assert "use           2 of 4 choices are equally fast (1.450 to 1.465 " \
        "s, slower than one core alone); the simplest is ss over shared, " \
        "flat, 1x2, interval 100" \
        in lines[1]
    assert "the scheme alone up to 1.0 %, not significant (ss)" in lines[2]
    assert "the interval alone up to 200.0 % (10)" in lines[2]
    assert "gss:min=1 over shared, flat, 1x2, interval 100 has the " \
        "shortest time, and stays first" in lines[3]
    assert "1 choice of 3 cannot be told apart from it: ss over" in lines[3]
    shutil.rmtree(there.path)
    assert analysis("advise", there.path)[0] == 2


def test_other_sizes_have_other_names(tmp_path):
    for name, size in ("a", 10), ("b", 20):
        there = Directory(tmp_path / name)
        there.cell(TEN, kernel=f"matmul:tasks={size},seed=1")
        there.cell(TEN, kernel="adjoint:size=9")
        there.manifest()
    out = analysis("compare", tmp_path / "a", tmp_path / "b")[1]
    below = out.split("only in A: 1 cell\n")[1]
    assert "matmul:tasks=10 " in below.split("only in B")[0]
    assert "matmul:tasks=20 " in below.split("only in B")[1]


def test_what_others_took_of_each_side_is_in_the_answer(tmp_path):
    """Their shares say by themselves how much longer B takes."""
    for name, factor, share in ("a", 1, 0.1), ("b", 1.8, 0.5):
        for number in range(6):
            there = Directory(tmp_path / name / str(number))
            there.cell([factor * (1 + number / 100) * t for t in TEN],
                       f"{name}{number}", run={"others": share})
            there.manifest(f"{name}{number}")
    words = ("Other processes had 10 % of the cores in A and 50 % of the "
             "cores in B: that alone makes B's times about 1.8 times A's.")
    code, out, err = analysis("compare", tmp_path / "a", tmp_path / "b")
    assert code == SLOWER and out.splitlines()[1] == words
    assert "other processes" not in err
    done = json.loads(analysis("compare", tmp_path / "a", tmp_path / "b",
                               "--format", "json")[1])
    assert done["lines"][1] == words
    # Nothing is said of equal shares but what they are.
    (tmp_path / "c").mkdir()
    for number in range(6):
        shutil.copytree(tmp_path / f"b/{number}", tmp_path / f"c/{number}")
        for path in (tmp_path / f"c/{number}").iterdir():
            path.write_text(path.read_text().replace(f"b{number}",
                                                     f"c{number}"))
            path.rename(path.with_name(path.name.replace(f"b{number}",
                                                         f"c{number}")))
    out = analysis("compare", tmp_path / "b", tmp_path / "c")[1]
    assert out.splitlines()[1] == (
        "Other processes had 50 % of the cores in A and 50 % of the cores in "
        "B.")
    # What cells of one side alone lost is none of the comparison's.
    there.cell(TEN, "b5", kernel="matmul:tasks=10", run={"others": 0.0})
    out = analysis("compare", tmp_path / "a", tmp_path / "b")[1]
    assert words in out and "only in B: 1 cell" in out


# ---- one side: schemes against a base ----

def based(tmp_path, launches, *words):
    """(code, JSON) of --base ss; `launches`: factors by scheme of each."""
    path = side(tmp_path / "one", [(f, NEAR) for f in launches])
    code, out, err = analysis("compare", path, "--base", "ss", *words,
                              "--format", "json")
    assert "Traceback" not in err
    found = json.loads(out)
    assert found["exit_code"] == code
    return code, found


def wobble(count, **factors):
    """Launches whose luck is large and shared; each scheme's own is 1 %."""
    rng = random.Random(5)
    return [{scheme: luck * f * rng.gauss(1, 0.01)
             for scheme, f in {"ss": 1, **factors}.items()}
            for luck in [rng.uniform(1, 3) for _ in range(count)]]


def words_of(found):
    return {row["scheme"]: row["verdict"] for row in found["rows"]}


@pytest.mark.parametrize("count", [6, 9, 15])
def test_a_base_is_paired_within_each_launch(tmp_path, count):
    code, found = based(tmp_path, wobble(count, **{"gss:min=1": 0.9,
                                                   "fss:alpha=2": 1.2}))
    assert code == SLOWER and found["answer"] == "slower"
    assert words_of(found) == {"gss:min=1": "faster", "fss:alpha=2": "slower"}
    for row, factor in zip(found["rows"], (1.2, 0.9)):
        assert row["low"] <= row["ratio"] <= row["high"]
        assert row["ratio"] == pytest.approx(factor, rel=0.02)
        assert row["na"] == row["nb"] == count and row["p"] < 0.05
    assert "1 faster, 1 slower, 0 no difference seen" in found["lines"][0]


def test_all_choices_better_than_the_base_or_alike(tmp_path):
    code, found = based(tmp_path, wobble(8, **{"gss:min=1": 0.8,
                                               "static": 1.0}))
    assert code == SAME and found["answer"] == "not slower"
    assert words_of(found) == {"gss:min=1": "faster",
                               "static": "no difference seen"}
    assert any(line.startswith("faster: ") and "gss" in line
               for line in found["lines"])


@pytest.mark.parametrize("count", [2, 5])
def test_too_few_launches_for_a_base(tmp_path, count):
    code, found = based(tmp_path, wobble(count, static=3))
    assert code == CANNOT_TELL
    assert words_of(found) == {"static": "too few samples to say"}
    assert "it takes 6 launches" in found["lines"][0]


def test_a_base_that_wins_by_luck_is_no_verdict(tmp_path):
    """Of schemes that are alike none is slower, but for 5 % of families."""
    alarms = 0
    for seed in range(20):
        rng = random.Random(seed)
        path = tmp_path / str(seed)
        path.mkdir()
        code, found = based(path, [
            {s: rng.gauss(1, 0.05) for s in SCHEMES} for _ in range(6)])
        alarms += any(row["verdict"] in ("slower", "faster")
                      for row in found["rows"])
        for row in found["rows"]:
            assert row["verdict"] in ("slower", "faster") \
                or row["low"] <= 1 <= row["high"] or row["p"] >= 0.05
    assert alarms <= 4


@pytest.mark.parametrize("factor, code, word", [
    (1, SAME, "no difference seen"), (0.4, SAME, "faster"),
    (2.5, SLOWER, "slower")])
def test_one_launch_of_a_base(tmp_path, factor, code, word):
    there = directory(tmp_path / "one", {"ss": 1, "static": factor})
    got, out, err = analysis("compare", there.path, "--base", "ss")
    assert got == code and "luck" not in out
    assert re.search(f"10, 10 +{word}\n", out)
    assert "repetitions of one launch: another launch may differ" in out


def test_what_other_processes_took_is_no_verdict(tmp_path):
    there = Directory(tmp_path / "one")
    for scheme, factor in ("ss", 1), ("static", 2.5):
        there.cell([factor * t for t in TEN], scheme=scheme,
                   run={"others_max_s": 9.0})
    there.manifest()
    code, out, _ = analysis("compare", there.path, "--base", "ss")
    assert code == CANNOT_TELL
    assert "1 choice: no more than other processes took" in out


@pytest.mark.parametrize("factor, other, found", [
    (2.5, "static", "static +.* 10, 10 +slower\n"),
    (0.4, "ss", "static +.* 10, 10 +faster\n"),
    (2.5, "ss", "no choice has a base"), (0.4, "static", "no choice has"),
    (1.001, "static", "no choice has a base")])
def test_a_time_that_is_too_short_only_confirms(tmp_path, factor, other,
                                                found):
    """In truth it is longer: what was slower still is, and summary says
    "Avoid" of it; of the faster of two nothing is known."""
    there = Directory(tmp_path / "one")
    for scheme, times in ("ss", 1), ("static", factor):
        there.cell([times * t for t in TEN], scheme=scheme,
                   run={"bound_s": 9.0} if scheme == other else {})
    there.manifest()
    _, out, _ = analysis("compare", there.path, "--base", "ss")
    assert re.search(found, out), out
    assert ("of the least time" in out) == found.startswith("no choice")


def test_cells_without_a_base_are_said(tmp_path):
    there = directory(tmp_path / "one", {"ss": 1, "static": 1})
    there.cell(TEN, scheme="static", threads=1)
    there.cell(TEN, scheme="tss", status="unverified")
    code, out, _ = analysis("compare", there.path, "--base", "ss")
    assert code == CANNOT_TELL and "2 cells not compared" in out
    assert "no cell with ss has the same layout and options" in out
    assert "tss: unverified" in out


def test_a_base_that_is_not_there(tmp_path):
    there = directory(tmp_path / "one", {"gss:min=1": 1, "gss:min=2": 1})
    for words, said in [(["tss"], "there are gss:min=1, gss:min=2"),
                        (["gss"], "it may be gss:min=1 or gss:min=2"),
                        (["gss", "--across", "scheme"], "leave out")]:
        assert said in refused(there.path, "--base", *words)


def test_simulations_against_a_base(tmp_path):
    path = simulated(tmp_path / "a", [1.0], [1.5], [0.5])
    code, out, _ = analysis("compare", path, "--base", "static")
    assert code == SLOWER and "1 faster, 1 slower, 0 no difference" in out
