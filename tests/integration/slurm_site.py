"""A Slurm of this one host and a user of it: what the tests of jobs/ share."""
import os
import pathlib
import re
import subprocess
import time

from conftest import ROOT, Result, environment

JOBS = ROOT / "jobs"
ODD = "x; rm -rf ~"
SITE = """
SITE_PARTITION=here
SITE_CORES=2
SITE_TIME=4
SITE_PARALLEL=4
"""
# Two cells for each of four jobs: 90 s of 4 minutes are for cells of 40 s.
CAMPAIGN = f"""
name: "{ODD}"
repetitions: 3
repetitions_max: 3
cell_seconds: 40
oversubscribe: on
layout: 2x1
kernel: "KERNEL"
cells:
  - transport: [master, window]
    scheme: [static, ss, gss, fss]
"""
KERNEL = "mandelbrot:size=512,maxiter=2000"


class Cluster:
    """The daemons in a folder of their own."""

    def __init__(self, folder):
        self.folder = folder
        self.env = {**os.environ, "DLSBENCH_SLURM": str(folder)}

    def here(self, *words):
        return subprocess.run([JOBS / "slurm-here.sh", *words], text=True,
                              env=self.env, timeout=60, capture_output=True)

    def processes(self):
        """Everything that knows the folder."""
        found = []
        for entry in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                text = (entry / "environ").read_bytes() \
                    + (entry / "cmdline").read_bytes() \
                    + os.readlink(entry / "cwd").encode()
            except OSError:
                continue
            if str(self.folder).encode() in text \
                    and int(entry.name) != os.getpid():
                found.append(int(entry.name))
        return found


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
        self.write("c.yaml", CAMPAIGN.replace("KERNEL", KERNEL))

    def write(self, name, text):
        (self.folder / name).write_text(text)

    def run(self, *words, limit=60):
        return subprocess.run([str(x) for x in words], cwd=self.folder,
                              env=self.env, text=True, capture_output=True,
                              timeout=limit)

    def good(self, *words):
        done = self.run(*words)
        assert done.returncode == 0, done.stderr

    def submit(self, *words, campaign="c.yaml"):
        return self.run(JOBS / "submit.sh", campaign, "--site", "site.env",
                        "--out", "./out", *words)

    def array(self, *words):
        """Submits; the array's number."""
        done = self.submit("--nodes", 2, "--cell-time", 40, *words)
        assert done.returncode == 0, done.stderr
        return re.search(r"submitted as array (\d+)", done.stdout).group(1)

    def state(self, job):
        return self.run("scontrol", "show", "job", job).stdout

    def queue(self, array):
        return self.run("squeue", "-h", "-r", "-j", array, "-o",
                        "%K %T").stdout.split("\n")[:-1]

    def wait(self, condition, limit=180):
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
                name = (entry / "comm").read_text().strip()
            except OSError:
                continue
            # Below it is its reaper, which has the same words.
            if words[1:2] == ["run"] and f"{shard}/4" in words \
                    and name == "dlsbench" \
                    and str(self.folder / "out") in words:
                found.append(int(entry.name))
        return found

    def unharmed(self):
        return (self.home / "precious").read_text() == "here"
