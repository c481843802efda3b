"""Runs over several hosts with networks of their own (jobs/hosts-here.sh)."""
import json
import os
import pathlib
import re
import signal
import subprocess

import pytest

from conftest import ROOT, start
from slurm_site import SITE, Cluster, Site
from test_faults import wait_for
from test_libdls_mpi import compiled
from test_slurm import needs_mpich, needs_slurm

SCRIPT = ROOT / "jobs/hosts-here.sh"
RATE = 12.5e6   # 100 Mbit/s, in bytes
CAMPAIGN = """
name: hosts
repetitions: 2
repetitions_max: 2
layout: 2x1
cells:
  - kernel: "adjoint:size=60"
    transport: master
    scheme: [gss, css]
    answer: [early, collected]
  - kernel: "adjoint:size=60"
    transport: window
    window: rma
    scheme: gss
  - kernel: "adjoint:size=60"
    transport: steal
    scheme: ss
  - kernel: "matmul:tasks=60,min=20,max=40"
    data: sent
    scheme: gss
  - kernel: "heat:rows=40,cols=50,steps=3"
    scheme: "css:chunk=7"
    sync_interval: 9
    transport: master
    placement: [sticky, replan]
"""


def call(*words, code=0):
    done = subprocess.run([SCRIPT, *words], text=True, capture_output=True,
                          timeout=60)
    if done.returncode == 3:
        pytest.skip(done.stderr.strip())
    assert done.returncode == code, done.stderr
    return done.stdout.strip()


@pytest.fixture
def hosts(tmp_path, monkeypatch):
    monkeypatch.setenv("DLSBENCH_HOSTS", str(tmp_path / "hosts"))
    yield lambda *words: (call("start", *words), call("launcher"))[1]
    call("stop")
    assert not (tmp_path / "hosts").exists() and call("status") == ""
    left = subprocess.run(["ip", "-o", "link"], text=True, check=True,
                          capture_output=True).stdout
    assert "dlsbench0" not in left and "dls1" not in left


def reach(source, target):
    """Whether host `source` gets an answer from host `target`: a port where
    nobody listens refuses."""
    holder = os.environ["DLSBENCH_HOSTS"] + f"/{source}.pid"
    pid = int(pathlib.Path(holder).read_text())
    first = pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text()
    probe = ("import errno, socket; s = socket.socket(); s.settimeout(1)\n"
             f"exit(s.connect_ex(('10.99.0.{10 + target}', 9))"
             " != errno.ECONNREFUSED)")
    return subprocess.run(["nsenter", "-t", first.strip(), "-n",
                           "/usr/bin/python3", "-c", probe],
                          check=False).returncode == 0


def runs(folder):
    for path in folder.glob("runs-*.jsonl"):
        for line in path.read_text().splitlines():
            if json.loads(line)["type"] == "run":
                yield json.loads(line)


@pytest.mark.skipif(os.cpu_count() < 2, reason="one core for each host")
def test_everything_goes_between_hosts(hosts, dlsbench, campaign, tmp_path):
    launcher = hosts("2", "--rate", "100mbit")
    done = dlsbench("run", campaign(CAMPAIGN), "--launcher", launcher,
                    "--out", tmp_path / "out")
    assert done.code == 0, done.err
    found = list(runs(tmp_path / "out"))
    assert {run["transport"] for run in found} == {"master", "window", "steal"}
    assert all(run["verified"] for run in found) and len(found) >= 18
    (manifest,) = (tmp_path / "out").glob("manifest-*.json")
    assert [place["host"] for place in
            json.loads(manifest.read_text())["places"]] == ["dls1", "dls2"]


@pytest.mark.skipif(os.cpu_count() < 2, reason="one core for each host")
def test_results_obey_the_rate(hosts, dlsbench, tmp_path):
    launcher = hosts("2", "--rate", "100mbit")
    done = dlsbench("run", "--kernel", "mandelbrot:size=1024,maxiter=10",
                    "--scheme", "static", "--ranks", 2, "--transport",
                    "master", "--launcher", launcher, "--repetitions", 3,
                    "--repetitions-max", 3, "--out", tmp_path / "out")
    assert done.code == 0, done.err
    # The network keeps its time on a machine that only looks faster.
    clock = float(os.environ.get("FASTER") or 1)
    for run in runs(tmp_path / "out"):
        assert run["bytes"] > 1e6
        # A bucket of 32 KB may be full when a loop starts.
        assert run["time_s"] * clock > (run["bytes"] - 64e3) / RATE


@pytest.mark.cross(group="hosts", part=2)
def test_hosts_with_a_core_are_calibrated_together(hosts, dlsbench, campaign,
                                                   tmp_path):
    """A rank has none beside it on its host: its blocks and their boundaries
    are measured between two."""
    launcher = hosts("2", "--rate", "10gbit")
    path = campaign("name: small\nlayout: 2x1\nscheme: css:chunk=9\ncells:\n"
                    "  - kernel: heat:rows=60,cols=400,steps=2\n"
                    "    sync_interval: [100, 200]\n")
    node = tmp_path / "node.json"
    result = dlsbench("calibrate", "--nodes", 2, "--workers", 1, "--for", path,
                      "--launcher", launcher, "--out", node)
    assert result.code == 0, result.err
    _, pair = result.out.split("Ranks of two nodes, which simulations take")
    assert pair.count("heat:rows=60,cols=400") == 3
    alone = json.loads(node.read_text())["kinds"]["ranks"]
    assert len(alone["workers"]) == 1
    kinds = json.loads((tmp_path / "node-between.json").read_text())["kinds"]
    ranks = kinds["ranks"]
    assert list(kinds) == ["ranks"]
    assert len({x["host"] for x in ranks["workers"]}) == 2
    (kernel,) = ranks["kernels"]
    assert [x["h"] for x in kernel["blocks"]] == [100, 200]
    # Through TCP a message keeps its ends for longer than through memory.
    assert ranks["charges"]["send_s"] > 1e-6
    assert all(x["shared_s"] > 0 for x in kernel["blocks"])
    simulated = dlsbench("sim", path, "--platform", "this-cluster",
                         "--calibration", node)
    assert simulated.code == 0, simulated.err
    assert len(simulated.runs()) == 2


def test_two_hosts_on_one_core_are_refused(hosts, dlsbench, tmp_path):
    launcher = hosts("2", "--cores", "0,0")
    done = dlsbench("run", "--kernel", "null", "--scheme", "ss", "--ranks", 2,
                    "--launcher", launcher, "--out", tmp_path / "out")
    assert done.code == 1
    assert "workers 0 and 1 share core 0" in done.err


def test_a_launch_that_does_not_end_is_ended(hosts, dlsbench, tmp_path):
    """Ranks that share a core over TCP may wait for ever in MPI_Finalize."""
    launcher = hosts("2", "--cores", "0,0")
    done = dlsbench("run", "--kernel", "adjoint:size=30", "--scheme", "gss",
                    "--ranks", 4, "--oversubscribe", "--repetitions", 3,
                    "--repetitions-max", 3, "--launcher", launcher, "--out",
                    tmp_path / "out", limit=60)
    assert done.code == 0, done.err
    assert all(run["verified"] and run["oversubscribed"]
               for run in runs(tmp_path / "out"))


@pytest.mark.skipif(os.cpu_count() < 2, reason="one core for each host")
@pytest.mark.cross(group="hosts", part=2)
def test_a_program_with_its_own_loop(hosts, installed, tmp_path):
    """libdls by default: a counter in a window, and a pool in each rank."""
    examples = installed / "share/doc/dls/examples"
    steps = compiled(installed, examples / "mandelbrot.c",
                     tmp_path / "mandelbrot", "-fopenmp")
    packed = compiled(installed, examples / "particles.c",
                      tmp_path / "particles", "-lm")
    several = compiled(installed, ROOT / "tests/libdls/interleave.c",
                       tmp_path / "interleave")
    launcher = hosts("2").format(ranks=2).split()

    def launch(*words, **variables):
        return subprocess.run(
            [*launcher, *words], capture_output=True, text=True, timeout=40,
            check=False, cwd=tmp_path, env={**os.environ, **variables})
    done = launch(steps, OMP_NUM_THREADS="1", DLS_SCHEDULE="fss",
                  DLS_REPORT="records")
    assert (done.returncode, done.stdout) == (0, "7991934 steps\n"), done
    (run,) = runs(tmp_path / "records")
    assert {key: run[key] for key in ("transport", "window", "hierarchy",
                                      "ranks", "threads")} == {
        "transport": "window", "window": "rma", "hierarchy": "node",
        "ranks": 2, "threads": 1}
    # Each host wrote of its own workers.
    names = {path.name.split("-")[2]
             for path in (tmp_path / "records").glob("workers-*")}
    assert names == {"dls1", "dls2"}
    # Two workers in each rank share its pool.
    done = launch(several, "1", "stats=1", "fss", "2")
    assert (done.returncode, done.stdout) == (0, "ok\n"), done
    done = launch(packed)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("9000 particles, sum of places 19413")


@pytest.mark.skipif(os.cpu_count() < 2, reason="one core for each host")
@pytest.mark.cross(part=2)
@pytest.mark.parametrize("what", ["host", "link"])
def test_what_goes_away_costs_its_cell_only(hosts, dlsbench, campaign,
                                            lasting, tmp_path, what):
    """A host that dies ends its cell at once, and a link that dies at
    cell_timeout; when it is back, the cell runs."""
    out = tmp_path / "out"
    text = campaign(f"""
name: away
repetitions: 4
repetitions_max: 4
layout: 2x1
cell_timeout: 10
kernel: "{lasting(0.4)}"
cells:
  - transport: master
    scheme: ss
""")
    words = ["run", text, "--launcher", hosts("2"), "--out", out]
    process = start(ROOT / "build/dlsbench", words, tmp_path)
    assert wait_for(lambda: any(x.stat().st_size
                                for x in out.glob("runs-*.jsonl")), 60)
    if what == "host":
        pid = int((tmp_path / "hosts/2.pid").read_text())
        os.kill(pid, signal.SIGKILL)
    else:
        subprocess.run(["ip", "link", "set", "dls2", "down"], check=True)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 1, err
    assert ("took longer than cell_timeout" in err) == (what == "link"), err
    if what == "host":
        call("stop")
        hosts("2")
    else:
        subprocess.run(["ip", "link", "set", "dls2", "up"], check=True)
        # A search for the neighbour that began while the link was down may
        # end without an answer after it, and fails whoever waits for it.
        assert wait_for(lambda: reach(1, 2) and reach(2, 1), 20)
    done = dlsbench(*words, "--resume")
    assert done.code == 0, done.err
    ends = [json.loads(line) for path in out.glob("runs-*.jsonl")
            for line in path.read_text().splitlines() if "cell_done" in line]
    assert [x["status"] for x in ends].count("ok") == 1


@needs_slurm
@needs_mpich
@pytest.mark.skipif(os.cpu_count() < 2, reason="one core for each host")
def test_submit_with_a_slurmd_in_each_host(hosts, tmp_path, monkeypatch):
    """Ranks of a job run on two nodes with names and networks of their own,
    and their results come over the shaped network."""
    hosts("2", "--rate", "100mbit")
    folder = pathlib.Path(f"/tmp/dlsbench-slurm-hosts-{os.getpid()}")
    monkeypatch.setenv("SLURM_HERE_CPUS", "1")
    cluster = Cluster(folder)
    try:
        started = cluster.here("start", "--hosts")
        assert started.returncode == 0, started.stderr
        assert "2 nodes with 1 cores each" in started.stdout
        site = Site(tmp_path, folder / "slurm.conf")
        site.env.update(UCX_TLS="tcp,self", UCX_NET_DEVICES="eth0")
        site.write("site.env", SITE.replace("SITE_CORES=2", "SITE_CORES=1"))
        site.write("c.yaml", """
name: hosts
repetitions: 2
repetitions_max: 2
kernel: "mandelbrot:size=1024,maxiter=10"
cells:
  - {layout: 2x1, transport: master, scheme: static}
""")
        done = site.submit()
        assert done.returncode == 0, done.stderr
        (array,) = re.findall(r"submitted as array (\d+)", done.stdout)
        site.wait_for_end(array)
        found = list(runs(tmp_path / "out"))
        assert len(found) == 2 and all(x["verified"] for x in found), \
            site.logs()
        clock = float(os.environ.get("FASTER") or 1)
        for run in found:
            assert run["time_s"] * clock > (run["bytes"] - 64e3) / RATE
        (manifest,) = (tmp_path / "out").glob("manifest-*.json")
        assert [place["host"] for place in
                json.loads(manifest.read_text())["places"]] == ["dls1", "dls2"]
    finally:
        assert cluster.here("stop").returncode == 0
    assert not folder.exists() and not cluster.processes()
