"""The driver: shards, timeouts, signals to all or to itself, a disk that
fills up in the middle, and sequences from masters."""
import collections
import json
import math
import os
import pathlib
import re
import shlex
import signal
import subprocess
import time

import pytest

from conftest import ROOT, Result, start

# 32 iterations of 10 ms and a loop that is over at once.
SLOW = """
name: slow
repetitions: 2
repetitions_max: 2
layout: 2x1
cells:
  - kernel: "trace:file=costs.txt"
    scheme: [ss, gss]
  - kernel: "null:size=100"
    scheme: [static, ss, css, gss, fss, tss, qss, wf, dtss, dfss, dgss]
"""


def ranks_of(directory):
    """Processes that run a plan of this directory."""
    found = []
    for entry in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            words = (entry / "cmdline").read_bytes().decode().split("\0")
        except OSError:
            continue
        if "launch" in words[1:2] and words[2].startswith(str(directory)):
            found.append(int(entry.name))
    return found


def wait_for(condition, limit=30):
    end = time.monotonic() + limit
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)


@pytest.fixture
def slow(tmp_path, campaign):
    (tmp_path / "costs.txt").write_text("0.01\n" * 32)
    return campaign(SLOW)


@pytest.fixture
def running(tmp_path, slow):
    """A driver whose ranks have begun, in a group of its own."""
    out = tmp_path / "out"
    args = ["run", slow, "--oversubscribe", "--out", f"{out}/"]
    process = start(ROOT / "build/dlsbench", args, tmp_path, group=True)
    # MPI is there, and the first cell begins.
    wait_for(lambda: list(out.glob("manifest-*.json")))
    yield process
    if process.poll() is None:
        process.kill()
        process.communicate()


def good_cells(directory):
    done = Result(0, "", "", directory).done()
    return collections.Counter(x["cell"] for x in done
                               if x["status"] == "ok")


@pytest.mark.cross
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_to_all_ends_cleanly_and_says_how_to_resume(
        running, tmp_path, number):
    os.killpg(running.pid, number)
    out, err = running.communicate(timeout=30)
    assert running.returncode == 1
    assert out == ""
    assert not ranks_of(tmp_path / "out")
    last = err.splitlines()[-1]
    assert last.startswith("dlsbench: interrupted: ")
    command = shlex.split(re.search("resume with: (.*)", last).group(1))
    assert "--resume" in command
    done = subprocess.run([ROOT / "build/dlsbench", *command[1:]],
                          cwd=tmp_path, text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE)
    assert done.returncode == 0, done.stderr
    assert "13 cells ok, 0 failed" in done.stdout
    good = good_cells(tmp_path / "out")
    assert len(good) == 13 and set(good.values()) == {1}


def test_ranks_end_when_their_driver_is_killed(running, tmp_path):
    running.kill()
    running.wait()
    wait_for(lambda: not ranks_of(tmp_path / "out"), 15)


def test_a_cell_that_takes_too_long_fails_alone(dlsbench, slow, tmp_path):
    (tmp_path / "costs.txt").write_text("0.0001\n" * 32)
    began = time.monotonic()
    assert dlsbench("run", slow, "--oversubscribe", out="brief").code == 0
    # A cell alone needs a small part of what a run of all of them takes.
    limit = max(2, math.ceil(time.monotonic() - began))
    (tmp_path / "costs.txt").write_text(f"{limit / 8}\n" * 32)
    result = dlsbench("run", slow, "--oversubscribe", "--cell-timeout", limit)
    assert result.code == 1
    status = collections.Counter(x["status"] for x in result.done())
    assert status == {"ok": 11, "failed": 2}, result.err
    for cell in result.done():
        if cell["status"] == "failed":
            assert f"cell_timeout ({limit} s)" in cell["reason"]
            assert cell["kernel"].startswith("trace")
    assert "11 cells ok, 2 failed" in result.out
    assert not ranks_of(result.directory)


def test_shards_share_a_directory_and_every_cell_runs_once(
        dlsbench, slow, tmp_path):
    (tmp_path / "costs.txt").write_text("0.0001\n" * 32)
    for i in range(3):
        result = dlsbench("run", slow, "--oversubscribe", "--shard", f"{i}/3")
        assert result.code == 0, result.err
    good = good_cells(result.directory)
    assert len(good) == 13 and set(good.values()) == {1}
    dry = dlsbench("run", slow, "--dry-run")
    hashes = {x.split()[0] for x in dry.out.splitlines()[:13]}
    assert hashes == set(good)


def test_a_dry_run_makes_nothing(dlsbench, slow):
    result = dlsbench("run", slow, "--dry-run")
    assert result.code == 0 and not result.directory.exists()


def test_nothing_is_left_to_resume(dlsbench, slow):
    args = ["run", slow, "--oversubscribe", "--set", "kernel=null:size=50"]
    assert dlsbench(*args).code == 0
    result = dlsbench(*args, "--resume")
    assert result.code == 0
    assert "11 of 11 cells are complete already" in result.err
    assert set(good_cells(result.directory).values()) == {1}


def test_another_campaign_does_not_mix_in(dlsbench, campaign, slow):
    assert dlsbench("run", slow, "--oversubscribe", "--set",
                    "kernel=null:size=50").code == 0
    result = dlsbench("run", slow, "--oversubscribe", "--resume", "--set",
                      "kernel=null:size=51")
    assert result.code == 2
    assert len(result.error_lines()) == 1
    assert "another campaign" in result.error_lines()[0]


def test_another_schema_does_not_mix_in(dlsbench, slow):
    args = ("run", slow, "--oversubscribe", "--set", "kernel=null:size=50")
    first = dlsbench(*args, "--shard", "0/2")
    assert first.code == 0
    path, *_ = first.directory.glob("manifest-*.json")
    other = path.read_text().replace('"schema": 1', '"schema": 9')
    assert other != path.read_text()
    path.write_text(other)
    before = sorted(first.directory.iterdir())
    for more in (("--resume",), ("--shard", "1/2")):
        result = dlsbench(*args, *more)
        assert result.code == 2
        line, = result.error_lines()
        assert path.name in line and "schema is not 1" in line
        assert sorted(first.directory.iterdir()) == before
    path.write_text(other.replace('"schema": 9', '"schema": 1'))
    runs, *_ = first.directory.glob("runs-*.jsonl")
    runs.write_text(runs.read_text().replace('"schema":1', '"schema":9', 1))
    for words in (("summary", first.directory), (*args, "--resume")):
        result = dlsbench(*words)
        assert result.code == 2
        line, = result.error_lines()
        assert runs.name in line and "schema is not 1" in line
        assert sorted(first.directory.iterdir()) == before


def test_a_disk_that_fills_up_in_the_middle(dlsbench, tmp_path):
    """The half-written repetition is not taken for a result."""
    small = tmp_path / "small"
    small.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1200k",
                              "tmpfs", str(small)], stderr=subprocess.DEVNULL)
    if mounted.returncode != 0:
        pytest.skip("mounting a small file system is not possible here")
    try:
        result = dlsbench("run", "--kernel", "null:size=20000", "--scheme",
                          "ss", "--ranks", 2, "--oversubscribe", "--trace",
                          "--out", f"{small}/r/", out="small/r")
        assert result.code == 1
        lines = [x for x in result.error_lines() if "No space left" in x]
        own = [x for x in lines if not x.startswith("dlsbench: failed:")]
        assert len(own) == 1 and "chunks-" in own[0], result.err
        assert not good_cells(small / "r")
        again = dlsbench("summary", f"{small}/r")
        assert "0 cells ok, 1 failed" in again.out
    finally:
        subprocess.run(["umount", str(small)], check=True)


@pytest.mark.cross
@pytest.mark.parametrize("layout", [
    "layout: 1x3", "layout: 1x3\nhierarchy: node", "layout: 3x1",
    "layout: 3x1\nprefetch: off", "layout: 4x1\nmaster: dedicated",
    "layout: 3x1\ntransport: window"])
def test_every_transport_hands_out_the_printed_sequence(
        dlsbench, campaign, layout):
    """With equal powers the sequence does not depend on who asks."""
    schemes = ["ss", "css:chunk=7", "fss:alpha=2", "tss:last=2",
               "qss:delta=3", "static", "dgss", "fac:mu=1,sigma=1",
               "rnd:seed=7", "tfss"]
    result = dlsbench("run", campaign(f"""
repetitions: 1
repetitions_max: 1
oversubscribe: on
trace: on
min_chunk: 2
{layout}
cells:
  - kernel: "mandelbrot:size=300,maxiter=20"
    scheme: {json.dumps(schemes)}
"""))
    assert result.code == 0, result.err
    ran = collections.defaultdict(list)
    for line in result.lines("chunks"):
        ran[line["cell"]].append((line["start"], line["size"]))
    for run in result.runs():
        printed = dlsbench("chunks", "--scheme", run["scheme"], "--workers",
                           3, "--iterations", 300, "--min-chunk", 2,
                           "--format", "csv").out.split()
        rows = [tuple(map(int, x.split(",")[2:])) for x in printed[1:]]
        assert sorted(ran[run["cell"]]) == rows, run["scheme"]
    assert {x["scheme"] for x in result.runs()} == set(schemes)


@pytest.mark.parametrize("layout,hierarchy", [
    ("1x4", "2"), ("4x1", "2"), ("2x2", "node"), ("4x1", "1x2")])
def test_two_schemes_hand_out_ranges_and_their_parts(
        dlsbench, layout, hierarchy):
    """gss over two masters: 50, 25, 13, 6, 3, 2, 1; each in two halves."""
    ranks, threads = layout.split("x")
    result = dlsbench("run", "--kernel", "mandelbrot:size=100", "--scheme",
                      "gss/static", "--ranks", ranks, "--threads", threads,
                      "--hierarchy", hierarchy, "--repetitions", 1,
                      "--repetitions-max", 1, "--oversubscribe", "--trace")
    assert result.code == 0, result.err
    parts = [25, 25, 13, 12, 7, 6, 3, 3, 2, 1, 1, 1, 1]
    if hierarchy == "1x2":  # one below the supermaster, which halves twice
        parts = [25, 25, 25, 25]
    ran = sorted((x["start"], x["size"]) for x in result.lines("chunks"))
    assert [size for _, size in ran] == parts


@pytest.mark.parametrize("scheme,says", [
    ("gss/", "two schemes are written outer/inner"),
    ("gss/static/ss", "two schemes are written outer/inner"),
    ("gss/statik", "did you mean 'static'"),
    ("ss/dtss-acp", "dtss-acp counts with the available powers"),
    ("gss/ss", "two schemes need masters below the supermaster")])
def test_wrong_pairs_of_schemes(dlsbench, scheme, says):
    result = dlsbench("run", "--kernel", "null:size=10", "--scheme", scheme,
                      "--threads", 1)
    assert result.code == 2 and says in result.err


def test_threads_may_multiply_at_the_same_time(dlsbench, monkeypatch):
    """A serial BLAS without locks fails here (OpenBLAS: 6 of 6 runs)."""
    monkeypatch.setenv("OPENBLAS_CORETYPE", "Haswell")
    result = dlsbench("run", "--kernel",
                      "matmul:tasks=30000,min=16,max=20", "--scheme",
                      "gss", "--threads", 6, "--oversubscribe",
                      "--repetitions", 1, "--repetitions-max", 1)
    assert result.code == 0, result.err


@pytest.mark.under("address")
@pytest.mark.cross
@pytest.mark.parametrize("layout", [
    "layout: 1x3\nhierarchy: [flat, node, 2]",
    "layout: 3x1\nhierarchy: [flat, 2, node]",
    "layout: 5x1\nhierarchy: 2\nmaster: dedicated",
    "layout: 2x1\ntransport: window\nwindow: [shared, rma]",
    "layout: 2x1\nload: w0-w1"])
def test_nothing_of_ours_leaks(dlsbench, campaign, tmp_path, monkeypatch,
                               layout):
    """Libraries may: a leak is ours when its stack shows our sources."""
    monkeypatch.setenv("ASAN_OPTIONS",
                       f"detect_leaks=1:log_path={tmp_path}/asan")
    monkeypatch.setenv("LSAN_OPTIONS", "exitcode=0")
    result = dlsbench("run", campaign(f"""
repetitions: 1
repetitions_max: 1
oversubscribe: on
trace: on
{layout}
cells:
  - kernel: ["mandelbrot:size=20", "matmul:tasks=3,min=4,max=9"]
    scheme: [gss, dtss, static]
"""), program="build/address/dlsbench")
    assert result.code == 0, result.err
    reports = "".join(x.read_text() for x in tmp_path.glob("asan.*"))
    leaks = re.split(r"\n\n", reports)
    ours = [x for x in leaks if "leak of" in x and re.search(
        r" (base|sched|kernels|harness|bench)/\S+\.c:\d+", x)]
    assert not ours, ours[0]


def test_runs_of_the_same_second_have_directories_of_their_own(tmp_path):
    for wait in range(30):
        name = time.strftime("%Y-%m-%dT%H%M%SZ", time.gmtime(
            time.time() + wait))
        (tmp_path / "results/null-ss" / name).mkdir(parents=True)
        (tmp_path / "results/null-ss" / name / "campaign.yaml").touch()
    process = start(ROOT / "build/dlsbench",
                    ["run", "--kernel", "null", "--scheme", "ss",
                     "--threads", 1, "--oversubscribe"], tmp_path)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 0, err
    assert re.search(r"^results: results/null-ss/\S+Z-2$", out + err, re.M)


HEAT = ["kernel=heat:rows=64,cols=64,steps=2", "sync_interval=16"]
SIMULATED = ["layout=2x1", "platform=a/one.xml"]


@pytest.mark.parametrize("field,values,base", [
    ("kernel", ["null:size=5", "null:size=6"], []),
    ("scheme", ["gss", "gss:min=2"], []),
    ("layout", ["1x2", "2x1", "1x3"], []),
    ("transport", ["shared", "steal"], ["scheme=ss"]),
    ("hierarchy", ["flat", "2"], ["layout=4x1"]),
    ("master", ["computing", "dedicated"], ["layout=3x1"]),
    ("window", ["shared", "rma"], ["layout=2x1", "transport=window"]),
    ("openmp", ["libgomp", "libomp"], ["transport=openmp", "scheme=static"]),
    ("victim", ["random", "near"], ["transport=steal", "scheme=ss"]),
    ("collect", ["master", "local"], ["layout=2x1"]),
    ("bind", ["compact", "scatter", "none"], []),
    ("rank_per", ["numa", "socket"], []),
    ("memory", ["touch", "bind"], []),
    ("timing", ["worker", "chunk"], []),
    ("protocol", ["dmps", "subproblem"], HEAT),
    ("placement", ["sticky", "replan"], HEAT),
    ("sync_interval", ["16", "17", "auto", "chen-xue"], HEAT),
    ("data", ["none", "sent"], ["layout=2x1", "kernel=matmul:tasks=8"]),
    ("power", ["1,2", "1,3"], ["scheme=wf"]),
    ("load", ["w0", "w1"], []),
    ("perturb", ["none", "stop:worker=0", "stop:worker=1"], []),
    ("prefetch", ["on", "off"], ["layout=2x1"]),
    ("prefetch", ["on", "off"], []),
    ("answer", ["early", "collected"], ["layout=2x1"]),
    ("smt", ["on", "off"], []),
    ("min_chunk", ["1", "2"], []),
    ("reissue", ["off", "2", "4"], ["kernel=adjoint:size=20"]),
    ("platform", ["a/one.xml", "a/two.xml"], SIMULATED),
    ("cp", ["1e-9", "2e-9"], SIMULATED),
    ("request_cost", ["1e-7", "3e-7"], SIMULATED),
    ("result_bytes", ["8", "16"], SIMULATED),
    ("boundary_bytes", ["8", "16"], [*HEAT, *SIMULATED]),
])
def test_a_dry_run_tells_cells_apart(dlsbench, campaign, field, values, base):
    """Whatever two cells differ in, a value of it is in the line of each."""
    fields = dict(x.split("=", 1) for x in
                  ["kernel=null:size=50", "scheme=gss", "layout=1x2", *base])
    if field == "rank_per":
        del fields["layout"]
    fields[field] = f"[{', '.join(json.dumps(x) for x in values)}]"
    path = campaign("cells: [{" + ", ".join(
        f"{k}: {v if k == field else json.dumps(v)}"
        for k, v in fields.items()) + "}]\n")
    command = "sim" if "platform" in fields else "run"
    result = dlsbench(command, path, "--dry-run", "--topology",
                      "pack:1 numa:2 core:2 pu:2")
    assert result.code == 0, result.err
    lines = [x.split(" ", 1) for x in result.out.splitlines()
             if re.match("[0-9a-f]{16} ", x)]
    assert len({x[0] for x in lines}) == len(values)
    assert len({x[1] for x in lines}) == len(values)
