# DLSBench.  `make deps bench` measures this workstation, `make deps test` tests
# the build, `make help` lists the targets.  Options: V=1 (show commands),
# CC=clang, SAN=address|thread, BUILD=folder, WERROR=1, PREFIX=folder, and
# MPI=openmpi, PAPI=0, SIM=0, CAPSTONE=0, ZLIB=0, LZMA=0, ZSTD=0 (best with a
# separate BUILD).
# Whatever is built for the thread sanitizer has clang's warnings besides.
CC      = $(if $(filter thread,$(SAN)),clang,gcc)
BUILD   = build
PREFIX  = /usr/local
PYTHON  = /usr/bin/python3
Q       = $(if $(V),,@)
say     = $(if $(V),@:,@printf '  %-5s %s\n')
comma   = ,

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
          harness/counters/,papi.c papi_names.c sde.c papi_test.c))

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
          $(if $(WITH_PAPI),-lsde) -L$(BLAS) -Wl,-rpath,$(BLAS) -lblis -lm

CODE    = base sched kernels harness dls bench
SOURCES := $(filter-out $(LEFT_OUT),$(shell find $(CODE) -name '*.c' ! -name '*_test.c' ! -path 'bench/overhead/*' ! -path 'dls/examples/*' ! -path 'dls/omp/*' ! -path '*/sim/*'))
OBJECTS := $(SOURCES:%.c=$(BUILD)/%.o)
LIBOBJS := $(filter-out $(BUILD)/bench/commands/main.o,$(OBJECTS))
TESTS   := $(patsubst %.c,$(BUILD)/%,$(filter-out $(LEFT_OUT),$(shell find $(CODE) -name '*_test.c' ! -path '*/sim/*')))
# Under a sanitizer `make test` runs a half of them, others with each commit.
SOME_TESTS := $(if $(and $(SAN),$(SLICE)),$(shell $(PYTHON) tests/integration/slices.py \
          unit-$(SAN) 2 $(TESTS)),$(TESTS))
OVERHEAD := $(patsubst %.c,$(BUILD)/%.o,$(wildcard bench/overhead/*.c bench/overhead/rounds/*.c))

.PHONY: all help deps build-deps bench bench-overhead bench-analysis plan-sim smoke report \
    compare pin unit test test-all quick check format install uninstall clean
all: $(BUILD)/dlsbench ## build/dlsbench

help: ## this list
	@grep -hE '^[a-z-]+:.*##' Makefile sim.mk papers.mk lib.mk omp.mk checks.mk faults.mk | sed 's/:.*##/\t/' | expand -t 18

deps: ## install Debian packages (as root, or through sudo)
	@sh tests/deps.sh $(DEBS)

build-deps: ## only those that building needs
	@sh tests/deps.sh $(BUILD_DEBS)

bench: OUT := results/workstation/$(shell date -u +%Y-%m-%dT%H%M%SZ)
bench: $(BUILD)/dlsbench ## measure this workstation (bench/campaigns/workstation.yaml)
	$(Q)$(BUILD)/dlsbench run workstation --out $(OUT); code=$$?; \
	    $(PYTHON) analysis/report.py $(OUT) || echo "no report" >&2; exit $$code

report: ## one page, plots and traces of a result directory: DIR=...
	$(Q)$(PYTHON) analysis/report.py '$(DIR)'

# Run while make reads this, so that make ends with 1 (-q) without a line of its
# own below the answer.
ifeq ($(MAKECMDGOALS),compare)
unlike := $(shell mkdir -p $(BUILD); $(PYTHON) analysis/compare.py '$(A)' '$(B)' \
    >$(BUILD)/compare.txt || echo yes)
$(info $(file <$(BUILD)/compare.txt))
MAKEFLAGS += $(if $(unlike),-q)
endif
compare: ## two folders of launches: is B slower? exit code 0 only if not: A=... B=...
	@:

bench-overhead: $(BUILD)/bench-overhead ## what scheduling costs here
	$(Q)$(LAUNCHER) -n 2 $(BUILD)/bench-overhead $(PART)

bench-analysis: ## time and memory of the report of 100,000 runs
	$(Q)$(PYTHON) tests/bench_analysis.py

plan-sim: $(BUILD)/dlsbench $(BUILD)/dlsbench-plan-sim ## plans as messages on SimGrid

smoke: $(BUILD)/dlsbench ## every scheme over the null kernel
	$(Q)$(BUILD)/dlsbench run smoke --out $(BUILD)/smoke-$(shell date +%s)/

SHARE = $(DESTDIR)$(PREFIX)/share/dlsbench
READERS = tables report figures compare advise
install: $(BUILD)/dlsbench install-lib ## into PREFIX, with dlsbench-report and its like, and libdls
	install -d $(DESTDIR)$(PREFIX)/bin $(SHARE)/analysis/figures
	install $(BUILD)/dlsbench $(wildcard $(BUILD)/dlsbench-sim) $(DESTDIR)$(PREFIX)/bin/
	install -d $(SHARE)/bench/campaigns
	install -m 644 bench/campaigns/*.yaml $(SHARE)/bench/campaigns/
	for name in sim sim-smpi.so plan-sim; do program=$(BUILD)/dlsbench-$$name; \
	    [ ! -e $$program ] || install $$program $(DESTDIR)$(PREFIX)/bin/ || exit 1; done
	for file in $(wildcard bench/papers/*.* bench/papers/*/*.* \
	    bench/platforms/*.* bench/platforms/*/*.*); do \
	    install -D -m 644 $$file $(SHARE)/$$file || exit 1; done
	install -m 644 analysis/*.py $(SHARE)/analysis/
	install -m 644 analysis/figures/*.py $(SHARE)/analysis/figures/
	chmod 755 $(READERS:%=$(SHARE)/analysis/%.py)
	for name in $(READERS); do ln -sf ../share/dlsbench/analysis/$$name.py \
	    $(DESTDIR)$(PREFIX)/bin/dlsbench-$$name || exit 1; done
	install -d $(DESTDIR)$(PREFIX)/share/man/man1
	for command in '' $$($(BUILD)/dlsbench --help=complete | sed -n '/^-/!s/\t.*//p'); do \
	    $(BUILD)/dlsbench $$command --help=man \
	    >$(DESTDIR)$(PREFIX)/share/man/man1/dlsbench$${command:+-$$command}.1 || exit 1; done
	install -D -m 644 packaging/completion/dlsbench.bash \
	    $(DESTDIR)$(PREFIX)/share/bash-completion/completions/dlsbench
	install -D -m 644 packaging/completion/_dlsbench \
	    $(DESTDIR)$(PREFIX)/share/zsh/site-functions/_dlsbench

uninstall: ## removes what install puts there, with the same PREFIX
	$(Q)root=$$(mktemp -d) && $(MAKE) --no-print-directory install DESTDIR=$$root >/dev/null && \
	    (cd $$root && find . ! -type d) | while read -r file; do rm -f "$(DESTDIR)/$$file"; done && \
	    (cd $$root && find . -mindepth 1 -depth -type d) | while read -r folder; do \
	    rmdir --ignore-fail-on-non-empty "$(DESTDIR)/$$folder" || :; done; rm -r "$$root"

$(BUILD)/dlsbench: $(OBJECTS)
	$(say) LD $@
	$(Q)$(CC) $(CFLAGS_ALL) -o $@ $^ $(LDLIBS)

# Of the archive a test takes only what it needs, which links it in a third of
# the time, and gold, where it is, in half of that.
TEST_LD := $(if $(shell command -v ld.gold),-fuse-ld=gold)
$(BUILD)/tested.a: $(LIBOBJS)
	$(Q)rm -f $@ && ar rcsT $@ $^

$(BUILD)/%_test: $(BUILD)/%_test.o $(BUILD)/tested.a
	$(say) LD $@
	$(Q)$(CC) $(CFLAGS_ALL) $(TEST_LD) -o $@ $^ $(LDLIBS) -lcmocka

# Plans of divisible loads are tested against linear programs.
$(BUILD)/sched/divisible/%_test: LDLIBS += -lglpk

$(BUILD)/%.o: %.c $(BUILD)/flags
	$(say) CC $<
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS_ALL) $(FATAL) $(CPPFLAGS) -MMD -MP -c -o $@ $<

$(BUILD)/harness/record/build.o: CPPFLAGS += -DBUILD_VERSION='"$(GIT_VERSION)"' \
    -DBUILD_FLAGS='"$(CFLAGS_ALL)"'
$(BUILD)/harness/record/build.o: $(BUILD)/version

$(BUILD)/bench/programs/static/%.o: CPPFLAGS += $(if $(WITH_CAPSTONE),-DWITH_CAPSTONE)

$(BUILD)/kernels/support/unpack.o: CPPFLAGS += $(UNPACK:%=-DUNPACK_%)

$(BUILD)/bench/launching/installed.o: CPPFLAGS += -DBUILD_TREE='"$(CURDIR)"'

$(BUILD)/bench/launching/launcher.o: CPPFLAGS += -DBUILD_LAUNCHER='"$(LAUNCHER) -n {ranks}"' \
    -DBUILD_MPI='"$(MPI)"'
$(BUILD)/bench/launching/cause.o: CPPFLAGS += -DBUILD_MPI='"$(MPI)"'

$(BUILD)/bench/overhead/library.o: CPPFLAGS += -DBUILD_LIBDLS='"$(CURDIR)/$(LIB)/libdls.so"'
$(BUILD)/bench/overhead/library_ranks.o: CPPFLAGS += -DBUILD_LIBDLS='"$(CURDIR)/$(LIB)/libdls.so"' \
    -DBUILD_LIBDLS_MPI='"$(CURDIR)/$(LIB)/libdls-$(MPI).so"'

$(BUILD)/bench/overhead/omp_rows.o: CPPFLAGS += -DBUILD_OMP='"$(CURDIR)/$(LIB)/libdls-omp.so"' \
    -DBUILD_OMP_COSTS='"$(CURDIR)/$(BUILD)/omp-costs"'

$(BUILD)/bench-overhead: $(OVERHEAD) $(LIBOBJS) | $(BUILD)/lib/libdls.so \
    $(BUILD)/lib/libdls-$(MPI).so $(BUILD)/lib/libdls-omp.so $(BUILD)/omp-costs
	$(say) LD $@
	$(Q)$(CC) $(CFLAGS_ALL) -o $@ $^ $(LDLIBS)

# SimGrid has its own MPI: none of our objects with MPI is linked to it.
PLAN_SIM = $(if $(WITH_SIM),$(BUILD)/bench/foretell/load/sim/plan_simulator.o \
    $(patsubst %.c,$(BUILD)/%.o,$(filter-out %_test.c,$(wildcard base/*.c base/system/*.c))))
$(BUILD)/dlsbench-plan-sim: $(PLAN_SIM)
	@[ -n '$(WITH_SIM)' ] || { echo 'SIM=0 leaves out SimGrid' >&2; exit 1; }
	$(say) LD $@
	$(Q)$(CC) $(CFLAGS_ALL) -o $@ $^ -lsimgrid -lm

# Objects are made again when the compiler, its flags or the version change.
define remember
	@mkdir -p $(@D)
	@echo '$(1)' | cmp -s - $@ || echo '$(1)' > $@
endef
.PHONY: FORCE
FORCE:
$(BUILD)/flags: FORCE
	$(if $(MISSING),$(error not installed: $(NAMED); install the package in brackets, or all by `make deps`))
	$(call remember,$(CC) $(CFLAGS_ALL) $(LAUNCHER) PAPI=$(WITH_PAPI) CAPSTONE=$(WITH_CAPSTONE) UNPACK=$(UNPACK))
$(BUILD)/version: FORCE
	$(call remember,$(GIT_VERSION))

pin: $(BUILD)/dlsbench $(if $(WITH_SIM),$(BUILD)/dlsbench-sim) ## hashes, columns and simulated digits are those of tests/pinned/
	$(Q)BUILD=$(BUILD) $(PYTHON) tests/pin.py compare tests/pinned

unit: $(SOME_TESTS) ## unit tests of this build, and of simulations if SimGrid is here
	@sh tests/unit.sh $(SOME_TESTS) $(SIM_TESTS)

test: ## checks, unit and integration tests, sanitizers
	@$(PYTHON) tests/run.py

test-all: ## the same with all cases of every cross
	@ALL=1 $(PYTHON) tests/run.py

quick: check-format check-layers check-size unit smoke ## the fast loop: a minute on two cores after a build

format: ## clang-format the sources in place
	clang-format -i $$($(GIT) ls-files '*.[ch]' '*.inc' '*.cpp')

clean: ## remove the build folder
	rm -rf $(BUILD)

include sim.mk papers.mk lib.mk omp.mk checks.mk faults.mk
# Compiling and checking wait for `make deps` when both are requested.
$(OBJECTS) $(OVERHEAD) $(TESTS:=.o) $(SIM_TESTS:=.o) $(BUILD)/version $(BUILD)/flags $(CHECKS) test test-all: | \
    $(filter deps,$(MAKECMDGOALS))
# A folder with flags of its own is another build.
OTHER_BUILDS = $(patsubst %/flags,%,$(wildcard $(BUILD)/*/flags))
-include $(shell find $(BUILD) $(OTHER_BUILDS:%=-path % -prune -o) -name '*.d' -print 2>/dev/null)
