# Checks of the sources: `make check`.  Each is a target of its own, so that
# tests/run.py can count them.
CHECKS = check-layers check-headers check-registry check-data check-format \
         check-shell check-python check-gcc check-clang
.PHONY: check $(CHECKS)
check: $(CHECKS) ## layers, headers, registry, data, format, lint, warnings

# Who may include what.  $(1): where, $(2): what must not be included there.
define forbid
	@! grep -rnE '^[[:space:]]*#[[:space:]]*include[[:space:]]*["<]($(2))' \
	    --include=*.[ch] --exclude=*_test.c --exclude=testing.h $(1)
endef
LIBS = mpi\.h|pthread\.h|hwloc|papi
HARNESS_TOP = $(wildcard harness/*.[ch]) harness/record harness/protocol
check-layers:
	$(call forbid,base,sched/|kernels/|harness/|bench/|$(LIBS))
	$(call forbid,sched,kernels/|harness/|bench/|$(LIBS))
	$(call forbid,kernels,sched/|harness/|bench/|$(LIBS))
	$(call forbid,harness,bench/)
	$(call forbid,harness/engine harness/topo harness/counters harness/record,harness/(transport|protocol)/|harness/run|harness/chain)
	$(call forbid,harness/transport,harness/protocol/|harness/run|harness/chain|hwloc|papi)
	$(call forbid,harness/topo harness/counters,mpi\.h|pthread\.h)
	$(call forbid,harness/counters,hwloc)
	$(call forbid,harness/topo,papi)
	$(call forbid,$(HARNESS_TOP) $(wildcard bench/*.[ch]),$(LIBS))
	@echo "layers ok"

check-headers:
	@for h in $$(find $(CODE) -name '*.h' ! -name testing.h ! -name check.h); do \
	    $(CC) -std=gnu17 $(CPPFLAGS) -fsyntax-only -x c $$h || exit 1; done
	@echo "headers ok"

# Every scheme and kernel has its line, and every line its file.
registered = sed -n 's/^$(1)(\([a-z_0-9]*\)).*/\1/p' $(2)
defined = sed -n 's/^const struct $(1)_ops $(1)_\([a-z_0-9]*\)_ops = .*/\1/p'
check-registry:
	@a=$$($(call registered,SCHEME,sched/schemes.def) | sort); \
	b=$$($(call defined,sched) sched/*.c | sort); \
	[ "$$a" = "$$b" ] || { echo "sched/schemes.def and sched/*.c differ:" $$a / $$b; exit 1; }
	@a=$$($(call registered,KERNEL,kernels/kernels.def) | sort); \
	b=$$($(call defined,kernel) kernels/*.c | sort); \
	[ "$$a" = "$$b" ] || { echo "kernels/kernels.def and kernels/*.c differ:" $$a / $$b; exit 1; }
	@echo "registry ok"

# A simulated run holds thousands of ranks in one process: no data that can
# change at file scope.
check-data: $(OBJECTS)
	@! for o in $(OBJECTS); do objdump -t $$o | sed "s|^|$$o: |"; done | \
	    grep -E ' O (\.data|\.bss|\*COM\*|\.tdata|\.tbss)[[:space:]]'
	@echo "data ok"

check-format:
	@clang-format --dry-run -Werror $$(git ls-files '*.[ch]')
	@echo "format ok"

check-shell:
	@shellcheck $$(git ls-files '*.sh') .ci/run
	@echo "shell ok"

check-python:
	@files=$$(git ls-files '*.py'); [ -z "$$files" ] || $(PYTHON) -m flake8 $$files
	@echo "python ok"

check-gcc check-clang: check-%:
	+$(Q)$(MAKE) --no-print-directory BUILD=$(BUILD)/check-$* CC=$* WERROR=1 all-objects
	@echo "$* ok"
.PHONY: all-objects
all-objects: $(OBJECTS) $(TESTS:=.o) $(OVERHEAD)
