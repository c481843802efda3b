"""Loops of programs that are compiled with SimGrid's smpicc: libdls-smpi in an
empty prefix, beside the suite's own simulation.  4 hosts with 4 cores."""
import os
import random
import re
import shutil
import subprocess

import pytest

from conftest import ROOT
from test_libdls_mpi import compiled, some

pytestmark = pytest.mark.skipif(
    shutil.which("smpirun") is None,
    reason="SimGrid is not installed (make deps)")
FLAGS = ["--cfg=smpi/simulate-computation:no", "--cfg=smpi/test:0",
         "--cfg=smpi/iprobe:0", "--cfg=smpi/lat-factor:0:1",
         "--cfg=smpi/bw-factor:0:1", "--log=root.thres:critical"]
SCHEMES = """static ss css:chunk=16 fsc mfsc gss tap fac fss wf tss viss tfss
    qss rnd wcss dtss awf awf-b awf-e af bold""".split()
PLAIN = "--prefetch off --collect local"
FORMS = ["stats=1", "window=rma,hierarchy=flat", "transport=master",
         "transport=master,hierarchy=node", "transport=master,hierarchy=2",
         "transport=steal", "min-chunk=5"]


@pytest.fixture(scope="module")
def build(installed, tmp_path_factory):
    folder = tmp_path_factory.mktemp("programs")

    def call(source):
        return compiled(installed, source, folder / source.stem, "-fopenmp",
                        mpi="smpi", compiler="smpicc -std=gnu11")
    return call


def example(installed, name):
    return installed / "share/doc/dls/examples" / name


@pytest.fixture
def launch(small, tmp_path):
    def call(ranks, program, *args, hosts="h0 h1 h2 h3", slots=4,
             flags=(), **variables):
        file = tmp_path / "hosts"
        file.write_text("".join(f"{host}\n" * slots for host in hosts.split()))
        return subprocess.run(
            ["smpirun", "-np", str(ranks), "-platform", small, "-hostfile",
             file, *FLAGS, *flags, program, *args],
            capture_output=True, text=True, timeout=120, check=False,
            env={**os.environ, **variables}, cwd=tmp_path)
    return call


def costs(tmp_path):
    """Of 400 iterations, 10 us to 1 ms."""
    drawn = random.Random(3)
    path = tmp_path / "costs.txt"
    path.write_text("".join(f"{drawn.uniform(1e-5, 1e-3)!r}\n"
                            for _ in range(400)))
    return path


# The order in which ranks begin differs, and with it what is stolen.
@pytest.mark.parametrize("form,same,within", [
    ("", "--transport window --window rma --hierarchy node", 5e-3),
    ("window=rma,hierarchy=flat", "--transport window --window rma", 5e-3),
    ("transport=master", f"--transport master {PLAIN}", 1e-4),
    ("transport=master,hierarchy=4xnode",
     f"--transport master --hierarchy 4xnode {PLAIN}", 5e-3),
    ("transport=steal", "--transport steal", 5e-2)])
def test_time_is_that_of_the_suite(installed, build, launch, sim, tmp_path,
                                   form, same, within):
    program, file = build(example(installed, "simulated.c")), costs(tmp_path)
    done = launch(16, program, file, "fss", *([form] if form else []))
    assert done.returncode == 0, done.stderr
    chunks, seconds, wrong = re.fullmatch(
        r"(\d+) chunks, (\S+) s, (\d+) iterations wrong\n",
        done.stdout).groups()
    result = sim("--kernel", f"trace:file={file},steps=1", "--ranks", 16,
                 "--scheme", "fss", *same.split())
    assert result.code == 0, result.err
    (run,) = result.runs()
    assert wrong == "0"
    assert float(seconds) == pytest.approx(run["time_s"], rel=within)
    assert int(chunks) == run["chunks"]


@pytest.mark.parametrize("ranks,hosts", [(7, "h0 h1 h2 h3"), (4, "h0")])
def test_each_iteration_once(build, launch, ranks, hosts):
    """Twice, on a communicator without the last rank, in opposite order."""
    program = build(ROOT / "tests/libdls/loop_sizes.c")
    every = bool(os.environ.get("ALL"))
    schemes = SCHEMES if every else some(f"schemes {hosts}", SCHEMES, 5)
    for form in FORMS if every else some(f"smpi {hosts}", FORMS, 2):
        done = launch(ranks, program, form, "1", *schemes, hosts=hosts)
        lines = done.stdout.splitlines()
        assert done.returncode == 0 and len(lines) == len(schemes), done.stderr
        for line in lines:
            assert re.fullmatch(
                r".*: ok|.*: dls: schemes (that learn|with chunks kept for a "
                r"worker): transport (window|steal) .*", line), (form, line)


def test_two_loops_and_one_inside_the_other(build, launch):
    program = build(ROOT / "tests/libdls/contract.c")
    for case in "two", "nested", "busy", "differing", "close_early":
        done = launch(3, program, case)
        assert (done.returncode, done.stdout) == (0, "good\n"), done.stderr


def test_many_ranks_and_many_loops(build, launch):
    """In a second or so: no rank sends to each other rank, and SMPI forgets
    every message."""
    program = build(ROOT / "tests/libdls/smpi_contract.c")
    for form in "window=rma", "transport=master":
        done = launch(96, program, "many", form)
        assert (done.returncode, done.stdout) == (0, "good\n"), done.stdout


def test_costs_are_of_the_slowest_rank(build, launch, small):
    """Of the communicator: odd ranks are on hosts that are twice as fast."""
    text = small.read_text()
    for host in "h1", "h3":
        text = text.replace(f'"{host}" speed="1Gf"', f'"{host}" speed="2Gf"')
    small.write_text(text)
    program = build(ROOT / "tests/libdls/smpi_contract.c")
    done = launch(4, program, "halves", "charge=costs", slots=1)
    assert (done.returncode, done.stdout) == (0, "good\n"), done.stdout


def test_costs_of_the_next_step(build, launch):
    program = build(ROOT / "tests/libdls/smpi_contract.c")
    for form in "", ",transport=master":
        done = launch(3, program, "charged", "charge=costs" + form)
        assert (done.returncode, done.stdout) == (0, "good\n"), done.stdout


def test_data_travel(installed, build, launch):
    program = build(example(installed, "particles.c"))
    for hosts in "h0", "h0 h1 h2 h3":
        done = launch(4, program, hosts=hosts)
        assert done.returncode == 0, done.stderr
        assert done.stdout.startswith("9000 particles, sum of places 19413")


def test_computing_is_sampled(installed, build, launch):
    """The last rank does everything twice: awf gives it less than others."""
    program = build(example(installed, "steps_mpi.c"))
    done = launch(4, program, flags=["--cfg=smpi/simulate-computation:yes",
                                     "--cfg=smpi/host-speed:1Gf"])
    *steps, result = done.stdout.splitlines()
    assert result == "result 1000.0183161915842"
    done = launch(2, build(ROOT / "tests/libdls/smpi_contract.c"), "sampled",
                  flags=["--cfg=smpi/simulate-computation:yes",
                         "--cfg=smpi/host-speed:1Gf"])
    assert (done.returncode, done.stdout) == (0, "good\n"), done.stdout
    counts = [int(re.match(r"step \d: (\d+) of 4000", x)[1]) for x in steps]
    assert 0 < sum(counts) < 6 * 1000, counts


def test_records_are_simulated(installed, build, launch, tmp_path, dlsbench):
    program, file = build(example(installed, "simulated.c")), costs(tmp_path)
    done = launch(4, program, file, "tss", DLS_REPORT="records")
    assert done.returncode == 0, done.stderr
    (path,) = (tmp_path / "records").glob("runs-*")
    assert '"simulated":true' in path.read_text()
    assert '"oversubscribed":false' in path.read_text()
    assert "tss" in dlsbench("summary", tmp_path / "records").out


def test_refusals(installed, build, launch, tmp_path):
    program, file = build(example(installed, "simulated.c")), costs(tmp_path)
    done = launch(16, program, file, "gsss")
    assert done.returncode != 0 and "did you mean 'gss'?" in done.stderr
    done = launch(16, program, file, "fss", "window=shared")
    assert "window shared needs all ranks on one host" in done.stderr
    picture = build(example(installed, "mandelbrot.c"))
    done = launch(3, picture, OMP_NUM_THREADS="1")
    assert (done.returncode, done.stdout) == (0, "7991934 steps\n")
    done = launch(2, picture, OMP_NUM_THREADS="2")
    assert done.returncode != 0
    why = " workers in a rank under SimGrid, where every worker is a rank"
    assert f"2{why}: start more ranks" in done.stderr
    done = launch(1, build(example(installed, "threads.c")))
    assert done.returncode != 0 and why in done.stderr
