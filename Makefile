# DLSBench.  `make deps bench` measures this workstation, `make deps test` tests
# the build, `make help` lists the targets.  Options: V=1 (show commands),
# CC=clang, SAN=address|thread, BUILD=folder, WERROR=1, PREFIX=, LIBDIR=, and
# MPI=openmpi, and PAPI=0 and its like, which leave a library out (best with a
# separate BUILD).  `make config` says which are here; packages.mk has what
# building needs, programs.mk how programs are made.
# Whatever is built for a sanitizer has clang's warnings besides.
CC      = $(if $(SAN),clang,gcc)
BUILD   = build
PREFIX  = /usr/local
PYTHON  = /usr/bin/python3
Q       = $(if $(V),,@)
say     = $(if $(V),@:,@printf '  %-5s %s\n')
comma   = ,

# `make deps bench`: first the packages, then a make that finds them.
INSTALLS = deps deps-bench deps-test build-deps
NO_LIBRARY = $(INSTALLS) help config clean format report compare bench-analysis docs
AFTER   = $(if $(filter $(INSTALLS),$(MAKECMDGOALS)),$(filter-out $(INSTALLS),$(MAKECMDGOALS)))

.PHONY: all help config $(INSTALLS) bench bench-overhead bench-launch smoke report compare test test-all check format clean
all: ## build/dlsbench

include packages.mk

help: ## this list
	@grep -hE '^[a-z-]+:.*##' Makefile sim.mk papers.mk lib.mk omp.mk install.mk checks.mk faults.mk | sed 's/:.*##/\t/' | expand -t 18

# For measuring there is no need of all that tests need.
ONLY_BENCH = $(and $(filter bench,$(MAKECMDGOALS)),$(if $(filter-out $(INSTALLS) all bench,$(MAKECMDGOALS)),,bench))
deps: deps-$(or $(ONLY_BENCH),test) ## install Debian packages: of deps-bench before bench, else of deps-test

deps-bench: ## those for `make bench` (as root, or through sudo; PLOTS=0: without its page)
	@sh tests/deps.sh $(BENCH_DEBS)

deps-test: ## those for `make test`, and for all else
	@sh tests/deps.sh $(DEBS)

build-deps: ## only those that building needs
	@sh tests/deps.sh $(BUILD_DEBS)

ifneq ($(AFTER),)
.PHONY: $(AFTER) after
$(AFTER): after
	@:
after: $(filter $(INSTALLS),$(MAKECMDGOALS))
	+@$(MAKE) --no-print-directory $(AFTER)
else

include programs.mk
all: $(BUILD)/dlsbench

config: ## which libraries are here, and what is lost without the others
	@$(find_sh) config

bench: OUT := results/workstation/$(shell date -u +%Y-%m-%dT%H%M%SZ)
bench: $(BUILD)/dlsbench ## measure this workstation (bench/campaigns/workstation.yaml)
	$(Q)$(BUILD)/dlsbench run workstation --out $(OUT); code=$$?; \
	    $(if $(filter 0,$(PLOTS)),,$(PYTHON) analysis/report.py $(OUT) || echo "no report" >&2;) exit $$code

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

bench-launch: $(BUILD)/dlsbench $(BUILD)/bench-empty ## what starting a campaign costs here
	$(Q)LAUNCHER='$(LAUNCHER)' $(PYTHON) bench/overhead/native/launch.py $(BUILD)

smoke: $(BUILD)/dlsbench ## every scheme over the null kernel
	$(Q)$(BUILD)/dlsbench run smoke --out $(BUILD)/smoke-$(shell date +%s)/

test: ## checks, unit and integration tests, sanitizers
	@$(PYTHON) tests/run.py

test-all: ## the same with all cases of every cross
	@ALL=1 $(PYTHON) tests/run.py

format: ## clang-format the sources in place
	clang-format -i $$($(call files,*.[ch] *.inc *.cpp))

clean: ## remove the build folder
	rm -rf $(BUILD)

include sim.mk papers.mk lib.mk omp.mk install.mk checks.mk faults.mk
# A folder with flags of its own is another build.
OTHER_BUILDS = $(patsubst %/flags,%,$(wildcard $(BUILD)/*/flags))
-include $(shell find $(BUILD) $(OTHER_BUILDS:%=-path % -prune -o) -name '*.d' -print 2>/dev/null)
endif
