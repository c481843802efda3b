# Searches for faults, which take longer than `make test`, or as long as you
# like. Each part is a separate target.
FAULTS  = fuzz kills damaged sweep regions
.PHONY: test-faults $(FAULTS:%=faults-%) fuzz-replay
test-faults: $(FAULTS:%=faults-%) ## search for faults: fuzzers (SECONDS=60 each), kills, damaged results, calls that fail, OpenMP regions (ROUNDS=300)

# ---- kills ----

faults-kills: $(BUILD)/dlsbench $(if $(WITH_SIM),sim)
	@$(PYTHON) tests/kills.py --rounds $(or $(ROUNDS),300)

# ---- one request for memory, or one system call, that fails ----

faults-sweep: all $(BUILD)/tests/fail_alloc.so
	@BUILD=$(BUILD) $(PYTHON) tests/faults/fault_sweep.py --rounds $(or $(ROUNDS),300)

$(BUILD)/tests/fail_alloc.so: tests/faults/fail_alloc.c
	@mkdir -p $(@D)
	$(Q)gcc $(WARN) $(FATAL) -O1 -shared -fPIC -o $@ $< -ldl

# ---- damaged result directories ----
#
# SEED=n repeats one damage.
faults-damaged: all
	$(Q)ROUNDS=$(or $(ROUNDS),300) $(PYTHON) -m pytest -q -x tests/integration/test_damaged.py

# ---- random regions of OpenMP, which are cut or left as they are ----
#
# Others each time; SEED=n begins with those of a failed test.
faults-regions: all
	$(Q)REGIONS=$(or $(ROUNDS),300) SEED=$(or $(SEED),$(shell date +%s)) ALL=1 \
	    $(PYTHON) -m pytest -q -x tests/integration/test_omp_blocks.py -k random_regions

# ---- fuzzers ----
#
# tests/fuzz/NAME_fuzz.c with tests/fuzz/corpus/NAME.  The findings of a fuzzer
# are in build/fuzz/found/NAME; once the fault is mended, a small copy goes to
# the corpus.
FUZZERS := $(patsubst tests/fuzz/%_fuzz.c,%,$(wildcard tests/fuzz/*_fuzz.c))
SECONDS = 60
FUZZ    = $(BUILD)/fuzz
FUZZ_OBJECTS = $(FUZZERS:%=$(BUILD)/tests/fuzz/%_fuzz.o) $(BUILD)/tests/fuzz/fuzz.o

# Each reads its corpus once, in any build.
fuzz-replay: $(FUZZERS:%=$(BUILD)/tests/fuzz/%_replay)
	@sh tests/fuzz.sh replay $(BUILD) $(FUZZERS)

# libFuzzer is clang's.
faults-fuzz:
	+$(Q)$(MAKE) --no-print-directory BUILD=$(FUZZ) CC='$(CCACHE) clang' SAN=address \
	    CFLAGS='-O1 -fsanitize=fuzzer-no-link' fuzz-programs
	@sh tests/fuzz.sh search $(FUZZ) $(SECONDS) $(FUZZERS)

.PHONY: fuzz-programs
fuzz-programs: $(FUZZERS:%=$(BUILD)/tests/fuzz/%_search)

$(BUILD)/tests/fuzz/%_replay: $(BUILD)/tests/fuzz/%_fuzz.o $(BUILD)/tests/fuzz/fuzz.o \
    $(BUILD)/tests/fuzz/corpus_main.o $(BUILD)/tested.a
	$(say) LD $@
	$(Q)$(CC) $(CFLAGS_ALL) $(TEST_LD) -o $@ $^ $(LDLIBS)

$(BUILD)/tests/fuzz/%_search: $(BUILD)/tests/fuzz/%_fuzz.o $(BUILD)/tests/fuzz/fuzz.o $(LIBOBJS)
	$(say) LD $@
	$(Q)$(CC) $(CFLAGS_ALL) -fsanitize=fuzzer -o $@ $^ $(LDLIBS)

.SECONDARY: $(FUZZ_OBJECTS) $(BUILD)/tests/fuzz/corpus_main.o
