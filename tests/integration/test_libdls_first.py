"""Programs that were linked with the first version run with this one."""
import os
import platform
import subprocess
import sys
import tarfile

import pytest

from conftest import ROOT

sys.path.insert(0, str(ROOT / "tests/libdls"))
import first  # noqa: E402

pytestmark = pytest.mark.skipif(platform.machine() != "x86_64",
                                reason="the stored programs are for x86-64")


@pytest.fixture(scope="module")
def programs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("first")
    with tarfile.open(first.STORED) as tar:
        assert set(tar.getnames()) == set(first.PROGRAMS)
        tar.extractall(folder)
    return folder


def run(program, ranks, library):
    words = ["mpiexec.mpich", "-n", str(ranks)] if ranks else []
    return subprocess.run([*words, program], capture_output=True, text=True,
                          timeout=120, check=False, env={
                              **os.environ, "OMP_NUM_THREADS": "2",
                              "LD_LIBRARY_PATH": str(library)})


@pytest.mark.parametrize("name", first.PROGRAMS)
def test_it_runs(installed, programs, name):
    _, _, ranks, says = first.PROGRAMS[name]
    done = run(programs / name, ranks, installed / "lib")
    assert done.returncode == 0, done.stderr
    assert says in done.stdout


def test_they_have_no_library_of_their_own(programs, tmp_path):
    done = run(programs / "threads", 0, tmp_path)
    assert done.returncode == 127 and "libdls.so.1" in done.stderr
