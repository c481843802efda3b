"""Counters: what is asked for stands in the record, or why it does not."""
import json
import os

import pytest

from result_files import analysis

EVENTS = ["page-faults:u", "context-switches:u"]
FACTS = ["switches_voluntary", "switches_involuntary", "faults_minor",
         "faults_major", "user_s", "system_s"]


@pytest.fixture(autouse=True)
def with_papi(dlsbench):
    if "without PAPI" in dlsbench("list", "events").out:
        pytest.skip("built with PAPI=0")


def manifest(result):
    path, *_ = result.directory.glob("manifest-*.json")
    return json.loads(path.read_text())


def test_every_worker_counts_wherever_it_waits(dlsbench, campaign):
    """Through threads, messages, windows, boundaries and time steps."""
    result = dlsbench("run", campaign(f"""
repetitions: 2
repetitions_max: 2
oversubscribe: on
events: {json.dumps(EVENTS)}
cells:
  - {{kernel: "adjoint:size=10", scheme: [gss, dtss], layout: [1x2, 2x1]}}
  - {{kernel: "adjoint:size=10", scheme: ss, layout: 2x1,
     transport: window, window: [shared, rma]}}
  - {{kernel: "heat:rows=40,cols=60,steps=3", scheme: css:chunk=10,
     layout: [1x2, 2x1], sync_interval: 20, placement: [sticky, replan]}}
"""))
    assert result.code == 0, result.err
    assert len(result.done()) == 10
    cells = {x["cell"]: x for x in result.done()}
    for worker in result.lines("workers"):
        compute, wait = worker["counters_compute"], worker["counters_wait"]
        assert list(compute) == list(wait) == EVENTS
        assert all(x >= 0 for x in [*compute.values(), *wait.values()])
        blocked = worker["wait_s"] + worker["sync_s"]
        cell = cells[worker["cell"]]
        passes = 3 if cell["placement"] == "replan" else 1
        # One reading to begin with, two around each wait, the last is one.
        least = 1 + 2 * passes
        if passes == 1:
            assert (worker["readings"] > least) == (blocked > 0)
        assert worker["readings"] >= least and worker["readings"] % 2 == 1
    assert manifest(result)["counters"]["counted"] == EVENTS
    assert 0 < manifest(result)["counters"]["reading_s"] < 1e-3
    assert "Counters per iteration" in result.out
    assert "; a reading takes " in result.out
    assert all(name in result.out for name in EVENTS)
    table = analysis("tables", result.directory, "--table", "counters")[1]
    assert "reading them took" in table and EVENTS[0] in table


def test_computing_and_waiting_are_counted_apart(dlsbench):
    """A clock of the kernel, as a counter, is the clock of the record; it
    does not run slower for a program whose clocks do (FASTER)."""
    tick = 1e-9 / float(os.environ.get("FASTER") or 1)
    clock = "perf::TASK-CLOCK"
    if clock not in dlsbench("list", "events").out:
        pytest.skip("this kernel counts no software events")
    result = dlsbench("run", "--kernel", "mandelbrot:size=400", "--scheme",
                      "static", "--threads", 2, "--oversubscribe",
                      "--repetitions", 6, "--events", clock)
    assert result.code == 0, result.err
    computed = waited = between = 0
    for worker in result.lines("workers"):
        computed += worker["counters_compute"][clock] * tick
        waited += worker["counters_wait"][clock] * tick
        between += worker["compute_s"]
        # It cannot run longer than the clock on the wall goes.
        assert (worker["counters_compute"][clock] * tick
                < worker["compute_s"] + 2e-4)
    assert computed > between / 8
    assert 0 <= waited


def test_what_cannot_be_counted_is_said(dlsbench):
    result = dlsbench("run", "--kernel", "null:size=1000", "--scheme", "gss",
                      "--threads", 1, "--repetitions", 1, "--events",
                      "default,nopmu::SOME_EVENT")
    assert result.code == 0, result.err
    counters = manifest(result)["counters"]
    worker = result.lines("workers")[0]
    named = worker["counters_compute"]
    # PAPI's five, or the kernel's four where PAPI knows no processor.
    assert (len(named) == 6 and "PAPI_TOT_CYC" in named
            or len(named) == 5 and "cycles:u" in named)
    for event, value in named.items():
        assert (event in counters["counted"]) != (event in counters["missing"])
        assert (value is None) == (event in counters["missing"])
        assert (event not in counters["missing"]
                or counters["missing"][event] in result.out)
    table = analysis("tables", result.directory, "--table", "counters")[1]
    assert "not counted: " in table and "nopmu::SOME_EVENT" in table
    # What the system knows is there all the same.
    assert all(worker[name] >= 0 for name in FACTS)
    assert "switches_voluntary" in table


def test_none_is_nothing(dlsbench):
    result = dlsbench("run", "--kernel", "null:size=1000", "--scheme", "gss",
                      "--threads", 2, "--oversubscribe", "--repetitions", 1,
                      "--events", "none")
    assert result.code == 0, result.err
    for worker in result.lines("workers"):
        for name in ["counters_compute", "counters_wait", "readings", *FACTS]:
            assert worker[name] is None
    assert manifest(result)["counters"] is None
    assert "counted" not in result.out
    code, _, err = analysis("tables", result.directory, "--table", "counters")
    assert code == 2 and "events: none" in err


def test_wrong_events_are_refused(dlsbench, campaign):
    path = campaign("name: x\nkernel: null\nscheme: ss\n"
                    "events: PAPI_TOT_CYCC\n")
    result = dlsbench("run", path)
    assert result.code == 2 and "c.yaml:4:9" in result.err
    assert "did you mean 'PAPI_TOT_CYC'" in result.err
    for events, said in [("none,default", "does not go with"),
                         ("default,", "empty name"),
                         ("page-fault:u", "'page-faults'"),
                         ("[default]", "no event has")]:
        result = dlsbench("run", "--kernel", "null", "--scheme", "ss",
                          "--events", events)
        assert result.code == 2 and said in result.err, events
        assert not result.directory.exists()
