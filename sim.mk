# `make sim`: the same harness and protocol sources on a simulated cluster,
# with SimGrid's SMPI as MPI.  The parts in folders called sim/ stand for
# native ones of the same headers.
SIM_NATIVE = $(filter-out %/calibration.c %/calibration_json.c %/calibration_slices.c,$(wildcard harness/calibrate/*.c)) \
             harness/engine/native.c harness/engine/team.c \
             harness/transport/comm.c harness/transport/window.c \
             $(wildcard harness/transport/links*.c) harness/transport/migrate.c \
             harness/transport/burst.c harness/transport/openmp.c \
             harness/transport/openmp_gomp.c harness/transport/openmp_kmp.c \
             $(addprefix harness/,context.c fit.c hold.c load.c loop.c loop_input.c manifest.c \
             place.c power_count.c push_platform.c reference.c run.c run_gather.c run_loop.c \
             run_perturb.c run_place.c run_power.c run_save.c run_verify.c stopper.c verify.c)
SIM_SOURCES := $(filter-out $(SIM_NATIVE) harness/counters/% \
               harness/topo/% bench/%,$(SOURCES)) $(shell find harness -path '*/sim/*.c')
SIM_OBJECTS := $(SIM_SOURCES:%.c=$(BUILD)/sim/%.o)
SIM_PACKAGES = jansson libxxhash netpbm
SIM_LDLIBS = $(call libraries,$(SIM_PACKAGES)) \
             -L$(BLAS) -Wl,-rpath,$(BLAS) -lblis -lm
# SMPI's own malloc would share what ranks allocate; nothing needs it.
SIM_CPPFLAGS = -I. -D_GNU_SOURCE -DSMPI_NO_OVERRIDE_MALLOC \
               $(shell pkg-config --cflags $(SIM_PACKAGES)) \
               -isystem $(BLAS_INCLUDE)

.PHONY: sim sim-scale need-simgrid
sim: need-simgrid $(BUILD)/dlsbench $(BUILD)/dlsbench-sim ## build/dlsbench-sim (SimGrid)

need-simgrid:
	@command -v smpicc > /dev/null || { echo \
	    'simulations need SimGrid: apt-get install libsimgrid-dev (or make deps)' >&2; exit 1; }

sim-scale: sim $(BUILD)/dlsbench-bare-sim ## time and memory of large simulations beside a bare loop (RANKS= CHUNKS=)
	$(Q)$(PYTHON) bench/overhead/sim/scale.py $(BUILD) $(or $(RANKS),131072) $(or $(CHUNKS),1000000)

$(BUILD)/dlsbench-bare-sim: $(BUILD)/sim/bench/overhead/sim/bare.o
	$(say) LD $@
	$(Q)smpicc $(FLAGS) -o $@ $^

$(BUILD)/dlsbench-sim: $(SIM_OBJECTS)
	@[ -n '$(WITH_SIM)' ] || { echo 'SIM=0 leaves out SimGrid' >&2; exit 1; }
	$(say) LD $@
	$(Q)smpicc $(FLAGS) -o $@ $^ $(SIM_LDLIBS)

$(BUILD)/sim/%.o: %.c $(BUILD)/flags | need-simgrid
	$(say) SIMCC $<
	@mkdir -p $(@D)
	$(Q)smpicc $(FLAGS) $(CFLAGS) $(SIM_CPPFLAGS) -MMD -MP -c -o $@ $<

$(BUILD)/sim/harness/record/build.o: SIM_CPPFLAGS += \
    -DBUILD_VERSION='"$(GIT_VERSION)"' -DBUILD_FLAGS='"$(FLAGS)"'
$(BUILD)/sim/harness/record/build.o: $(BUILD)/version

# The parts for SimGrid under any compiler (make check); without SimGrid none.
SMPI = $(firstword $(wildcard /usr/include/smpi /usr/local/include/smpi))
SMPI_CHECKED = $(if $(SMPI),$(patsubst %.c,$(BUILD)/smpi/%.o, \
               $(filter-out bench/sim/plan.c,$(shell find harness bench -path '*/sim/*.c'))))
$(BUILD)/smpi/%.o: %.c $(BUILD)/flags
	$(say) CC $<
	@mkdir -p $(@D)
	$(Q)$(CC) $(FLAGS) $(CFLAGS) $(SIM_CPPFLAGS) -I$(SMPI) \
	    -include $(SMPI)/smpi_helpers.h -MMD -MP -c -o $@ $<
