"""Counts by the kernel alone: real, and those of the loop."""
import json
import re
import statistics

import pytest

from conftest import another, eventually

EVENTS = ["cycles:u", "instructions:u", "task-clock"]


@pytest.fixture(autouse=True)
def with_counters(dlsbench):
    out = dlsbench("list", "events").out
    for name in ("cycles", "instructions"):
        line = re.search(rf"^  {name} .*", out, re.M).group()
        if "not here: " in line:
            pytest.skip(line.strip())


def counters_of(result):
    """As each launch says it."""
    return [json.loads(path.read_text())["counters"]
            for path in result.directory.glob("manifest-*.json")]


def counted(result, events):
    """{(cell, repetition): {event: sum over workers}}, or None where counters
    of this machine stood still or others had them, which the record says."""
    missing = set()
    for counters in counters_of(result):
        assert counters["by"] == "perf" and counters["multiplexed"] is False
        assert counters["reading"] in ("rdpmc", "read")
        assert 0 < counters["reading_s"] < 1e-2
        assert {*counters["counted"], *counters["missing"]} >= {*events}
        missing |= {*counters["missing"]}
    sums = {}
    for worker in result.lines("workers"):
        run = sums.setdefault((worker["cell"], worker["repetition"]), {})
        for event in events:
            count = worker["counters_compute"][event]
            if count is None:
                assert (event in missing
                        or "others have taken the counters" in result.err)
                return None
            run[event] = run.get(event, 0) + count
    return sums


def test_every_scheme_takes_the_same_instructions(dlsbench, campaign):
    """They are the loop's, whoever runs which part of it, in threads and in
    ranks, and cycles are time at a frequency that there is."""
    path = campaign(f"""
repetitions: 3
repetitions_max: 3
oversubscribe: on
events: {json.dumps(EVENTS)}
cells:
  - {{kernel: "mandelbrot:size=1200", scheme: [static, ss, gss, tss],
     layout: [1x2, 2x1], collect: local}}
""")

    def attempt():
        result = dlsbench("run", path, out=another())
        assert result.code == 0, result.err
        sums = counted(result, EVENTS)
        if sums is None:
            return None
        cells = {}
        for (cell, _), run in sums.items():
            cells.setdefault(cell, []).append(run)
            gigahertz = run["cycles:u"] / run["task-clock"]
            if not 0.05 < gigahertz < 8:
                return False
        assert len(cells) == 8
        medians = [statistics.median(run["instructions:u"] for run in runs)
                   for runs in cells.values()]
        # A virtual machine's counter may stand still for a while.
        return (min(medians) > 1200 * 1200
                and max(medians) < 1.01 * min(medians))
    eventually(attempt, times=8, enough=5)


def test_default_counts_where_papi_does_not(dlsbench, monkeypatch):
    """PAPI's library can be told to know no processor."""
    monkeypatch.setenv("LIBPFM_FORCE_PMU", "perf")

    def attempt():
        result = dlsbench("run", "--kernel", "mandelbrot:size=300",
                          "--scheme", "gss", "--threads", 2,
                          "--oversubscribe", "--repetitions", 2,
                          out=another())
        assert result.code == 0, result.err
        sums = counted(result, ["cycles:u", "instructions:u"])
        return sums and all(run["instructions:u"] > 0
                            for run in sums.values())
    eventually(attempt, times=8, enough=5)


def test_both_at_a_time_are_refused(dlsbench):
    if "without PAPI" in dlsbench("list", "events").out:
        pytest.skip("built with PAPI=0")
    result = dlsbench("run", "--kernel", "null:size=1000", "--scheme", "gss",
                      "--threads", 1, "--oversubscribe", "--repetitions", 1,
                      "--events", "perf::PAGE-FAULTS,cycles:u")
    assert result.code == 0, result.err
    (counters,) = counters_of(result)
    if counters["by"] == "perf":
        pytest.skip("PAPI counts no page faults here")
    assert counters["by"] == "papi"
    assert "name all as PAPI does" in counters["missing"]["cycles:u"]
