"""Powers measured at the start of a launch: two workers made unequal."""
import os
import pathlib
import shlex
import time

import pytest

from conftest import ROOT, eventually, launcher

CPU = pathlib.Path("/sys/fs/cgroup/cpu")
needs_two = pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2,
                               reason="one processor only")
CELL = ("run", "--kernel", "adjoint:size=60", "--scheme", "wf", "--power",
        "measured", "--repetitions", 2, "--repetitions-max", 2, "--trace")


def powers(done):
    assert done.code == 0, done.err
    assert {x["power"] for x in done.runs()} == {"measured"}
    found = {x["worker"]: x["power"] for x in done.lines("workers")}
    assert min(found.values()) == 1
    return found


def await_quiet():
    """Until no more run here than there are processors; False if that does
    not come to be."""
    late = time.monotonic() + 20
    while time.monotonic() < late:
        running = pathlib.Path("/proc/loadavg").read_text().split()[3]
        if int(running.split("/")[0]) <= len(os.sched_getaffinity(0)):
            return True
        time.sleep(0.1)
    return False


def measured(dlsbench, *words, least):
    """A run in which worker 0 has that power at least.  Whatever else this
    machine does takes part in what is measured, so there are several tries;
    those beside others say nothing."""
    seen = []

    def attempt():
        quiet = await_quiet()
        seen.append(dlsbench(*CELL, *words, out=f"try-{len(seen)}"))
        return powers(seen[-1])[0] >= least or (False if quiet else None)
    eventually(attempt)
    return seen[-1]


def first_chunks(done):
    """Worker -> size of its first chunk, of the first repetition."""
    found = {}
    for chunk in done.lines("chunks"):
        if chunk["repetition"] == 1:
            old = found.get(chunk["worker"], chunk)
            if chunk["start"] <= old["start"]:
                found[chunk["worker"]] = chunk
    return {w: x["size"] for w, x in found.items()}


@needs_two
def test_a_loaded_worker_is_worth_less_and_gets_less(dlsbench):
    # 33 when nothing else runs here, 3 beside 15 processes on each core
    done = measured(dlsbench, "--threads", 2, "--load", "w1:32", least=3)
    power = powers(done)
    # The first batch of wf is half of the loop, shared out by power.
    share = power[0] / (power[0] + power[1])
    assert first_chunks(done)[0] == pytest.approx(3600 / 2 * share, abs=2)
    # The load is in the power: it is not counted once more.
    assert {x["queue"] for x in done.lines("workers")} == {None}


@pytest.fixture
def quota():
    """A control group with a tenth of a processor."""
    group = CPU / f"dlsbench-test-{os.getpid()}"
    try:
        group.mkdir()
        (group / "cpu.cfs_period_us").write_text("100000")
        (group / "cpu.cfs_quota_us").write_text("10000")
    except OSError as error:
        if group.exists():
            group.rmdir()
        pytest.skip(f"no cpu control group (v1) here: {error}")
    yield group
    group.rmdir()


@needs_two
def test_a_rank_with_a_quota_is_worth_less(dlsbench, quota, tmp_path):
    """As a node of an older type would be."""
    start = tmp_path / "start"
    start.write_text(f"""#!/bin/sh
rank=${{PMI_RANK:-$OMPI_COMM_WORLD_RANK}}
[ "$rank" = 0 ] || echo $$ > {quota}/cgroup.procs
exec "$@"
""")
    start.chmod(0o755)
    # 10 when nothing else runs here
    done = measured(dlsbench, "--ranks", 2, "--threads", 1,
                    "--oversubscribe", "--launcher",
                    shlex.join([*launcher("{ranks}"), str(start)]), least=3)
    size = first_chunks(done)
    assert size[0] > 2 * size.get(1, 0), (powers(done), size)


def test_one_worker_has_nothing_to_measure(dlsbench):
    done = dlsbench("run", "--kernel", "null", "--scheme", "ss", "--threads",
                    1, "--power", "measured", "--dry-run")
    assert done.code == 0 and "power=" not in done.out
    done = dlsbench("run", "--kernel", "null", "--scheme", "ss", "--power",
                    "measurd")
    assert done.code == 2 and "the word measured" in done.err


@needs_two
def test_a_worker_that_is_slowed_down_is_worth_less(dlsbench):
    """By a delay, which lasts all the time."""
    # 8 when nothing else runs here
    done = measured(dlsbench, "--threads", 2, "--perturb",
                    "delay:worker=1,factor=8,period=0.005", least=3)
    assert all(0.4 < x["power_s"] for x in done.runs())
    size = first_chunks(done)
    assert size[0] > 2 * size.get(1, 0)


def test_powers_are_not_timed_unless_measured(dlsbench):
    done = dlsbench("run", "--kernel", "null", "--scheme", "wf", "--power",
                    "2,1", "--threads", 2, "--oversubscribe")
    assert done.code == 0 and all("power_s" not in x for x in done.runs())


PLATFORM = ROOT / "bench/platforms/unequal.xml"


def test_a_simulation_has_those_of_its_platform(sim):
    done = sim("--kernel", "adjoint:size=60", "--scheme", "wf", "--workers",
               16, "--platform", PLATFORM, "--master", "dedicated", "--power",
               "measured", "--perturb", "delay:worker=0,factor=2,period=0.001")
    assert done.code == 0, done.err
    found = [x["power"] for x in done.lines("workers")]
    assert found == [1.25] + [2.5] * 3 + [1] * 4 + [2.5] * 4 + [1] * 4
    assert all("power_s" not in x for x in done.runs())


def test_a_simulation_does_not_measure_under_a_load(sim):
    done = sim("--kernel", "adjoint:size=60", "--scheme", "wf", "--workers",
               16, "--platform", PLATFORM, "--power", "measured", "--load",
               "w1:1")
    assert done.code == 2 and "under a load is for runs" in done.err
