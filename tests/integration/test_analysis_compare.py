"""analysis/compare.py and advise.py: verdicts, refusals and exit codes."""
import itertools
import shutil

import pytest

from result_files import Directory, analysis

TEN = [1.0, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.7, 1.8, 1.9]
SCHEMES = ["static", "ss", "gss:min=1", "fss:alpha=2"]


def directory(path, factors, launches=("l1",), **manifest):
    there = Directory(path)
    for launch in launches:
        for scheme, factor in factors.items():
            there.cell([factor * t for t in TEN], launch, scheme=scheme)
        there.manifest(launch, **manifest)
    return there


def test_equal_sides_have_no_difference(tmp_path):
    directory(tmp_path / "a", dict.fromkeys(SCHEMES, 1))
    directory(tmp_path / "b", dict.fromkeys(SCHEMES, 1.001))
    code, out, err = analysis("compare", tmp_path / "a", tmp_path / "b")
    assert (code, err) == (0, "")
    assert out.startswith("environment: no difference")
    assert "0 slower, 0 faster, 4 no difference seen, 0 too few" in out
    assert "geometric mean of B/A over all: 1.001" in out


def test_a_slowdown_is_seen_and_guards(tmp_path):
    directory(tmp_path / "a", {"static": 1, "ss": 1, "gss:min=1": 1})
    directory(tmp_path / "b", {"static": 2, "ss": 0.5, "gss:min=1": 1})
    sides = (tmp_path / "a", tmp_path / "b")
    code, out, _ = analysis("compare", *sides)
    assert code == 1
    assert "1 slower, 1 faster, 1 no difference seen" in out
    assert "1 slowdown beyond 5 %; the worst: adjoint static" in out
    code, out, _ = analysis("compare", *sides, "--threshold", 150)
    assert code == 0 and "no significant slowdown beyond 150 %" in out
    assert analysis("compare", *reversed(sides))[0] == 1
    csv = analysis("compare", *sides, "--format", "csv")[1].splitlines()
    assert len(csv) == 4 and csv[0].startswith("kernel,scheme,label")


def stated(path, factor, *handovers):
    """A cell of each hand-over time, before and after a repetition."""
    there = Directory(path)
    for scheme in SCHEMES[:2]:
        for launch, (before, after) in enumerate(handovers):
            there.cell([factor[launch] * t for t in TEN], "l1", scheme=scheme,
                       done=launch == len(handovers) - 1,
                       run={"handover_before_s": before,
                            "handover_after_s": after})
    there.manifest("l1")
    return there


NEAR, FAR = (40e-9, 44e-9), (260e-9, 250e-9)


def test_another_state_of_the_machine_is_no_slowdown(tmp_path):
    sides = (tmp_path / "near", tmp_path / "far")
    stated(sides[0], [1], NEAR)
    stated(sides[1], [2], FAR)
    code, out, _ = analysis("compare", *sides)
    assert code == 0
    assert "0 slower, 0 faster, 0 no difference seen, 0 too few" in out
    assert "2 another state of the machine" in out
    # A few percent more is the same state.
    stated(tmp_path / "same", [2], (44e-9, 47e-9))
    assert analysis("compare", sides[0], tmp_path / "same")[0] == 1


def test_repetitions_of_one_state_are_compared(tmp_path):
    sides = (tmp_path / "a", tmp_path / "b")
    stated(sides[0], [1, 3], NEAR, FAR)
    stated(sides[1], [9, 3, 7], (NEAR[0], FAR[0]), FAR, (FAR[0], NEAR[0]))
    code, out, err = analysis("compare", *sides)
    assert code == 0 and "2 no difference seen" in out
    assert "geometric mean of B/A over all: 1.000" in out
    assert "A: the machine was in two states: the hand-over between cores " \
        "took 42 ns in 20 repetitions, 255 ns in 20, and changed in 0; " \
        "cells that saw both: 2 of 2" in err


def test_states_are_of_the_hand_overs_that_are_known(tmp_path):
    """Simulations and launches of one worker have none."""
    stated(tmp_path / "a", [1, 3, 1], NEAR, FAR, (None, None))
    stated(tmp_path / "b", [1, 3, 1], NEAR, FAR, (None, None))
    err = analysis("compare", tmp_path / "a", tmp_path / "b")[2]
    assert "took 42 ns in 20 repetitions, 255 ns in 20, and changed in 0;" \
        in err
    assert "nan" not in err


def test_differences_of_the_environment_come_first(tmp_path):
    directory(tmp_path / "a", {"ss": 1}, compiler="gcc 12")
    directory(tmp_path / "b", {"ss": 1}, compiler="clang 14", mpi="MPICH 5")
    out = analysis("compare", tmp_path / "a", tmp_path / "b")[1]
    assert out.splitlines()[:3] == [
        "environment: these differ", "  MPI: not known  ->  MPICH 5",
        "  compiler: gcc 12  ->  clang 14"]


def test_one_scheme_against_another(tmp_path):
    directory(tmp_path / "a", {"ss": 1})
    directory(tmp_path / "b", {"gss:min=1": 2})
    sides = (tmp_path / "a", tmp_path / "b")
    assert "--across scheme" in refused(*sides)
    code, out, err = analysis("compare", *sides, "--across", "scheme")
    assert (code, err) == (1, "")
    assert "ss -> gss:min=1" in out and "1 slower, 0 faster" in out
    directory(tmp_path / "c", {"ss": 1, "static": 1})
    assert "two on one side, static and ss" in refused(
        tmp_path / "a", tmp_path / "c", "--across", "scheme")


def test_cells_of_one_side_are_listed(tmp_path):
    directory(tmp_path / "a", {"ss": 1, "static": 1})
    directory(tmp_path / "b", {"ss": 1, "gss:min=1": 1})
    code, out, _ = analysis("compare", tmp_path / "a", tmp_path / "b")
    assert code == 0
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


def test_too_few_samples_are_not_called_equal(tmp_path):
    for name, factor in (("a", 1), ("b", 3)):
        there = Directory(tmp_path / name)
        there.cell([factor * t for t in (1.0, 1.1, 1.2)])
        there.manifest()
    code, out, _ = analysis("compare", tmp_path / "a", tmp_path / "b")
    assert code == 0 and "1 too few samples to say" in out


def test_launches_are_the_unit_where_there_are_several(tmp_path):
    """Ten repetitions twice as slow, in two launches a side: two samples."""
    directory(tmp_path / "a", {"ss": 1}, ("l1", "l2"))
    directory(tmp_path / "b", {"ss": 2}, ("l3", "l4"))
    code, out, _ = analysis("compare", tmp_path / "a", tmp_path / "b")
    assert code == 0 and "1 too few samples to say" in out
    assert "samples are launches" in out
    assert "to tell 1 cell apart takes 4 launches a side" in out
    assert out.endswith("too few samples to call any cell slower\n")
    for name, factor in (("a", 1), ("b", 2)):
        there = Directory(tmp_path / name)
        for launch in "pqr":
            for offset in (0, 0.01):
                there.cell([factor * (t + offset) for t in TEN],
                           f"{launch}{offset}", scheme="ss")
    assert analysis("compare", tmp_path / "a", tmp_path / "b")[0] == 1


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
    assert code == 2
    assert "refused: adjoint ss over shared, flat, 1x2: unverified in B" in out
    only = Directory(tmp_path / "c")
    only.cell(TEN, scheme="ss", status="unverified")
    assert "no verified cell is complete" in refused(
        tmp_path / "a", only.path)


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
    assert "gss:min=1 over shared, flat, 1x2, interval 100: 1.450 s" in \
        lines[1]
    assert "ss over shared, flat, 1x2, interval 100: 1.0 % slower (not " \
        "significant" in lines[2]
    assert "the interval alone up to 200.0 % (10)" in lines[3]
    assert "1 choice of 3 cannot be told apart from it: ss over" in lines[4]
    shutil.rmtree(there.path)
    assert analysis("advise", there.path)[0] == 2
