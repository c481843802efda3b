"""Competing load: it takes its share of a core, the available powers say so,
dtss-acp acts on them, and no busy process is ever left."""
import re
import math
import os
import pathlib
import signal
import statistics
import time

import pytest

from conftest import ROOT, another, eventually, start
from test_faults import ranks_of, wait_for

pytestmark = pytest.mark.measures

FIVE = ("--repetitions", 5, "--repetitions-max", 5)


def busy_processes():
    found = []
    for entry in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            line = (entry / "cmdline").read_bytes().split(b"\0")
            state = (entry / "stat").read_text().rsplit(")", 1)[1].split()[0]
        except OSError:
            continue
        if line[:2] == [b"dlsbench", b"busy"] and state != "Z":
            found.append(int(entry.name))
    return found


def parent(pid):
    text = pathlib.Path(f"/proc/{pid}/stat").read_text()
    return int(text.rsplit(")", 1)[1].split()[1])


def share(result, worker):
    """Of the iterations, the median over the repetitions."""
    rows = result.lines("workers")
    count = {}
    for row in rows:
        count.setdefault(row["repetition"], {})[row["worker"]] = \
            row["iterations"]
    return statistics.median(c[worker] / sum(c.values())
                             for c in count.values())


@pytest.fixture(autouse=True)
def none_left():
    before = set(busy_processes())
    yield
    # Others may test here, too: only what came with this test counts.
    assert wait_for(lambda: not own_since(before), 10)


def own_since(before):
    """New busy processes whose parent is gone or waits for nobody."""
    left = []
    for pid in set(busy_processes()) - before:
        try:
            if parent(pid) == 1:
                left.append(pid)
        except OSError:
            continue
    return left


def alone(result):
    """Nothing else was on worker 0's core when the workers registered."""
    return {x["queue"] for x in result.lines("workers")
            if x["worker"] == 0} == {1}


def cpu_ticks(path):
    fields = pathlib.Path(path).read_text().rsplit(")", 1)[1].split()
    return int(fields[11]) + int(fields[12])


def is_stopped(pid):
    text = pathlib.Path(f"/proc/{pid}/stat").read_text()
    return text.rsplit(")", 1)[1].split()[0] == "T"


def test_a_loaded_worker_and_its_competitor_share_the_core(tmp_path, lasting):
    """In equal parts, whoever else is there.  The serial loop, which takes
    turns with the cell, has no competitor."""
    process, directory, busy = begin_long(tmp_path, "--ranks", 1, "--threads",
                                          1, "--load", "w0:1",
                                          kernel=lasting(4))
    rank = parent(busy[0])
    paths = [f"/proc/{rank}/task/{rank}/stat", f"/proc/{busy[0]}/stat"]

    def attempt():
        assert wait_for(lambda: not is_stopped(busy[0]), 60)
        before = [cpu_ticks(x) for x in paths]
        time.sleep(2)
        used = [cpu_ticks(x) - y for x, y in zip(paths, before)]
        if is_stopped(busy[0]):
            return None
        return 0.6 < used[1] / max(used[0], 1) < 1.4
    try:
        eventually(attempt, times=10)
        for field in ("Cpus_allowed_list", "Uid"):
            assert status(rank, field) == status(busy[0], field)
        assert os.getpriority(os.PRIO_PROCESS, busy[0]) == \
            os.getpriority(os.PRIO_PROCESS, rank)
    finally:
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)


def status(pid, field):
    for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith(field + ":"):
            return line
    return None


@pytest.mark.cross
@pytest.mark.parametrize("shape", [("--threads", 2), ("--ranks", 2)])
def test_loads_and_powers_are_recorded(dlsbench, lasting, shape):
    """A worker beside three others takes far less than half of what is
    handed out piece by piece, in a loop that is long enough for the system to
    be fair over it."""
    kernel = lasting(0.4, 2000)

    def attempt():
        result = dlsbench("run", "--kernel", kernel, *FIVE, "--scheme",
                          "css:chunk=2", *shape,
                          "--transport", "window", "--window", "shared",
                          "--load", "w1:3", out=another())
        assert result.code == 0, result.err
        assert {x["load"] for x in result.runs()} == {"w1:3"}
        assert {x["verified"] for x in result.runs()} == {True}
        for row in result.lines("workers"):
            assert row["power"] == 1
            assert row["queue"] >= (4 if row["worker"] == 1 else 1)
            assert row["available"] == pytest.approx(1 / row["queue"])
        return share(result, 1) < 0.4 if alone(result) else None
    eventually(attempt)


def test_nothing_is_counted_where_nothing_asks(dlsbench):
    result = dlsbench("run", "--kernel", "adjoint:size=50", *FIVE, "--scheme",
                      "gss")
    assert result.code == 0, result.err
    for row in result.lines("workers"):
        assert row["queue"] is None and row["available"] is None


def acp_sizes(iterations, available, order):
    """The formula of Ciorba et al., sec. 3.2, for workers asking in order; on
    a crowded machine all powers may be so small that there is one step."""
    total = sum(available.values())
    first = max(1, iterations / (2 * total))
    steps = 2 * iterations / (first + 1)
    fall = (first - 1) / (steps - 1) if steps > 1 else 0
    served = 0
    for worker in order:
        power = available[worker]
        size = power * (first - fall * (served + (power - 1) / 2))
        served += power
        size = min(iterations, max(1, math.floor(size + 0.5)))
        iterations -= size
        yield size


@pytest.mark.cross
@pytest.mark.parametrize("shape", [("--threads", 2), ("--ranks", 2)])
@pytest.mark.parametrize("kernel", [
    ("--kernel", "adjoint:size=220"),
    ("--kernel", "heat:rows=600,cols=4000", "--sync-interval", 200)])
def test_dtss_acp_gives_by_available_power(dlsbench, kernel, shape):
    """Each chunk is what the formula makes of the powers in the record, and
    so a worker beside three others gets its small part of all."""
    def attempt():
        result = dlsbench("run", *kernel, "--repetitions", 3,
                          "--repetitions-max", 3, "--scheme", "dtss-acp",
                          "--load", "w1:3", *shape, "--trace", out=another())
        assert result.code == 0, result.err
        workers = result.lines("workers")
        available = {x["worker"]: x["available"] for x in workers}
        assert available[1] <= 1 / 4
        iterations = result.runs()[0]["iterations"]
        for repetition in (1, 2, 3):
            chunks = sorted((x for x in result.lines("chunks")
                             if x["repetition"] == repetition),
                            key=lambda x: x["start"])
            order = [x["worker"] for x in chunks]
            assert [x["size"] for x in chunks] == list(
                acp_sizes(iterations, available, order))
        power = available[1] / sum(available.values())
        if not alone(result):
            return None
        return share(result, 1) == pytest.approx(power, abs=0.15)
    eventually(attempt)


def test_a_worker_without_power_gets_no_chunks(dlsbench, campaign):
    """floor(100 V/Q) of a power of 0.005 is 0; others may be here, too: the
    powers of 1 are above 0 with up to 100 in a queue."""
    result = dlsbench("run", campaign("""
repetitions: 2
repetitions_max: 2
kernel: ["adjoint:size=20", "heat:rows=60,cols=80",
         "heat:rows=60,cols=80,steps=3"]
placement: [sticky, replan]
protocol: [auto, subproblem]
power: "0.005,1,1"
scheme: "dtss-acp:scale=100"
cells:
  - layout: 1x3
    hierarchy: [flat, node, "2"]
  - layout: 3x1
    transport: master
    hierarchy: [flat, node]
  - {layout: 3x1, transport: window, hierarchy: [flat, node], window: shared}
"""), "--oversubscribe")
    assert result.code == 0, result.err
    rows = result.lines("workers")
    assert {x["chunks"] for x in rows if x["worker"] == 0} == {0}
    assert {x["available"] for x in rows if x["worker"] == 0} == {0}
    assert {x["verified"] for x in result.runs()} == {True}
    assert len(result.done()) == 7 + 14 + 28


def test_all_available_powers_zero(dlsbench):
    result = dlsbench("run", "--kernel", "adjoint:size=20", "--scheme",
                      "dtss-acp:scale=1", "--threads", 2, "--load",
                      "w0,w1:1")
    assert result.code == 1
    assert "all available powers" in result.err
    assert [x["status"] for x in result.done()] == ["failed"]


def test_workers_on_one_core_are_in_one_queue(dlsbench):
    cores = os.cpu_count()
    result = dlsbench("run", "--kernel", "adjoint:size=20", "--scheme",
                      "dtss-acp", "--threads", cores + 1, "--oversubscribe",
                      "--repetitions", 1, "--repetitions-max", 1)
    assert result.code == 0, result.err
    queue = {x["worker"]: x["queue"] for x in result.lines("workers")}
    assert queue[0] >= 2 and queue[cores] >= 2


@pytest.mark.parametrize("load, says", [
    ("w2", "there is no worker w2, this cell has w0 to w1"),
    ("w0-w7:1", "there is no worker w7"),
    ("0", "load: '0' must name workers"),
    ("w0:0", "'0' after 'w0:' must be a number of processes"),
    ("w0,w0", "w0 is named twice"),
])
def test_wrong_loads(dlsbench, load, says):
    result = dlsbench("run", "--kernel", "null", "--scheme", "ss",
                      "--threads", 2, "--load", load)
    assert result.code == 2
    assert says in result.err


def test_loaded_cells_stand_apart(dlsbench, campaign):
    result = dlsbench("run", campaign("""
repetitions: 2
repetitions_max: 2
kernel: "adjoint:size=20"
layout: 1x2
cells:
  - scheme: [ss, gss]
    load: ["", "w0", "w0,w1:2"]
"""))
    assert result.code == 0, result.err
    tables, answers = result.out.split("\nAnswers\n")
    groups = [x.strip() for x in tables.splitlines() if "1 rank x" in x]
    assert all(re.search(f"^  adjoint{x}: ", answers, re.M) for x in (
        "", ", non-dedicated, load w0-w1:2", ", non-dedicated, load w0:1"))
    assert groups == [
        "1 rank x 2 threads, shared, flat",
        "1 rank x 2 threads, shared, flat, non-dedicated, load w0-w1:2",
        "1 rank x 2 threads, shared, flat, non-dedicated, load w0:1"]


LONG = ("run", "--scheme", "ss", "--repetitions", 100000,
        "--repetitions-max", 100000, "--cell-seconds", 1000)


def begin_long(tmp_path, *args, kernel="adjoint:size=200"):
    directory = tmp_path / "out"
    process = start(ROOT / "build/dlsbench",
                    [*LONG, "--kernel", kernel, *args, "--out",
                     f"{directory}/"], tmp_path)

    def loaded():
        return len(children_of(ranks_of(directory))) == int(args[-1][-1]) * \
            int(args[1])
    assert wait_for(loaded, 30)
    return process, directory, children_of(ranks_of(directory))


def children_of(ranks):
    found = []
    for pid in busy_processes():
        try:
            if parent(pid) in ranks:
                found.append(pid)
        except OSError:
            continue
    return found


def launcher_of(directory):
    return next(x for x in ranks_of(directory)
                if b"mpiexec" in pathlib.Path(f"/proc/{x}/cmdline")
                .read_bytes().split(b"\0")[0])


@pytest.mark.cross(part=2)
@pytest.mark.parametrize("whom, number", [
    ("driver", signal.SIGINT), ("driver", signal.SIGTERM),
    ("driver", signal.SIGKILL), ("launcher", signal.SIGKILL),
    ("rank", signal.SIGKILL)])
def test_no_busy_process_is_left(tmp_path, whom, number):
    process, directory, busy = begin_long(tmp_path, "--ranks", 2,
                                          "--load", "w0-w1:2")
    victim = (process.pid if whom == "driver"
              else launcher_of(directory) if whom == "launcher"
              else parent(busy[0]))
    os.kill(victim, number)
    process.communicate(timeout=60)
    assert wait_for(lambda: not set(busy) & set(busy_processes()), 20)
    assert wait_for(lambda: not ranks_of(directory), 20)
