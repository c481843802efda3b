# Checks of the sources: `make check`.  Each is a separate target, so that
# tests/run.py can count them.  What looks at the built program is at the end.
CHECKS = check-layers check-size check-headers check-registry check-data \
         check-format check-shell check-python check-gcc check-clang
.PHONY: check $(CHECKS) pin unit quick bench-analysis
check: $(CHECKS) ## layers, sizes, headers, registry, data, format, lint, warnings

# The floors of the house are in tests/floors.py; the rules outside it are here.
# $(1): headers, $(2): where they are forbidden.
INCLUDES = grep -rnE --include=*.[ch] --include=*.inc --exclude=*_test.c \
           --exclude=*testing.h --exclude-dir=examples '^[[:space:]]*\#[[:space:]]*include[[:space:]]*["<]($(1))'
define forbid
	@! $(call INCLUDES,$(1)) $(2)
endef
# $(1): headers, $(2): the only folders, as alternatives, that may have them.
define only
	@! $(call INCLUDES,$(1)) $(CODE) | grep -vE '^($(2)|bench/overhead)/'
endef
check-layers: $(OBJECTS)
	$(call forbid,time\.h|unistd\.h|sys/,sched)
	$(call only,mpi\.h|pthread\.h|threads\.h,harness/(engine|messages|transport|protocol/pipeline)|dls)
	$(call only,hwloc,harness/topo)
	$(call only,papi,harness/counters)
	$(call only,dlfcn\.h|link\.h,harness/transport/openmp|dls/omp|bench/programs/symbols)
	$(call only,elfutils|gelf\.h|libelf\.h,bench/programs/symbols)
	$(call forbid,omp\.h,$(CODE))
	@$(PYTHON) tests/floors.py $(BUILD) $(OBJECTS)
	@echo "layers ok"

# No file, function, struct or folder that is too large to be read.
check-size:
	@$(PYTHON) tests/sizes.py
	@echo "sizes ok"

# A header stands for itself where a source that is compiled includes it first;
# the others are compiled alone.
FIRST_INCLUDES = awk 'FNR == 1 {seen = 0} /^\#include/ && !seen++ {gsub(/"/, "", $$2); print $$2}'
check-headers: $(OBJECTS)
	@find $(CODE) -name '*.h' ! -name '*testing.h' ! -path 'kernels/check*.h' | \
	    grep -vxF "$$($(FIRST_INCLUDES) $(SOURCES))" | \
	    xargs -n 8 -P $$(nproc) $(CC) -std=gnu17 $(CPPFLAGS) -fsyntax-only -x c
	@echo "headers ok"

# Every scheme, kernel and transport has its line, and every line its file.
registered = sed -n 's/^$(1)(\([a-z_0-9]*\)).*/\1/p' $(2)
defined = sed -n 's/^const struct $(1)_ops $(1)_\([a-z_0-9]*\)_ops = .*/\1/p'
check-registry:
	@a=$$($(call registered,SCHEME,sched/schemes/schemes.def) | sort); \
	b=$$($(call defined,sched) sched/schemes/*.c | sort); \
	[ "$$a" = "$$b" ] || { echo "sched/schemes/schemes.def and sched/schemes/*.c differ:" $$a / $$b; exit 1; }
	@a=$$($(call registered,KERNEL,kernels/kernels.def) | sort); \
	b=$$($(call defined,kernel) kernels/*.c | sort); \
	[ "$$a" = "$$b" ] || { echo "kernels/kernels.def and kernels/*.c differ:" $$a / $$b; exit 1; }
	@a=$$($(call registered,TRANSPORT,harness/transport/transports.def) | sort); \
	b=$$($(call defined,transport) harness/transport/*/*_transport.c harness/transport/*/native/*_transport.c | sort); \
	[ "$$a" = "$$b" ] || { echo "harness/transport/transports.def and harness/transport/*/*_transport.c differ:" $$a / $$b; exit 1; }
	@echo "registry ok"

# A simulated run holds thousands of ranks in one process: no data that can
# change at file scope, nor for a thread.
check-data: $(OBJECTS)
	@! for o in $(OBJECTS); do objdump -t $$o | sed "s|^|$$o: |"; done | \
	    grep -E '( O (\.data|\.data\.rel|\.data\.rel\.local|\.bss|\*COM\*)| \.t(data|bss))[[:space:]][0-9a-f]+ [^.]'
	@echo "data ok"

check-format:
	@clang-format --dry-run -Werror $$($(call files,*.[ch] *.inc *.cpp))
	@echo "format ok"

check-shell:
	@shellcheck $$($(call files,*.sh jobs/one-node.* *.sbatch *.env.example)) .ci/run
	@echo "shell ok"

check-python:
	@files=$$($(call files,*.py)); [ -z "$$files" ] || $(PYTHON) -m flake8 $$files
	@echo "python ok"

# gcc's warnings depend on its optimizations, clang's do not.  The compiler of
# the build checks while it builds; what is up to date is not compiled again.
# clang's build for the address sanitizer is as good as one of its own.
check-gcc check-clang: check-%:
	+$(Q)$(MAKE) --no-print-directory WERROR=1 \
	    $(if $(filter-out $*,$(CC)$(if $(filter gcc,$*),$(SAN))),BUILD=$(BUILD)/check-$* CC=$* \
	    $(if $(filter clang,$*),CFLAGS="-O0 -g0")) all-objects
	@echo "$* ok"
.PHONY: all-objects
all-objects: $(OBJECTS) $(OMP_OBJECTS) $(SOME_TESTS:=.o) $(OVERHEAD) $(SMPI_CHECKED)

pin: $(BUILD)/dlsbench $(if $(WITH_SIM),$(BUILD)/dlsbench-sim) ## hashes, columns and simulated digits are those of tests/pinned/
	$(Q)BUILD=$(BUILD) $(PYTHON) tests/pin.py compare tests/pinned

unit: $(SOME_TESTS) ## unit tests of this build, and of simulations if SimGrid is here
	@sh tests/unit.sh $(SOME_TESTS) $(SIM_TESTS)

quick: check-format check-layers check-size unit smoke ## the fast loop: a minute on two cores after a build

bench-analysis: ## time and memory of the report of 100,000 runs
	$(Q)$(PYTHON) tests/bench_analysis.py
