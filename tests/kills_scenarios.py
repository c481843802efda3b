"""The scenarios of the kill test: campaigns, how to start them, the roles of
their processes, and the required state when they are complete."""
import collections
import contextlib
import json
import os
import pathlib
import shutil
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
PROGRAM = ROOT / "build/dlsbench"
sys.path.insert(0, str(ROOT / "tests/integration"))

# Threads, ranks, dependences, reissue, and trials of scheme auto.
NATIVE = """
name: kills
repetitions: 3
repetitions_max: 3
oversubscribe: on
events: none
cell_timeout: 20
cells:
  - kernel: "mandelbrot:size=200,maxiter=300"
    layout: 1x2
    transport: [shared, steal]
    scheme: [static, gss]
  - kernel: "mandelbrot:size=200,maxiter=300"
    layout: 2x1
    transport: [master, window]
    scheme: [ss, fss, "auto:by=trial,schemes=ss+gss"]
  - kernel: "heat:rows=60,cols=200"
    layout: [1x2, 2x1]
    sync_interval: 50
    scheme: [tss]
  - kernel: "adjoint:size=20"
    layout: [1x2, 2x1]
    scheme: gss
    reissue: true
    perturb: [none, "gone:worker=1"]
"""
SIMULATED = """
name: kills
repetitions: 1
repetitions_max: 1
platform: PLATFORM
cells:
  - kernel: "mandelbrot:size=200,maxiter=300"
    layout: [8x1, 4x2, 16x1]
    scheme: [static, ss, gss, tss]
  - kernel: "heat:rows=60,cols=200"
    layout: 4x1
    sync_interval: [10, 50]
    scheme: [tss]
"""
AUTO = """
name: kills
repetitions: 3
repetitions_max: 3
oversubscribe: on
events: none
cell_timeout: 20
cells:
  - kernel: "mandelbrot:size=200,maxiter=300"
    layout: [1x2, 2x1]
    scheme: [gss, "auto:by=simulation,schemes=ss+gss+tss"]
"""
JOB = """#!/bin/bash
if [ -e out/campaign.yaml ]; then resume=--resume; fi
exec {program} run {campaign} --out ./out/ $resume
"""


class Wrong(Exception):
    """A violated requirement."""


def json_lines(path):
    for line in path.read_text(errors="replace").split("\n"):
        with contextlib.suppress(ValueError):
            yield json.loads(line)


def check_results(out, cells, repetitions):
    """Every cell once, complete and verified."""
    ended, rows, said = collections.Counter(), collections.Counter(), {}
    for path in out.glob("runs-*.jsonl"):
        lines = list(json_lines(path))
        good = [x for x in lines
                if x["type"] == "cell_done" and x["status"] == "ok"]
        ended.update(x["cell"] for x in good)
        said.update((x["cell"], x["repetitions"]) for x in good)
        good = {x["cell"] for x in good}
        for line in lines:
            if line["type"] == "run" and line["cell"] in good:
                rows[line["cell"]] += 1
                if line["verified"] not in (True, "handed out"):
                    raise Wrong(f"not verified: {line['cell']} in {path}")
    if set(ended) != set(cells):
        raise Wrong(f"{len(ended)} cells instead of {len(cells)}")
    several = {x: n for x, n in ended.items() if n != 1}
    if several:
        raise Wrong(f"cells that are there several times: {several}")
    wrong = {x: n for x, n in rows.items()
             if n != said[x] or n < repetitions}
    if wrong:
        raise Wrong(f"cells with other repetitions than {said}: {wrong}")
    hidden = [x.name for x in out.rglob("*")
              if x.name.startswith(("worklist-", ".dlsbench-"))]
    if hidden:
        raise Wrong(f"left in the directory: {hidden}")


class Scenario:
    """A campaign of MPI ranks."""
    name, share, remote = "native", 12, False
    roles = ["driver", "reaper", "launcher", "proxy", "rank", "rank"]
    text, repetitions, verb = NATIVE, 3, "run"

    def __init__(self, folder, env, program):
        self.env, self.program = env, program
        self.campaign = folder / f"{self.name}.yaml"
        self.campaign.write_text(self.text.replace(
            "PLATFORM", str(folder / "small.xml")))
        dry = subprocess.run([program, self.verb, self.campaign, "--dry-run",
                              "--format", "csv"], env=env, check=True,
                             capture_output=True, text=True, cwd=folder)
        self.cells = [x.split(",")[0] for x in dry.stdout.split()[1:]]
        self.time_it(folder / f"timed-{self.name}")

    def time_it(self, folder):
        """How long it takes undisturbed."""
        folder.mkdir()
        (folder / "tmp").mkdir()
        self.prepare(folder)
        start = time.monotonic()
        subprocess.run(self.command(folder, False), env=self.env, cwd=folder,
                       check=True, capture_output=True, timeout=300)
        self.seconds = time.monotonic() - start
        self.check(folder)

    def prepare(self, folder):
        pass

    def command(self, folder, resume):
        return [self.program, self.verb, self.campaign, "--out",
                f"{folder}/out/", *["--resume"] * resume]

    def exists(self, folder):
        return (folder / "out/campaign.yaml").exists()

    def is_ours(self, _pid, _words, marked):
        return marked

    def role(self, pid, parent, words, driver):
        program = os.path.basename(words[0])
        if pid == driver:
            return "driver"
        if parent == driver and words[1:2] == [self.verb]:
            return "reaper"
        if "launch" in words[1:2]:
            return "rank"
        return {"hydra_pmi_proxy": "proxy", "dlsbench-sim": "rank",
                "dlsbench": "other"}.get(program, "launcher")

    def check(self, folder):
        check_results(folder / "out", self.cells, self.repetitions)


class Simulated(Scenario):
    """The same of simulated ranks, in one process."""
    name, share = "sim", 3
    roles = ["driver", "reaper", "launcher", "rank"]
    text, repetitions, verb = SIMULATED, 1, "sim"


class Auto(Scenario):
    """Simulations, and then what they chose."""
    name, share = "auto", 1
    roles = ["driver", "reaper", "launcher", "rank"]
    text = AUTO

    def command(self, folder, resume):
        return [*super().command(folder, resume), "--calibration",
                self.campaign.parent / "calibration.json"]


class Calibrate(Scenario):
    """A file that is there whole or not at all."""
    name, share = "calibrate", 1
    roles = ["driver", "reaper", "launcher", "proxy", "rank"]
    verb = "calibrate"

    def __init__(self, folder, env, program):
        self.env, self.program = env, program
        # Where others take the cores away a fit fails, and says so.
        for attempt in range(5):
            with contextlib.suppress(subprocess.CalledProcessError):
                self.time_it(folder / f"timed-calibrate-{attempt}")
                break
        else:
            raise SystemExit("kills: calibrate fails on this machine")
        shutil.copy(folder / f"timed-calibrate-{attempt}/c.json",
                    folder / "calibration.json")

    def command(self, folder, resume):
        return [self.program, "calibrate", "--workers", "2", "--oversubscribe",
                "--out", folder / "c.json"]

    def exists(self, folder):
        if (folder / "c.json").exists():
            raise Wrong("a calibration that failed is there")
        return False

    def check(self, folder):
        json.loads((folder / "c.json").read_text())
        left = [x.name for x in folder.glob("c.json?*")]
        if left:
            raise Wrong(f"left: {left}")


class Slurm(Scenario):
    """A job of two nodes, which is submitted again until it is complete."""
    name, share, remote = "slurm", 2, True
    roles = ["driver", "reaper", "launcher", "rank", "batch step", "step"]
    repetitions = 3
    text = "\n".join(x for x in NATIVE.replace("[1x2, 2x1]", "2x1").split(
        "\n")).replace('layout: 1x2\n    transport: [shared, steal]',
                       'layout: 2x1\n    transport: steal').replace(
        "[static, gss]", "[gss]")

    def __init__(self, folder, env, program, cluster):
        self.cluster = cluster
        super().__init__(folder, {**env, "SLURM_CONF": str(
            cluster.folder / "slurm.conf")}, program)

    def time_it(self, folder):
        """Without the time that the job waits for its start."""
        super().time_it(folder)
        files = [x.stat().st_mtime for x in (folder / "out").iterdir()]
        self.seconds = max(files) - min(files) + 0.5

    def prepare(self, folder):
        (folder / "job.sh").write_text(JOB.format(program=self.program,
                                                  campaign=self.campaign))

    def command(self, folder, resume):
        return ["sbatch", "--wait", "-N2", "-n2", "--no-requeue", "-o",
                folder / "job.out", "--open-mode=append", folder / "job.sh"]

    def is_ours(self, _pid, words, marked):
        return words[0].startswith("slurmstepd: [") and \
            pathlib.Path(f"/proc/{_pid}/cwd").exists() and \
            os.readlink(f"/proc/{_pid}/cwd") == str(self.cluster.folder) \
            or marked and os.path.basename(words[0]) not in ("sbatch", "sleep")

    def role(self, pid, parent, words, driver):
        if words[0].startswith("slurmstepd"):
            return "batch step" if ".batch]" in words[0] else "step"
        if words[1:2] == ["run"]:
            above = pathlib.Path(f"/proc/{parent}/comm")
            above = above.read_text() if above.exists() else ""
            return "driver" if "slurmstepd" in above else "reaper"
        if words[1:2] == ["launch"]:
            return "rank"
        return "launcher" if "srun" in words[0] else "other"


@contextlib.contextmanager
def make(folder, options):
    """All scenarios by name; those that take long only where many rounds or
    somebody asks for them."""
    import conftest
    many = options.rounds >= 50
    env = {name: value for name, value in os.environ.items()
           if not name.startswith("SLURM_")}
    env["XDG_CACHE_HOME"] = str(folder / "cache")
    (folder / "small.xml").write_text(conftest.SMALL)
    wanted = {options.only} if options.only else {"native", "sim"} | (
        {"calibrate", "auto", "slurm"} if many else set())
    if "auto" in wanted:
        wanted.add("calibrate")
    if os.environ.get("SIM") == "0":
        wanted -= {"sim", "auto"}
    found = {x.name: x(folder, env, options.program.resolve())
             for x in (Scenario, Simulated, Calibrate, Auto)
             if x.name in wanted}
    if "slurm" not in wanted or os.geteuid() != 0 or \
            shutil.which("slurmctld") is None:
        yield found
        return
    from slurm_site import Cluster
    cluster = Cluster(folder / "slurm")
    done = cluster.here("start")
    if done.returncode != 0:
        raise SystemExit(done.stderr)
    try:
        found["slurm"] = Slurm(folder, env, options.program.resolve(),
                               cluster)
        yield found
    finally:
        cluster.here("stop")
