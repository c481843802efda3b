"""Several things that go wrong at once, in every protocol, with loops that are
too short for them and ranks that die besides; and how sure the table is."""
import json
import math
import os
import signal
import time

import pandas
import pytest

from conftest import ROOT, start
from result_files import analysis

BOTH = "delay:worker=1,factor=3,period=0.002+stop:worker=2,at=0.001," \
    "seconds=0.02"
LOOP = '"mandelbrot:size=192,maxiter=1000"'
# Loops with dependences, pools, hierarchies, windows, thieves.
WAYS = """
  - kernel: "heat:rows=64,cols=120,steps=2"
    scheme: [static, awf-b]
    layout: [1x3, 3x1]
    sync_interval: 40
    placement: [sticky, replan]
  - kernel: "floyd-steinberg:rows=64,cols=120"
    scheme: [af, gss]
    layout: [1x3, 3x1, 2x2]
    sync_interval: 40
    hierarchy: [flat, node]
  - kernel: LOOP
    scheme: [gss, awf-c]
    layout: [1x3, 3x1]
    transport: [window, steal]
    window: [shared, rma]
  - kernel: LOOP
    scheme: [awf-e, "gss/static"]
    layout: [4x1, 2x2, 1x4]
    hierarchy: ["2", "2xnode"]
"""
OPENMP = """
  - kernel: LOOP
    scheme: [static, dynamic]
    layout: [1x3, 3x1]
    transport: openmp
  - kernel: LOOP
    scheme: awf-b
    layout: 3x1
    transport: window
    window: shared
"""


def written(ways, **keys):
    lines = "".join(f"{k}: {v}\n" for k, v in keys.items())
    return (f"name: p\nrepetitions: 1\nrepetitions_max: 1\n{lines}"
            f"cells:{ways.replace('LOOP', LOOP)}")


def held(run, by, worker):
    return next(p for p in run["perturbed"]
                if (p["by"], p["worker"]) == (by, worker))


def test_every_protocol_stands_them(dlsbench, campaign):
    path = campaign(written(WAYS + OPENMP, perturb=f'"{BOTH}"',
                            cell_timeout=30))
    result = dlsbench("run", path, "--oversubscribe")
    assert result.code == 0, result.err
    runs = result.runs()
    assert all(r["verified"] is True for r in runs)
    assert {r["transport"] for r in runs} == {
        "shared", "master", "window", "steal", "openmp"}
    assert {r["hierarchy"] for r in runs} == {"flat", "node", "2", "2xnode"}
    for run in runs:
        assert {(p["by"], p["worker"]) for p in run["perturbed"]} == {
            ("delay", 1), ("stop", 2)}
        for each in run["perturbed"]:
            assert 0 <= each["lost_s"] <= run["time_s"] + 1e-9
            assert (each["from_s"] is None) == (each["times"] == 0)


def test_every_simulated_protocol_stands_them(sim, campaign):
    ways = WAYS.replace("window: [shared, rma]", "window: shared")
    path = campaign(written(ways, perturb=f'[none, "{BOTH}"]'))
    result = sim(path)
    assert result.code == 0, result.err
    alike = {}
    for run in result.runs():
        assert run["verified"] == "handed out"
        key = tuple(run[k] for k in (
            "kernel", "scheme", "ranks", "threads", "transport", "hierarchy",
            "placement"))
        alike.setdefault(key, {})[run["perturb"] != "none"] = run["time_s"]
    assert all(len(times) == 2 for times in alike.values())
    # What depends on rows in order cannot end earlier.
    for key, times in alike.items():
        if key[0].startswith("heat") and key[1] == "static":
            assert times[True] > times[False], key


PUSH = ("--kernel", "matmul:tasks=24,min=20,max=60,seed=1", "--scheme",
        "single-round", "--protocol", "push", "--perturb",
        "delay:worker=1,factor=3,period=0.002+stop:worker=1,at=0.003,"
        "seconds=0.02")


def test_plans_stand_them_too(sim):
    times = []
    for words in PUSH[:-2], PUSH:
        result = sim(*words, "--workers", 2, "--transport", "master",
                     out=f"p{len(words)}")
        assert result.code == 0, result.err
        times.append(result.runs()[0]["time_s"])
    assert times[1] > times[0]


def test_each_is_recorded_in_whatever_order(dlsbench, lasting):
    """Stops that overlap, of a worker that is delayed, too."""
    words = ("stop:worker=1,at=0.01,seconds=0.5", "delay:worker=2",
             "delay:worker=1,factor=3,period=0.002",
             "stop:worker=1,at=0.2,seconds=0.4")
    loop = ("run", "--kernel", lasting(0.15), "--scheme", "static",
            "--oversubscribe", "--repetitions", 1,
            "--repetitions-max", 1)
    for layout in ("--threads", 3), ("--ranks", 3):
        result = dlsbench(*loop, *layout, "--perturb", "+".join(words),
                          out=layout[0][2:])
        assert result.code == 0, result.err
        (run,) = result.runs()
        assert run["verified"] is True
        assert len(run["perturbed"]) == 4
        assert held(run, "delay", 1)["times"] >= 1
        stops = [p for p in run["perturbed"] if p["by"] == "stop"]
        how = "SIGSTOP" if layout[0] == "--ranks" else "sleep"
        assert {p["how"] for p in stops} == {how}
        # From 0.01 to 0.6 s, but for a moment to wake up; were what both
        # hold counted twice, it would be 0.9 s.
        assert 0.5 < sum(p["lost_s"] for p in stops) < 0.85
    again = dlsbench(*loop, "--ranks", 3, "--resume", "--perturb",
                     "+".join(reversed(words)), out="ranks")
    assert again.code == 0 and len(again.runs()) == 1


def test_who_is_gone_beside_one_who_is_late_leaves_his_share(dlsbench,
                                                             lasting):
    for layout in ("--threads", 3), ("--ranks", 3):
        result = dlsbench("run", "--kernel", lasting(0.03), "--scheme",
                          "static", "--reissue", *layout, "--perturb",
                          "gone:worker=2,at=1e-4+delay:worker=1,factor=9",
                          "--repetitions", 2, "--repetitions-max", 2,
                          "--oversubscribe", out=layout[0][2:])
        assert result.code == 0, result.err
        for run in result.runs():
            assert run["verified"] is True and run["reissued"] >= 1
            assert len(run["perturbed"]) == 2


def test_simulated_tolls_add_up(sim):
    """Static under a dedicated master: worker 0 computes for C, is stopped
    twice and then gone for good; worker 1 is three times as slow."""
    kernel = "matmul:tasks=20,min=60,max=60"
    plain = sim("--kernel", kernel, "--scheme", "static", "--workers", 2,
                "--master", "dedicated", "--transport", "master", "--prefetch",
                "off", out="plain")
    (usual,) = plain.runs()
    c = usual["compute_mean_s"]
    at = [c / 4, c / 2]
    wrong = (f"stop:worker=0,at={at[0]},seconds={c}+stop:worker=0,"
             f"at={at[1]},seconds={2 * c}+delay:worker=1,factor=3,period=1e-3")
    result = sim("--kernel", kernel, "--scheme", "static", "--workers", 2,
                 "--master", "dedicated", "--transport", "master",
                 "--prefetch", "off", "--perturb", wrong)
    assert result.code == 0, result.err
    (run,) = result.runs()
    first, second = (p for p in run["perturbed"] if p["by"] == "stop")
    assert first["lost_s"] == pytest.approx(c, rel=1e-2)
    # Until at[1] + 2 c, of which the first has had what ends at at[0] + c.
    assert second["lost_s"] == pytest.approx(at[1] + c - at[0], rel=1e-2)
    assert held(run, "delay", 1)["lost_s"] == pytest.approx(2 * c, rel=0.3)


@pytest.mark.cross(part=2)
@pytest.mark.parametrize("layout", [("--threads", 4, "--ranks", 1),
                                    ("--workers", 4, "--master", "dedicated",
                                     "--transport", "master")])
def test_who_is_gone_does_not_change_what_awf_has_learned(sim, layout):
    """Equal workers, of whom one is gone in its first chunk, again and again:
    the weights stay equal (a chunk more by rounding up)."""
    result = sim("--kernel", "matmul:tasks=400,min=40,max=40", "--scheme",
                 "awf", *layout, "--reissue", "--perturb",
                 "gone:worker=2,at=1e-5", "--trace", "--repetitions", 4,
                 "--repetitions-max", 4)
    assert result.code == 0, result.err
    runs = result.runs()
    assert len(runs) == 4
    assert all(r["reissued"] == 1 and r["dropped"] == 1 for r in runs)
    first = [c["size"] for c in result.lines("chunks") if c["step"] < 4]
    assert len(first) == 16 and set(first) <= {50, 51}


LEFT = """
  - layout: 1x4
    perturb: ["gone:worker=1,workers=3,at=0",
              "gone:worker=2,at=0.001+gone:worker=3,at=0.003"]
  - layout: 4x1
    master: [computing, dedicated]
    perturb: ["gone:worker=1,workers=2", "gone:worker=1,at=0.001+
              stop:worker=0,at=0,seconds=0.02+delay:worker=0,factor=3"]
"""


@pytest.mark.cross
@pytest.mark.parametrize("size", [1, 192])
def test_a_loop_ends_however_many_are_left(dlsbench, sim, campaign, size):
    """All but one gone; the master itself stopped and delayed; fewer
    iterations than workers."""
    path = campaign(written(
        LEFT.replace("+\n              ", "+"), reissue="true",
        cell_timeout=30, scheme="[static, awf, bold]",
        kernel=f'"mandelbrot:size={size},maxiter=1000"'))
    for result in (dlsbench("run", path, "--oversubscribe"),
                   sim(path, out="simulated")):
        assert result.code == 0, result.err
        runs = result.runs()
        assert len(runs) >= 18
        assert all(r["status"] == "ok" and r["iterations"] == size
                   for r in runs)


@pytest.mark.parametrize("words, says", [
    ("stop+deley", "did you mean 'delay'?"),
    ("stop+", "the name is missing"),
    ("none+stop", "give none alone"),
    ("stop+stop:workers=1", "is given twice"),
    ("gone:worker=0,workers=2+gone:worker=1,workers=2", "must stay"),
    ("stop:worker=0+delay:worker=3", "there is no w3"),
])
def test_what_is_impossible_is_refused(dlsbench, words, says):
    result = dlsbench("run", "--kernel", "mandelbrot:size=64", "--scheme",
                      "ss", "--threads", 3, "--perturb", words)
    assert result.code == 2
    (line,) = result.error_lines()
    assert says in line


def processes():
    """Words of each command that runs here, by process."""
    found = {}
    for entry in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{entry}/cmdline", "rb") as file:
                found[int(entry)] = file.read().decode().split("\0")
        except (OSError, ValueError):
            continue
    return found


def ranks_of(directory):
    """Ranks of this directory's launch."""
    return sorted(pid for pid, words in processes().items()
                  if words[1:2] == ["launch"] and str(directory) in words[2])


def stopped_soon(ranks):
    """Those of the ranks that have a process which will stop them."""
    return [int(words[2]) for words in processes().values()
            if words[1:2] == ["stopper"] and int(words[2]) in ranks]


def test_a_rank_that_is_killed_beside_is_one_failed_cell(
        dlsbench, campaign, tmp_path):
    """SIGKILL while another rank is stopped; the rest runs, resume the one."""
    path = campaign(written("""
  - layout: 3x1
    scheme: [ss]
    reissue: true
    perturb: [none, "gone:worker=1+stop:worker=2,at=0,seconds=1"]
""", kernel=LOOP))
    out = tmp_path / "out"
    process = start(ROOT / "build/dlsbench",
                    ("run", path, "--oversubscribe", "--out", f"{out}/"),
                    tmp_path)
    limit = time.monotonic() + 30
    while not (late := stopped_soon(ranks_of(out))) \
            and time.monotonic() < limit:
        time.sleep(0.01)
    other = next(rank for rank in ranks_of(out) if rank not in late)
    os.kill(other, signal.SIGKILL)
    process.communicate(timeout=60)
    assert process.returncode == 1
    lines = [json.loads(line) for file in out.glob("runs-*.jsonl")
             for line in file.read_text().splitlines()]
    done = [x for x in lines if x["type"] == "cell_done"]
    assert len(done) == 2
    (failed,) = (x for x in done if x["status"] == "failed")
    assert "signal 9" in failed["reason"]
    again = dlsbench("run", path, "--oversubscribe", "--resume")
    assert again.code == 0, again.err
    assert not ranks_of(out)


# A link each way of 50 us and 100 MB/s between a master and its worker.
LINK = """<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1"><zone id="z" routing="Full">
  <host id="h0" speed="1Gf"/><host id="h1" speed="1Gf"/>
  <link id="l" bandwidth="100MBps" latency="50us"
        sharing_policy="SPLITDUPLEX"/>
  <route src="h0" dst="h1"><link_ctn id="l" direction="UP"/></route>
</zone></platform>
"""


@pytest.mark.cross(part=2)
@pytest.mark.parametrize("result_bytes", [1, 1000000])
def test_a_slow_network_costs_what_its_links_say(sim, campaign, tmp_path,
                                                 result_bytes):
    """One worker, 50 chunks of one iteration, all cells in one launch.  With
    short results 51 requests and answers and the leave follow each other;
    long results come one after the other over the link."""
    platform = tmp_path / "link.xml"
    platform.write_text(LINK)
    slow, thin = "network:latency=11", "network:bandwidth=0.1"
    ways = f'\n  - perturb: [none, "{slow}", "{thin}", "{slow}+{thin}"]\n'
    path = campaign(written(
        ways, kernel='"matmul:tasks=50,min=10,max=10"', workers=1,
        scheme='"css:chunk=1"', transport="master", master="dedicated",
        prefetch="off", result_bytes=result_bytes))
    result = sim(path, "--platform", platform)
    assert result.code == 0, result.err
    time_s = {tuple(w in r["perturb"] for w in ("latency=11",
                                                "bandwidth=0.1")):
              r["time_s"] for r in result.runs()}
    assert len(time_s) == 4
    if result_bytes == 1:
        added = (2 * 51 + 1) * 10 * 50e-6
        differ = [time_s[True, x] - time_s[False, x] for x in (False, True)]
    else:
        added = 50 * result_bytes * 9 / 100e6
        differ = [time_s[x, True] - time_s[x, False] for x in (False, True)]
    assert differ == pytest.approx([added, added], rel=0.01)


# ---- how sure the table is ----

WITHOUT = [1.00, 1.01, 1.02, 1.04, 1.05, 1.07, 1.10]
WITH = [1.9, 2.0, 2.1, 2.2, 2.4, 2.5, 3.0]


def ratio(with_s, without_s):
    """Median, low, high by hand: of seven all are the interval."""
    m, u = with_s[3], without_s[3]
    below = math.hypot(math.log(m / with_s[0]), math.log(without_s[-1] / u))
    above = math.hypot(math.log(with_s[-1] / m), math.log(u / without_s[0]))
    return [m / u, m / u * math.exp(-below), m / u * math.exp(above)]


@pytest.fixture(scope="module")
def seven(tmp_path_factory):
    """A real campaign with made-up times."""
    folder = tmp_path_factory.mktemp("seven")
    (folder / "c.yaml").write_text(
        "name: seven\nrepetitions: 7\nrepetitions_max: 7\nlayout: 1x2\n"
        "kernel: \"mandelbrot:size=8,maxiter=10\"\ncells:\n"
        "  - scheme: [ss, gss]\n    perturb: [none, \"delay+stop\"]\n")
    process = start(ROOT / "build/dlsbench",
                    ("run", folder / "c.yaml", "--oversubscribe", "--out",
                     f"{folder}/out/"), folder)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 0, err
    (path,) = (folder / "out").glob("runs-*.jsonl")
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    for row in lines:
        if row["type"] == "run":
            times = WITHOUT if row["perturb"] == "none" else WITH
            row["time_s"] = times[row["repetition"] - 1]
    # One cell has too few.
    few = [r for r in lines if not (r["type"] == "run" and
                                    r["perturb"] == "none" and
                                    r["scheme"].startswith("gss") and
                                    r["repetition"] > 5)]
    path.write_text("".join(json.dumps(r) + "\n" for r in few))
    return folder / "out"


def test_ratios_have_their_intervals(dlsbench, seven):
    wanted = ratio(WITH, WITHOUT)
    words = "{:.3f} [{:.3f}, {:.3f}]".format(*wanted)
    out = dlsbench("summary", seven).out.split("Flexibility: ")[1]
    row, few = (next(line for line in out.splitlines() if scheme in line)
                for scheme in ("  ss  ", "  gss:min=1  "))
    assert row.endswith(words) and not few.endswith("]")
    code, text, err = analysis("tables", seven, "--table", "flexibility")
    assert code == 0, err
    assert sum(words in line for line in text.splitlines()) == 1


def test_the_files_for_programs_have_them(seven):
    code, _, err = analysis("report", seven)
    assert code == 0, err
    frame = pandas.read_csv(seven / "report-files/cells.csv")
    names = ["flexibility", "flexibility_low", "flexibility_high"]
    ss = frame[frame["scheme"] == "ss"].dropna(subset="flexibility")
    (row,) = ss[names].to_numpy()
    assert list(row) == pytest.approx(ratio(WITH, WITHOUT))
    few = frame[frame["scheme"] != "ss"].dropna(subset="flexibility")
    assert len(few) == 1 and few[names[1:]].isna().all(axis=None)
    page = (seven / "report.html").read_text()
    assert "{:.3f} [{:.3f}, {:.3f}]".format(*row) in page


def test_simulated_extremes_end(sim, campaign):
    """What lasts for days costs days of simulated time, and no more."""
    result = sim(campaign("""
repetitions: 1
repetitions_max: 1
kernel: "mandelbrot:size=400,maxiter=50"
scheme: gss
ranks: 4
cells:
  - perturb: ["stop:worker=1,seconds=1e6", "stop:worker=1,at=1e6",
              "gone:worker=1,at=1e6", "delay:worker=0,workers=4,factor=1e3",
              "delay:worker=1,factor=1e3,period=1e6",
              "network:latency=1e6,bandwidth=1e-6",
              "stop:worker=0,workers=4", "gone:worker=1,workers=3"]
    reissue: ["off", "on"]
"""), limit=120)
    done = result.done()
    assert len(done) == 16
    for line in done:
        lost = "workers=3" in line["perturb"] and line["reissue"] is None
        assert line["status"] == ("failed" if lost else "ok"), line
    time = {(x["perturb"].split(",seed")[0], x["reissue"]): x["time_s"]
            for x in result.runs()}
    stop = "stop:worker=1,workers=1,at=0,seconds=1e+06"
    assert time[stop, None] == pytest.approx(1e6)
    assert time[stop, 3.0] < 1
