"""dlsbench omp --record: what the iterations of a program's loops take, as
traces that dlsbench run reads."""
import os
import re
import subprocess

import pytest

from conftest import ROOT

DLSBENCH = ROOT / "build/dlsbench"
SOURCE = ROOT / "tests/omp/recorded.c"
LINES = [number + 2 for number, line
         in enumerate(SOURCE.read_text().splitlines())
         if "#pragma omp parallel for" in line]
SUM = "3900\n"


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    path = tmp_path_factory.mktemp("programs") / "recorded"
    subprocess.run(["gcc", "-g", "-O1", "-fopenmp", SOURCE, "-o", path],
                   check=True)
    return path


def run(*words, cwd):
    env = {**os.environ, "OMP_NUM_THREADS": "2", "OMP_WAIT_POLICY": "passive"}
    return subprocess.run([str(x) for x in (DLSBENCH, *words)], cwd=cwd,
                          env=env, timeout=60, capture_output=True, text=True,
                          check=False)


def costs(path):
    found = []
    for line in path.read_text().splitlines():
        if not line.startswith("#"):
            *times, cost = line.split(":")
            found += [float(cost)] * (int(times[0]) if times else 1)
    return found


def test_each_visit_becomes_a_trace(program, tmp_path):
    done = run("omp", "--record", "costs", "--", program, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, SUM)
    assert "the loops run under dynamic,1" in done.stderr
    name = f"main-recorded.c-{LINES[0]}"
    files = sorted((tmp_path / "costs").iterdir())
    assert [x.name for x in files] == [f"{name}-visit1.txt",
                                       f"{name}-visit2.txt"]
    for path in files:
        found = costs(path)
        assert len(found) == 40 and min(found) > 0
        assert min(found[:4]) >= 0.004
    for line, why in ((LINES[1], "monotonic: "), (LINES[2], "its order"),
                      (LINES[3], "--loops dynamic adds")):
        assert re.search(rf"main recorded.c:{line} is not recorded: {why}",
                         done.stderr)
    trace = f"trace:file=costs/{files[0].name}"
    done = run("run", "--kernel", trace, "--scheme", "binlpt", "--repetitions",
               1, "--oversubscribe", "--out", "out/", cwd=tmp_path)
    assert done.returncode == 0, done.stderr


def test_chunks_share_their_time(program, tmp_path):
    done = run("omp", "--record", "costs", "--scheme", "css:chunk=8",
               "--loops", "dynamic", "--", program, cwd=tmp_path)
    assert done.stdout == SUM
    assert "the loops run under dynamic,8" in done.stderr
    found = costs(tmp_path / f"costs/main-recorded.c-{LINES[0]}-visit1.txt")
    assert found[:8] == [found[0]] * 8 and found[0] >= 4 * 0.004 / 8
    assert len(costs(tmp_path / f"costs/main-recorded.c-{LINES[3]}"
                     "-visit1.txt")) == 40


def test_bad_input_is_one_line(program, tmp_path):
    for words, text in (
            (["--record", "costs", "--scheme", "fss"], "css:chunk=K"),
            (["--record", ".", "--"], "it is not empty"),
            (["--record", "costs", "--try", "ss", "--out", "x"], "one run"),
            (["--record", "/proc/none"], "/proc/none")):
        (tmp_path / "there").touch()
        done = run("omp", *words, *["--"][:"--" not in words], program,
                   cwd=tmp_path)
        assert (done.returncode, done.stdout) == (2, "")
        assert len(done.stderr.splitlines()) == 1 and text in done.stderr
