# What building needs: variants, Debian's packages, the compiler's flags, libraries.

# Variants of the same sources: MPI=mpich or openmpi, by names that do not
# depend on which of them the system calls mpiexec; PAPI=0 without counters of
# events; SIM=0 without SimGrid; ZLIB=0, LZMA=0 and ZSTD=0 without files that
# are compressed by gzip, xz and zstd.
MPI     = mpich
mpi     = $(or $($(1)_$(MPI)),$(error MPI=$(MPI) is unknown, allowed: mpich, openmpi))
DEBS_mpich = mpich libmpich-dev
DEBS_openmpi = openmpi-bin libopenmpi-dev
PACKAGE_mpich = mpich
PACKAGE_openmpi = ompi-c
LAUNCHER_mpich = mpiexec.mpich
# Ranks find their cores themselves (--bind), as root too, as in a container.
LAUNCHER_openmpi = mpiexec.openmpi --allow-run-as-root --oversubscribe --bind-to none
LAUNCHER = $(call mpi,LAUNCHER)
WITH_PAPI = $(filter-out 0,$(or $(PAPI),1))
# Reads machine code of x86-64; left out by itself where it is not installed.
WITH_CAPSTONE = $(eval WITH_CAPSTONE := $$(and $$(filter-out 0,$$(or $$(CAPSTONE),1)),$$(if $$(call unknown,capstone),,1)))$(WITH_CAPSTONE)
WITH_SIM = $(filter-out 0,$(or $(SIM),1))
UNPACK  = $(strip $(foreach lib,ZLIB LZMA ZSTD,$(if $(filter-out 0,$(or $($(lib)),1)),$(lib))))
unpack  = $(foreach lib,$(UNPACK),$($(1)_$(lib)))
PACKAGE_ZLIB = zlib
PACKAGE_LZMA = liblzma
PACKAGE_ZSTD = libzstd

# Debian's packages for building, then also those for testing and checking.
BUILD_DEBS = gcc libc6-dev make pkg-config git $(call mpi,DEBS) libhwloc-dev \
          $(if $(WITH_PAPI),libpapi-dev) $(if $(WITH_SIM),libsimgrid-dev g++) \
          libyaml-dev libjansson-dev libxxhash-dev libblis-serial-dev libnetpbm-dev \
          libdw-dev $(if $(filter-out 0,$(or $(CAPSTONE),1)),libcapstone-dev) $(foreach p,$(call unpack,PACKAGE),$(call deb,$(p)))
DEBS    = $(BUILD_DEBS) zstd hwloc iproute2 man-db netpbm libcmocka-dev libglpk-dev g++ gfortran \
          clang clang-format libclang-rt-dev shellcheck flake8 zsh python3 \
          strace python3-pytest python3-pytest-xdist python3-pandas python3-scipy \
          python3-matplotlib jq patch libomp-dev graphicsmagick gettext \
          chromium slurm-wlm munge abigail-tools libtbb-dev librsb-dev
# Both MPIs are tested; Debian's `mpiexec` becomes Open MPI's by this.
DEBS   += $(if $(filter test test-all,$(MAKECMDGOALS)),$(DEBS_openmpi))
# pkg-config's names, and Debian's of those whose -dev package is called otherwise.
PACKAGES = $(call mpi,PACKAGE) hwloc $(if $(WITH_PAPI),papi) yaml-0.1 jansson libxxhash netpbm libdw libelf \
          $(if $(WITH_CAPSTONE),capstone) $(call unpack,PACKAGE)
DEB_mpich = libmpich-dev
DEB_ompi-c = libopenmpi-dev
DEB_yaml-0.1 = libyaml-dev
DEB_libelf = libelf-dev
DEB_zlib = zlib1g-dev
DEB_blis = libblis-serial-dev
OPTION_papi = PAPI
OPTION_zlib = ZLIB
OPTION_liblzma = LZMA
OPTION_libzstd = ZSTD
deb     = $(or $(DEB_$(1)),$(patsubst liblib%,lib%,lib$(1)-dev))
# Each is asked for by itself, when a rule needs the answer first, and once.
unknown = $(if $(shell pkg-config --exists $(1) 2>/dev/null || echo no),$(1))
MISSING = $(eval MISSING := $$(strip $$(if $$(shell command -v pkg-config),$$(foreach p,$$(PACKAGES),$$(call unknown,$$(p))),pkg-config) \
          $$(if $$(BLAS),,blis)))$(MISSING)
NAMED   = $(foreach p,$(MISSING),$(p)$(if $(filter pkg-config,$(p)),, ($(call deb,$(p))$(if $(OPTION_$(p)), or $(OPTION_$(p))=0))))

LEFT_OUT = $(if $(WITH_PAPI),harness/counters/without_papi.c,$(addprefix \
          harness/counters/,papi.c papi_names.c papi_test.c))

# Evaluated only when a rule needs them: before `make deps` they do not exist.
# The checkout may belong to another user, and be read only.
GIT     = git -c safe.directory='*'
GIT_VERSION = $(shell $(GIT) describe --always --dirty 2>/dev/null || echo unknown)
# Called from several threads at a time: serial OpenBLAS would lend two of them
# one buffer.
BLAS    = $(dir $(firstword $(wildcard /usr/lib/*/blis-serial/libblis.so)))
BLAS_INCLUDE = $(BLAS:/usr/lib/%=/usr/include/%)
WARN    = -Wall -Wextra -Wmissing-prototypes -Wstrict-prototypes -Wshadow
# Of the compiler's call, not of its flags: objects without a warning stay.
FATAL   = $(if $(WERROR),-Werror)
FLAGS   = -std=gnu17 -O3 -g $(WARN) -ffp-contract=off -fno-math-errno -pthread
# With sanitizers -O1 takes nearly twice as long to compile as -O0, and more than
# the lines of functions a quarter more.  Kernels compute.
SANFLAGS = $(if $(SAN),$(if $(filter $(BUILD)/kernels/%,$@),-O1,-O0) -g1 -fsanitize=$(SAN)$(if $(filter address,$(SAN)),$(comma)undefined) \
          -fno-sanitize-recover=all -fno-omit-frame-pointer -DDLSBENCH_SANITIZED)
CFLAGS_ALL = $(FLAGS) $(SANFLAGS) $(CFLAGS)
# Asked when a rule needs it first, and once.
PACKAGE_CFLAGS = $(eval PACKAGE_CFLAGS := $$(shell pkg-config --cflags $$(filter-out $$(MISSING),$$(PACKAGES))))$(PACKAGE_CFLAGS)
CPPFLAGS = -I. -D_GNU_SOURCE $(PACKAGE_CFLAGS) -isystem $(BLAS_INCLUDE)
# A library in a folder that the loader does not know is found there, too.
libraries = $(shell pkg-config --libs $(1)) $(patsubst -L%,-Wl$(comma)-rpath$(comma)%, \
          $(shell pkg-config --libs-only-L $(1)))
PACKAGE_LIBS = $(eval PACKAGE_LIBS := $$(call libraries,$$(filter-out $$(MISSING),$$(PACKAGES))))$(PACKAGE_LIBS)
LDLIBS  = $(PACKAGE_LIBS) \
          -L$(BLAS) -Wl,-rpath,$(BLAS) -lblis -lm
