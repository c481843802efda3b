"""Transport openmp: the rows of OpenMP are rows like all others."""
import json
import os

import pytest

CELLS = """
repetitions: 2
repetitions_max: 2
oversubscribe: on
trace: on
cells:
  - kernel: "adjoint:size=12"
    transport: openmp
    openmp: [libgomp, libomp]
    scheme: [static, ss, dynamic, "dynamic:chunk=5", guided, runtime]
    layout: [1x2, 2x1, 2x2]
    timing: [worker, chunk]
"""
CELL = ("run", "--kernel", "adjoint:size=12", "--repetitions", 2,
        "--repetitions-max", 2, "--threads", 2, "--oversubscribe")


def manifest(result):
    path, *_ = result.directory.glob("manifest-*.json")
    return json.loads(path.read_text())


def test_both_runtimes_in_the_tables_of_one_campaign(dlsbench, campaign,
                                                     monkeypatch):
    monkeypatch.setenv("OMP_SCHEDULE", "guided,3")
    result = dlsbench("run", campaign(CELLS))
    assert result.code == 0, result.err
    cells = {x["cell"]: x for x in result.done()}
    # ss is no schedule of OpenMP.
    assert len(cells) == 2 * 5 * 3 * 2
    assert {x["scheme"] for x in cells.values()} == {
        "static", "dynamic:chunk=1", "dynamic:chunk=5", "guided:chunk=1",
        "runtime:kind=guided,chunk=3"}
    for name in "libgomp", "libomp":
        assert f"1 rank x 2 threads, openmp {name}, flat" in result.out
        assert name in manifest(result)["openmp"][name]["file"]
    assert all(x["verified"] is True for x in result.runs())
    chunks = {}
    for x in result.lines("chunks"):
        chunks.setdefault((x["cell"], x["repetition"]), []).append(x)
    for run in result.runs():
        cell, ran = cells[run["cell"]], chunks[run["cell"], run["repetition"]]
        ran.sort(key=lambda x: x["start"])
        ends = [x["start"] + x["size"] for x in ran]
        assert [x["start"] for x in ran] == [0, *ends[:-1]]
        assert ends[-1] == run["iterations"] == 144
        assert len(ran) == run["chunks"]
        if cell["timing"] == "chunk":
            assert all(x["begin_s"] <= x["end_s"] for x in ran)
        # A rank has its share, and its threads what OpenMP gives them.
        shares = {}
        for x in ran:
            rank = x["worker"] // cell["threads"]
            shares[rank] = shares.get(rank, 0) + x["size"]
        assert set(shares.values()) == {144 / cell["ranks"]}
        if cell["scheme"] == "dynamic:chunk=5" and cell["ranks"] == 1:
            assert [x["size"] for x in ran] == [5] * 28 + [4]


def test_its_threads_are_bound_counted_and_loaded(dlsbench):
    if len(os.sched_getaffinity(0)) < 2:
        pytest.skip("one processor only")
    events = "page-faults:u"
    for name in "libgomp", "libomp":
        result = dlsbench(*CELL[:-1], "--scheme", "dynamic", "--openmp", name,
                          "--load", "w1:1", "--power", "measured",
                          "--events", events, out=name)
        assert result.code == 0, result.err
        lines = result.lines("workers")
        assert len(lines) == 4
        assert len({x["core"] for x in lines}) == 2
        assert all(x["bound"] for x in lines)
        assert {x["queue"] for x in lines if x["worker"] == 1} != {1}
        for x in lines:
            assert x["user_s"] is not None
            assert x["counters_compute"][events] >= 0


def test_what_cannot_run_says_why(dlsbench, monkeypatch, tmp_path, small):
    for words, says in [
            (("--transport", "openmp", "--scheme", "gss"), "own schedules"),
            (("--transport", "shared", "--scheme", "dynamic"),
             "no OpenMP schedules"),
            (("--scheme", "dynamic", "--kernel", "heat"), "dependences"),
            (("--scheme", "runtime"), "OMP_SCHEDULE is not set"),
            (("--scheme", "dynamic", "--hierarchy", "node"), "use flat")]:
        result = dlsbench(*CELL, *words)
        assert result.code == 2 and not result.directory.exists()
        (line,) = result.error_lines()
        assert says in line
    result = dlsbench("sim", "--platform", small, "--workers", 4, "--kernel",
                      "adjoint:size=12", "--scheme", "dynamic")
    assert result.code == 2 and "cannot be simulated" in result.err

    monkeypatch.setenv("OMP_THREAD_LIMIT", "1")
    result = dlsbench(*CELL, "--scheme", "dynamic", out="limit")
    assert result.code == 1
    assert "a team of 1 threads instead of 2" in result.err
    monkeypatch.delenv("OMP_THREAD_LIMIT")

    # A runtime that is no library, in place of one that is not there.
    broken = tmp_path / "libraries"
    broken.mkdir()
    for name in "libomp.so.5", "libomp.so":
        (broken / name).write_text("no library")
    monkeypatch.setenv("LD_LIBRARY_PATH", str(broken))
    result = dlsbench(*CELL, "--scheme", "dynamic", "--openmp", "libomp",
                      out="broken")
    assert result.code == 1 and "libomp cannot be loaded" in result.err
    assert "missing" in manifest(result)["openmp"]["libomp"]
