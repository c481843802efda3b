# libdls-omp.so: the schemes for the OpenMP loops of programs that are not
# compiled anew, loaded before them (LD_PRELOAD).  It needs only libc.
OMP_SOURCES := $(filter-out %_test.c,$(wildcard dls/omp/*.c)) \
               base/system/allowed.c base/system/groups.c
OMP_OBJECTS := $(OMP_SOURCES:%.c=$(LIB)/%.o)

lib: $(LIB)/libdls-omp.so
all: $(LIB)/libdls-omp.so

$(LIB)/libdls-omp.so: $(OMP_OBJECTS) $(DLS_OBJECTS) dls/omp/omp.map
	$(say) LD $@
	$(Q)$(CC) $(CFLAGS_ALL) -shared -Wl,-soname,$(@F) -Wl,--gc-sections \
	    $(if $(SAN),,-Wl$(comma)--no-undefined) -Wl,--version-script=dls/omp/omp.map \
	    -o $@ $(OMP_OBJECTS) $(DLS_OBJECTS) -lm

# Its costs are measured on a program of gcc's.
$(BUILD)/omp-costs: tests/omp/costs.c
	$(say) LD $@
	@mkdir -p $(@D)
	$(Q)gcc -O2 -fopenmp -o $@ $<
