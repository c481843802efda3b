# What building needs: variants, Debian's packages, the compiler's flags, libraries.

# Which libraries are here: packaging/find.sh links a program with each, and make
# reads its answers, WITH, MPI, LAUNCHER, CFLAGS_x and LIBS_x.  NAME=0 leaves a
# library out, NAME=1 insists on it.  MPI=mpich or openmpi asks for one, whichever of
# them the system calls mpicc; without it the one of CC=mpicc is taken.
# FOUND=FILE takes the answers of another build, as for another machine.
OPTIONS = PAPI SIM LIBDW NETPBM CAPSTONE ZLIB LZMA ZSTD EXPAT XXHASH BLAS
BLAS_FOLDER = $(filter-out 0 1,$(BLAS))
OFF     = $(foreach o,$(OPTIONS),$(if $(filter 0,$($(o))),$(o)))
FOUND   = $(BUILD)/found.mk
find_sh = CC='$(CC)' CXX='$(CXX)' CFLAGS='$(CFLAGS)' MPI='$(MPI)' OFF='$(OFF)' \
          ON='$(foreach o,$(OPTIONS),$(if $(filter 1,$($(o))),$(o)))' \
          BLAS='$(BLAS_FOLDER)' BLAS_INCLUDE='$(BLAS_INCLUDE)' sh packaging/find.sh
ifneq ($(if $(AFTER),,$(filter-out $(NO_LIBRARY),$(or $(MAKECMDGOALS),all))),)
NOT_FOUND := $(if $(filter file,$(origin FOUND)),$(shell $(find_sh) make $(FOUND)))
$(if $(NOT_FOUND),$(error $(NOT_FOUND)))
include $(FOUND)
endif
mpi     = $(or $($(1)_$(or $(MPI),mpich)),$(error MPI=$(MPI) is unknown, allowed: mpich, openmpi))
DEBS_mpich = mpich libmpich-dev
DEBS_openmpi = openmpi-bin libopenmpi-dev

# Debian's packages for building, then also those for testing and checking.
# `make bench` needs no simulations; with PLOTS=0 neither what draws its page, nor
# the two largest of the libraries that may be left out.
debs_of = gcc libc6-dev make $(call mpi,DEBS) $(shell sh packaging/find.sh debian $(OFF) $(1))
PAGE_DEBS = $(addprefix python3-,pandas scipy matplotlib jinja2)
BENCH_DEBS = $(call debs_of,SIM $(if $(filter 0,$(PLOTS)),BLAS CAPSTONE)) \
          $(if $(filter 0,$(PLOTS)),,$(PAGE_DEBS))
BUILD_DEBS = $(debs_of) pkg-config git
DEBS    = $(BUILD_DEBS) $(PAGE_DEBS) zstd hwloc iproute2 man-db netpbm libcmocka-dev libglpk-dev g++ gfortran \
          clang clang-format lld libclang-rt-dev shellcheck flake8 zsh python3 \
          strace python3-pytest python3-pytest-xdist jq patch libomp-dev graphicsmagick gettext \
          chromium slurm-wlm munge abigail-tools libtbb-dev librsb-dev \
          libbenchmark-tools python3-prometheus-client \
          $(addprefix python3-,pip hatchling nbclient ipykernel)
# Both MPIs are tested; Debian's `mpiexec` becomes Open MPI's by this.
DEBS   += $(if $(filter test test-all,$(MAKECMDGOALS)),$(DEBS_openmpi))
# What packages are made with, and tried in; and the book of the manual.
DEBS   += $(if $(filter deb test-all,$(MAKECMDGOALS)),debhelper lintian mmdebstrap)
DEBS   += $(if $(filter docs test-all,$(MAKECMDGOALS)),python3-sphinx python3-myst-parser furo)

# Of a part with a library and one without, the other.  $(2) without $(1), $(3)
# with it.
one_of  = $(if $(filter $(1),$(WITH)),$(3),$(2))
WITH_SIM = $(filter SIM,$(WITH))
LEFT_OUT = $(call one_of,PAPI,$(addprefix harness/counters/,papi.c papi_names.c papi_test.c), \
          harness/counters/without_papi.c) \
          $(call one_of,LIBDW,$(addprefix bench/programs/symbols/,symbols.c elf.c), \
          bench/programs/symbols/without_libdw.c)

# Evaluated only when a rule needs them: before `make deps` they do not exist.
# The checkout may belong to another user, and be read only.  An archive of a
# release has no git.
GIT     = git -c safe.directory='*'
VERSION := $(file <VERSION)
WHOLE_VERSION = $(VERSION)$(if $(wildcard .git),$(shell \
          $(GIT) describe --always --dirty --exclude='*' 2>/dev/null | sed 's/^/+/'))
files   = $(if $(wildcard .git),$(GIT) ls-files $(1:%='%'),find . -path './build*' -prune -o \
          -type f '(' -name '' $(foreach p,$(1),-o -path './$(p)') ')' -print)
WARN    = -Wall -Wextra -Wmissing-prototypes -Wstrict-prototypes -Wshadow
# Of the compiler's call, not of its flags: objects without a warning stay.
FATAL   = $(if $(WERROR),-Werror)
FLAGS   = -std=gnu17 -O3 -g $(WARN) -ffp-contract=off -fno-math-errno -pthread
# With sanitizers -O1 takes nearly twice as long to compile as -O0, and more than
# the lines of functions a quarter more.  Kernels compute.
# clang's minds 0 added to no address, which C2y defines (N3322).
SANFLAGS = $(if $(SAN),$(if $(filter $(BUILD)/kernels/%,$@),-O1,-O0) -g1 -fsanitize=$(SAN)$(if $(filter address,$(SAN)),$(comma)undefined) \
          $(if $(findstring clang,$(CC)),-fno-sanitize=pointer-overflow) \
          -fno-sanitize-recover=all -fno-omit-frame-pointer -DDLSBENCH_SANITIZED)
CFLAGS_ALL = $(FLAGS) $(SANFLAGS) $(CFLAGS)
# ld, ar and their like: of the machine that the compiler builds for.
tool    = $(shell $(CC) -print-prog-name=$(1))
# Programs hold no path of their build, so that those of two folders are equal.
NO_PATH = '-ffile-prefix-map=$(CURDIR)=.'
of_found = $(foreach x,$(2),$($(1)_$(x)))
# Without the library, xxhash is a header that came with us.
XXHASH_HERE = $(call one_of,XXHASH,-isystem packaging/xxhash -DXXH_INLINE_ALL,)
CPPFLAGS = -I. -D_GNU_SOURCE $(call of_found,CFLAGS,MPI $(filter-out SIM,$(WITH))) $(XXHASH_HERE)
# Files that have a part for a library, or for its absence.
with    = $(patsubst %,-DWITH_%,$(filter $(1),$(WITH)))
LDLIBS  = $(call of_found,LIBS,MPI $(filter-out SIM,$(WITH))) -lm $(LDFLAGS)
