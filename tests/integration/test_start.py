"""Launches that die while MPI starts: each is provoked, and the cause is said
in our words with MPI's line behind it."""
import os
import pathlib
import re
import shutil
import subprocess

import pytest

from conftest import ROOT, environment

RUN = [str(ROOT / "build/dlsbench"), "run", "--kernel", "null:size=9",
       "--scheme", "ss", "--ranks", "2", "--repetitions", "1",
       "--repetitions-max", "1", "--oversubscribe"]
CALIBRATE = [RUN[0], "calibrate", "--workers", "2", "--oversubscribe", "--out",
             "c.json"]
needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="not root")


def run(tmp_path, before, *words, command=RUN):
    return subprocess.run(
        ["sh", "-c", before + '; exec "$@"', "sh", *command, *words],
        cwd=tmp_path, env=environment(tmp_path), text=True,
        capture_output=True, timeout=120)


def reason(done, code=1):
    """The one line of the failed cell, or of calibrate."""
    assert done.returncode == code, done.stdout + done.stderr
    (line,) = [x for x in done.stderr.splitlines()
               if x.startswith(("dlsbench: failed", "dlsbench: calibrate",
                                "dlsbench: too few"))]
    return line


@needs_root
@pytest.mark.parametrize("command", [RUN, CALIBRATE])
def test_shared_memory_is_too_small(tmp_path, command):
    done = subprocess.run(
        ["unshare", "-m", "sh", "-c",
         'mount -t tmpfs -o size=64k none /dev/shm; exec "$@"', "sh",
         *command], cwd=tmp_path, env=environment(tmp_path), text=True,
        capture_output=True, timeout=120)
    line = reason(done)
    # What the ranks that died had taken may not be free again.
    free, = re.findall(r"/dev/shm is too small for MPI \((.*) MB are free\)",
                       line)
    assert 0 <= float(free) <= 0.0655
    assert "UCX" in line or "unable to allocate shared memory" in line


@pytest.mark.parametrize("files, behind", [
    (10, "cannot start mpiexec"), (14, ""),
    (20, "unable to allocate shared memory|Fatal error in ")])
def test_too_few_open_files(tmp_path, files, behind):
    line = reason(run(tmp_path, f"ulimit -n {files}"))
    assert f"for MPI: raise ulimit -n ({files} here)" in line
    assert re.search(behind, line)


@needs_root
@pytest.mark.cross(part=2)
@pytest.mark.parametrize("most", [4, 5])
def test_a_limit_on_processes(tmp_path, most):
    """Of the control group, as a container has one.  With room for no rank
    mpiexec tries again for ever, and says nothing: for 25 s, at full speed."""
    group = pathlib.Path("/sys/fs/cgroup/pids")
    if not (group / "cgroup.procs").exists():
        pytest.skip("no control group for pids, of version 1")
    group = group / f"dlsbench-test-{os.getpid()}"
    group.mkdir()
    try:
        (group / "pids.max").write_text(str(most))
        line = reason(run(tmp_path, f"echo $$ >{group}/cgroup.procs"))
        assert "too few processes or threads may be started" in line
    finally:
        group.rmdir()


def test_every_rank_is_rank_0(tmp_path):
    """The launcher is another MPI's."""
    if not shutil.which("mpiexec.openmpi"):
        pytest.skip("no Open MPI")
    line = reason(run(
        tmp_path, ":", "--launcher", "mpiexec.openmpi --allow-run-as-root "
        "--bind-to none --oversubscribe -n {ranks}"))
    assert "every rank is rank 0: the launcher belongs to another MPI" in line
    assert "the launcher started 1 rank, " in line
    again = run(tmp_path, ":", "--launcher", "mpiexec.openmpi -n 9{ranks} "
                "--allow-run-as-root")
    assert "Open MPI counts fewer cores than ranks" in reason(again)


def test_a_host_that_is_not_there(tmp_path):
    """MPICH's mpiexec would wait for it for ever."""
    line = reason(run(tmp_path, ":", "--launcher",
                      "mpiexec.mpich -hosts nohost.invalid -n {ranks}"))
    assert "a host cannot be reached" in line and "nohost.invalid" in line


@needs_root
@pytest.mark.parametrize("route, behind", [
    ("ip route add unreachable 10.0.0.0/8", "No route to host"),
    (":", "Network is unreachable")])
def test_no_route(tmp_path, route, behind):
    """In a network namespace of its own, which has no way out."""
    if not shutil.which("ssh") or not shutil.which("ip"):
        pytest.skip("no ssh, or no ip")
    done = subprocess.run(
        ["unshare", "-n", "sh", "-c", f'ip link set lo up; {route}; exec "$@"',
         "sh", *RUN, "--launcher", "mpiexec.mpich -hosts 10.1.1.1 -n {ranks}"],
        cwd=tmp_path, env=environment(tmp_path), text=True,
        capture_output=True, timeout=120)
    line = reason(done)
    assert "a host cannot be reached" in line and behind in line


@pytest.mark.parametrize("said", [
    "UCX  ERROR ibv_reg_mr(address=0x7f, length=4096, access=0xf) failed: "
    "Cannot allocate memory. Please set max locked memory (ulimit -l) to "
    "'unlimited' (current: 64 kbytes)",
    "libibverbs: Warning: RLIMIT_MEMLOCK is 65536 bytes."])
def test_too_little_locked_memory(tmp_path, said):
    """As libraries of network cards say it; no card is here."""
    (tmp_path / "mine").write_text(f'#!/bin/sh\necho "{said}" >&2\nexit 1\n')
    (tmp_path / "mine").chmod(0o755)
    line = reason(run(tmp_path, ":", "--launcher", "./mine {ranks}"))
    assert "too little memory may be locked for the network card: raise " \
        f"ulimit -l on the nodes: {said[:60]}" in line


def test_another_end_has_no_cause_of_ours(tmp_path):
    """Nothing is claimed that this host contradicts."""
    (tmp_path / "mine").write_text(
        "#!/bin/sh\necho 'unable to allocate shared memory' >&2\nexit 3\n")
    (tmp_path / "mine").chmod(0o755)
    line = reason(run(tmp_path, ":", "--launcher", "./mine {ranks}"))
    assert line.endswith("unable to allocate shared memory (the launch ended "
                         "with exit code 3)") and "too small" not in line
