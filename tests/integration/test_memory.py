"""What does not fit into memory is refused before anything is allocated, with
the numbers, and the other cells go on."""
import os
import pathlib
import re
import subprocess

import pytest

from conftest import ROOT


def available():
    for line in open("/proc/meminfo"):
        if line.startswith("MemAvailable:"):
            return int(line.split()[1]) * 1024
    raise AssertionError


def heat(bytes_each):
    """A grid whose process needs about so much: two copies of 8 bytes."""
    rows = int(bytes_each / 16 / 10000)
    assert rows < 1 << 24
    return f"heat:rows={rows},cols=10000"


def test_ranks_of_a_host_count_together(dlsbench, campaign):
    """One rank would fit, two do not; small cells run all the same."""
    result = dlsbench("run", campaign(f"""
repetitions: 1
repetitions_max: 1
scheme: gss
layout: 2x1
cells:
  - kernel: ["{heat(0.7 * available())}", "heat:rows=20,cols=30"]
"""), limit=60)
    assert result.code == 1
    status = {x["kernel"].split(",")[1]: x for x in result.done()}
    assert status["cols=30"]["status"] == "ok"
    failed = status["cols=10000"]
    assert failed["status"] == "failed"
    need, have = map(float, re.search(
        r"does not fit into memory: 2 ranks of a host need up to ([\d.]+) "
        r"GiB, available are ([\d.]+) GiB", failed["reason"]).groups())
    assert need > have > 0


@pytest.mark.parametrize("kernel", [
    "heat:rows=16777216,cols=16777216", "adjoint:size=1048576",
    "floyd-steinberg:rows=16777216,cols=16777216",
    "mandelbrot:size=16777216"])
def test_far_too_large(dlsbench, kernel):
    result = dlsbench("run", "--kernel", kernel, "--scheme", "gss", limit=60)
    assert result.code == 1
    [done] = result.done()
    assert done["status"] == "failed"
    assert "does not fit into memory" in done["reason"]


@pytest.fixture
def limited(tmp_path):
    """dlsbench in a control group of 90 MB, version 1 or 2."""
    for top, name in (("/sys/fs/cgroup/memory", "memory.limit_in_bytes"),
                      ("/sys/fs/cgroup", "memory.max")):
        group = pathlib.Path(top, f"dlsbench-test-{os.getpid()}")
        try:
            group.mkdir()
            (group / name).write_text("90000000")
            break
        except OSError as error:
            why = error
            if group.exists():
                group.rmdir()
    else:
        pytest.skip(f"no control group of memory here: {why}")
    start = tmp_path / "limited"
    start.write_text(f"""#!/bin/sh
echo $$ > {group}/cgroup.procs
exec {ROOT / "build/dlsbench"} "$@"
""")
    start.chmod(0o755)
    yield start
    group.rmdir()


def test_a_simulation_has_what_its_control_group_leaves(sim, limited):
    """It needs 100 MB and the ranks; the host has more, the group has not."""
    cell = ("--kernel", "null:size=100", "--scheme", "gss", "--ranks", 4)
    assert sim(*cell, out="free").code == 0
    result = sim(*cell, program=limited)
    assert result.code == 1
    [done] = result.done()
    assert done["status"] == "failed"
    assert re.match(r"4 simulated cores need about 0\.10 GB of memory, "
                    r"0\.0\d GB are available$", done["reason"])


COUNT = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

int madvise(void *memory, size_t bytes, int advice)
{
    int file = open("given-up", O_WRONLY | O_CREAT | O_APPEND, 0600);
    if (advice == MADV_DONTNEED)
        dprintf(file, "%zu\n", bytes);
    close(file);
    int (*next)(void *, size_t, int) = dlsym(RTLD_NEXT, "madvise");
    return next(memory, bytes, advice);
}
"""


def test_workers_touch_the_data_of_their_chunks(dlsbench, campaign, tmp_path,
                                                monkeypatch):
    """Two arrays, the whole pages of each chunk of 125 or 250, by the first
    repetition of the first of two cells alone."""
    (tmp_path / "count.c").write_text(COUNT)
    subprocess.run(["gcc", "-shared", "-fPIC", "-o", tmp_path / "count.so",
                    tmp_path / "count.c", "-ldl"], check=True)
    before = os.environ.get("LD_PRELOAD", "")
    monkeypatch.setenv("LD_PRELOAD", f"{tmp_path}/count.so {before}")
    result = dlsbench("run", campaign("""
repetitions: 3
repetitions_max: 3
layout: 1x2
kernel: triad:size=1280000,block=12800
cells:
  - scheme: ["css:chunk=5", "css:chunk=10"]
"""), "--oversubscribe")
    assert result.code == 0, result.err
    assert len(result.done()) == 2
    given = [int(x) for x in (tmp_path / "given-up").read_text().split()]
    each = [sum(pages - 1 <= n / 4096 <= pages for n in given)
            for pages in (125, 250)]
    assert each in ([40, 0], [0, 20])
