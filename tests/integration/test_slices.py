"""What `make test` leaves out of a full cross, other commits run."""
import re
import subprocess

import pytest

import slices
from conftest import ROOT

CASES = [f"test_x[{i}]" for i in range(10)]


class Case:
    """As much of a pytest item as is asked for."""

    def __init__(self, nodeid, cross=None):
        self.nodeid, self.cross = nodeid, cross and cross.mark

    def get_closest_marker(self, _):
        return self.cross


def test_a_slice_is_a_quarter_and_the_same_for_the_same_commit():
    first = slices.kept("test_x", CASES, "a1")
    assert len(first) == 3 and first == slices.kept("test_x", CASES, "a1")
    assert slices.kept("test_x", CASES[:1], "a1") == {CASES[0]}


def test_in_time_all_of_it_runs():
    ran = set()
    for commit in range(60):
        ran |= slices.kept("test_x", CASES, str(commit))
    assert ran == set(CASES)


def test_what_is_no_cross_always_runs():
    items = [Case(x, pytest.mark.cross) for x in CASES] + [Case("test_y")]
    run, out = slices.choose(items, "a1")
    assert len(run) == 4 and run[-1].nodeid == "test_y"
    assert len(out) == 7 and not set(run) & set(out)


def test_a_slice_may_be_smaller_or_of_several_tests():
    items = [Case(x, pytest.mark.cross(part=8)) for x in CASES] + [
        Case(x, pytest.mark.cross(group="g")) for x in ("a.py::b", "c.py::d",
                                                        "e.py::f[1]")]
    run, _ = slices.choose(items, "a1")
    assert [x.nodeid in CASES for x in run] == [True, True, False]


def test_of_each_group_of_files_a_part_runs():
    files = {name: group for group, (_, names) in slices.FILES.items()
             for name in names.split()}
    assert all((ROOT / f"tests/integration/test_{x}.py").exists()
               for x in files)
    ran = set()
    for commit in range(60):
        run = set(files) - slices.left_out(str(commit))
        for group, (part, names) in slices.FILES.items():
            some = [x for x in run if files[x] == group]
            assert len(some) == -(-len(names.split()) // part)
        ran |= run
    assert ran == set(files)


def test_of_values_a_part_runs_in_their_order(monkeypatch):
    monkeypatch.delenv("ALL", raising=False)
    monkeypatch.setenv("SLICE", "a1")
    some = slices.part_of("values", CASES[::-1])
    assert len(some) == 3 and some == sorted(some, reverse=True)
    assert len(slices.part_of("values", CASES, part=5)) == 2
    monkeypatch.setenv("ALL", "1")
    assert slices.part_of("values", CASES) == CASES


def test_of_unit_tests_under_sanitizers_a_half_is_built_and_run(monkeypatch):
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
    half = programs(*sanitized)
    assert half == slices.kept("unit-address", every, "a1", 2)
    monkeypatch.setenv("ALL", "1")
    assert programs(*sanitized) == every
