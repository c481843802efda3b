"""What the integration tests share: the programs and result directories."""
import contextlib
import fcntl
import json
import os
import pathlib
import re
import resource
import shlex
import shutil
import socket
import subprocess
import tempfile
import time

import pytest

import slices

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRESS = re.compile(r"dlsbench: (\d+/\d+ cells?|.*, results in |"
                      r"\d+ cells? (is|are) too short)")

# tests/run.py knows these words.
BESIDE = "measured beside other tests"

CACHE = pytest.StashKey[str]()

# A platform to simulate: 4 hosts with 4 cores of 1 Gflop/s.
HOSTS = "".join(f"""
    <host id="h{i}" speed="1Gf" core="4"/>
    <link id="l{i}" bandwidth="1GBps" latency="1us"
          sharing_policy="SPLITDUPLEX"/>
    <host_link id="h{i}" up="l{i}_UP" down="l{i}_DOWN"/>""" for i in range(4))
SMALL = f"""<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1"><zone id="z" routing="Cluster">{HOSTS}
</zone></platform>
"""


def pytest_configure(config):
    # No test reads a calibration of the user's; the workers share the folder.
    if "PYTEST_XDIST_WORKER" not in os.environ:
        home = pathlib.Path.home() / ".cache"
        os.environ.setdefault("CCACHE_DIR", os.path.join(
            os.environ.get("XDG_CACHE_HOME") or home, "ccache"))
        config.stash[CACHE] = tempfile.mkdtemp(prefix="dlsbench-cache-")
        os.environ["XDG_CACHE_HOME"] = config.stash[CACHE]
    config.addinivalue_line("markers", "cross: a full cross, see slices.py")
    config.addinivalue_line("markers", "under(sanitizer): see slices.py")
    config.addinivalue_line("markers", "measures: answers depend on times; "
                            "what fails beside other tests runs again alone")


def pytest_unconfigure(config):
    shutil.rmtree(config.stash.get(CACHE, ""), ignore_errors=True)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item):
    name = item.path.stem.removeprefix("test_")
    if time.time() > float(os.environ.get("TESTS_END") or "inf") and \
            name not in slices.ALWAYS.split() and \
            not slices.touched({name}, slices.seed()):
        pytest.skip("the time of `make test` is over: SLICE="
                    f"{slices.seed()} tests/run.py integration")


def pytest_collection_modifyitems(config, items):
    if os.environ.get("ALL"):
        return
    # Who names a case means it.
    named = [x for x in config.args if "[" in x]
    if not named:
        items[:], out = slices.choose(items, slices.seed())
        config.hook.pytest_deselected(items=out)


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_protocol(item):
    """Processor seconds of the test, with what it prepares, for run.py."""
    before = cpu_seconds()
    item.user_properties.append(("cpu_s", lambda: cpu_seconds() - before))
    yield


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    report = (yield).get_result()
    report.user_properties = [
        (name, f"{value():.2f}" if name == "cpu_s" else value)
        for name, value in item.user_properties]
    if report.failed and item.get_closest_marker("measures") and \
            "PYTEST_XDIST_WORKER" in os.environ:
        report.longrepr = f"{BESIDE}\n{report.longrepr}"


def cpu_seconds():
    """Of this process and of all that it waited for."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF,
                                                resource.RUSAGE_CHILDREN)]
    return sum(x.ru_utime + x.ru_stime for x in used)


class Result:
    """A finished command with its result directory."""

    def __init__(self, code, out, err, directory):
        self.code, self.out, self.err = code, out, err
        self.directory = directory

    def lines(self, kind):
        """All lines of <kind>-*.jsonl that are whole."""
        found = []
        for path in sorted(self.directory.glob(kind + "-*.jsonl")):
            for line in path.read_text().split("\n"):
                try:
                    found.append(json.loads(line))
                except ValueError:
                    assert not line.endswith("}")
        return found

    def done(self):
        return [x for x in self.lines("runs") if x["type"] == "cell_done"]

    def runs(self):
        return [x for x in self.lines("runs") if x["type"] == "run"]

    def error_lines(self):
        """Lines of stderr that are messages, not progress."""
        lines = [x for x in self.err.splitlines()
                 if x and not PROGRESS.match(x)]
        if os.environ.get("MPI") == "openmpi":
            # Its mpiexec has much to say when a program ends with 1.
            lines = [x for x in lines if x.startswith("dlsbench: ")]
        return lines


def copy_tree(tree):
    """The sources, and the objects that are built already, to be changed."""
    for name in ["base", "sched", "kernels", "harness", "dls", "bench",
                 "packaging"]:
        shutil.copytree(ROOT / name, tree / name)
        if (ROOT / "build" / name).is_dir():
            shutil.copytree(ROOT / "build" / name, tree / "build" / name)
    for name in [*(path.name for path in ROOT.glob("*.mk")), "Makefile",
                 "VERSION", "build/flags", "build/found.mk"]:
        if (ROOT / name).exists():
            shutil.copy2(ROOT / name, tree / name)
    return tree


def sanitize_threads(monkeypatch, folder):
    """Reports of the thread sanitizer go to folder/tsan.*."""
    options = f"log_path={folder}/tsan"
    if os.environ.get("MPI") == "openmpi":
        # It takes locks of its own in both orders when it closes links.
        options += ":detect_deadlocks=0"
    monkeypatch.setenv("TSAN_OPTIONS", options)


def assert_same_digits(first, second):
    """Two simulations: all lines but what the day and the machine change."""
    changing = {"launch", "started", "wall_s"}
    for kind in "runs", "workers", "chunks":
        rows = [[{k: v for k, v in row.items() if k not in changing}
                 for row in result.lines(kind)] for result in (first, second)]
        assert rows[0] and rows[0] == rows[1]


def needs_simgrid():
    """make test SIM=0: this part is left out."""
    if os.environ.get("SIM") == "0":
        pytest.skip("SIM=0")


def launcher(ranks):
    """The words that this build starts ranks with."""
    env = {name: value for name, value in os.environ.items()
           if not name.startswith("SLURM_")}
    done = subprocess.run([ROOT / "build/dlsbench", "run", "--kernel", "null",
                           "--scheme", "ss", "--dry-run"], env=env,
                          capture_output=True, text=True, check=True)
    words = shlex.split(re.search("^launcher: (.*)", done.stdout, re.M)[1])
    return [w.replace("{ranks}", str(ranks)) for w in words]


@contextlib.contextmanager
def quota(cores):
    """Words that start a program in a control group below one with this
    quota."""
    groups = pathlib.Path("/sys/fs/cgroup")
    old = groups / "cpu/cpu.cfs_quota_us"
    top = (groups / "cpu" if old.exists() else groups) / f"test-{os.getpid()}"
    try:
        (top / "inside").mkdir(parents=True)
        if old.exists():
            (top / "cpu.cfs_quota_us").write_text(f"{int(cores * 100000)}")
        else:
            (top / "cpu.max").write_text(f"{int(cores * 100000)} 100000")
    except OSError as error:
        pytest.skip(f"no control group can be made here: {error}")
    try:
        yield ["sh", "-c", f"echo $$ > {top}/inside/cgroup.procs && "
               'exec "$0" "$@"']
    finally:
        (top / "inside").rmdir()
        top.rmdir()


def environment(tmp_path):
    env = {name: value for name, value in os.environ.items()
           if not name.startswith(("SLURM_", "DLSBENCH_LAUNCHER"))}
    env["XDG_CACHE_HOME"] = str(tmp_path / "cache")
    env["XDG_CONFIG_HOME"] = str(tmp_path / "config")
    # MPICH and hwloc keep memory until the end.
    env.setdefault("ASAN_OPTIONS", "detect_leaks=0")
    # UCX would hook into a thread's end, after the thread sanitizer's.
    env["UCX_MEM_MMAP_HOOK_MODE"] = "none"
    return env


def earlier_in_cache(tmp_path):
    """The machine's own calibration, as the version before wrote it."""
    path = (tmp_path / "cache/dlsbench" /
            f"calibration-{socket.gethostname()}.json")
    path.parent.mkdir(parents=True)
    stored = pathlib.Path(__file__).parent / "stored_calibrations"
    shutil.copy(stored / "schema-2.json", path)
    return path


def start(program, args, tmp_path, group=False):
    return subprocess.Popen([str(program), *map(str, args)],
                            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, text=True, cwd=tmp_path,
                            env=environment(tmp_path),
                            start_new_session=group)


def another():
    """A result directory that is not there yet."""
    return "out-" + os.urandom(4).hex()


def eventually(attempt, times=5, enough=3):
    """Who else uses this machine changes the shares: one good measurement is
    enough, and one that was not alone (None) says nothing.  Beside other tests
    a failure is no verdict: tests/run.py runs the test again alone."""
    failed = 0
    for _ in range(times):
        good = attempt()
        if good:
            return
        failed += good is not None
        if failed == enough:
            pytest.fail(BESIDE if "PYTEST_XDIST_WORKER" in os.environ else
                        f"{enough} measurements were not as they must be")
    pytest.skip("others use this machine all the time")


@pytest.fixture
def dlsbench(tmp_path):
    """Runs dlsbench in a folder of its own."""
    def call(*args, program="build/dlsbench", out=None, limit=300):
        directory = tmp_path / (out or "out")
        if args and args[0] == "sim":
            needs_simgrid()
        if args and args[0] in ("run", "sim") and "--out" not in args:
            args = (*args, "--out", f"{directory}/")
        process = start(ROOT / program, args, tmp_path)
        text, err = process.communicate(timeout=limit)
        return Result(process.returncode, text, err, directory)
    return call


def make(*words, unless=None):
    """One process at a time: several tests want the same build.  What is there
    already is not made."""
    (ROOT / "build").mkdir(exist_ok=True)
    with open(ROOT / "build/make.lock", "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if unless and unless.exists():
            return
        done = subprocess.run(["make", "--no-print-directory",
                               f"-j{os.cpu_count()}", *words], cwd=ROOT,
                              capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        if unless:
            unless.touch()


def take_objects(folder, *options):
    """For a build with another MPI: objects that know nothing of it, nor of
    how the program is built and started, are those of build/."""
    make("build/dlsbench", "lib")
    make(f"{folder}/flags", f"{folder}/version", *options)
    for name in ["base", "sched", "kernels", "harness", "dls", "bench", "lib",
                 "sim"]:
        for here in (ROOT / "build" / name).rglob("*.d"):
            text = here.read_text()
            there = ROOT / folder / here.relative_to(ROOT / "build")
            knows = "/mpi.h" in text and name != "sim"
            if knows or here.stem in ("build", "launcher") \
                    or here.stem.endswith("_test"):
                continue
            there.parent.mkdir(parents=True, exist_ok=True)
            there.write_text(text.replace("build/", f"{folder}/", 1))
            shutil.copy(here.with_suffix(".o"), there.with_suffix(".o"))


def install(path, *options):
    """libdls into a prefix, once."""
    make("install-lib", *options, f"PREFIX={path}", unless=path / "complete")
    return path


@pytest.fixture(scope="session")
def installed(tmp_path_factory):
    """A prefix with libdls, one for the tests of all processes."""
    place = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        place = place.parent
    return install(place / "installed", "MPI=mpich")


@pytest.fixture
def lasting(tmp_path):
    """Loops that take a worker alone at least so many seconds, on a machine
    however fast: kernel trace measures how fast it works here.  Whatever has
    to last, or to be over before something else, is one of these."""
    def spec(seconds, iterations=256):
        path = tmp_path / f"{iterations}-{seconds}.txt"
        path.write_text(f"{iterations}:{seconds / iterations:.3e}\n")
        return f"trace:file={path}"
    return spec


@pytest.fixture
def campaign(tmp_path):
    """Writes a campaign file."""
    def write(text, name="c.yaml"):
        path = tmp_path / name
        path.write_text(text)
        return path
    return write


def calibrate(folder):
    """The path of a calibration and what was printed.  Where others take the
    cores away a fit may fail: it says so, and tries again."""
    path = folder / "c.json"
    for _ in range(3):
        process = start(ROOT / "build/dlsbench",
                        ("calibrate", "--workers", 2, "--oversubscribe",
                         "--out", path, "--kernel", "heat:rows=64,cols=96",
                         "--kernel", "mandelbrot:maxiter=1000"),
                        folder)
        out, err = process.communicate(timeout=240)
        if process.returncode == 0:
            break
    assert process.returncode == 0, err
    return path, out


@pytest.fixture(scope="session")
def measured(tmp_path_factory):
    """One calibration for all tests, also of several processes: run.py names a
    folder for it."""
    folder = os.environ.get("CALIBRATION_FOLDER")
    if not folder:
        return calibrate(tmp_path_factory.mktemp("calibration"))
    folder = pathlib.Path(folder)
    printed = folder / "printed"
    with open(folder / "lock", "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not printed.exists():
            (folder / "own").mkdir()
            _, out = calibrate(folder / "own")
            printed.write_text(out)
    return folder / "own/c.json", printed.read_text()


@pytest.fixture(scope="session")
def openmpi():
    """The program built with Open MPI, relative to the checkout."""
    # make exports what is set on its command line.
    if os.environ.get("MPI") == "openmpi":
        return "build/dlsbench"
    if shutil.which("mpiexec.openmpi") is None:
        pytest.skip("Open MPI is not installed (make deps test installs it)")
    options = "MPI=openmpi", "BUILD=build/openmpi", "CFLAGS=-O0 -g0"
    take_objects("build/openmpi", *options)
    make("build/openmpi/dlsbench", *options)
    return "build/openmpi/dlsbench"


@pytest.fixture
def disk(tmp_path):
    """Makes a file system of its own of a size such as 64k: its path."""
    made = []

    def mount(size):
        path = tmp_path / f"disk{len(made)}"
        path.mkdir()
        done = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}",
                               "tmpfs", str(path)], stderr=subprocess.DEVNULL,
                              check=False)
        if done.returncode != 0:
            pytest.skip("mounting a small file system is not possible here")
        made.append(path)
        return path
    yield mount
    for path in made:
        subprocess.run(["umount", str(path)], check=True)


@pytest.fixture
def small(tmp_path):
    path = tmp_path / "small.xml"
    path.write_text(SMALL)
    return path


def racks(folder):
    """272 of Ranger's 4,352 nodes."""
    text = (ROOT / "bench/platforms/ranger.xml").read_text()
    assert "0-4351" in text and "16,272;" in text
    path = folder / "racks.xml"
    path.write_text(text.replace("0-4351", "0-271")
                    .replace("16,272;", "16,17;"))
    return path


@pytest.fixture
def sim(dlsbench, small):
    def call(*args, **more):
        if "--platform" not in args:
            args = ("--platform", small, *args)
        return dlsbench("sim", *args, **more)
    return call
