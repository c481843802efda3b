"""The same sources with Open MPI: transports, windows and dependence loops
verify, and a rank that dies costs its cell only."""
import json
import os
import shutil
import subprocess

import pytest

from conftest import ROOT, install
from test_libdls_mpi import compiled
from test_faults import SLOW, kill_one_rank

# make exports what is set on its command line.
pytestmark = pytest.mark.skipif(
    os.environ.get("MPI", "mpich") != "mpich",
    reason="all the other tests run with this MPI")


def test_every_transport_verifies(dlsbench, campaign, openmpi):
    result = dlsbench("run", campaign("""
name: openmpi
repetitions: 1
repetitions_max: 1
kernel: "adjoint:size=12"
scheme: [static, css, gss, dtss]
cells:
  - layout: 1x3
  - layout: 3x2
    transport: master
    master: [computing, dedicated]
    hierarchy: [flat, "2", node]
    collect: [master, local]
  - layout: 3x1
    transport: window
    window: [shared, rma]
  - layout: [1x3, 3x1, 2x2]
    kernel: "heat:rows=30,cols=40,steps=2"
    sync_interval: 9
    placement: [sticky, replan]
"""), "--oversubscribe", program=openmpi)
    assert result.code == 0, result.err
    assert len(result.done()) == 76
    assert all(run["verified"] is True for run in result.runs())
    text = next(result.directory.glob("manifest-*.json")).read_text()
    assert "Open MPI" in text


def test_a_rank_that_dies_costs_its_cell_only(tmp_path, campaign, lasting,
                                              openmpi):
    slow = campaign(SLOW.replace("KERNEL", lasting(0.05)))
    kill_one_rank(tmp_path, slow, openmpi)


@pytest.fixture(scope="module")
def installed(tmp_path_factory, openmpi):
    """The flags and objects are those that the program is built with."""
    if shutil.which("mpicc.openmpi") is None:
        pytest.skip("Open MPI is not installed (make deps test installs it)")
    return install(tmp_path_factory.mktemp("prefix"), "MPI=openmpi",
                   "BUILD=build/openmpi", "CFLAGS=-O0 -g0")


def launch(ranks, *words, **variables):
    return subprocess.run(
        ["mpiexec.openmpi", "--allow-run-as-root", "--oversubscribe",
         "--bind-to", "none", "-n", str(ranks), *map(str, words)],
        capture_output=True, text=True, timeout=120, check=False,
        env={**os.environ, **variables})


def test_libdls_has_ranks_of_open_mpi(installed, tmp_path):
    out = subprocess.run(["objdump", "-p",
                          installed / "lib/libdls-openmpi.so.1"],
                         check=True, capture_output=True, text=True).stdout
    assert "SONAME               libdls-openmpi.so.1\n" in out
    assert "libdls.so.1" in out and "libmpi.so" in out
    program = compiled(
        installed, installed / "share/doc/dls/examples/mandelbrot.c",
        tmp_path / "mandelbrot", "-fopenmp", mpi="openmpi",
        compiler="mpicc.openmpi -std=c11")
    for ranks, scheme in (1, "ss"), (3, "awf-b"):
        done = launch(ranks, program, scheme, OMP_NUM_THREADS="2",
                      DLS_REPORT=str(tmp_path / "r"))
        assert (done.returncode, done.stdout) == (0, "7991934 steps\n")
    run, = [json.loads(x.read_text().splitlines()[0])
            for x in (tmp_path / "r").glob("runs-*")
            if "awf-b" in x.read_text()]
    assert (run["workers"], run["iterations"]) == (6, 300)
    done = launch(2, program, "gsss")
    assert done.returncode == 1 and "did you mean 'gss'?" in done.stderr


def test_libdls_runs_each_iteration_once(installed):
    program = compiled(installed, ROOT / "tests/libdls/loop_sizes.c",
                       installed / "cross", mpi="openmpi",
                       compiler="mpicc.openmpi -std=gnu11")
    for form in ("", "window=rma,hierarchy=node", "transport=master",
                 "transport=steal"):
        done = launch(3, program, form, "2", "static", "tss", "ss")
        lines = done.stdout.splitlines()
        assert done.returncode == 0, done.stderr
        assert lines[1:] == ["tss: ok", "ss: ok"]
        assert lines[0] == "static: ok" or "steal" in form
