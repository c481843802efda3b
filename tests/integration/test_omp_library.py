"""libdls-omp.so: what a program may do to it, and the runtime, the disk and
the loader below it."""
import os
import shutil
import subprocess

import pytest

from conftest import ROOT

LIBRARY = ROOT / "build/lib/libdls-omp.so"


@pytest.fixture(scope="module")
def compiled(tmp_path_factory):
    """Programs of tests/omp, each compiled once."""
    folder = tmp_path_factory.mktemp("programs")

    def program(source, *flags, compiler="gcc", name=None):
        path = folder / f"{compiler}-{name or source}"
        if shutil.which(compiler) is None:
            pytest.skip(f"{compiler} is not installed")
        if not path.exists():
            subprocess.run([compiler, "-g", "-O1", "-fopenmp",
                            ROOT / "tests/omp" / source, *flags, "-o", path],
                           check=True)
        return path
    return program


def run(*words, **variables):
    env = {**os.environ, "OMP_NUM_THREADS": "2", "OMP_WAIT_POLICY": "passive",
           "LD_PRELOAD": str(LIBRARY), **variables}
    return subprocess.run([str(x) for x in words], env=env, timeout=60,
                          capture_output=True, text=True, check=False,
                          stdin=subprocess.DEVNULL)


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
@pytest.mark.parametrize("scheme", ["ss", "css:chunk=7", "fsc", "mfsc", "gss",
                                    "static", "hss", "awf-c", "steal"])
def test_a_visit_without_iterations_runs_none(compiled, compiler, scheme):
    done = run(compiled("visits.c", compiler=compiler), *["100", "0", "0"] * 5,
               "64", "0", "100", DLS_SCHEDULE=scheme)
    assert (done.returncode, done.stdout) == (0, "664 664\n"), done.stderr


def test_a_library_at_the_place_of_another_keeps_its_promise(compiled):
    """Chunks of `monotonic` ascend, those of `steal` need not."""
    flags = "-shared", "-fPIC"
    first, second = (compiled("module.c", *flags, f"-DKIND={kind}", name=name)
                     for kind, name in (("runtime", "first.so"),
                                        ("monotonic:runtime", "second.so")))
    done = run(compiled("closed.c"), first, second, DLS_SCHEDULE="steal")
    assert done.returncode == 0, done.stderr
    assert done.stdout == "1 1\n1 0\n"
