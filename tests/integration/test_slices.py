"""What `make test` leaves out of a full cross, other commits run."""
import os
import re
import subprocess

import pytest

import slices
from conftest import ROOT

CASES = [f"test_x[{i}]" for i in range(10)]


class Case:
    """As much of a pytest item as is asked for."""

    def __init__(self, nodeid, mark=None):
        self.nodeid, self.mark = nodeid, mark and mark.mark

    def get_closest_marker(self, name):
        return self.mark if self.mark and self.mark.name == name else None


def test_a_slice_is_a_quarter_and_the_same_for_the_same_commit():
    first = slices.kept("test_x", CASES, "a1")
    assert len(first) in (2, 3) and first == slices.kept("test_x", CASES, "a1")
    assert slices.kept("test_x", CASES[:1], "a1") == {CASES[0]}


def test_in_time_all_of_it_runs():
    ran = set()
    for commit in range(60):
        ran |= slices.kept("test_x", CASES, str(commit))
    assert ran == set(CASES)


@pytest.mark.parametrize("pieces", [1, 3, 5])
@pytest.mark.parametrize("part", [2, 4, 9, 33])
def test_pieces_have_all_of_it_between_them(pieces, part):
    ran = [slices.kept("test_x", CASES, f"{i + 1}/{pieces}", part)
           for i in range(pieces)]
    assert all(ran) and set().union(*ran) == set(CASES)
    assert part < pieces or sum(map(len, ran)) == len(CASES)


def test_what_is_no_cross_always_runs():
    items = [Case(x, pytest.mark.cross) for x in CASES] + [Case("test_y")]
    run, out = slices.choose(items, "a1")
    assert len(run) in (3, 4) and run[-1].nodeid == "test_y"
    assert len(run + out) == 11 and not set(run) & set(out)


def test_a_slice_may_be_smaller_or_of_several_tests():
    items = [Case(x, pytest.mark.cross(part=8)) for x in CASES] + [
        Case(x, pytest.mark.cross(group="g")) for x in ("a.py::b", "c.py::d",
                                                        "e.py::f[1]")]
    run, _ = slices.choose(items, "a1")
    of_cases = [x.nodeid in CASES for x in run]
    assert of_cases in ([True, False], [True, True, False])


def test_each_file_is_in_a_group_and_of_each_group_a_tenth_runs():
    groups = [set(names.split()) for names in slices.FILES.values()]
    files = [name for names in groups for name in names]
    assert sorted(files + slices.ALWAYS.split()) == sorted(
        x.name[5:-3] for x in (ROOT / "tests/integration").glob("test_*.py"))
    for pieces, commits in ((1, map(str, range(90))),
                            (2, [f"{i}/5" for i in range(1, 6)])):
        ran = set()
        for commit in commits:
            run = set(files) - slices.left_out(commit)
            assert all(1 <= len(run & names) <= pieces * -(-len(names) // 10)
                       for names in groups)
            ran |= run
        assert ran == set(files)


def test_what_a_commit_touches_runs(monkeypatch):
    paths = ["tests/integration/test_omp.py", "bench/programs/try/rounds.c",
             "harness/transport/steal/steal.c", "analysis/compare.py",
             "harness/transport/master/chain.c", "README.md"]
    monkeypatch.setattr(slices, "git", lambda *_: "\n".join(paths))
    names = {name for x in slices.FILES.values() for name in x.split()}
    assert slices.touched(names, "a1b2c3d") == {
        "omp", "omp_try", "steal", "matrix", "analysis_compare",
        "analysis_report"}
    assert slices.touched(names, "1/5") == set()
    assert not {"omp", "steal"} & slices.left_out("a1b2c3d")


def test_rooms_that_name_their_test_are_there():
    for room, name in slices.ROOMS.items():
        assert (ROOT / room).is_dir(), room
        assert (ROOT / f"tests/integration/test_{name}.py").exists(), name


def test_one_sanitizer_is_used_and_in_time_both(monkeypatch):
    monkeypatch.delenv("ALL", raising=False)
    used = [slices.sanitizers(str(commit)) for commit in range(20)]
    assert all(len(x) == 1 for x in used)
    assert {x for (x,) in used} == set(slices.SANITIZERS)
    assert slices.sanitizers("2/5") == slices.SANITIZERS
    items = [Case(x, pytest.mark.under(x)) for x in slices.SANITIZERS]
    run, out = slices.choose(items, "7")
    assert [x.nodeid for x in run] == used[7] and len(out) == 1
    monkeypatch.setenv("ALL", "1")
    assert slices.sanitizers("7") == slices.SANITIZERS


def test_of_values_a_part_runs_in_their_order(monkeypatch):
    monkeypatch.delenv("ALL", raising=False)
    monkeypatch.setenv("SLICE", "a1")
    some = slices.part_of("values", CASES[::-1])
    assert len(some) in (2, 3) and some == sorted(some, reverse=True)
    assert len(slices.part_of("values", CASES, part=5)) == 2
    monkeypatch.setenv("ALL", "1")
    assert slices.part_of("values", CASES) == CASES


def test_of_unit_tests_under_sanitizers_a_part_is_built_and_run(monkeypatch):
    """make asks slices.py, and asks for all where nobody names a slice."""
    def programs(*options):
        done = subprocess.run(["make", "-n", "unit", *options], cwd=ROOT,
                              text=True, capture_output=True, check=True)
        words = re.search(r"^sh tests/unit\.sh (.*)", done.stdout, re.M)[1]
        return {x for x in words.split() if "/sim/" not in x}
    sanitized = "SAN=address", "BUILD=build/address"
    monkeypatch.delenv("SLICE", raising=False)
    every = programs(*sanitized)
    monkeypatch.setenv("SLICE", "a1")
    plain = programs()
    assert {f"build/address/{x[6:]}" for x in plain} == every
    monkeypatch.delenv("ALL", raising=False)
    part = programs(*sanitized)
    assert part == slices.kept("unit-address", every, "a1", 3)
    monkeypatch.setenv("ALL", "1")
    assert programs(*sanitized) == every


@pytest.mark.parametrize("end,counted", [("1", "1 skipped"),
                                         ("", "1 passed")])
def test_when_the_time_is_over_no_test_begins(end, counted):
    done = subprocess.run(
        ["/usr/bin/python3", "-m", "pytest", "-q", "-rs", "-p",
         "no:cacheprovider", "tests/integration/test_release.py", "-k",
         "the_version_is_the_same"], cwd=ROOT,
        env={**os.environ, "TESTS_END": end, "SLICE": "0"},
        capture_output=True, text=True, check=False)
    assert done.returncode == 0 and counted in done.stdout, done.stdout
    assert ("SLICE=0 tests/run.py integration" in done.stdout) == (end == "1")
