"""Other machines for the tests: one with a part of every core, by a quota, and
one that looks faster, by clocks that run slower.  No test may depend on the
speed of the machine; these two find those that do.

    make test QUOTA=0.5     half of every core (as root, with control groups)
    make test FASTER=5      everything takes a fifth of the time
"""
import atexit
import os
import pathlib
import subprocess
import threading

PERIOD_US = 100000


def write(path, text):
    path.write_text(str(text), encoding="utf-8")


def take_quota(share):
    """This process and all that it starts have that share of every core."""
    quota = int(float(share) * PERIOD_US * os.cpu_count())
    top = pathlib.Path("/sys/fs/cgroup")
    old = (top / "cpu/cpu.cfs_quota_us").exists()
    top = top / "cpu" if old else top
    group = top / f"dlsbench-tests-{os.getpid()}"
    group.mkdir()
    if old:
        write(group / "cpu.cfs_period_us", PERIOD_US)
        write(group / "cpu.cfs_quota_us", quota)
    else:
        write(group / "cpu.max", f"{quota} {PERIOD_US}")
    write(group / "cgroup.procs", os.getpid())
    atexit.register(leave, top, group)


def leave(top, group):
    write(top / "cgroup.procs", os.getpid())
    group.rmdir()


def look_faster(times):
    """The environment of programs that shall see a faster machine."""
    if not times:
        return {}
    library = os.path.abspath("build/faster.so")
    os.makedirs("build", exist_ok=True)
    made = f"{library}.{threading.get_ident()}"  # several parts need it
    subprocess.run([os.environ.get("CC", "cc"), "-O2", "-shared", "-fPIC",
                    "-o", made, "tests/faster.c"], check=True)
    os.replace(made, library)
    return {"FASTER": str(times), "LD_PRELOAD": library,
            "ASAN_OPTIONS": "detect_leaks=0:verify_asan_link_order=0"}
