"""Loops over ranks as programs get them: libdls-mpich in an empty prefix,
found by pkg-config, linked outside the tree, with real ranks."""
import os
import random
import re
import subprocess

import pytest

import slices
from conftest import ROOT
from test_libdls import names

SOURCES = ROOT / "tests/libdls"
SCHEMES = """static ss css:chunk=16 fsc mfsc gss tap fac fss wf tss tss-taylor
    fiss viss tfss qss rnd wcss dtss dgss dfss awf awf-b awf-c awf-d awf-e af
    bold""".split()
FORMS = ["", "window=shared,hierarchy=node", "window=rma",
         "window=rma,hierarchy=node", "transport=master",
         "transport=master,hierarchy=node", "transport=master,hierarchy=2",
         "transport=master,hierarchy=2xnode", "transport=steal",
         "transport=steal,victim=near", "min-chunk=5,stats=1"]
# Why a scheme is refused under a form, and where nothing else is possible.
REFUSED = {"rma": r"schemes that learn: transport window cannot carry .*"
                  r"second of two schemes may learn",
           "steal": "schemes (with chunks kept for a worker|that learn): "
                    "transport steal begins with each worker's static share",
           "master": "one rank: transport master needs two ranks or more",
           "=2": "hierarchy 2.* needs 2 ranks, there are 1"}


def flags(prefix, *options, mpi="mpich"):
    return subprocess.run(
        ["pkg-config", *options, f"libdls-{mpi}"], check=True, text=True,
        capture_output=True, env={
            **os.environ, "PKG_CONFIG_PATH": f"{prefix}/lib/pkgconfig"}
    ).stdout.split()


def compiled(prefix, source, program, *more, static=False, mpi="mpich",
             compiler="mpicc.mpich -std=gnu11"):
    libraries = [f"{prefix}/lib/libdls-mpich.a", f"{prefix}/lib/libdls.a",
                 "-lm"] if static else [*flags(prefix, "--libs", mpi=mpi),
                                        f"-Wl,-rpath,{prefix}/lib"]
    done = subprocess.run(
        [*compiler.split(), "-Wall", "-Wextra", "-Werror", "-O1", "-pthread",
         str(source), *more, "-o", str(program),
         *flags(prefix, "--cflags", mpi=mpi), *libraries],
        capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return program


@pytest.fixture(scope="module")
def cross(installed):
    return compiled(installed, SOURCES / "loop_sizes.c", installed / "cross")


@pytest.fixture(scope="module")
def contract(installed):
    return compiled(installed, SOURCES / "contract.c", installed / "contract")


def launch(ranks, program, *args, **variables):
    return subprocess.run(
        ["mpiexec.mpich", "-n", str(ranks), str(program), *args],
        capture_output=True, text=True, timeout=240, check=False,
        env={**os.environ, **variables})


def some(case, options, count):
    """Others with every commit."""
    return random.Random(f"{slices.seed()} {case}").sample(options, count)


def check_cross(cross, form, ranks, count):
    whole = bool(os.environ.get("ALL"))
    layouts = ["1", "2", "3", "4", "132"] + ["01"] * (ranks > 1)
    for threads in some((form, ranks), layouts, 2 if whole else 1):
        case = form, ranks, threads
        schemes = SCHEMES if whole else some(case, SCHEMES, count)
        done = launch(ranks + 1, cross, form, threads, *schemes)
        assert done.returncode == 0, (threads, done.stdout, done.stderr)
        lines = done.stdout.splitlines()
        assert len(lines) == len(schemes)
        allowed = "|".join(why for part, why in REFUSED.items()
                           if part in form and
                           (part in ("rma", "steal") or ranks == 1))
        for line in lines:
            assert line.endswith(": ok") or (
                allowed and re.search(allowed, line)), (threads, line)


@pytest.mark.cross(part=11)
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("ranks", [1, 2, 3])
def test_each_iteration_runs_once(cross, form, ranks):
    check_cross(cross, form, ranks, 4 - ranks)


@pytest.mark.cross(part=33)
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("ranks", [4, 5, 6])
def test_each_iteration_runs_once_in_many_ranks(cross, form, ranks):
    """Ranks that share a core take long to agree: few cases of a run."""
    check_cross(cross, form, ranks, 1)


@pytest.mark.cross(part=2)
@pytest.mark.parametrize("form,ranks", [
    ("", 2), ("window=rma,hierarchy=node", 2),
    ("transport=master,hierarchy=node", 2),
    ("transport=master,hierarchy=2", 3)])
def test_two_schemes(cross, form, ranks):
    done = launch(ranks + 1, cross, form, "2",
                  *some(form, ["gss/static", "tss/awf-b", "fss/ss"], 2))
    lines = done.stdout.splitlines()
    assert done.returncode == 0 and len(lines) == 2
    if form:
        assert all(line.endswith(": ok") for line in lines)
    else:
        assert all("two schemes need masters" in line for line in lines)


@pytest.mark.cross(part=3)
@pytest.mark.parametrize("ranks", [1, 2, 4])
def test_what_dls4lb_loses(cross, ranks):
    """With one rank it never runs the last iteration, FSC never ends; with two
    to four, small loops lose some."""
    schemes = "ss tss fac wf awf-b af fsc".split()
    if ranks == 4 and not os.environ.get("ALL"):
        schemes = some("dls4lb", schemes, 1)
    done = launch(ranks + 1, cross, "", "1", *schemes)
    assert done.stdout == "".join(f"{scheme}: ok\n" for scheme in schemes)


@pytest.mark.parametrize("case", ["busy", "other_number", "nested", "two",
                                  "close_early"])
@pytest.mark.parametrize("form", ["", "window=rma", "transport=master",
                                  "transport=master,hierarchy=2",
                                  "transport=steal"])
@pytest.mark.cross(part=6)
def test_contract(contract, case, form):
    done = launch(3, contract, case, form)
    assert (done.returncode, done.stdout) == (0, "good\n"), done.stderr


def test_ranks_pass_the_same(contract):
    done = launch(3, contract, "differing")
    assert (done.returncode, done.stdout) == (0, "good\n")


@pytest.mark.cross
@pytest.mark.parametrize("form,says", [
    ("transport=openmp", "unknown, allowed is auto|shared|window|master|"),
    ("transport=push", "unknown, allowed is auto|shared|window|master|"),
    ("prefetch=1", "unknown key 'prefetch'"),
    ("reissue=2", "unknown key 'reissue'"),
    ("window=rma", "the second of two schemes may learn"),
    ("transport=shared", "several ranks: transport shared needs one rank"),
    ("hierarchy=3,transport=master", "hierarchy 3 needs 3 ranks, there are 2"),
])
def test_refusals_say_why(contract, form, says):
    done = launch(2, contract, "refused", form)
    assert done.returncode == 0
    line, good = done.stdout.splitlines()
    assert says in line and good == "good"


@pytest.mark.parametrize("form", ["window=rma", "transport=master"])
def test_one_rank_has_ended_and_the_others_have_not(contract, form):
    done = launch(3, contract, "some_busy", form)
    assert (done.returncode, done.stdout) == (0, "good\n"), done.stderr


@pytest.mark.parametrize("form", ["window=rma", "transport=master",
                                  "transport=steal",
                                  "window=rma,hierarchy=node"])
def test_a_rank_begins_anew_too_early(contract, form):
    done = launch(3, contract, "early", form)
    assert (done.returncode, done.stdout) == (0, "good\n"), done.stderr


def test_the_environment_is_compared(contract):
    done = subprocess.run(
        ["mpiexec.mpich", "-n", "1", "-env", "DLS_SCHEDULE", "tss",
         str(contract), "busy", ":", "-n", "1", str(contract), "busy"],
        capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode != 0 and "not so: open" in done.stdout


@pytest.mark.cross(part=2)
@pytest.mark.parametrize("form,code", [
    ("", 0), ("transport=master", 0), ("window=rma", -16),
    ("transport=master,hierarchy=node", -16)])
def test_leaving(contract, form, code):
    done = launch(3, contract, "leave", form)
    assert (done.returncode, done.stdout) == (0, "good\n"), done.stderr
    done = launch(3, contract, "leave_last", form)
    assert (done.returncode, done.stdout) == (0, f"{code}\ngood\n")


def test_a_dedicated_master_polls(contract):
    done = launch(3, contract, "dedicated",
                  "transport=master,master=dedicated")
    assert (done.returncode, done.stdout) == (0, "good\n"), done.stderr


@pytest.mark.cross
@pytest.mark.parametrize("case,form,says", [
    ("funneled", "", None),
    ("funneled", "transport=master,hierarchy=node", None),
    ("funneled", "transport=master,hierarchy=2xnode", None),
    ("funneled", "transport=master", "use transport=master,hierarchy=node"),
    ("funneled", "window=rma", "MPI_THREAD_FUNNELED or less"),
    ("serialized", "", None),
    ("serialized", "transport=master", "give dls_mpi_options.mutex"),
    ("mutex", "transport=master", None),
    ("mutex", "window=rma", None),
    ("mutex", "transport=steal", None)])
def test_levels_of_threads(contract, case, form, says):
    done = launch(3, contract, case, form)
    assert done.returncode == 0, done.stderr
    *lines, good = done.stdout.splitlines()
    assert good == "good"
    assert (not lines) if says is None else says in lines[0]


def test_an_error_of_mpi_is_a_code(contract):
    # 3: good, 4: not.  What a rank prints just before it aborts may be lost.
    done = launch(2, contract, "failing", "transport=master")
    assert done.returncode == 3, done.stdout + done.stderr


def test_mandelbrot_over_ranks_and_threads(installed, tmp_path):
    program = compiled(
        installed, installed / "share/doc/dls/examples/mandelbrot.c",
        tmp_path / "mandelbrot", "-fopenmp", compiler="mpicc.mpich -std=c11")
    for ranks, scheme in (1, "ss"), (3, "fss"), (2, "awf-b"):
        done = launch(ranks, program, scheme, OMP_NUM_THREADS="2")
        # What one thread alone computes.
        assert (done.returncode, done.stdout) == (0, "7991934 steps\n")
    done = launch(2, program, "gsss")
    assert done.returncode == 1 and "did you mean 'gss'?" in done.stderr


@pytest.mark.cross(part=2)
@pytest.mark.parametrize("source,compiler,more", [
    ("mandelbrot.cpp", "mpicxx.mpich -std=c++17", []),
    ("mandelbrot.f90", "mpif90.mpich -std=f2008",
     ["-fall-intrinsics", "dls.f90", "dls_mpi.f90"])])
def test_mandelbrot_in_other_languages(installed, tmp_path, source, compiler,
                                       more):
    """The sources of modules come before the program's."""
    first, *others = [
        *(installed / "include" / x for x in more if x.endswith("90")),
        installed / "share/doc/dls/examples" / source]
    if more:
        compiler += f" {more[0]} -J{tmp_path}"
    program = compiled(installed, first, tmp_path / "program",
                       *map(str, others), compiler=compiler)
    for ranks, scheme in (1, "ss"), (3, "fss"):
        done = launch(ranks, program, scheme)
        assert (done.returncode, done.stdout) == (0, "7991934 steps\n")
    done = launch(2, program, "gsss")
    assert done.returncode != 0 and "did you mean 'gss'?" in done.stderr


def test_a_loop_that_was_written_for_dls4lb(installed, tmp_path):
    program = compiled(installed,
                       installed / "share/doc/dls/examples/dls4lb.c",
                       tmp_path / "dls4lb")
    whole = sum(d * (5000 // d) for d in range(1, 5001))
    for ranks, scheme in (1, "tss"), (3, "af"):
        done = launch(ranks, program, scheme)
        assert done.returncode == 0
        assert done.stdout == "".join(f"step {i}: {whole}\n"
                                      for i in range(3))


def test_static_libraries(installed, tmp_path):
    program = compiled(installed, SOURCES / "loop_sizes.c",
                       tmp_path / "static", static=True)
    done = launch(3, program, "", "2", "ss", "awf-b")
    assert done.stdout == "ss: ok\nawf-b: ok\n"


def test_only_its_names_leave_the_library(installed):
    header = (installed / "include/dls_mpi.h").read_text()
    declared = set(re.findall(r"^[a-z].*?\b(dls_\w+)\(", header, re.M))
    assert {"dls_mpi_open", "dls_poll"} <= declared
    shared = names("nm", "-D", "--defined-only",
                   installed / "lib/libdls-mpich.so")
    assert shared - {"DLS_MPI_1"} == declared
    assert names("nm", "--defined-only",
                 installed / "lib/libdls-mpich.a") == declared


@pytest.fixture(scope="module")
def ends(installed):
    return compiled(installed, SOURCES / "early_end.c", installed / "ends")


@pytest.mark.parametrize("form", ["min-chunk=1", "window=rma",
                                  "transport=master", "transport=steal"])
@pytest.mark.parametrize("what, says", [
    ("exit", "rank 1 of 2 exits in the middle of a loop of 1000 iterations"),
    ("finalize", "rank 1 of 2 calls MPI_Finalize with a loop of 1000")])
def test_a_rank_that_ends_in_a_loop_says_so(ends, form, what, says):
    """The launcher would wait for the others, or report success."""
    done = subprocess.run(["mpiexec.mpich", "-n", "2", ends, what, form],
                          capture_output=True, text=True, timeout=60)
    assert done.returncode != 0
    assert [x for x in done.stderr.splitlines() if x.startswith("dls: ")] == [
        x for x in done.stderr.splitlines() if says in x] != []


def test_a_loop_that_nobody_closed_is_said(ends):
    done = subprocess.run(["mpiexec.mpich", "-n", "2", ends, "open",
                           "min-chunk=1"], capture_output=True, text=True,
                          timeout=60)
    assert done.returncode == 0
    assert done.stderr.count("calls MPI_Finalize with a loop of 1000") == 2
    closed = subprocess.run(["mpiexec.mpich", "-n", "2", ends, "close",
                             "min-chunk=1"], capture_output=True, text=True,
                            timeout=60)
    assert closed.returncode == 0 and closed.stderr == ""


def test_it_leaves_mpi_to_the_program(installed):
    used = subprocess.run(
        ["nm", "-D", "--undefined-only", installed / "lib/libdls-mpich.so"],
        check=True, capture_output=True, text=True).stdout
    used = {line.split()[1].split("@")[0] for line in used.splitlines()}
    assert "MPI_Comm_dup" in used and "dls_private_sched_init" in used
    # MPI_Abort: where the program itself ends in the middle of a loop.
    assert not used & {
        "MPI_Init", "MPI_Init_thread", "MPI_Finalize", "abort", "exit",
        "_exit", "printf", "puts", "fprintf", "pthread_create"}


def test_the_program_of_another_mpi_is_refused(installed, tmp_path):
    """Its handles are of another size."""
    source = tmp_path / "other.c"
    source.write_text("""#include <stdio.h>
#include <dls.h>
int MPI_Init(int *, char ***), MPI_Finalize(void);
int dls_mpi_open(dls_loop **, void *, const char *, int64_t, int, void *,
                 void *);
extern char ompi_mpi_comm_world[];
int main(void)
{
    dls_loop *loop;
    MPI_Init(NULL, NULL);
    int code =
        dls_mpi_open(&loop, ompi_mpi_comm_world, "ss", 1, 1, NULL, NULL);
    puts(dls_error(loop));
    dls_close(loop, NULL);
    MPI_Finalize();
    return code == -22 ? 0 : 1;
}
""")
    program = tmp_path / "other"
    done = subprocess.run(
        ["mpicc.openmpi", str(source), "-o", str(program), "-lmpi",
         *flags(installed, "--cflags", "--libs"),
         f"-Wl,-rpath,{installed}/lib"], capture_output=True, text=True,
        check=False)
    assert done.returncode == 0, done.stderr
    done = subprocess.run([str(program)], capture_output=True, text=True,
                          timeout=60, check=False, env={
                              **os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1",
                              "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"})
    assert done.returncode == 0, done.stdout + done.stderr
    assert "runs with Open MPI" in done.stdout
    assert "link it with -ldls-openmpi\n" in done.stdout
