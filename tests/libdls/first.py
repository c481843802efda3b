#!/usr/bin/python3
"""The examples as they were linked with the first version of libdls, and what
they say.  tests/integration/test_libdls_first.py runs them with the library of
today.

    tests/libdls/first.py PREFIX    makes first.tar.xz from an installation

The file stays as it is: it was made once, of version 1.0 for x86-64, MPICH
and what Debian 12 has.
"""
import os
import pathlib
import subprocess
import sys
import tarfile
import tempfile

STORED = pathlib.Path(__file__).with_suffix(".tar.xz")
FLAGS = "-Os -s -Wl,-z,noseparate-code,--build-id=none".split()
# Name: compiler, modules and source, ranks (0: without MPI), what it says.
PROGRAMS = {
    "threads": ("gcc -pthread", "threads.c", 0, "under fss:alpha=2"),
    "openmp": ("gcc -fopenmp", "openmp.c", 0, "sum "),
    "steps": ("gcc -fopenmp", "steps.c", 0, "step 5: "),
    "own_scheme": ("gcc", "own_scheme.c", 0, "2 4 8 16 17 13 10 7"),
    "chunks": ("g++ -std=c++17 -pthread", "chunks.cpp", 0, "60 others"),
    "divisors": ("gfortran -fopenmp", "dls.f90 divisors.f90", 0, "sum "),
    "mandelbrot": ("mpicc.mpich -fopenmp", "mandelbrot.c", 2,
                   "7991934 steps"),
    "mandelbrot_cpp": ("mpicxx.mpich -std=c++17 -pthread", "mandelbrot.cpp",
                       2, "7991934 steps"),
    "mandelbrot_f90": ("mpif90.mpich -fall-intrinsics",
                       "dls.f90 dls_mpi.f90 mandelbrot.f90", 2,
                       "7991934 steps"),
    "dls4lb": ("mpicc.mpich", "dls4lb.c", 2, "step 2: 20565804"),
    "particles": ("mpicc.mpich", "particles.c -lm", 2, "particles"),
    "steps_mpi": ("mpicc.mpich", "steps_mpi.c", 2, "result 1000.01831619158"),
}


def make(prefix, name, folder):
    compiler, sources, ranks, _ = PROGRAMS[name]
    places = [str((prefix / "include" if x.startswith("dls")
                   and x.endswith("f90") else
                   prefix / "share/doc/dls/examples") / x)
              if "." in x else x for x in sources.split()]
    flags = subprocess.run(
        ["pkg-config", "--cflags", "--libs",
         "libdls-mpich" if ranks else "libdls"], check=True, text=True,
        capture_output=True, env={
            **os.environ, "PKG_CONFIG_PATH": f"{prefix}/lib/pkgconfig"}
    ).stdout.split()
    subprocess.run([*compiler.split(), *FLAGS, *places, "-o", folder / name,
                    *flags], check=True, cwd=folder)


def main():
    prefix = pathlib.Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory() as there, \
            tarfile.open(STORED, "w:xz") as tar:
        for name in PROGRAMS:
            make(prefix, name, pathlib.Path(there))
            tar.add(pathlib.Path(there) / name, name)


if __name__ == "__main__":
    main()
