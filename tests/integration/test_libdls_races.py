"""Threads of several ranks ask, leave and begin again in any order, under the
thread sanitizer."""
import os
import random
import subprocess

import pytest

import slices
from conftest import ROOT, sanitize_threads

FORMS = ["", "window=rma,hierarchy=node", "transport=master",
         "transport=master,hierarchy=2xnode", "transport=steal"]
SCHEMES = ["ss", "gss", "tss", "fss"]
# Where workers learn, and where some have first chunks of their own.
MORE = {"": ["static", "wcss", "awf-b", "af"],
        "transport=master": ["static", "wcss", "awf-b", "af"]}
pytestmark = pytest.mark.under("thread")


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    """Of the objects that the unit tests under this sanitizer are linked
    from."""
    archive = "build/thread/tested.a"
    path = tmp_path_factory.mktemp("races") / "interleave"
    for words in (["make", "--no-print-directory", f"-j{os.cpu_count()}",
                   "BUILD=build/thread", "SAN=thread", archive],
                  ["mpicc.mpich", "-cc=clang", "-std=gnu11", "-O1", "-g",
                   "-Wall",
                   "-Wextra", "-Werror", "-fsanitize=thread", "-pthread",
                   "-Idls", "tests/libdls/interleave.c", archive, "-lm",
                   "-o", path]):
        done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True,
                              check=False)
        assert done.returncode == 0, done.stderr
    return path


@pytest.mark.parametrize("form", FORMS)
def test_any_order_of_calls(program, tmp_path, monkeypatch, form):
    # MPICH is not instrumented: its locks are not seen, its copies are.
    sanitize_threads(monkeypatch, tmp_path)
    monkeypatch.setenv("TSAN_OPTIONS", os.environ["TSAN_OPTIONS"]
                       + ":ignore_noninstrumented_modules=1")
    monkeypatch.setenv("UCX_MEM_MMAP_HOOK_MODE", "none")
    draw = random.Random(f"{slices.seed()} {form}")
    for _ in range(10 if os.environ.get("ALL") else 2):
        scheme = draw.choice(SCHEMES + MORE.get(form, []))
        seed = str(draw.randrange(10000))
        done = subprocess.run(
            ["mpiexec.mpich", "-n", "2", program, seed, form, scheme, "3"],
            capture_output=True, text=True, timeout=300, check=False)
        reports = [x.read_text() for x in tmp_path.glob("tsan.*")]
        assert not reports, (seed, scheme, reports[0][:4000])
        assert (done.returncode, done.stdout) == (0, "ok\n"), (seed, scheme)
