# DLSBench.  `make deps bench` measures this workstation, `make deps test`
# tests the build.  Options: V=1 (show commands), CC=clang, SAN=address|thread,
# BUILD=folder, WERROR=1.
CC      = gcc
BUILD   = build
PYTHON  = /usr/bin/python3
Q       = $(if $(V),,@)
say     = $(if $(V),@:,@printf '  %-5s %s\n')

GIT_VERSION := $(shell git describe --always --dirty 2>/dev/null || echo unknown)
PACKAGES = mpich hwloc papi yaml-0.1 jansson libxxhash netpbm
WARN    = -Wall -Wextra -Wmissing-prototypes -Wstrict-prototypes -Wshadow \
          $(if $(WERROR),-Werror)
OPT     = -O3 -g
FLAGS   = -std=gnu17 $(OPT) $(WARN) -ffp-contract=off -fno-math-errno -pthread
SANFLAGS = $(if $(SAN),-fsanitize=$(SAN)$(if $(filter address,$(SAN)),$(comma)undefined) \
          -fno-omit-frame-pointer -DDLSBENCH_SANITIZED)
comma   = ,
BLAS   := $(dir $(firstword $(wildcard /usr/lib/*/openblas-serial/libopenblas.so)))
CPPFLAGS = -I. -D_GNU_SOURCE $(shell pkg-config --cflags $(PACKAGES)) \
          -I/usr/include/$(shell $(CC) -print-multiarch)/openblas-serial
LDLIBS  = $(shell pkg-config --libs $(PACKAGES)) \
          -L$(BLAS) -Wl,-rpath,$(BLAS) -lopenblas -lm

CFLAGS_ALL = $(FLAGS) $(SANFLAGS) $(CFLAGS)
SOURCES := $(shell find base sched kernels harness bench -name '*.c' \
             ! -name '*_test.c' ! -path 'bench/overhead/*')
OBJECTS := $(SOURCES:%.c=$(BUILD)/%.o)
LIBOBJS := $(filter-out $(BUILD)/bench/main.o,$(OBJECTS))
TESTSRC := $(shell find base sched kernels harness bench -name '*_test.c')
TESTS   := $(TESTSRC:%.c=$(BUILD)/%)

.PHONY: all deps bench test unit check format clean
all: $(BUILD)/dlsbench

$(BUILD)/dlsbench: $(OBJECTS)
	$(say) LD $@
	$(Q)$(CC) $(CFLAGS_ALL) -o $@ $^ $(LDLIBS)

$(BUILD)/%_test: $(BUILD)/%_test.o $(LIBOBJS)
	$(say) LD $@
	$(Q)$(CC) $(CFLAGS_ALL) -o $@ $^ $(LDLIBS) -lcmocka

$(BUILD)/%.o: %.c $(BUILD)/flags
	$(say) CC $<
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS_ALL) $(CPPFLAGS) -MMD -MP -c -o $@ $<

$(BUILD)/harness/record/build.o: CPPFLAGS += -DBUILD_VERSION='"$(GIT_VERSION)"' \
    -DBUILD_FLAGS='"$(CFLAGS_ALL)"'

# Objects are made again when the compiler or its flags change.
$(BUILD)/flags: FORCE
	@mkdir -p $(@D)
	@echo '$(CC) $(CFLAGS_ALL)' | cmp -s - $@ || echo '$(CC) $(CFLAGS_ALL)' > $@
.PHONY: FORCE
FORCE:

unit: $(TESTS)
	@for t in $(TESTS); do echo "== $$t"; $$t || exit 1; done

clean:
	rm -rf $(BUILD)

-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)
