"""Job arrays under a real Slurm of four nodes on this host: killed, cancelled
and requeued tasks lose nothing and repeat nothing."""
import collections
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys

import pytest

from conftest import ROOT
from slurm_site import CAMPAIGN, JOBS, ODD, SITE, Cluster, Site
from test_faults import ranks_of, wait_for

DAEMONS = ("munged", "slurmctld", "slurmd", "sbatch")
MISSING = [x for x in DAEMONS if not shutil.which(x)]
# make exports what is set on its command line.
OTHER_MPI = os.environ.get("MPI", "mpich") != "mpich"
needs_slurm = pytest.mark.skipif(
    bool(MISSING) or os.geteuid() != 0,
    reason=f"not installed: {', '.join(MISSING)}" if MISSING
    else "Slurm's daemons must run as root")
needs_mpich = pytest.mark.skipif(
    OTHER_MPI, reason="srun --mpi=pmi2 starts the ranks here, which Debian's "
    "Open MPI does not understand")


@pytest.fixture(scope="module")
def cluster():
    folder = pathlib.Path(f"/tmp/dlsbench-slurm-test-{os.getpid()}")
    cluster = Cluster(folder)
    started = cluster.here("start")
    assert started.returncode == 0, started.stderr
    yield cluster
    assert cluster.here("stop").returncode == 0
    assert not folder.exists() and not cluster.processes()


def every_cell_once(result, cells, repetitions=3):
    good = [x for x in result.done() if x["status"] == "ok"]
    assert len(good) == len({x["cell"] for x in good}) == cells
    complete = {(x["launch"], x["cell"]) for x in good}
    runs = [x for x in result.runs() if (x["launch"], x["cell"]) in complete]
    assert all(x["verified"] is True for x in runs)
    count = collections.Counter(x["cell"] for x in runs)
    assert set(count.values()) == {repetitions}


@pytest.fixture
def site(tmp_path, cluster):
    yield Site(tmp_path, cluster.folder / "slurm.conf")
    subprocess.run(["scancel", "--user=root"], timeout=30,
                   env={**os.environ,
                        "SLURM_CONF": str(cluster.folder / "slurm.conf")})


@pytest.mark.cross(group="slurm", part=3)
@needs_slurm
@needs_mpich
def test_killed_cancelled_and_requeued_tasks_lose_nothing(site, lasting):
    """Each in its first cell, as soon as it has begun."""
    site.write("c.yaml", CAMPAIGN.replace("KERNEL", lasting(0.4)))
    array = site.array()
    assert site.queue(array) and site.unharmed()
    state = site.state(array + "_0")
    assert "NumNodes=2" in state and "Requeue=1" in state
    assert f"JobName={ODD}" in state

    # They begin in any order, two of them at a time.
    ends = {1: lambda: os.kill(site.drivers(1)[0], signal.SIGKILL),
            2: lambda: site.good("scancel", array + "_2"),
            3: lambda: site.good("scontrol", "requeue", array + "_3")}
    while ends:
        site.wait(lambda: site.shards_begun() & set(ends))
        for shard in site.shards_begun() & set(ends):
            ends.pop(shard)()
    again = site.submit("--nodes", 2)
    assert "in the queue still" in again.stdout
    site.wait_for_end(array)
    assert not any(site.drivers(shard) for shard in range(4))
    done = site.result().done()
    assert len({x["cell"] for x in done if x["status"] == "ok"}) < 8
    assert len(list((site.folder / "out").glob("manifest-*3of4.json"))) == 2

    status = site.run(JOBS / "status.sh", "out")
    assert status.returncode == 1
    rows = {x.split()[1]: x.split() for x in status.stdout.splitlines()
            if x.startswith("2x1")}
    assert [rows[f"{i}/4"][4:6] for i in (0, 3)] == [["2", "2"]] * 2
    missing = sum(int(x[8]) + int(x[7]) for x in rows.values())
    ok = sum(int(x[5]) for x in rows.values())
    assert ok + missing == 8 and missing >= 1, status.stdout

    array = site.array()
    site.wait_for_end(array)
    every_cell_once(site.result(), 8)
    assert site.run(JOBS / "status.sh", "out").returncode == 0
    nothing = site.submit("--nodes", 2)
    assert nothing.returncode == 0
    assert "layout 2x1: all cells are complete" in nothing.stdout
    assert site.unharmed()


def nodes_of(manifest):
    """How many nodes the step of the first rank has; an mpiexec that stays on
    its own node needs no step."""
    slurm = json.loads(manifest.read_text())["slurm"]
    return int(slurm.get("SLURM_STEP_NUM_NODES", 1))


def batch_steps(folder):
    """The slurmstepd of each batch script."""
    found = []
    for entry in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            title = (entry / "cmdline").read_bytes().decode()
            where = os.readlink(entry / "cwd")
        except OSError:
            continue
        if title.startswith("slurmstepd: [") and ".batch]" in title \
                and where == str(folder):
            found.append(int(entry.name))
    return found


@needs_slurm
@needs_mpich
@pytest.mark.parametrize("wrapped", [False, True])
def test_a_driver_ends_when_its_job_loses_its_slurmstepd(site, cluster,
                                                         lasting, wrapped):
    """Also where a shell of the user's own is between them."""
    site.write("c.yaml", CAMPAIGN.replace("KERNEL", lasting(0.5)))
    out = site.folder / "out"
    run = f"{ROOT}/build/dlsbench run c.yaml --out {out} --shard 0/4"
    site.write("job.sh", f"#!/bin/bash\n{run} &\nwait\n" if wrapped else
               f"#!/bin/bash\nexec {run}\n")
    sent = site.run("sbatch", "--parsable", "-N2", "-n2", "--no-requeue",
                    "-o", "job.out", "job.sh")
    assert sent.returncode == 0, sent.stderr
    site.wait(lambda: 0 in site.shards_begun() and site.drivers(0))
    stepd, = batch_steps(cluster.folder)
    os.kill(stepd, signal.SIGKILL)
    site.wait(lambda: not site.drivers(0), 20)
    site.wait(lambda: not ranks_of(out), 20)
    assert "interrupted: " in (site.folder / "job.out").read_text()


@needs_slurm
@needs_mpich
@pytest.mark.parametrize("launcher", ["srun", "mpiexec.mpich"])
def test_both_launchers_run_ranks_across_nodes(site, launcher):
    site.write("site.env", SITE if launcher == "srun" else SITE +
               f"SITE_LAUNCHER={launcher}\nSITE_LAUNCHER_FLAGS=()\n")
    site.write("c.yaml", """
name: both
repetitions: 1
repetitions_max: 1
oversubscribe: on
kernel: "null:size=100"
scheme: ss
cells:
  - layout: [2x1, 2x2, 3x1]
""")
    done = site.submit()
    assert done.returncode == 0, done.stderr
    for array in re.findall(r"submitted as array (\d+)", done.stdout):
        site.wait_for_end(array)
    every_cell_once(site.result(), 3, repetitions=1)
    nodes = collections.Counter(
        nodes_of(x) for x in (site.folder / "out").glob("manifest-*.json"))
    assert nodes == {1: 1, 2: 2}, site.logs()


@pytest.mark.cross(group="slurm", part=3)
@needs_slurm
def test_open_mpi_starts_ranks_on_the_nodes_of_a_job(site, openmpi):
    """Its mpiexec asks Slurm where.  Its shared memory would take these nodes
    for one host, which they are."""
    site.write("site.env", SITE + f"""
SITE_PROGRAM={ROOT / openmpi}
SITE_LAUNCHER=mpiexec.openmpi
SITE_LAUNCHER_FLAGS=(--allow-run-as-root --display-map --mca btl self,tcp)
""")
    site.write("c.yaml", """
name: other
repetitions: 1
repetitions_max: 1
oversubscribe: on
kernel: "adjoint:size=12"
scheme: [ss, gss]
transport: master
cells:
  - layout: [2x1, 4x1]
""")
    done = site.submit("--nodes", 2, "--cell-time", 9)
    assert done.returncode == 0, done.stderr
    for array in re.findall(r"submitted as array (\d+)", done.stdout):
        site.wait_for_end(array)
    every_cell_once(site.result(), 4, repetitions=1)
    maps = [re.findall(r"Data for node: (\S+).*Num procs: (\d+)", log)
            for log in site.logs().split("== slurm")[1:]]
    assert sorted([number for _, number in nodes] for nodes in maps) == [
        ["1", "1"], ["2", "2"]], site.logs()
    assert all(first[0] != second[0] for first, second in maps)
    assert all("Open MPI" in json.loads(x.read_text())["mpi"]
               for x in site.result().directory.glob("manifest-*.json"))


@needs_slurm
@needs_mpich
def test_a_run_over_two_types_of_nodes_measures_their_powers(site):
    """Slurm has no arrays of heterogeneous jobs: each shard is a job.  The
    second type is slow here because 8 others compute beside its worker."""
    site.write("site.env", SITE + """
SITE_PARALLEL=1
SITE_SBATCH=(--constraint=first)
SITE_HET_SBATCH=(--constraint=second)
SITE_HET_CORES=1
""")
    site.write("c.yaml", CAMPAIGN.replace("[master, window]", "master")
               .replace("[static, ss, gss, fss]", "[wf, dtss, fss]")
               .replace("KERNEL", "mandelbrot:size=512,maxiter=1000")
               + "    load: w1:8\n")
    done = site.submit("--nodes", "1+1")
    assert done.returncode == 0, done.stderr
    jobs = re.search(r"submitted as jobs (.*)", done.stdout).group(1).split()
    assert len(jobs) == 2
    again = site.submit("--nodes", "1+1")
    assert "is in the queue still" in again.stdout
    for job in jobs:
        site.wait_for_end(job)
    every_cell_once(site.result(), 3)
    status = site.run(JOBS / "status.sh", "out")
    assert status.returncode == 0
    assert {x.split()[2] for x in status.stdout.splitlines()
            if x.startswith("2x1")} == set(jobs)
    (site.folder / "out/submitted.tsv").rename(site.folder / "kept")
    for path in (site.folder / "out").glob("manifest-*.json"):
        slurm = json.loads(path.read_text())["slurm"]
        assert slurm["SLURM_JOB_NODELIST_HET_GROUP_0"] in ("n1", "n2")
        assert slurm["SLURM_JOB_NODELIST_HET_GROUP_1"] in ("n3", "n4")
    assert {x["power"] for x in site.result().runs()} == {"measured"}
    power = collections.defaultdict(set)
    for line in site.result().lines("workers"):
        power[line["launch"], line["worker"]].add(line["power"])
    assert len(power) == 4 and all(len(x) == 1 for x in power.values())
    for (_, worker), (value,) in power.items():
        # 9 when nothing else runs here.
        assert value == 1 if worker == 1 else value > 1.2, power


@needs_slurm
@needs_mpich
@pytest.mark.parametrize("script,cells", [("one-node", 6), ("array", 3)])
def test_the_example_scripts_run(site, script, cells):
    site.write("c.yaml", """
name: example
repetitions: 1
repetitions_max: 1
oversubscribe: on
kernel: "null:size=100"
cells:
  - layout: [1x2, 2x1]
    scheme: [static, ss, gss]
""")
    site.env["DLSBENCH"] = str(ROOT / "build/dlsbench")
    done = site.run("sbatch", "--parsable", f"--output={site.folder}/log-%a",
                    JOBS / f"{script}.sbatch", "c.yaml", "out")
    assert done.returncode == 0, done.stderr
    site.wait_for_end(done.stdout.strip())
    every_cell_once(site.result(), cells, repetitions=1)


@needs_slurm
@needs_mpich
def test_the_signal_before_the_limit_ends_a_task_cleanly(site, lasting):
    """Slurm sends it to the batch shell only, as --signal=B:TERM does."""
    site.write("c.yaml", CAMPAIGN.replace("KERNEL", lasting(0.5)))
    array = site.array()
    site.wait(site.shards_begun)
    shard = min(site.shards_begun())
    site.good("scancel", "--batch", "--signal=TERM", f"{array}_{shard}")
    site.wait(lambda: not any(x.startswith(f"{shard} ")
                              for x in site.queue(array)), 20)
    log = (site.folder / f"out/slurm-{array}_{shard}.out").read_text()
    assert "interrupted: " in log and "resume with: " in log
    assert "ExitCode=1:0" in site.state(f"{array}_{shard}")
    assert not site.drivers(shard)
    for line in site.result().lines("runs"):
        assert line["type"] != "cell_done" or line["status"] == "ok"


@needs_slurm
def test_half_dead_daemons_start_again_and_leave_nothing():
    cluster = Cluster(pathlib.Path(f"/tmp/dlsbench-slurm-half-{os.getpid()}"))
    assert cluster.here("status").stdout == "not running\n"
    try:
        first = cluster.here("start")
        assert first.returncode == 0, first.stderr
        before = set(cluster.processes())
        assert len(before) >= 6
        again = cluster.here("start")
        assert again.stdout == first.stdout
        assert set(cluster.processes()) == before
        killed = sorted(before)[:3]
        for pid in killed:
            os.kill(pid, signal.SIGKILL)
        assert wait_for(lambda: not set(killed) & set(cluster.processes()),
                        20)
        assert cluster.here("status").returncode == 1
        assert cluster.here("start").returncode == 0
        assert len(cluster.processes()) >= 6
        assert not before & set(cluster.processes())
        # A job that runs when all is stopped.
        user = {**os.environ, "SLURM_CONF": str(cluster.folder / "slurm.conf")}
        subprocess.run(["sbatch", "--output=/dev/null", "--wrap",
                        "exec sleep 1000"], env=user, check=True, timeout=30)
        assert wait_for(lambda: len(cluster.processes()) > 7, 20)
    finally:
        assert cluster.here("stop").returncode == 0
    assert not cluster.processes() and not cluster.folder.exists()
    assert cluster.here("stop").returncode == 0


@needs_slurm
def test_what_only_the_cluster_knows(site):
    site.write("site.env", SITE + "SITE_PARTITION=hear\n")
    done = site.submit()
    assert done.returncode == 2
    assert "SITE_PARTITION='hear' is not known, there are: here" in done.stderr
    site.write("site.env", SITE)
    done = site.submit("--time", "1-0")
    assert done.returncode == 2
    assert "limit 1-0 (SITE_TIME or --time) is over 4:00:00" in done.stderr
    done = site.submit("--nodes", 5, "--set", "layout=5x1")
    assert done.returncode == 2
    assert "5x1 needs 5 nodes, partition here has 4" in done.stderr
    site.write("site.env", SITE + "SITE_CORES=4\n")
    done = site.submit()
    assert done.returncode == 2
    assert "SITE_CORES=4 is over 2, the processors of a node" in done.stderr
    assert not (site.folder / "out").exists()


def test_a_folder_of_somebody_else_is_not_removed(tmp_path):
    (tmp_path / "mine").write_text("")
    done = Cluster(tmp_path).here("stop")
    assert done.returncode == 1 and (tmp_path / "mine").exists()


# ---- the README ----

# So that its lines take seconds here, on nodes of two cores of which this host
# has two.
SMALLER = " ".join("--set " + word for word in (
    "cell_time=0.002", "repetitions=2", "repetitions_max=2",
    "oversubscribe=on", "scheme=[tss]", "hierarchy=[flat]"))


def lines_of_the_readme():
    text = (ROOT / "README.md").read_text()
    text = text.split("## On a cluster")[1].split("\n## ")[0]
    return [x.partition("  #")[0].strip() for x in text.splitlines()
            if x.startswith("    ")]


@needs_slurm
@needs_mpich
@pytest.mark.parametrize("outer, words, ok", [
    (["-N1"], [], False), (["-N1"], ["--oversubscribe"], True),
    (["-N1", "--exclusive", "--ntasks-per-node=1"], [], True),
    (["-N2", "-n2"], ["--launcher", "mpiexec.mpich -n {ranks}"], True)])
def test_a_run_inside_a_step_shares_its_processors(site, outer, words, ok):
    """srun starts the program, which starts srun.  One processor is not enough
    for two ranks, unless they may share it."""
    done = site.run("srun", *outer, "sh", "-c",
                    'test "$SLURM_PROCID" != 0 || exec "$@"', "sh",
                    ROOT / "build/dlsbench", "run", "--kernel", "null:size=9",
                    "--scheme", "ss", "--ranks", 2, "--repetitions", 1,
                    "--repetitions-max", 1, *words)
    text = done.stdout + done.stderr
    assert ("1 cell ok" in text) == ok, text
    if not ok:
        assert "the Slurm job has fewer processors than workers" in text
        assert "More processors requested than permitted" in text


@needs_slurm
@needs_mpich
def test_the_way_of_srun_is_one_that_the_site_has(site):
    """Asked in the job; a setting counts more."""
    def launcher():
        done = site.run("srun", "-N1", ROOT / "build/dlsbench", "run",
                        "--kernel", "null", "--scheme", "ss", "--dry-run")
        return re.search("launcher: (.*)", done.stdout)[1]
    assert launcher() == "srun --mpi=pmi2 -n {ranks} -c {threads}"
    done = subprocess.run([ROOT / "build/dlsbench", "doctor"], env=site.env,
                          text=True, capture_output=True, check=False)
    assert "srun: starts ranks of this MPI (mpich) with --mpi=pmi2" in \
        " ".join(done.stdout.split())
    (site.folder / "bin").mkdir()
    site.write("bin/srun", f"""#!/bin/sh
[ "$1" != --mpi=list ] || {{ printf 'MPI plugin types are...\n\tpmix_v4\n'
exit; }}
exec {shutil.which("srun")} "$@"
""")
    (site.folder / "bin/srun").chmod(0o755)
    path = site.env["PATH"]
    site.env["PATH"] = f"{site.folder}/bin:{path}"
    assert launcher() == "srun --mpi=pmix -n {ranks} -c {threads}"
    site.env["XDG_CONFIG_HOME"] = str(site.folder)
    (site.folder / "dlsbench").mkdir()
    site.write("dlsbench/launcher", "  mine -n {ranks}\n")
    assert launcher() == "mine -n {ranks}"
    site.env["DLSBENCH_LAUNCHER"] = "yours -n {ranks}"
    assert launcher() == "yours -n {ranks}"


@pytest.mark.cross(group="slurm", part=3)
@needs_slurm
@needs_mpich
def test_the_lines_of_the_readme_work(site):
    """As they stand, after site.env is filled in; the campaign is a small one.
    The node that was calibrated has another name in Slurm than this host."""
    lines = lines_of_the_readme()
    assert len(lines) == 7 and lines[1].endswith("--out node.json")
    for name in "build", "analysis", "bench", "Makefile", "packages.mk", \
            "programs.mk", "checks.mk", "sim.mk", "faults.mk", "papers.mk", \
            "harness", "base":
        if (ROOT / name).exists():
            (site.folder / name).symlink_to(ROOT / name)
    shutil.copytree(JOBS, site.folder / "jobs", ignore=shutil.ignore_patterns(
        "site.env"))
    said = {}
    for line in lines:
        if "submit.sh" in line:
            line += " " + SMALLER
        if line.startswith("make report"):
            line = line.replace("make report DIR=",
                                "python3 analysis/report.py --no-files ")
        if "status.sh" in line:
            site.wait(lambda: not site.run("squeue", "-h").stdout)
        done = site.run("sh", "-c", line.replace("python3", sys.executable),
                        limit=600)
        assert done.returncode == 0, (line, done.stdout, done.stderr)
        assert "no node of" not in done.stderr
        said[line.split()[0]] = done.stdout
        if line.startswith("cp jobs"):
            with open(site.folder / "jobs/site.env", "a") as file:
                file.write("SITE_PARTITION=here\nSITE_TIME=10\n")
    assert "submitted as array" in said["jobs/submit.sh"]
    assert "failed" in said["jobs/status.sh"]
    assert "below one master with 2 workers" in said["build/dlsbench"]
    page = site.folder / "results/cluster/look/report.html"
    assert "This cluster" in page.read_text()
