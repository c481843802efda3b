# How programs and unit tests are compiled and linked.

CODE    = base sched kernels harness dls bench
SOURCES := $(filter-out $(LEFT_OUT),$(shell find $(CODE) -name '*.c' ! -name '*_test.c' ! -path 'bench/overhead/*' ! -path 'dls/examples/*' ! -path 'dls/omp/*' ! -path '*/sim/*'))
OBJECTS := $(SOURCES:%.c=$(BUILD)/%.o)
LIBOBJS := $(filter-out $(BUILD)/bench/commands/dlsbench.o,$(OBJECTS))
TESTS   := $(patsubst %.c,$(BUILD)/%,$(filter-out $(LEFT_OUT),$(shell find $(CODE) -name '*_test.c' ! -path '*/sim/*')))
# Under a sanitizer `make test` runs a third of them, others with each commit.
SOME_TESTS := $(if $(and $(SAN),$(SLICE)),$(shell $(PYTHON) tests/integration/slices.py \
          unit-$(SAN) 3 $(TESTS)),$(TESTS))
OVERHEAD := $(patsubst %.c,$(BUILD)/%.o,$(wildcard bench/overhead/*.c bench/overhead/rounds/*.c))

$(BUILD)/dlsbench: $(OBJECTS)
	$(say) LD $@
	$(Q)$(CC) $(CFLAGS_ALL) -o $@ $^ $(LDLIBS)

# Of the archive a test takes only what it needs, which links it in a third of
# the time, and gold, where it is, in half of that; for clang, lld.
TEST_LD := $(patsubst ld.%,-fuse-ld=%,$(notdir $(shell command -v ld.$(if $(SAN),lld,gold))))
# Threads are below the command line: the thread sanitizer's needs no more.
$(BUILD)/tested.a: $(filter-out $(if $(filter thread,$(SAN)),$(BUILD)/bench/%),$(LIBOBJS))
	$(Q)rm -f $@ && $(call tool,ar) rcsT $@ $^

$(BUILD)/%_test: $(BUILD)/%_test.o $(BUILD)/tested.a
	$(say) LD $@
	$(Q)$(CC) $(CFLAGS_ALL) $(TEST_LD) -o $@ $^ $(LDLIBS) -lcmocka

# Plans of divisible loads are tested against linear programs, PAPI with events
# that need no counters of the processor.
$(BUILD)/sched/divisible/%_test: LDLIBS += -lglpk
$(BUILD)/harness/counters/papi_test: LDLIBS += -lsde
# Its regions call libgomp.
$(BUILD)/bench/programs/static/code_reader_test: LDLIBS += -lgomp

$(BUILD)/%.o: %.c $(BUILD)/flags
	$(say) CC $<
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS_ALL) $(NO_PATH) $(FATAL) $(CPPFLAGS) -MMD -MP -c -o $@ $<

$(BUILD)/harness/record/build.o: CPPFLAGS += -DBUILD_VERSION='"$(WHOLE_VERSION)"' \
    -DBUILD_FLAGS='"$(CFLAGS_ALL)"'
$(BUILD)/harness/record/build.o: $(BUILD)/version

$(BUILD)/bench/programs/code/%.o $(BUILD)/bench/programs/static/%.o: CPPFLAGS += $(call with,CAPSTONE)
$(BUILD)/bench/simgrid/fat_tree.o: CPPFLAGS += $(call with,EXPAT)
$(BUILD)/kernels/support/unpack.o: CPPFLAGS += $(call with,ZLIB LZMA ZSTD)
$(BUILD)/kernels/support/pgm.o: CPPFLAGS += $(call with,NETPBM)
$(BUILD)/kernels/support/dgemm.o $(BUILD)/bench/overhead/kernels_speed.o: CPPFLAGS += $(call with,BLAS)

$(BUILD)/bench/launching/installed.o: CPPFLAGS += -DBUILD_TREE='"$(CURDIR)"'

$(BUILD)/bench/launching/launcher.o: CPPFLAGS += -DBUILD_LAUNCHER='"$(LAUNCHER) -n {ranks}"' \
    -DBUILD_MPI='"$(MPI)"'
$(BUILD)/bench/launching/cause.o $(BUILD)/bench/doctor/doctor_here.o: CPPFLAGS += -DBUILD_MPI='"$(MPI)"'

$(BUILD)/bench/overhead/library.o: CPPFLAGS += -DBUILD_LIBDLS='"$(CURDIR)/$(LIB)/libdls.so"'
$(BUILD)/bench/overhead/library_ranks.o: CPPFLAGS += -DBUILD_LIBDLS='"$(CURDIR)/$(LIB)/libdls.so"' \
    -DBUILD_LIBDLS_MPI='"$(CURDIR)/$(LIB)/libdls-$(MPI).so"'

$(BUILD)/bench/overhead/omp_rows.o: CPPFLAGS += -DBUILD_OMP='"$(CURDIR)/$(LIB)/libdls-omp.so"' \
    -DBUILD_OMP_STATIC='"$(CURDIR)/$(LIB)/static/libdls-omp.so"' \
    -DBUILD_OMP_COSTS='"$(CURDIR)/$(BUILD)/omp-costs"'

$(BUILD)/bench-overhead: $(OVERHEAD) $(LIBOBJS) | $(BUILD)/lib/libdls.so \
    $(BUILD)/lib/libdls-$(MPI).so $(BUILD)/lib/libdls-omp.so $(BUILD)/omp-costs
	$(say) LD $@
	$(Q)$(CC) $(CFLAGS_ALL) -o $@ $^ $(LDLIBS)

$(BUILD)/bench-empty: $(BUILD)/bench/overhead/native/empty.o
	$(say) LD $@
	$(Q)$(CC) $(CFLAGS_ALL) -o $@ $^ $(LIBS_MPI)

# Objects are made again when the compiler, its flags or the version change.
define remember
	@mkdir -p $(@D)
	@echo '$(1)' | cmp -s - $@ || echo '$(1)' > $@
endef
.PHONY: FORCE
FORCE:
$(BUILD)/flags: FORCE
	$(call remember,$(CC) $(CFLAGS_ALL) $(CPPFLAGS) $(LAUNCHER) $(WITH))
$(BUILD)/version: FORCE
	$(call remember,$(WHOLE_VERSION))
