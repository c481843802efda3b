"""Loops with dependences on simulated clusters: DMPS and subproblems, the
clock, the messages, and the chunks beside native ones."""
import pytest

from conftest import SMALL, assert_same_digits

# Without a worker of the master's rank in between.
SHAPES = {
    "1x4": """
  - transport: shared
    hierarchy: [flat, "2", node]
""",
    "16x1": """
  - transport: master
    hierarchy: [flat, "2", "2x2"]
    prefetch: ["on", "off"]
  - transport: master
    master: dedicated
    hierarchy: [flat, "2"]
    collect: [master, local]
  - transport: master
    load: w1:1
""",
    "4x4": """
  - transport: master
    hierarchy: [flat, node, "2xnode"]
""",
    "4x1": """
  - transport: window
    window: [shared, rma]
    hierarchy: [flat, node]
""",
}
CAMPAIGN = """
name: dependence
layout: {shape}
kernel: ["heat:rows=57,cols=50,steps=3", "heat:rows=9,cols=50"]
scheme: ["css:chunk=5", gss, dtss]
sync_interval: [9, 60]
protocol: [dmps, subproblem]
placement: [sticky, replan]
cells:
{blocks}
"""
DIFFUSION = """
name: diffusion
layout: 5x1
master: dedicated
kernel: ["floyd-steinberg:rows=40,cols=90,shape=exact",
         "floyd-steinberg:rows=40,cols=90,shape=paper"]
scheme: ["css:chunk=4", tss, ss]
sync_interval: [1, 7, 200]
protocol: [dmps, subproblem]
cells:
  - {}
"""
FORCED = """
name: forced
repetitions: 1
repetitions_max: 1
layout: 2x1
master: dedicated
bind: none
trace: on
oversubscribe: on
kernel: "heat:rows=300,cols=20,steps=2"
scheme: [static, ss, "css:chunk=7", "wcss:k=4", gss, fss, tss, tss-taylor,
         qss, wf, dtss, dtss-acp, dfss, dgss]
sync_interval: 5
placement: [sticky, replan]
cells:
  - {}
"""


@pytest.mark.cross
@pytest.mark.parametrize("shape", SHAPES)
def test_every_row_runs_once_and_in_time(sim, campaign, shape):
    result = sim(campaign(CAMPAIGN.format(shape=shape,
                                          blocks=SHAPES[shape])))
    assert result.code == 0, result.err
    rows = result.runs()
    assert len(rows) >= 72
    for row in rows:
        assert row["status"] == "ok" and row["verified"] == "handed out"
        steps = 3 if "steps=3" in row["kernel"] else 1
        assert row["iterations"] == (57 if steps == 3 else 9) * steps
        assert row["time_s"] * 1.0001 >= row["serial_s"] / row["workers"]


def test_diffusion(sim, campaign):
    result = sim(campaign(DIFFUSION))
    assert result.code == 0, result.err
    rows = result.runs()
    assert len(rows) == 36
    assert all(row["status"] == "ok" for row in rows)


def pipeline(workers, size, cols, h, skew, point_s):
    """When the last of a row of workers ends, each with one chunk of `size`
    rows: block after block, by the rules of the paper alone."""
    above = [(0, cols)]  # (when, columns that are complete)
    for _ in range(workers):
        time, given = 0, []
        for start in range(0, cols + skew * (size - 1), h):
            end = min(start + h, cols + skew * (size - 1))
            need = min(end + skew, cols)
            time = max(time, next(t for t, c in above if c >= need))
            time += point_s * sum(
                max(0, min(end - k * skew, cols) - max(start - k * skew, 0))
                for k in range(size))
            given.append((time, min(max(end - skew * (size - 1), 0), cols)))
        above = given
    return time


@pytest.mark.parametrize("kernel, skew, flops", [
    ("heat:", 0, 4), ("floyd-steinberg:shape=exact,", 1, 10),
    ("floyd-steinberg:shape=paper,", 0, 10)])
@pytest.mark.parametrize("h", [50, 128, 2000])
@pytest.mark.cross(part=3)
def test_a_pipeline_takes_as_long_as_its_blocks(sim, kernel, skew, flops, h):
    result = sim("--kernel", kernel + "rows=400,cols=1000", "--sync-interval",
                 h, "--scheme", "static", "--threads", 4)
    (row,) = result.runs()
    expected = pipeline(4, 100, 1000, h, skew, flops * 1e-9)
    # A hand-over takes 88 ns.
    assert expected < row["time_s"] < expected + 80 * 88e-9
    assert row["compute_mean_s"] == pytest.approx(flops * 1e-4, rel=1e-9)


def remote(sim, path, cols, latency, *args):
    """Four ranks on four hosts."""
    path.write_text(SMALL.replace('core="4"', 'core="1"')
                    .replace("1us", latency))
    result = sim("--platform", path, "--kernel", f"heat:rows=400,cols={cols}",
                 "--sync-interval", 50, "--ranks", 4, "--scheme", "static",
                 "--collect", "local", *args, out=f"{cols}-{latency}")
    (row,) = result.runs()
    return row


def test_boundaries_are_messages_of_their_bytes(sim, tmp_path):
    path = tmp_path / "apart.xml"
    short = remote(sim, path, 1000, "1us")
    long = remote(sim, path, 1700, "1us")
    late = remote(sim, path, 1000, "1ms")
    # Three rows of doubles go down, whatever pieces they come in.
    assert long["bytes"] - short["bytes"] == 3 * 700 * 8
    # A message of 2 ms is on the way to each of the three further workers,
    # and at most two notes before it and one that answers.
    assert 3 * 2e-3 < late["time_s"] - short["time_s"] < 4 * 3 * 2.1e-3 + 6e-3


def test_bandwidth_takes_its_time(sim, tmp_path):
    path = tmp_path / "slow.xml"
    path.write_text(SMALL.replace('core="4"', 'core="1"')
                    .replace("1GBps", "1MBps"))
    args = ("--platform", path, "--kernel", "heat:rows=4,cols=100000",
            "--sync-interval", 100000, "--ranks", 4, "--scheme", "static",
            "--collect", "local")
    (row,) = sim(*args).runs()
    # 800 kB three times, one after the other.
    assert row["time_s"] == pytest.approx(3 * 0.8, rel=0.01)


def test_messages_keep_their_senders_and_receivers(sim, tmp_path):
    """Two workers: the first is through before the second asks for its
    boundary, over a home that is at the first."""
    path = tmp_path / "busy.xml"
    path.write_text(SMALL.replace(
        'core="4"/>', 'core="1"><prop id="smpi/os" value="0:1e-3:0"/>'
        '<prop id="smpi/or" value="0:2e-3:1e-8"/></host>'))
    result = sim("--platform", path, "--kernel", "heat:rows=20,cols=1000",
                 "--sync-interval", 100, "--workers", 2, "--master",
                 "dedicated", "--scheme", "static", "--collect", "local")
    first, second = result.lines("workers")
    assert first["sync_s"] == 0
    # A note and 8,000 bytes of boundary, both 2 us on the wire.
    assert second["sync_s"] == pytest.approx(
        2 * 3e-3 + 8024 * (1e-8 + 1e-9) + 4e-6, rel=1e-3)


@pytest.mark.parametrize("given, size", [("", 8), ("boundary_bytes: 3", 3)])
def test_boundaries_have_the_bytes_that_are_given(sim, campaign, given, size):
    (row,) = sim(campaign(f"""
name: bytes
{given}
workers: 3
master: dedicated
collect: local
kernel: "heat:rows=400,cols=1000"
sync_interval: 50
cells:
  - scheme: static
""")).runs()
    # Requests and replies of a few bytes beside two rows of 1,000 columns.
    assert 2000 * size < row["bytes"] < 2000 * size + 1000


def chunks(result):
    assert result.code == 0, result.err
    names = {row["cell"]: (row["scheme"], row["placement"])
             for row in result.runs()}
    cells = {}
    for line in result.lines("chunks"):
        cells.setdefault(names[line["cell"]], []).append(
            (line["time_step"], line["start"], line["size"]))
    return cells


def test_the_same_chunks_natively_and_simulated(dlsbench, sim, campaign):
    file = campaign(FORCED)
    native = chunks(dlsbench("run", file, out="native"))
    assert len(native) == 28
    for cell in native.values():
        assert sum(size for _, _, size in cell) == 600
    assert chunks(sim(file, out="sim")) == native


def test_two_simulations_are_equal_to_the_last_digit(sim):
    args = ("--ranks", 15, "--master", "dedicated", "--hierarchy", 2,
            "--kernel", "heat:rows=600,cols=300,steps=4", "--scheme", "dfss",
            "--sync-interval", 40, "--load", "w1:1,w3:2", "--trace")
    first, second = sim(*args, out="first"), sim(*args, out="second")
    assert_same_digits(first, second)


def test_a_worker_under_load_takes_longer(sim):
    args = ("--kernel", "heat:rows=400,cols=1000", "--scheme", "static",
            "--sync-interval", 50, "--threads", 4)
    (free,) = sim(*args, out="free").runs()
    (busy,) = sim(*args, "--load", "w3:1", out="busy").runs()
    # 20 blocks of the last worker take 20 us more each.
    assert busy["time_s"] - free["time_s"] == pytest.approx(400e-6, rel=0.01)


AUTO = """
name: auto
repetitions: 1
repetitions_max: 1
platform: {platform}
cells:
  - kernel: floyd-steinberg:rows=200,cols=2000
    scheme: static
    collect: local
    {shape}
    sync_interval: [auto, 5, 20, 80, 320]
"""


@pytest.mark.cross(part=3)
@pytest.mark.parametrize("shape", ["ranks: 4", "threads: 4",
                                   "workers: 3\n    master: dedicated"])
def test_auto_takes_the_platforms_costs(dlsbench, tmp_path, campaign, shape):
    """Hosts slower than this machine, whose messages keep processors busy for
    20 us: nothing here is measured for them."""
    path = tmp_path / "apart.xml"
    cores = 4 if "threads" in shape else 1
    path.write_text(SMALL.replace(
        'core="4"/>', f'core="{cores}"><prop id="smpi/os" value="0:2e-5:0"/>'
        '<prop id="smpi/or" value="0:2e-5:0"/></host>'))
    result = dlsbench("sim", campaign(AUTO.format(
        shape=shape, platform=path)))
    assert result.code == 0, result.err
    time = {row["sync_choice"] + str(row["sync_interval"]): row["time_s"]
            for row in result.runs()}
    (auto,) = (time.pop(name) for name in list(time) if "auto" in name)
    assert auto <= 1.05 * min(time.values())
    assert not (result.directory / "calibration.json").exists()
    assert not list(tmp_path.glob("cache/dlsbench/calibration*"))


PAPERS = "bench/papers/"
CHOSEN = """
name: chosen
repetitions: 1
repetitions_max: 1
platform: {platform}
ranks: {ranks}
collect: local
cells:
  - kernel: [{kernels}]
    scheme: [static, gss, fss, tss]
    sync_interval: [auto, 5, 10, 20, 40, 80, 160, 320]
"""


@pytest.mark.cross(part=3)
@pytest.mark.parametrize("platform, ranks, kernels", [
    # Messages take time only on the wire ...
    ("bench/platforms/ranger.xml", 16, ("floyd-steinberg", "heat")),
    (PAPERS + "andronikos/kids.xml", 10, ("floyd-steinberg",)),
    (PAPERS + "ciorba/zealots-kids.xml", 8, ("floyd-steinberg",)),
    # ... keep both ends busy for half of their way each, or for all of it.
    (PAPERS + "andronikos/kids-halves.xml", 10, ("heat",)),
    (PAPERS + "andronikos/kids-processors.xml", 10, ("floyd-steinberg",)),
    (PAPERS + "ciorba/zealots-kids-processors.xml", 8, ("floyd-steinberg",)),
])
def test_auto_is_as_good_as_a_sweep(dlsbench, campaign, platform, ranks,
                                    kernels):
    """Chunks that are alike and chunks that shrink; the interval is as good as
    the best one swept within 5 %."""
    names = ", ".join(f'"{k}:rows=600,cols=1500"' for k in kernels)
    result = dlsbench("sim", campaign(CHOSEN.format(
        platform=platform, ranks=ranks, kernels=names)))
    assert result.code == 0, result.err
    time = {}
    for row in result.runs():
        cell = row["kernel"], row["scheme"]
        time.setdefault(cell, {})[row["sync_choice"],
                                  row["sync_interval"]] = row["time_s"]
    assert len(time) == 4 * len(kernels)
    for cell, by in time.items():
        (auto,) = (key for key in by if key[0] == "auto")
        best = min(by, key=by.get)
        assert by[auto] <= 1.05 * by[best], (cell, auto, best)
