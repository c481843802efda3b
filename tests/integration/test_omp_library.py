"""libdls-omp.so: what a program may do to it, and the runtime, the disk and
the loader below it."""
import os
import select
import shutil
import socket
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


def test_a_child_is_not_left_with_a_lock(compiled, tmp_path):
    """A thread asks for the names of its loop, under the lock, when another
    one forks."""
    place = tmp_path / "lookup"
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as lookup:
        lookup.bind(str(place))
        lookup.listen()
        lookup.settimeout(30)
        with subprocess.Popen(
                [compiled("forks.c")], stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                env={**os.environ, "LD_PRELOAD": str(LIBRARY),
                     "DLS_SCHEDULE": "ss", "DLS_OMP_LOOKUP": str(place)}
        ) as child:
            asks = lookup.accept()[0]
            asks.recv(1000)
            child.stdin.write(b"go\n")
            child.stdin.flush()
            # A child that is there so early has the lock of the thread.
            select.select([child.stdout], [], [], 0.5)
            asks.send(b"\t")
            asks.close()
            assert child.wait(60) == 0
