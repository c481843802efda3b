"""Interrupted and damaged runs: nothing wrong is taken for a result, and
--resume completes what is missing."""
import collections
import os
import pathlib
import signal
import subprocess
import time

import pytest

from conftest import ROOT, Result, copy_tree, start

SLOW = """
name: slow
repetitions: 3
repetitions_max: 3
kernel: "KERNEL"
cells:
  - layout: 2x1
    transport: [master, window]
    scheme: [static, ss, "css:chunk=4", gss, fss, tss, qss, wf, dtss, dfss]
"""


def ranks_of(directory):
    """Processes that run a plan of this directory."""
    found = []
    for entry in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            line = (entry / "cmdline").read_bytes().decode()
        except OSError:
            continue
        if "\0launch\0" in line and str(directory) in line:
            found.append(int(entry.name))
    return found


def wait_for(condition, limit=60):
    end = time.monotonic() + limit
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.02)
    return False


def begin(tmp_path, campaign, program="build/dlsbench"):
    directory = tmp_path / "out"
    process = start(ROOT / program,
                    ["run", campaign, "--oversubscribe", "--out",
                     f"{directory}/"], tmp_path)

    def some_lines():
        return any(x.stat().st_size for x in directory.glob("runs-*.jsonl"))
    assert wait_for(some_lines)
    return process, directory


@pytest.fixture
def slow(campaign, lasting):
    """Cells of 0.1 s each, to be killed in one of them."""
    return campaign(SLOW.replace("KERNEL", lasting(0.05)))


def every_cell_once(result, cells):
    good = [x["cell"] for x in result.done() if x["status"] == "ok"]
    assert len(good) == len(set(good)) == cells
    complete = {(x["launch"], x["cell"]) for x in result.done()
                if x["status"] == "ok"}
    count = collections.Counter(
        x["cell"] for x in result.runs()
        if (x["launch"], x["cell"]) in complete)
    assert set(count.values()) == {3}


def test_interrupt_keeps_what_is_complete_and_resumes(
        tmp_path, slow, dlsbench):
    process, directory = begin(tmp_path, slow)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 1
    assert "--resume" in err
    assert wait_for(lambda: not ranks_of(directory), 10)
    before = len(Result(1, out, err, directory).done())
    assert before < 20
    result = dlsbench("run", slow, "--oversubscribe", "--out",
                      f"{directory}/", "--resume")
    assert result.code == 0, result.err
    every_cell_once(Result(0, "", "", directory), 20)


def kill_one_rank(tmp_path, slow, program="build/dlsbench"):
    process, directory = begin(tmp_path, slow, program)
    victims = [x for x in ranks_of(directory)
               if b"mpiexec" not in pathlib.Path(f"/proc/{x}/cmdline")
               .read_bytes().split(b"\0")[0]]
    os.kill(victims[-1], signal.SIGKILL)
    out, err = process.communicate(timeout=240)
    assert process.returncode == 1, err
    result = Result(1, out, err, directory)
    statuses = collections.Counter(x["status"] for x in result.done())
    assert statuses["failed"] == 1 and statuses["ok"] == 19, (statuses, err)
    assert not ranks_of(directory)


def test_a_killed_rank_fails_one_cell_and_the_rest_goes_on(tmp_path, slow):
    kill_one_rank(tmp_path, slow)


def test_a_torn_last_line_is_ignored(tmp_path, campaign, dlsbench):
    path = campaign(SLOW.replace("[master, window]", "window")
                    .replace("KERNEL", "mandelbrot:size=64"))
    assert dlsbench("run", path, "--oversubscribe").code == 0
    directory = tmp_path / "out"
    runs = next(directory.glob("runs-*.jsonl"))
    lines = runs.read_text().splitlines(keepends=True)
    # The end of the last cell is lost in the middle of its line.
    runs.write_text("".join(lines[:-1]) + lines[-1][:40])
    result = dlsbench("run", path, "--oversubscribe", "--out",
                      f"{directory}/", "--resume")
    assert result.code == 0, result.err
    every_cell_once(Result(0, "", "", directory), 10)


def test_a_damaged_reference_cache_is_made_again(tmp_path, dlsbench):
    args = ("run", "--kernel", "mandelbrot:size=64", "--scheme", "ss",
            "--repetitions", 1, "--repetitions-max", 1)
    assert dlsbench(*args, out="a").code == 0
    cached = list((tmp_path / "cache/dlsbench").glob("reference-*.bin"))
    assert len(cached) == 1
    data = bytearray(cached[0].read_bytes())
    data[-1] ^= 1
    cached[0].write_bytes(data)
    result = dlsbench(*args, out="b")
    assert result.code == 0, result.err


def test_a_wrong_kernel_is_found_out(tmp_path):
    """Builds the program with a kernel that is wrong in one pixel."""
    tree = copy_tree(tmp_path / "tree")
    source = tree / "kernels/adjoint.c"
    text = source.read_text()
    # After the real work, so that it is not overwritten.
    wrong = text.replace(".run = adjoint_run,", ".run = wrong_run,")
    wrong = wrong.replace(
        "const struct kernel_ops kernel_adjoint_ops",
        "static void wrong_run(const void *i, void *s, int64_t start,\n"
        "    int64_t size, void *o, const struct kernel_poll *p)\n"
        "{\n    adjoint_run(i, s, start, size, o, p);\n"
        "    if (start <= 17 && 17 < start + size)\n"
        "        ((double *)o)[17 - start] += 1;\n}\n\n"
        "const struct kernel_ops kernel_adjoint_ops")
    assert wrong.count("wrong_run") == 2
    source.write_text(wrong)
    subprocess.run(["make", "-C", str(tree), f"-j{os.cpu_count()}",
                    "WERROR=", "build/dlsbench"],
                   check=True, stdout=subprocess.DEVNULL)
    process = start(tree / "build/dlsbench",
                    ["run", "--kernel", "adjoint:size=6", "--scheme",
                     "gss", "--ranks", "2", "--oversubscribe", "--out",
                     f"{tmp_path}/out/"], tmp_path)
    out, err = process.communicate(timeout=120)
    result = Result(process.returncode, out, err, tmp_path / "out")
    assert process.returncode == 1
    assert {x["verified"] for x in result.runs()} == {False}
    assert [x["status"] for x in result.done()] == ["unverified"]
    assert "iteration 17" in err
    assert "UNVERIFIED" in out
