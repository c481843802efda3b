"""Job arrays under a real Slurm of four nodes on this host: killed, cancelled
and requeued tasks lose nothing and repeat nothing."""
import collections
import json
import os
import pathlib
import re
import shlex
import shutil
import signal
import subprocess
import time

import pytest

from conftest import ROOT, Result, environment

JOBS = ROOT / "jobs"
DAEMONS = ("munged", "slurmctld", "slurmd", "sbatch")
MISSING = [x for x in DAEMONS if not shutil.which(x)]
# make exports what is set on its command line.
OTHER_MPI = os.environ.get("MPI", "mpich") != "mpich"
needs_slurm = pytest.mark.skipif(
    bool(MISSING) or os.geteuid() != 0 or OTHER_MPI,
    reason=f"not installed: {', '.join(MISSING)}" if MISSING
    else "Slurm is tested with MPICH" if OTHER_MPI
    else "Slurm's daemons must run as root")

ODD = "x; rm -rf ~"
SITE = """
SITE_PARTITION=here
SITE_CORES=2
SITE_TIME=4
SITE_PARALLEL=4
SITE_LAUNCHER=srun
SITE_LAUNCHER_FLAGS=(--mpi=pmi2)
"""
# Two cells for each of four jobs: 90 s of 4 minutes are for cells of 40 s.
CAMPAIGN = f"""
name: "{ODD}"
repetitions: 3
repetitions_max: 3
cell_seconds: 40
oversubscribe: on
layout: 2x1
kernel: "mandelbrot:size=512,maxiter=SIZE"
cells:
  - transport: [master, window]
    scheme: [static, ss, gss, fss]
"""


class Cluster:
    """The daemons in a folder of their own."""

    def __init__(self, folder):
        self.folder = folder
        self.env = {**os.environ, "DLSBENCH_SLURM": str(folder)}

    def here(self, command):
        return subprocess.run([JOBS / "slurm-here.sh", command], text=True,
                              env=self.env, timeout=60, capture_output=True)

    def processes(self):
        """Everything that knows the folder."""
        found = []
        for entry in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                text = (entry / "environ").read_bytes() \
                    + (entry / "cmdline").read_bytes()
            except OSError:
                continue
            if str(self.folder).encode() in text \
                    and int(entry.name) != os.getpid():
                found.append(int(entry.name))
        return found


@pytest.fixture(scope="module")
def cluster():
    folder = pathlib.Path(f"/tmp/dlsbench-slurm-test-{os.getpid()}")
    cluster = Cluster(folder)
    started = cluster.here("start")
    assert started.returncode == 0, started.stderr
    yield cluster
    assert cluster.here("stop").returncode == 0
    assert not folder.exists() and not cluster.processes()


class Site:
    """A user of the cluster: a folder with settings and a campaign."""

    def __init__(self, folder, conf=None):
        self.folder = folder
        self.home = folder / "home"
        self.home.mkdir()
        (self.home / "precious").write_text("here")
        self.env = {**environment(folder), "HOME": str(self.home)}
        if conf:
            self.env["SLURM_CONF"] = str(conf)
        self.write("site.env", SITE)
        self.write("c.yaml", CAMPAIGN.replace("SIZE", "2000"))

    def write(self, name, text):
        (self.folder / name).write_text(text)

    def run(self, *words):
        return subprocess.run([str(x) for x in words], cwd=self.folder,
                              env=self.env, text=True, capture_output=True,
                              timeout=60)

    def submit(self, *words, campaign="c.yaml"):
        return self.run(JOBS / "submit.sh", campaign, "--site", "site.env",
                        "--out", "./out", *words)

    def array(self, *words):
        """Submits; the array's number."""
        done = self.submit("--nodes", 2, *words)
        assert done.returncode == 0, done.stderr
        return re.search(r"submitted as array (\d+)", done.stdout).group(1)

    def state(self, job):
        return self.run("scontrol", "show", "job", job).stdout

    def queue(self, array):
        return self.run("squeue", "-h", "-r", "-j", array, "-o",
                        "%K %T").stdout.split("\n")[:-1]

    def wait(self, condition, limit=60):
        end = time.monotonic() + limit
        while not condition():
            assert time.monotonic() < end, self.logs()
            time.sleep(0.1)

    def wait_for_end(self, array):
        self.wait(lambda: not self.queue(array))

    def logs(self):
        return "".join(f"== {x.name}\n{x.read_text()}" for x in
                       sorted((self.folder / "out").glob("slurm-*")))

    def result(self):
        return Result(0, "", "", self.folder / "out")

    def shards_begun(self):
        """Shards of four with a measured repetition."""
        return {int(re.search(r"-(\d)of4", x.name).group(1))
                for x in (self.folder / "out").glob("runs-*of4.jsonl")
                if x.stat().st_size}

    def drivers(self, shard):
        """The processes of `dlsbench run` of this shard."""
        found = []
        for entry in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                words = (entry / "cmdline").read_bytes().decode().split("\0")
            except OSError:
                continue
            if words[1:2] == ["run"] and f"{shard}/4" in words \
                    and str(self.folder / "out") in words:
                found.append(int(entry.name))
        return found

    def unharmed(self):
        return (self.home / "precious").read_text() == "here"


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


@needs_slurm
def test_killed_cancelled_and_requeued_tasks_lose_nothing(site):
    site.write("c.yaml", CAMPAIGN.replace("SIZE", "8000"))
    array = site.array()
    assert site.queue(array) and site.unharmed()
    site.wait(lambda: site.shards_begun() == {0, 1, 2, 3})
    state = site.state(array + "_0")
    assert "NumNodes=2" in state and "Requeue=1" in state
    assert f"JobName={ODD}" in state

    os.kill(site.drivers(1)[0], signal.SIGKILL)
    assert site.run("scancel", array + "_2").returncode == 0
    assert site.run("scontrol", "requeue", array + "_3").returncode == 0
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


@needs_slurm
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


@needs_slurm
def test_a_run_over_two_types_of_nodes_measures_their_powers(site):
    """Slurm has no arrays of heterogeneous jobs: each shard is a job."""
    site.write("site.env", SITE + """
SITE_PARALLEL=1
SITE_SBATCH=(--constraint=first)
SITE_HET_SBATCH=(--constraint=second)
SITE_HET_CORES=1
""")
    site.write("c.yaml", CAMPAIGN.replace("[master, window]", "master")
               .replace("[static, ss, gss, fss]", "[wf, dtss, fss]")
               .replace("SIZE", "1000"))
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
    power = collections.defaultdict(set)
    for line in site.result().lines("workers"):
        power[line["launch"], line["worker"]].add(line["power"])
    assert len(power) == 4 and all(len(x) == 1 for x in power.values())
    assert min(min(x) for x in power.values()) == 1


@needs_slurm
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
def test_the_signal_before_the_limit_ends_a_task_cleanly(site):
    """Slurm sends it to the batch shell only, as --signal=B:TERM does."""
    site.write("c.yaml", CAMPAIGN.replace("SIZE", "20000"))
    array = site.array()
    site.wait(lambda: 0 in site.shards_begun())
    site.run("scancel", "--batch", "--signal=TERM", array + "_0")
    site.wait(lambda: not any(x.startswith("0 ")
                              for x in site.queue(array)), 20)
    log = (site.folder / f"out/slurm-{array}_0.out").read_text()
    assert "interrupted: " in log and "resume with: " in log
    assert "ExitCode=1:0" in site.state(array + "_0")
    assert not site.drivers(0)
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
        for pid in sorted(before)[:3]:
            os.kill(pid, signal.SIGKILL)
        assert cluster.here("status").returncode == 1
        assert cluster.here("start").returncode == 0
        assert len(cluster.processes()) >= 6
        assert not before & set(cluster.processes())
    finally:
        assert cluster.here("stop").returncode == 0
    assert not cluster.processes() and not cluster.folder.exists()
    assert cluster.here("stop").returncode == 0


def test_a_folder_of_somebody_else_is_not_removed(tmp_path):
    (tmp_path / "mine").write_text("")
    done = Cluster(tmp_path).here("stop")
    assert done.returncode == 1 and (tmp_path / "mine").exists()


# ---- what is refused, or said before anything is submitted ----

@pytest.fixture
def desk(tmp_path):
    """A user without a cluster: --dry-run needs none."""
    return Site(tmp_path)


def sbatch_lines(done):
    assert done.returncode == 0, done.stderr
    return [shlex.split(x) for x in done.stdout.splitlines()
            if x.startswith("    sbatch")]


def test_a_dry_run_prints_each_array_and_makes_nothing(desk):
    done = desk.submit("--nodes", "1,2", "--dry-run", "--set",
                       "layout=[2x1,4x1,1x2]")
    lines = sbatch_lines(done)
    assert [[x for x in line if x.startswith((
        "--nodes", "--ntasks", "--cpus", "--array"))] for line in lines] == [
        ["--nodes=1", "--ntasks=1", "--ntasks-per-node=1",
         "--cpus-per-task=2", "--array=0-1%4"],
        ["--nodes=1", "--ntasks=2", "--ntasks-per-node=2",
         "--cpus-per-task=1", "--array=0-3%4"],
        ["--nodes=2", "--ntasks=4", "--ntasks-per-node=2",
         "--cpus-per-task=1", "--array=0-3%4"]]
    for line in lines:
        assert {"--signal=B:TERM@60", "--requeue", "--partition=here",
                "--resume", "name=c"} <= set(line)
    assert not (desk.folder / "out").exists()


def test_shards_are_as_many_as_the_time_needs(desk):
    def shards(*words):
        (line,) = sbatch_lines(desk.submit("--dry-run", *words))
        return line[line.index("--") - 1]
    assert shards() == "4"  # two of 40 s in 90 s
    assert shards("--time", "0-01:00:00") == "1"
    assert shards("--cell-time", 90) == "8"
    assert shards("--cell-time", 11) == "1"
    assert shards("--time", "3:30") == "8"
    said = desk.submit("--dry-run").stdout
    assert "about 320 s in all (8 by limit), 4 shards" in said
    said = desk.submit("--dry-run", "--cell-time", 11).stdout
    assert "(8 by --cell-time), 1 shards" in said


@pytest.mark.parametrize("words,says", [
    (["--site", "none.env"], "none.env is not there: copy"),
    (["--time", "3"], "a time limit of 3 leaves 30 s for cells"),
    (["--cell-time", "91"], "a cell may take 91 s"),
    (["--cell-time", "0"], "--cell-time: '0' must be whole seconds"),
    (["--time", "soon"], "the time limit 'soon'"),
    (["--nodes", "0"], "--nodes: '0' must be numbers"),
    (["--nodes", "1+0"], "--nodes: '1+0' must be numbers"),
    (["--nodes", "1+1"], "SITE_HET_CORES='' must be a number"),
    (["--nodes", "4"], "layout 2x1 does not fit on 4 nodes"),
    (["--set", "layout=1x3"], "3 threads do not fit on a node of 2 cores"),
    (["--set", "scheme=gsss"], "gsss"),
    (["--calibration", "none.json"], "none.json"),
    (["--nods", "4"], "'--nods' is not known"),
    (["other.yaml"], "one word too many"),
    (["--out"], "--out: a value is missing"),
])
def test_bad_input_is_one_clear_line(desk, words, says):
    done = desk.submit("--dry-run", *words)
    assert done.returncode == 2 and done.stdout == ""
    assert len(done.stderr.splitlines()) == 1 and says in done.stderr


@pytest.mark.parametrize("line,says", [
    ("SITE_CORES=many", "SITE_CORES='many' must be a number"),
    ("SITE_LAUNCHER=prun", "SITE_LAUNCHER='prun' is not known"),
    ("SITE_PROGRAM=/none/dlsbench", "/none/dlsbench is not found"),
    ("SITE_LAUNCHER_FLAGS=(\"a'\\\"\")", "both kinds of quotes"),
])
def test_wrong_settings_are_one_clear_line(desk, line, says):
    desk.write("site.env", SITE + line + "\n")
    done = desk.submit("--dry-run")
    assert done.returncode == 2 and done.stdout == ""
    assert len(done.stderr.splitlines()) == 1 and says in done.stderr


def test_a_calibration_of_a_node_estimates(desk, measured):
    done = desk.submit("--dry-run", "--calibration", measured[0], "--set",
                       "kernel=heat:rows=64,cols=96", "--set",
                       "transport=[master]")
    assert done.returncode == 0 and "(4 by model)" in done.stdout


@pytest.mark.parametrize("says,words", [
    ("HYDRA build details", "-ppn 1 -n"),
    ("mpiexec (OpenRTE) 4.1.4", "--map-by ppr:1:node --bind-to none -n")])
def test_each_mpi_is_told_the_ranks_of_a_node_in_its_words(desk, says, words):
    desk.write("mpirun", f"#!/bin/sh\necho '{says}'\n")
    (desk.folder / "mpirun").chmod(0o755)
    desk.write("site.env", SITE + f"SITE_LAUNCHER={desk.folder}/mpirun\n"
               "SITE_LAUNCHER_FLAGS=()\n")
    (line,) = sbatch_lines(desk.submit("--dry-run", "--nodes", 2))
    assert f"mpirun {words} {{ranks}}" in line[line.index("--launcher") + 1]


def test_settings_with_blanks_stay_one_word(desk):
    desk.write("site.env", SITE + "SITE_ACCOUNT='a b; $(touch bad)'\n"
               "SITE_SBATCH=('--comment=x  y; touch bad')\n")
    (line,) = sbatch_lines(desk.submit("--dry-run"))
    assert "--account=a b; $(touch bad)" in line
    assert "--comment=x  y; touch bad" in line
    assert not (desk.folder / "bad").exists()


@pytest.mark.parametrize("layout,nodes,parts", [
    ("2x1", "1+1", [1, 1]), ("8x1", "1+1", [6, 2]), ("4x1", "1+2", [2, 2]),
    ("3x2", "1+1", [2, 1]), ("12x1", "2+2", [9, 3])])
def test_ranks_are_shared_out_as_the_cores_of_two_types(desk, layout, nodes,
                                                        parts):
    desk.write("site.env", SITE.replace("SITE_CORES=2", "SITE_CORES=6")
               + "SITE_HET_CORES=2\nSITE_HET_SBATCH=(--constraint=old)\n")
    (first, *_) = sbatch_lines(desk.submit("--dry-run", "--nodes", nodes,
                                           "--set", f"layout={layout}"))
    assert [int(x[9:]) for x in first if x.startswith("--ntasks=")] == parts
    assert "srun '--mpi=pmi2' --het-group=0,1 -c {threads}" in first
    assert "--constraint=old" in first[first.index(":"):]


@pytest.mark.parametrize("settings,words,says", [
    ("SITE_HET_CORES=2", ["1+1"], "SITE_HET_SBATCH is empty"),
    ("SITE_HET_CORES=2\nSITE_HET_SBATCH=(-C old)\nSITE_LAUNCHER=mpiexec",
     ["1+1"], "only srun starts the ranks"),
    ("SITE_HET_CORES=2\nSITE_HET_SBATCH=(-C old)", ["2+1"],
     "layout 2x1 does not fit on 2 nodes of 2 cores (SITE_CORES) and 1 of 2"),
])
def test_wrong_second_types_are_one_clear_line(desk, settings, words, says):
    desk.write("site.env", SITE + settings + "\n")
    done = desk.submit("--dry-run", "--nodes", *words)
    assert done.returncode == 2 and done.stdout == ""
    assert len(done.stderr.splitlines()) == 1 and says in done.stderr


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
    assert not (site.folder / "out").exists()


def test_the_directory_of_another_campaign_stays_as_it_is(desk, dlsbench):
    done = dlsbench("run", "--kernel", "null:size=50", "--scheme", "ss",
                    "--threads", 1)
    assert done.code == 0, done.err
    before = sorted(done.directory.iterdir())
    refused = desk.submit("--dry-run")
    assert refused.returncode == 2
    assert "holds another campaign" in refused.stderr
    assert sorted(done.directory.iterdir()) == before
    status = desk.run(JOBS / "status.sh", "out")
    assert status.returncode == 2
    assert "nothing was submitted for it" in status.stderr
