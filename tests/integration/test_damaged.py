"""Readers of damaged result directories: a line says what is wrong, never a
traceback, and the rest is read.  ROUNDS=n damages n directories by chance (2
of them here); SEED=n tries one alone."""
import csv
import io
import os
import random
import subprocess

import pytest

import damage
from conftest import ROOT
from result_files import Directory, analysis

ROUNDS = int(os.environ.get("ROUNDS") or 2)
FIRST = int(os.environ.get("SEED") or 0)
REPORTS = 8       # one of so many is made a page of, which takes seconds


@pytest.fixture(scope="module", autouse=True)
def readers():
    damage.prepare()


def calls(folder, seed, stored):
    yield "tables", [folder]
    yield "tables", [folder, "--format", "csv"]
    yield "tables", [folder, "--ending", "--store"]
    yield "advise", [folder]
    yield "compare", [stored, folder]
    yield "compare", [folder, stored]
    if seed % REPORTS == 0:
        yield "report", [folder, "--out", folder.parent / "page.html"]


def summary(folder):
    """What is wrong with how the program itself reads it, or None."""
    done = subprocess.run([ROOT / "build/dlsbench", "summary", folder],
                          capture_output=True, check=False, timeout=60)
    lines = done.stderr.splitlines()
    good = done.returncode in (0, 1, 2) and len(lines) <= 1 \
        and (done.returncode != 2 or lines)
    return None if good else f"summary: {done.returncode} {done.stderr}"


@pytest.mark.parametrize("seed", [FIRST] if "SEED" in os.environ
                         else range(ROUNDS))
@pytest.mark.parametrize("stored", [damage.STORED, damage.TRIED],
                         ids=["stored", "tried"])
def test_a_directory_that_is_damaged_by_chance(tmp_path, seed, stored):
    folder = tmp_path / "d"
    damage.damage(random.Random(seed), folder, stored)
    said = damage.in_a_copy(calls(folder, seed, stored)) or summary(folder)
    assert said is None, f"SEED={seed}: {said}"


def test_what_is_not_damaged_says_nothing(tmp_path):
    """The stored directory itself, so that the above starts from sound."""
    code, out, err = analysis("tables", damage.STORED)
    assert (code, err) == (0, "") and "Counters per iteration" in out
    page = tmp_path / "page.html"
    assert damage.in_a_copy(
        [("report", [damage.STORED, "--out", page])]) is None
    assert "Traced runs" in page.read_text()


# ---- what was found so ----

@pytest.fixture
def good(tmp_path):
    folder = Directory(tmp_path / "d")
    folder.manifest()
    folder.cell([1.0, 1.1, 1.2])
    folder.cell([2.0, 2.1, 2.2], scheme="static")
    return folder


def tables(folder):
    code, out, err = analysis("tables", folder.path)
    assert "Traceback" not in err
    assert "gss:min=1" in out and code == 0, err
    return out, err.splitlines()


def test_a_file_of_workers_that_cannot_be_read(good):
    (good.path / "workers-l2.jsonl").mkdir()
    assert "tables: workers-l2.jsonl: Is a directory, left out" in \
        tables(good)[1]


def test_a_file_of_runs_that_cannot_be_read(good):
    (good.path / "runs-l2.jsonl").mkdir()
    assert "tables: runs-l2.jsonl: Is a directory, left out" in \
        tables(good)[1]


@pytest.mark.parametrize("kept", ["compute", "wait"])
def test_events_that_only_one_side_has(tmp_path, kept):
    folder = Directory(tmp_path / "d")
    folder.manifest(counters={"counted": ["A"], "missing": {},
                              "reading_s": 1e-7})
    folder.cell([1.0, 1.1], workers=lambda *_: {
        "readings": 3, f"counters_{kept}": {"A": 5}})
    out, _ = tables(folder)
    assert ("Counters per iteration" in out) == (kept == "compute")


@pytest.mark.parametrize("counters", [
    {"reading_s": "fast"}, {"missing": ["A"]}, [1], {"counted": None}])
def test_a_manifest_that_is_odd_or_names_no_launch(good, counters):
    path = good.path / "manifest-l1.json"
    good.manifest(counters=counters)
    path.write_text(path.read_text().replace('"launch"', '"other"'))
    tables(good)


def test_numbers_that_are_none(good):
    good.cell([3.0], scheme="ss", run={
        "workers": "many", "bound_s": True, "serial_s": 10 ** 400,
        "imbalance": float("inf"), "messages": [1], "simulated": 1})
    _, lines = tables(good)
    assert "tables: column workers: 1 line without a number, left out" in lines
    assert "tables: column simulated: 1 line without a flag, left out" in lines


def test_a_flag_that_is_a_number_changes_no_other_line(tmp_path):
    folder = Directory(tmp_path / "d")
    folder.manifest()
    folder.cell([1.0], run={"simulated": True})
    folder.cell([2.0], scheme="static", run={"simulated": 1})
    text = analysis("tables", folder.path, "--format", "csv")[1]
    rows = csv.DictReader(io.StringIO(text))
    assert sorted(row["simulated"] for row in rows) == ["False", "True"]


def test_repetitions_without_a_number_of_workers(good):
    good.cell([3.0], scheme="ss", run={
        "workers": None, "ranks": None, "threads": None})
    out, lines = tables(good)
    assert "tables: 1 repetition without kernel, scheme or workers: " \
        "left out" in lines
    assert "ss  " not in out.replace("gss", "")


def test_brackets_in_brackets_and_words_that_cannot_be_written(good):
    with open(good.path / "runs-l1.jsonl", "a") as file:
        file.write("[" * 100000 + "]" * 100000 + "\n")
    good.cell([3.0], scheme="ss:x=\ud800\ny")
    out, lines = tables(good)
    assert "ss:x=??y" in out
    assert "tables: runs-l1.jsonl: 1 damaged line, left out" in lines
    (good.path / "manifest-l1.json").write_text("[" * 100000)
    assert "tables: manifest-l1.json: not readable as JSON, left out" in \
        tables(good)[1]
