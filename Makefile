# DLSBench.  `make deps bench` measures this workstation, `make deps test` tests
# the build, `make help` lists the targets.  Options: V=1 (show commands),
# CC=clang, SAN=address|thread, BUILD=folder, WERROR=1, PREFIX=folder, and
# MPI=openmpi, and PAPI=0 and its like, which leave a library out (best with a
# separate BUILD).  `make config` says which are here; packages.mk has what
# building needs, programs.mk how programs are made.
# Whatever is built for the thread sanitizer has clang's warnings besides.
CC      = $(if $(filter thread,$(SAN)),clang,gcc)
BUILD   = build
PREFIX  = /usr/local
PYTHON  = /usr/bin/python3
Q       = $(if $(V),,@)
say     = $(if $(V),@:,@printf '  %-5s %s\n')
comma   = ,

# `make deps bench`: first the packages, then a make that finds them.
INSTALLS = deps build-deps
NO_LIBRARY = $(INSTALLS) help config clean format report compare bench-analysis
AFTER   = $(if $(filter $(INSTALLS),$(MAKECMDGOALS)),$(filter-out $(INSTALLS),$(MAKECMDGOALS)))

.PHONY: all help config deps build-deps bench bench-overhead bench-analysis smoke report \
    compare pin unit test test-all quick check format install uninstall clean
all: ## build/dlsbench

include packages.mk

help: ## this list
	@grep -hE '^[a-z-]+:.*##' Makefile sim.mk papers.mk lib.mk omp.mk checks.mk faults.mk | sed 's/:.*##/\t/' | expand -t 18

deps: ## install Debian packages (as root, or through sudo)
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

smoke: $(BUILD)/dlsbench ## every scheme over the null kernel
	$(Q)$(BUILD)/dlsbench run smoke --out $(BUILD)/smoke-$(shell date +%s)/

SHARE = $(DESTDIR)$(PREFIX)/share/dlsbench
READERS = tables report figures compare advise
install: $(BUILD)/dlsbench install-lib ## into PREFIX, with dlsbench-report and its like, and libdls
	install -d $(DESTDIR)$(PREFIX)/bin $(addprefix $(SHARE)/analysis/,figures templates)
	install $(BUILD)/dlsbench $(wildcard $(BUILD)/dlsbench-sim) $(DESTDIR)$(PREFIX)/bin/
	install -d $(SHARE)/bench/campaigns
	install -m 644 bench/campaigns/*.yaml $(SHARE)/bench/campaigns/
	for name in sim sim-smpi.so; do program=$(BUILD)/dlsbench-$$name; \
	    [ ! -e $$program ] || install $$program $(DESTDIR)$(PREFIX)/bin/ || exit 1; done
	for file in $(wildcard bench/papers/*.* bench/papers/*/*.* \
	    bench/platforms/*.* bench/platforms/*/*.*); do \
	    install -D -m 644 $$file $(SHARE)/$$file || exit 1; done
	install -m 644 analysis/*.py $(SHARE)/analysis/
	install -m 644 analysis/figures/*.py $(SHARE)/analysis/figures/
	install -m 644 analysis/templates/* $(SHARE)/analysis/templates/
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
# A folder with flags of its own is another build.
OTHER_BUILDS = $(patsubst %/flags,%,$(wildcard $(BUILD)/*/flags))
-include $(shell find $(BUILD) $(OTHER_BUILDS:%=-path % -prune -o) -name '*.d' -print 2>/dev/null)
endif
