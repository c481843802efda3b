"""libdls as programs get it: installed into an empty prefix, found by
pkg-config, linked outside the tree."""
import os
import re
import subprocess

import pytest

from conftest import ROOT

NUMBERS = 20000


@pytest.fixture
def build(installed, tmp_path):
    """Compiles a source against the installed library; the program's path."""
    env = {**os.environ, "PKG_CONFIG_PATH": f"{installed}/lib/pkgconfig"}

    def words(*options):
        return subprocess.run(["pkg-config", *options, "libdls"], env=env,
                              check=True, capture_output=True,
                              text=True).stdout.split()

    def call(source, compiler, *flags, static=False):
        program = tmp_path / "program"
        # The static library is found first where there is no other.
        libraries = ([f"{installed}/lib/libdls.a", "-lm"] if static else
                     [*words("--libs"), f"-Wl,-rpath,{installed}/lib"])
        done = subprocess.run([*compiler.split(), "-Wall", "-Wextra",
                               "-Werror", *flags, str(source), "-o",
                               str(program), *words("--cflags"), *libraries],
                              capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return program
    return call


def run(program, *args, **variables):
    return subprocess.run([program, *args], capture_output=True, text=True,
                          timeout=60, check=False,
                          env={**os.environ, **variables})


@pytest.fixture
def examples(installed):
    return installed / "share/doc/dls/examples"


def divisors():
    """The sum of the divisors of the numbers up to NUMBERS."""
    return sum(d * (NUMBERS // d) for d in range(1, NUMBERS + 1))


@pytest.mark.parametrize("static", [False, True])
def test_threads(examples, build, static):
    program = build(examples / "threads.c", "gcc -std=c11", "-pthread",
                    static=static)
    for scheme in "ss", "tss", "awf-c":
        done = run(program, scheme)
        assert done.returncode == 0
        assert f"sum {divisors()} under {scheme}" in done.stdout
    done = run(program, "gsss")
    assert done.returncode == 1 and "did you mean 'gss'?" in done.stderr
    assert len(done.stderr.splitlines()) == 1
    done = run(program, "gss", DLS_SCHEDULE="css:chunk=100")
    assert "under css:chunk=100" in done.stdout
    chunks = map(int, re.findall(r": (\d+) chunks", done.stdout))
    assert sum(chunks) == NUMBERS // 100


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_openmp_region(examples, build, compiler):
    done = run(build(examples / "openmp.c", compiler, "-fopenmp"))
    assert done.returncode == 0 and f"sum {divisors()} " in done.stdout


def test_time_steps(examples, build):
    done = run(build(examples / "steps.c", "gcc", "-fopenmp"))
    assert done.returncode == 0
    steps = re.findall(r"step \d: (\d+) (\d+)", done.stdout)
    assert len(steps) == 6
    assert all(int(a) + int(b) == 4000 for a, b in steps)


def test_a_scheme_of_the_program(examples, build):
    done = run(build(examples / "own_scheme.c", "gcc"))
    assert done.returncode == 0
    # 2, 4, 8, 16, then a quarter of 70, 53, 40, 30, ...
    assert done.stdout.split()[:8] == "2 4 8 16 17 13 10 7".split()
    assert sum(map(int, done.stdout.split())) == 100


@pytest.mark.parametrize("compiler", ["g++", "clang++"])
def test_cpp(examples, build, compiler):
    done = run(build(examples / "chunks.cpp", compiler + " -std=c++17",
                     "-pthread"))
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[:2] == ["stop at 0", "60 others"]
    assert "did you mean 'gss'?" in lines[2]


def test_tasks_and_threads_of_tbb(build):
    """Each iteration once: under tasks as workers, then under threads."""
    program = build(ROOT / "tests/libdls/tbb.cpp", "g++ -std=c++17",
                    "-Wl,--no-as-needed", "-ltbb", "-pthread")
    done = run(program, "static", "ss", "tss", "fss", "awf-c", "wf")
    assert done.returncode == 0 and done.stdout.startswith("ok "), done.stdout


def test_fortran(installed, examples, build):
    program = build(examples / "divisors.f90", "gfortran -std=f2008",
                    "-fopenmp", f"-J{installed}",
                    str(installed / "include/dls.f90"))
    done = run(program, "css:chunk=7")
    assert done.returncode == 0
    assert done.stdout == f"sum {divisors()} under css:chunk=7\n"
    done = run(program, "gsss")
    assert done.returncode == 1 and "did you mean 'gss'?" in done.stdout
    assert run(program, DLS_SCHEDULE="tss").stdout.endswith(
        "under tss:last=1\n")


def test_cpp_without_exceptions(build, tmp_path):
    source = tmp_path / "p.cpp"
    source.write_text("""#include <dls.hpp>
int main()
{
    dls::loop wrong("gsss", 1, 1), loop("gss", 10, 1);
    int64_t n = 0;
    for (dls::chunk chunk : wrong.chunks(0))
        n += 100 * chunk.size();
    for (dls::chunk chunk : loop.chunks(0))
        n += chunk.size();
    return !(n == 10 && loop.code() == 0 && wrong.code() < 0);
}
""")
    assert run(build(source, "g++ -std=c++17 -fno-exceptions")).returncode == 0


NO_MEMORY = r"""
#include <dls.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t), *__libc_memalign(size_t, size_t);

static long left = -1; /* allocations that still go well; -1: all */

static int fails(void)
{
    return left >= 0 && left-- == 0 ? (left = 0, 1) : 0;
}

void *malloc(size_t n) { return fails() ? NULL : __libc_malloc(n); }
void *calloc(size_t n, size_t m)
{
    return fails() ? NULL : __libc_calloc(n, m);
}
void *realloc(void *p, size_t n)
{
    return fails() ? NULL : __libc_realloc(p, n);
}
int posix_memalign(void **p, size_t line, size_t n)
{
    *p = fails() ? NULL : __libc_memalign(line, n);
    return *p == NULL ? ENOMEM : 0;
}

static int finish(dls_loop *loop)
{
    int64_t begin, end, sum = 0;
    for (int worker = 0; worker < 3; worker++)
        while (dls_next(loop, worker, &begin, &end) == 1)
            sum += end - begin;
    return sum == 1000;
}

static int try_with(const char *scheme, long allocations, int *all)
{
    const double power[] = {1, 2, 3};
    const dls_options options = {
        .size = sizeof(options), .power = power, .text = "stats=1"};
    dls_loop *loop = NULL;
    int good = 1;
    left = allocations;
    int code = dls_open(&loop, scheme, 10, 3, &options);
    int64_t begin, end;
    for (int worker = 0; code == 0 && worker < 3; worker++)
        while (dls_next(loop, worker, &begin, &end) == 1)
            ;
    if (code == 0)
        code = dls_again(loop, 1000);
    *all = left != 0;
    left = -1;
    if (code == 0)
        good = finish(loop);
    else
        good = code == -ENOMEM && strstr(dls_error(loop), "memory") != NULL;
    if (!good)
        printf("%s, %ld: %d, %s\n", scheme, allocations, code,
               dls_error(loop));
    return (dls_close(loop, NULL) == 0) & good;
}

int main(int argc, char **argv)
{
    int good = 1, failed = 0;
    for (int i = 1; i < argc; i++)
        for (int all = 0, n = 0; !all; n++, failed++)
            good &= try_with(argv[i], n, &all);
    printf("%d failures\n", failed - (argc - 1));
    return !good;
}
"""


def test_memory_that_is_not_there_is_an_error(build, tmp_path):
    source = tmp_path / "memory.c"
    source.write_text(NO_MEMORY)
    program = build(source, "gcc")
    done = run(program, "ss", "gss", "static", "wf", "awf-c", "af", "dtss")
    assert done.returncode == 0, done.stdout
    assert int(done.stdout.split()[0]) > 30
    done = run(program, "gss", "awf-c", DLS_REPORT=str(tmp_path / "r"))
    assert done.returncode == 0, done.stdout


def names(*command):
    out = subprocess.run(command, check=True, capture_output=True,
                         text=True).stdout
    return {line.split()[-1].split("@")[0] for line in out.splitlines()
            if re.search(r" [A-TVWX] ", line)}


def test_only_its_names_leave_the_library(installed):
    header = (installed / "include/dls.h").read_text()
    declared = set(re.findall(r"^[a-z].*?\b(dls_\w+)\(", header, re.M))
    assert "dls_next" in declared
    shared = names("nm", "-D", "--defined-only", installed / "lib/libdls.so")
    # And, for libdls-mpich alone, under a version of their own:
    private = {name for name in shared if name.startswith("dls_private_")}
    versions = {"DLS_1", "DLS_PRIVATE_1.0"}
    assert private and shared - private - versions == declared
    static = names("nm", "--defined-only", installed / "lib/libdls.a")
    assert static == declared | private


def test_it_needs_the_c_library_alone(installed):
    out = subprocess.run(["objdump", "-p", installed / "lib/libdls.so"],
                         check=True, capture_output=True, text=True).stdout
    needed = set(re.findall(r"NEEDED +(\S+)", out))
    assert needed <= {"libc.so.6", "libm.so.6"}
    assert "SONAME               libdls.so.1\n" in out


def test_it_neither_prints_nor_ends_the_program(installed):
    used = subprocess.run(["nm", "-D", "--undefined-only",
                           installed / "lib/libdls.so"], check=True,
                          capture_output=True, text=True).stdout
    used = {line.split()[1].split("@")[0] for line in used.splitlines()}
    assert not used & {"abort", "exit", "_exit", "printf", "puts", "fprintf",
                       "fputs", "fwrite", "putchar", "stdout", "stderr",
                       "pthread_create", "signal", "sigaction"}
