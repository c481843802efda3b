# libdls-omp.so: the schemes for the OpenMP loops of programs that are not
# compiled anew, loaded before them (LD_PRELOAD).  It needs only libc.
OMP_SOURCES := $(filter-out %_test.c,$(wildcard dls/omp/*.c)) \
               base/system/allowed.c base/system/groups.c
OMP_OBJECTS := $(OMP_SOURCES:%.c=$(LIB)/%.o)

# That in static/ is the same, and stands in front of more functions: it is
# loaded where static loops are changed.
OMP_LIBRARIES := $(LIB)/libdls-omp.so $(LIB)/static/libdls-omp.so
lib: $(OMP_LIBRARIES)
all: $(OMP_LIBRARIES)

$(LIB)/libdls-omp.so: OTHER = +
$(LIB)/static/libdls-omp.so: OTHER = -
$(OMP_LIBRARIES): $(OMP_OBJECTS) $(DLS_OBJECTS) dls/omp/omp.map
	$(say) LD $@
	@mkdir -p $(@D)
	$(Q)grep -v '/\* $(OTHER) \*/' dls/omp/omp.map > $@.map
	$(Q)$(CC) $(CFLAGS_ALL) -shared -Wl,-soname,$(@F) -Wl,--gc-sections \
	    $(if $(SAN),,-Wl$(comma)--no-undefined) -Wl,--version-script=$@.map \
	    -o $@ $(OMP_OBJECTS) $(DLS_OBJECTS) -lm

# Its costs are measured on a program of gcc's.
$(BUILD)/omp-costs: tests/omp/costs.c
	$(say) LD $@
	@mkdir -p $(@D)
	$(Q)gcc -O2 -fopenmp -o $@ $<
