# `make sim`: the same harness and protocol sources on a simulated cluster, with
# SimGrid's SMPI as MPI.  A header whose parts differ there has them in two
# folders below its own: native/ and sim/.  Code that measures this machine is
# not in a simulation at all.
# Of programs with loops of their own (libdls-smpi), and what spares SMPI work.
PRELOADED = $(addprefix harness/engine/sim/,smpi.c smpi_mailbox.cpp)
SMPI_ONLY = harness/messages/sim/adopt.c $(PRELOADED)
SIM_SOURCES := $(filter-out harness/topo/% harness/counters/% harness/measure/% bench/% dls/mpi/%, \
               $(foreach source,$(SOURCES),$(if $(findstring /native/,$(source)),,$(source)))) \
               $(filter-out $(SMPI_ONLY),$(shell find harness -path '*/sim/*.c' ! -name '*_test.c'))
SIM_OBJECTS := $(SIM_SOURCES:%.c=$(BUILD)/sim/%.o)
SIM_WITH = $(filter JANSSON XXHASH NETPBM BLAS ZLIB LZMA ZSTD,$(WITH))
SIM_LDLIBS = $(call of_found,LIBS,$(SIM_WITH)) -lm
# SMPI's own malloc would share the ranks' allocations, which is not needed.
SIM_CPPFLAGS = -I. -D_GNU_SOURCE -DSMPI_NO_OVERRIDE_MALLOC \
               $(call of_found,CFLAGS,$(SIM_WITH)) $(XXHASH_HERE)

.PHONY: sim sim-scale sim-replay need-simgrid
sim: need-simgrid $(BUILD)/dlsbench $(BUILD)/dlsbench-sim ## build/dlsbench-sim (SimGrid)

need-simgrid:
	@command -v smpicc > /dev/null || { echo \
	    'simulations need SimGrid: apt-get install libsimgrid-dev (or make deps)' >&2; exit 1; }

sim-scale: sim $(BUILD)/dlsbench-bare-sim ## time and memory of large simulations beside a bare loop (RANKS= CHUNKS=)
	$(Q)$(PYTHON) bench/overhead/sim/scale.py $(BUILD) $(or $(RANKS),131072) $(or $(CHUNKS),1000000)

sim-replay: sim ## errors of replays beside SimGrid (WORKERS= CHUNKS= SCHEMES= SHAPE= COST=)
	$(Q)$(PYTHON) bench/overhead/sim/replay.py $(BUILD) $(or $(WORKERS),64) $(or $(CHUNKS),300) $(or $(SCHEMES),all) $(if $(SHAPE),'$(SHAPE)')

$(BUILD)/dlsbench-bare-sim: $(BUILD)/sim/bench/overhead/sim/bare.o
	$(say) LD $@
	$(Q)smpicc $(FLAGS) -o $@ $^

$(BUILD)/preload/%.c.o: %.c
	$(say) CC $<
	@mkdir -p $(@D)
	$(Q)$(CC) $(FLAGS) $(CFLAGS) $(NO_PATH) $(FATAL) -fPIC -c -o $@ $<

$(BUILD)/preload/%.cpp.o: %.cpp
	$(say) CXX $<
	@mkdir -p $(@D)
	$(Q)$(CXX) -std=gnu++17 $(filter-out -std=% -W%-prototypes,$(FLAGS)) $(CFLAGS) $(NO_PATH) $(FATAL) -fPIC -c -o $@ $<

SIM_PRELOAD = $(BUILD)/lib/dlsbench-sim-smpi.so
$(SIM_PRELOAD): $(PRELOADED:%=$(BUILD)/preload/%.o)
	$(say) LD $@
	@mkdir -p $(@D)
	$(Q)$(CXX) $(FLAGS) $(CFLAGS) -shared -o $@ $^

$(BUILD)/dlsbench-sim: $(SIM_OBJECTS) | $(SIM_PRELOAD)
	@[ -n '$(WITH_SIM)' ] || { echo 'this build is without SimGrid: make config' >&2; exit 1; }
	$(say) LD $@
	$(Q)smpicc $(FLAGS) $(CFLAGS) -o $@ $^ $(SIM_LDLIBS)

# Tests of code that is only in simulations; sanitizers do not know SimGrid's
# stacks.
SMPI = $(firstword $(wildcard /usr/include/smpi /usr/local/include/smpi))
SIM_TESTS := $(if $(and $(WITH_SIM),$(SMPI),$(if $(SAN),,1)),$(patsubst %.c,$(BUILD)/sim/%, \
               $(shell find harness -path '*/sim/*_test.c')))
unit: $(SIM_TESTS)
$(BUILD)/sim/%_test: $(BUILD)/sim/%_test.o $(filter-out $(BUILD)/sim/harness/sim/dlsbench_sim.o,$(SIM_OBJECTS))
	$(say) LD $@
	$(Q)smpicc $(FLAGS) $(CFLAGS) -o $@ $^ $(SIM_LDLIBS) -lcmocka

# As libdls-smpi has them (lib.mk), too; smpirun finds main by its name.
$(BUILD)/sim/harness/sim/dlsbench_sim.o $(BUILD)/sim/%_test.o $(BUILD)/sim/bench/%.o: SEEN = default
$(BUILD)/sim/%.o: %.c $(BUILD)/flags | need-simgrid
	$(say) SIMCC $<
	@mkdir -p $(@D)
	$(Q)smpicc $(FLAGS) $(CFLAGS) $(NO_PATH) $(FATAL) -fPIC -fvisibility=$(SEEN) -ffunction-sections \
	    -fdata-sections $(SIM_CPPFLAGS) -MMD -MP -c -o $@ $<

$(BUILD)/sim/kernels/support/unpack.o: SIM_CPPFLAGS += $(call with,ZLIB LZMA ZSTD)
$(BUILD)/sim/kernels/support/pgm.o: SIM_CPPFLAGS += $(call with,NETPBM)
$(BUILD)/sim/kernels/support/dgemm.o: SIM_CPPFLAGS += $(call with,BLAS)
$(BUILD)/sim/harness/record/build.o: SIM_CPPFLAGS += \
    -DBUILD_VERSION='"$(WHOLE_VERSION)"' -DBUILD_FLAGS='"$(FLAGS)"'
$(BUILD)/sim/harness/record/build.o: $(BUILD)/version

# The parts for SimGrid under any compiler (make check): of gcc's build its own
# objects; without SimGrid none.
SMPI_PARTS := $(if $(SMPI),$(shell find harness bench -path '*/sim/*.c'))
SMPI_CHECKED = $(SMPI_PARTS:%.c=$(BUILD)/$(if $(and $(WITH_SIM),$(filter gcc,$(CC)),$(if $(SAN),,1)),sim,smpi)/%.o)
$(BUILD)/smpi/%.o: %.c $(BUILD)/flags
	$(say) CC $<
	@mkdir -p $(@D)
	$(Q)$(CC) $(FLAGS) $(if $(SAN),-O0 -g0) $(CFLAGS) $(FATAL) $(SIM_CPPFLAGS) -I$(SMPI) \
	    -include $(SMPI)/smpi_helpers.h -MMD -MP -c -o $@ $<
