# SPDX-License-Identifier: MIT
# flake8: noqa: F403, F405
"""DLSBench for Spack: in the tree of a checkout what is committed there; of a
release (make dist, build/spack) its archive:

    spack repo add packaging/spack
    spack install dlsbench
"""
import pathlib

import spack
from spack.package import *

try:    # Spack 1: packages and their build systems are apart from it
    from spack_repo.builtin.build_systems.makefile import MakefilePackage
except ImportError:
    pass


class Dlsbench(MakefilePackage):
    """Benchmark suite for dynamic loop self-scheduling on multicore clusters:
    schemes, hierarchies of masters and transports over verified kernels, with
    MPI and threads, and simulated."""

    git = pathlib.Path(__file__).resolve().parents[4].as_uri()

    license("MIT")

    version("1.0", branch="main")

    variant("papi", default=True, description="Count events with PAPI")
    variant("simgrid", default=False, description="Simulated clusters too")
    variant("analysis", default=False, description="What reports need: pandas")

    if spack.spack_version_info >= (0, 23):     # older ones know no languages
        depends_on("c", type="build")
    depends_on("gmake", type="build")
    depends_on("mpi@3:")
    depends_on("hwloc@2:")
    depends_on("libyaml")
    depends_on("expat")
    depends_on("jansson")
    depends_on("xxhash@0.8:")
    depends_on("netpbm")
    depends_on("elfutils")
    depends_on("capstone")
    depends_on("zlib-api")
    depends_on("xz")
    depends_on("zstd")
    # Threads call it at the same time: without threads of its own.
    depends_on("blis+cblas threads=none libs=shared")
    depends_on("papi@7:", when="+papi")
    # smpirun starts what is simulated, smpicc builds it.
    depends_on("simgrid@3.32:+smpi", type=("build", "link", "run"),
               when="+simgrid")
    # dlsbench-report and its like.
    with when("+analysis"), default_args(type="run"):
        depends_on("python")
        depends_on("py-pandas")
        depends_on("py-scipy")
        depends_on("py-matplotlib")
        depends_on("py-jinja2")

    # The Makefile asks MPI's compiler for MPI and for its launcher, and finds
    # the other libraries by linking with each.
    @property
    def build_targets(self):
        spec = self.spec
        blis = spec["blis"].prefix
        return [
            *(["sim"] if spec.satisfies("+simgrid") else ["all", "lib"]),
            f"CC={spec['mpi'].mpicc}",
            f"PAPI={int(spec.satisfies('+papi'))}",
            f"SIM={int(spec.satisfies('+simgrid'))}",
            f"BLAS={blis.lib}",
            f"BLAS_INCLUDE={blis.include.blis}",
        ]

    @property
    def install_targets(self):
        # The same settings: a build with others would be made anew.
        settings = [word for word in self.build_targets if "=" in word]
        return ["install", f"PREFIX={self.prefix}", *settings]
