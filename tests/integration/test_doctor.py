"""dlsbench doctor: what it says of this machine as it is, and of one that was
made worse."""
import json
import os
import re
import shutil
import subprocess

import pytest

from conftest import ROOT, quota

DLSBENCH = ROOT / "build/dlsbench"


def doctor(*before, env=None):
    done = subprocess.run([*before, DLSBENCH, "doctor", "--format", "json"],
                          env={**os.environ, **(env or {})}, text=True,
                          capture_output=True, timeout=120)
    rows = {row["check"]: row for row in json.loads(done.stdout)["rows"]}
    bad = any(row["health"] == "bad" for row in rows.values())
    assert done.returncode == bad and done.stderr == ""
    return rows


def test_this_machine_starts_two_ranks():
    rows = doctor()
    assert rows["two ranks"]["health"] == "fine", rows["two ranks"]
    assert re.search(r"\(of version (\S+), MPI is \1\)",
                     rows["two ranks"]["text"]), rows["two ranks"]
    assert rows["topology"]["health"] == "fine"
    if rows["others"]["health"] == rows["hypervisor"]["health"] == "fine":
        assert re.search(r"after \d+ ns", rows["hand-over"]["text"])
    assert {"cores", "quota", "others", "own core", "shared memory",
            "scratch", "counters"} <= set(rows)


def test_one_core_and_a_launcher_that_is_not_there():
    core = str(max(os.sched_getaffinity(0)))
    rows = doctor("taskset", "-c", core, env={
        "DLSBENCH_LAUNCHER": "nonsense -n {ranks}", "OMP_NUM_THREADS": "7"})
    if os.cpu_count() > 1:
        assert rows["cores"]["health"] == "bad"
        assert f"processor {core} alone" in rows["cores"]["text"]
    assert rows["two ranks"]["health"] == "bad"
    assert "'nonsense' is not found" in rows["two ranks"]["text"]
    assert "OMP_NUM_THREADS=7" in rows["variables"]["text"]


def test_ranks_that_share_a_core_and_a_launcher_of_another_mpi():
    """The launcher binds, this process does not."""
    core = str(max(os.sched_getaffinity(0)))
    if len(os.sched_getaffinity(0)) > 1:
        rows = doctor(env={"DLSBENCH_LAUNCHER":
                           f"taskset -c {core} mpiexec.mpich -n {{ranks}}"})
        assert rows["cores"]["health"] == "fine"
        assert rows["two ranks"]["health"] == "bad"
        assert f"fails: workers 0 and 1 share core {core}" in \
            rows["two ranks"]["text"]
    if shutil.which("mpiexec.openmpi"):
        rows = doctor(env={
            "DLSBENCH_LAUNCHER": "mpiexec.openmpi --allow-run-as-root "
                                 "--oversubscribe -n {ranks}"})
        assert rows["two ranks"]["health"] == "bad"
        assert "{ranks}' fails: every rank is rank 0" in \
            rows["two ranks"]["text"]


@pytest.mark.parametrize("option, words", [
    ("size=8m", "has 8 MB free: MPI needs more"), ("ro", "is read-only")])
def test_shared_memory_that_is_small_or_read_only(option, words):
    within = ["unshare", "-m", "sh", "-c", f"mount -t tmpfs -o {option} none "
              '/dev/shm && exec "$0" "$@"']
    if subprocess.run([*within, "true"], capture_output=True).returncode:
        pytest.skip("no folder can be mounted here")
    rows = doctor(*within)
    assert rows["shared memory"]["health"] == "bad"
    assert rows["shared memory"]["text"] == f"/dev/shm {words}" + (
        " for its ranks (docker --shm-size)" if "more" in words else "")
    assert rows["two ranks"]["health"] == "bad"
    assert "/dev/shm is too small" in rows["two ranks"]["text"]


def test_a_quota_of_half_a_core():
    with quota(0.5) as words:
        rows = doctor(*words)
    assert rows["quota"]["health"] == "bad"
    assert "0.5 of" in rows["quota"]["text"]
    assert rows["own core"]["health"] == "bad", rows["own core"]


def test_a_link_to_the_launcher_has_no_proxy_beside_it(tmp_path):
    (tmp_path / "mpiexec").symlink_to(shutil.which("mpiexec.mpich"))
    launcher = f"{tmp_path}/mpiexec -n {{ranks}}"
    rows = doctor(env={"DLSBENCH_LAUNCHER": launcher})
    assert rows["two ranks"]["health"] == "bad"
    assert "fails: the launcher needs its hydra_pmi_proxy in its own folder" \
        in rows["two ranks"]["text"]


@pytest.mark.parametrize("way, health", [("pmi2", "fine"), ("none", "warn")])
def test_srun_is_asked_for_its_ways(tmp_path, way, health):
    srun = tmp_path / "srun"
    srun.write_text("#!/bin/sh\n"
                    f"printf 'MPI plugin types are...\\n\\t{way}\\n'\n")
    srun.chmod(0o755)
    rows = doctor(env={"PATH": f"{tmp_path}:{os.environ['PATH']}"})
    assert rows["srun"]["health"] == health, rows["srun"]


def test_an_srun_without_a_cluster_is_no_fault(tmp_path):
    srun = tmp_path / "srun"
    srun.write_text("#!/bin/sh\necho 'srun: fatal: no configuration source' "
                    ">&2\nexit 1\n")
    srun.chmod(0o755)
    assert "srun" not in doctor(
        env={"PATH": f"{tmp_path}:{os.environ['PATH']}"})


def test_a_busy_machine_is_called_busy():
    busy = [subprocess.Popen(["sh", "-c", "while :; do :; done"])
            for _ in range(2 * os.cpu_count())]
    try:
        rows = doctor()
    finally:
        for one in busy:
            one.kill()
            one.wait()
    assert rows["others"]["health"] == "bad", rows["others"]
    assert rows["own core"]["health"] == "bad", rows["own core"]
    assert "frequency" not in rows


def test_bad_lines_come_first_and_fit():
    text = subprocess.run([DLSBENCH, "doctor"], text=True, timeout=120,
                          stdout=subprocess.PIPE).stdout
    assert max(map(len, text.splitlines())) <= 80
    said = [x.split()[0] for x in text.splitlines()[:-1] if x[:2] != "  "]
    assert said == sorted(said, key=["bad", "warn", "fine"].index)
    verdict, counts = text.splitlines()[-1].split(": ")
    assert (verdict == "do not measure now") == ("bad" in said)
    assert (verdict == "ready to measure") == (set(said) == {"fine"})
    assert counts == \
        f"{said.count('bad')} bad, {said.count('warn')} to mend if you can, " \
        f"{said.count('fine')} fine"
