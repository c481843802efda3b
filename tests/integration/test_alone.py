"""Runs are alone: no two launches beside each other on a host, and no two runs
in one result directory."""
import collections
import os
import pathlib
import signal
import socket
import subprocess
import time

import pytest

from conftest import ROOT, Result, environment, start
from test_driver import ranks_of, wait_for

SLOW = """
name: slow
repetitions: 3
repetitions_max: 3
oversubscribe: on
layout: 2x1
cells:
  - kernel: "trace:file=costs.txt"
    scheme: [static, ss, css, gss, fss, tss]
"""

# Writes to a file who runs a plan of the directory when a launch starts.
WITNESS = """#!/bin/sh
for entry in /proc/[0-9]*; do
    tr '\\0' ' ' <$entry/cmdline 2>/dev/null |
        grep -o 'launch OUT/worklist-[^ ]*' >>LOG
done
echo started >>LOG
exec mpiexec.mpich -n "$@"
"""


@pytest.fixture
def slow(tmp_path, campaign):
    (tmp_path / "costs.txt").write_text("0.004\n" * 32)
    return campaign(SLOW)


def begin(tmp_path, path, *words):
    out = tmp_path / "out"
    process = start(ROOT / "build/dlsbench",
                    ["run", path, "--out", f"{out}/", *words], tmp_path)
    wait_for(lambda: any(x.stat().st_size for x in out.glob("runs-*")))
    return process, out


def by_name(name, driver):
    """Processes of this name below the driver."""
    parents = {}
    for entry in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            stat = (entry / "stat").read_text()
        except OSError:
            continue
        comm = stat[stat.index("(") + 1:stat.rindex(")")]
        parents[int(entry.name)] = (int(stat.rsplit(")", 1)[1].split()[1]),
                                    comm)
    found = []
    for pid, (_, comm) in parents.items():
        above = pid
        while above in parents and above != driver:
            above = parents[above][0]
        if above == driver and comm == name:
            found.append(pid)
    return found


def good_cells(out):
    return collections.Counter(x["cell"] for x in
                               Result(0, "", "", out).done()
                               if x["status"] == "ok")


def test_no_launch_starts_beside_what_a_killed_proxy_leaves(tmp_path, slow):
    log = tmp_path / "log"
    witness = tmp_path / "witness.sh"
    witness.write_text(WITNESS.replace("OUT", str(tmp_path / "out")).replace(
        "LOG", str(log)))
    process, out = begin(tmp_path, slow, "--launcher",
                         f"sh {witness} {{ranks}}")
    proxy, = by_name("hydra_pmi_proxy", process.pid)
    orphans = set(ranks_of(out))
    assert len(orphans) == 2
    os.kill(proxy, signal.SIGKILL)
    wait_for(lambda: not orphans & set(ranks_of(out)), 3)
    _, err = process.communicate(timeout=120)
    assert process.returncode == 1, err
    # The new launch is there itself: its launcher carries the plan.
    launches = log.read_text().split("started\n")[:-1]
    assert len(launches) == 2, log.read_text()
    for seen in launches:
        assert len(set(seen.splitlines())) == 1, log.read_text()
    assert not ranks_of(out)


def test_a_killed_driver_is_resumed_at_once_and_no_cell_runs_twice(
        tmp_path, slow):
    process, out = begin(tmp_path, slow)
    process.kill()
    process.wait()
    done = subprocess.run([ROOT / "build/dlsbench", "run", slow, "--out",
                           f"{out}/", "--resume"], cwd=tmp_path, text=True,
                          env=environment(tmp_path), capture_output=True,
                          timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    assert len(good_cells(out)) == 6
    assert set(good_cells(out).values()) == {1}


def test_what_does_not_end_is_named_and_nothing_starts(tmp_path, slow,
                                                       dlsbench):
    (tmp_path / "costs.txt").write_text("0.0001\n" * 32)
    first = dlsbench("run", slow, "--shard", "0/2")
    assert first.code == 0, first.err
    plan = f"{first.directory}/worklist-20260101T000000.000Z-x-1-0of1.json"
    other = subprocess.Popen(["sh", "-c", "while :; do sleep 1; done",
                              "launch", plan])
    try:
        before = sorted(first.directory.iterdir())
        result = dlsbench("run", slow, "--shard", "1/2")
        assert result.code == 2
        line, = result.error_lines()
        assert socket.gethostname() in line
        assert f"process {other.pid} " in line
        assert "20260101T000000.000Z-x-1-0of1" in line
        assert sorted(first.directory.iterdir()) == before
    finally:
        other.kill()
        other.wait()
    assert dlsbench("run", slow, "--shard", "1/2").code == 0


def test_ranks_look_at_their_own_host_too(tmp_path, slow):
    """A driver on another host cannot see what runs there."""
    out = tmp_path / "out"
    out.mkdir()
    plans = [f"{out}/worklist-20260101T00000{i}.000Z-x-1-0of1.json"
             for i in "12"]
    other = subprocess.Popen(["sh", "-c", "while :; do sleep 1; done",
                              "launch", plans[0]])
    try:
        done = subprocess.run([ROOT / "build/dlsbench", "launch", plans[1],
                               "60"], env=environment(tmp_path), text=True,
                              capture_output=True, timeout=60, check=False)
    finally:
        other.kill()
        other.wait()
    assert done.returncode == 1
    assert f"process {other.pid} still runs launch" in done.stderr


def test_ranks_that_wait_in_vain_for_others_end(tmp_path):
    """As those of a proxy that has lost its launcher: it never answers."""
    ours, theirs = socket.socketpair()
    env = {**environment(tmp_path), "PMI_FD": str(theirs.fileno()),
           "PMI_RANK": "0", "PMI_SIZE": "2"}
    begun = time.monotonic()
    done = subprocess.run([ROOT / "build/dlsbench", "launch", "plan.json",
                           "2"], env=env, text=True, capture_output=True,
                          pass_fds=[theirs.fileno()], timeout=60, check=False)
    ours.close()
    theirs.close()
    assert 1.9 < time.monotonic() - begun < 30
    assert done.returncode == 1
    assert done.stderr == ("dlsbench: the ranks of this launch did not all "
                           "start in time\n")


@pytest.mark.parametrize("ends", [signal.SIGTERM, signal.SIGKILL])
def test_a_launcher_that_hangs_goes_with_its_driver(tmp_path, slow, ends):
    """As in MPI_Init: it ends on a signal, what it has started does not."""
    pids = tmp_path / "pids"
    hangs = tmp_path / "hangs.sh"
    hangs.write_text(f"setsid sh -c 'trap \"\" TERM; echo $$ >>{pids}; "
                     f"while :; do sleep 1; done' &\n"
                     f"echo $$ >>{pids}\nwait\n")
    process = start(ROOT / "build/dlsbench",
                    ["run", slow, "--out", f"{tmp_path}/out/", "--launcher",
                     f"sh {hangs} {{ranks}}"], tmp_path)
    wait_for(lambda: pids.exists() and pids.read_text().count("\n") == 2)
    process.send_signal(ends)
    process.communicate(timeout=30)
    for pid in map(int, pids.read_text().split()):
        wait_for(lambda pid=pid: not os.path.exists(f"/proc/{pid}"), 10)


def test_of_runs_that_start_together_one_has_the_directory(tmp_path, slow):
    (tmp_path / "costs.txt").write_text("0.001\n" * 32)
    for resume in [], ["--resume"]:
        args = [ROOT / "build/dlsbench", "run", slow, "--out",
                f"{tmp_path}/out/", *resume]
        several = [subprocess.Popen(
            args, cwd=tmp_path, env=environment(tmp_path), text=True,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            for _ in range(4)]
        said = [x.communicate(timeout=120) for x in several]
        codes = collections.Counter(x.returncode for x in several)
        if not resume:
            assert codes == {0: 1, 2: 3}, said
        for process, (_, err) in zip(several, said):
            if process.returncode == 2:
                assert "another run is in it (host " in err or \
                    "exists: give --resume" in err
        assert set(good_cells(tmp_path / "out").values()) == {1}
        for path in (tmp_path / "out").glob("runs-*"):
            if not resume:
                # Half of it is to be run again.
                lines = path.read_text().splitlines(keepends=True)
                path.write_text("".join(lines[:len(lines) // 2]))


def test_a_run_says_who_has_its_directory(tmp_path, slow, dlsbench):
    process, _ = begin(tmp_path, slow, "--shard", "0/2")
    # It has the directory until all have asked, however long that takes.
    process.send_signal(signal.SIGSTOP)
    try:
        for words in (["--resume"], ["--shard", "1/3"],
                      ["--shard", "0/2", "--resume"]):
            result = dlsbench("run", slow, *words)
            assert result.code == 2, words
            line, = result.error_lines()
            assert "another run is in it" in line
            assert f"process {process.pid}, since 2" in line
            assert socket.gethostname() in line and "launches *-0of2)" in line
        assert dlsbench("run", slow, "--shard", "1/2").code == 0
    finally:
        process.kill()
        process.communicate()
    done = dlsbench("run", slow, "--shard", "0/2", "--resume")
    assert done.code == 0, done.err
    assert len(good_cells(tmp_path / "out")) == 6
    assert set(good_cells(tmp_path / "out").values()) == {1}
