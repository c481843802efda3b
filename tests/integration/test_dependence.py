"""Loops with dependences: DMPS(x) over every transport and hierarchy, bit for
bit, with more chunks than workers and fewer, intervals of one column and
longer than the loop."""
import subprocess

import pytest

from conftest import ROOT, environment, launcher, sanitize_threads
from slices import part_of
from test_matrix import check, listed, name

SCHEMES = """css:chunk=7 ss static gss tss fss qss wcss:k=2 wf dtss dtss-acp
    dfss dgss""".split()
ONE_RANK = """
  - transport: shared
    scheme: {schemes}
    hierarchy: [flat, "2", node]
"""
RANKS = """
  - transport: master
    scheme: {schemes}
    hierarchy: [flat, "2", node]
    prefetch: ["on", "off"]
  - transport: master
    master: dedicated
    scheme: {schemes}
  - transport: window
    window: [shared, rma]
    scheme: {schemes}
    hierarchy: [flat, node]
"""


def text(kernel, shape, intervals, schemes):
    blocks = ONE_RANK if shape.startswith("1x") else RANKS
    if shape.startswith("1x1"):
        blocks = blocks.replace('"2", ', "")
    if shape.startswith("2x"):
        blocks = blocks.replace("master: dedicated", "master: computing")
    return f"""
name: dependence
repetitions: 1
repetitions_max: 1
layout: {shape}
kernel: "{kernel}"
sync_interval: {intervals}
cells:
{blocks.format(schemes=schemes)}
"""


@pytest.mark.parametrize("ranks", [2, 3])
def test_random_orders_and_delays_between_ranks(tmp_path, ranks):
    done = subprocess.run(
        [*launcher(ranks), ROOT / "build/harness/protocol/pipeline/dmps_test",
         "ranks"],
        env=environment(tmp_path), stdin=subprocess.DEVNULL, timeout=200,
        capture_output=True, text=True)
    assert done.returncode == 0, (done.stdout + done.stderr)[-2000:]
    assert (done.stdout + done.stderr).count("[  PASSED  ] 1 test") == ranks


STEPS = """
name: steps
repetitions: 2
repetitions_max: 2
kernel: "heat:rows=37,cols=50,steps=4"
layout: {shape}
sync_interval: [9, 60]
scheme: ["css:chunk=5", gss]
protocol: [dmps, subproblem]
placement: [sticky, replan]
cells:
{blocks}
"""
STEPS_THREADS = "  - hierarchy: [flat, node]"
STEPS_RANKS = """
  - transport: master
    hierarchy: [flat, node]
  - transport: window
    window: [shared, rma]
"""


@pytest.mark.cross(part=5)
@pytest.mark.parametrize("shape", ["1x1", "1x3", "2x1", "3x1", "2x2"])
def test_time_steps_stay_or_move(dlsbench, campaign, shape):
    blocks = STEPS_THREADS if shape.startswith("1x") else STEPS_RANKS
    result = dlsbench("run", campaign(STEPS.format(shape=shape,
                                                   blocks=blocks)),
                      "--oversubscribe", "--cell-timeout", 60)
    assert result.code == 0, result.err[-2000:]
    runs = check(result, 37 * 4)
    assert {x["placement"] for x in runs} == {"sticky", "replan"}
    assert {x["protocol"] for x in runs} == {"dmps", "subproblem"}
    assert {x["collect"] for x in runs} == {"local"}
    if shape == "2x1":  # the rows travel only with replan
        moved = {place: max(x["bytes"] for x in runs
                            if x["placement"] == place
                            and x["scheme"].startswith("css"))
                 for place in ("sticky", "replan")}
        assert moved["replan"] > moved["sticky"]


@pytest.mark.cross(part=8)
@pytest.mark.parametrize("shape", ["1x1", "1x2", "1x3", "2x1", "3x1", "2x2"])
@pytest.mark.parametrize("kernel,interval", [
    ("heat:rows=40,cols=61", 1), ("heat:rows=40,cols=61", 9),
    ("heat:rows=40,cols=61", 100), ("floyd-steinberg:rows=40,cols=61", 7)])
def test_every_scheme_transport_and_hierarchy(dlsbench, campaign, kernel,
                                              interval, shape):
    schemes = part_of(f"{kernel} {interval} {shape}", SCHEMES)
    body = text(kernel, shape, interval, listed(schemes))
    result = dlsbench("run", campaign(body), "--oversubscribe",
                      "--cell-timeout", 60)
    assert result.code == 0, result.err[-2000:]
    runs = check(result, 40)
    assert {x["sync_interval"] for x in runs} == {interval}
    assert {x["protocol"] for x in runs} == {"dmps"}
    assert {name(x["scheme"]) for x in runs} == set(map(name, schemes))


@pytest.mark.under("address")
@pytest.mark.cross(part=6)
@pytest.mark.parametrize("shape", ["1x3", "3x1", "2x2"])
@pytest.mark.parametrize("kernel", ["heat:rows=24,cols=31",
                                    "floyd-steinberg:rows=24,cols=31"])
def test_under_address_and_undefined_sanitizer(dlsbench, campaign, kernel,
                                               shape):
    body = text(kernel, shape, "[5]", "[ss, gss, 'wcss:k=2', dtss]")
    result = dlsbench("run", campaign(body), "--oversubscribe",
                      program="build/address/dlsbench")
    assert result.code == 0, result.err[-2000:]
    check(result, 24)


@pytest.mark.under("thread")
@pytest.mark.cross(part=6)
@pytest.mark.parametrize("shape", ["1x2", "1x4", "2x2"])
@pytest.mark.parametrize("kernel", ["heat:rows=24,cols=31",
                                    "floyd-steinberg:rows=24,cols=31"])
def test_threads_under_the_thread_sanitizer(dlsbench, campaign, tmp_path,
                                            kernel, shape, monkeypatch):
    sanitize_threads(monkeypatch, tmp_path)
    body = text(kernel, shape, "[3]", "[ss, gss, 'wcss:k=2', dtss]")
    result = dlsbench("run", campaign(body), "--oversubscribe",
                      program="build/thread/dlsbench")
    check(result, 24)
    reports = [x.read_text() for x in tmp_path.glob("tsan.*")]
    races = [x for x in reports if "data race" in x or "deadlock" in x]
    assert not races, races[0][:4000]


@pytest.mark.parametrize("args,words", [
    (("--sync-interval", 0), ["sync_interval", "0", "from 1"]),
    (("--sync-interval", -3), ["sync_interval", "-3"]),
    (("--protocol", "parallel"), ["parallel", "heat", "dmps"]),
])
def test_wrong_intervals_and_protocols(dlsbench, args, words):
    result = dlsbench("run", "--kernel", "heat:rows=9,cols=9", "--scheme",
                      "ss", *args)
    assert result.code == 2
    lines = result.error_lines()
    assert len(lines) == 1
    for word in words:
        assert word in lines[0], lines[0]
