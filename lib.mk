# `make lib`: libdls, from the sources that the suite measures, libdls-mpich or
# libdls-openmpi, which stands on it, and libdls-smpi.  They export only the names that dls/*.h
# declares.  libdls needs only libc and libm.
LIB     = $(BUILD)/lib
LIB_VERSION = $(VERSION)
LIB_MAJOR = $(firstword $(subst ., ,$(LIB_VERSION)))
DLS_SOURCES := $(filter-out %_test.c,$(wildcard base/*.c sched/*.c \
               sched/schemes/*.c harness/record/line/*.c dls/*.c)) base/system/whole.c \
               harness/messages/source.c harness/engine/native/engine.c
DLS_OBJECTS := $(DLS_SOURCES:%.c=$(LIB)/%.o)
# Loops over ranks, where this MPI is installed.
MPI_TRANSPORTS := $(shell sed -n 's/^TRANSPORT(\(.*\))$$/\1/p' dls/mpi/ranks_transports.def) reissue
MPI_LIB = libdls-$(MPI)
MPI_SOURCES := $(filter-out %_test.c,$(wildcard dls/mpi/*.c harness/hierarchy/*.c \
               harness/transport/*.c $(MPI_TRANSPORTS:%=harness/transport/%/*.c))) \
               $(addprefix harness/messages/,mailbox.c input.c source_rma.c \
               $(addprefix native/,adopt.c collective.c comm.c mailbox_transfer.c window.c))
MPI_OBJECTS := $(MPI_SOURCES:%.c=$(LIB)/%.o)
# Both under SimGrid, in one library, of the objects of dlsbench-sim: its engine is another.
SMPI_LIB = $(if $(and $(WITH_SIM),$(if $(SAN),,1),$(shell command -v smpicc)),libdls-smpi)
SMPI_SOURCES := $(filter-out harness/engine/native/% harness/messages/native/comm.c \
               harness/messages/native/mailbox_transfer.c harness/messages/native/window.c, \
               $(DLS_SOURCES) $(MPI_SOURCES)) $(addprefix harness/engine/sim/,engine.c \
               program.c world.c) $(addprefix harness/messages/sim/,adopt.c mailbox_transfer.c wait.c window.c)
SMPI_OBJECTS := $(if $(SMPI_LIB),$(SMPI_SOURCES:%.c=$(BUILD)/sim/%.o))
# The headers are the manual; each function's page leads to its header's.
MANUALS = $(LIB)/dls.3 $(if $(MPI_OBJECTS),$(LIB)/dls_mpi.3)
$(LIB)/dls.3: MANUAL_OF = libdls
$(LIB)/dls_mpi.3: MANUAL_OF = $(MPI_LIB)
$(LIB)/%.3: dls/%.h dls/man.awk lib.mk
	@mkdir -p $(@D)
	$(Q)awk -v PAGE=$* -v VERSION=$(LIB_VERSION) -v LIBRARY=$(MANUAL_OF) -f dls/man.awk $< > $@
# Where each pkg-config file comes from, and its name.
PCS     = dls/libdls.pc.in=libdls $(if $(MPI_OBJECTS),dls/mpi/dls_mpi.pc.in=$(MPI_LIB)) \
          $(if $(SMPI_LIB),dls/mpi/$(SMPI_LIB).pc.in=$(SMPI_LIB))
LIBS    = libdls $(if $(MPI_OBJECTS),$(MPI_LIB)) $(SMPI_LIB)

.PHONY: lib install-lib
lib: $(LIBS:%=$(LIB)/%.so) $(LIBS:%=$(LIB)/%.a) $(MANUALS) ## libdls: the schemes for anybody's loop (dls/dls.h, dls/dls_mpi.h)

# What libdls exports it must define itself, also against the program's names.
SEEN    = hidden
$(DLS_OBJECTS): SEEN = protected
# -fno-plt: a chunk over ranks takes three calls from one library into the other.
$(LIB)/%.o: %.c $(BUILD)/flags lib.mk
	$(say) CC $<
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS_ALL) $(NO_PATH) $(FATAL) -fPIC -fno-plt -fvisibility=$(SEEN) -ffunction-sections \
	    -fdata-sections -I. -D_GNU_SOURCE $(CFLAGS_MPI) -MMD -MP -c -o $@ $<

# What the library over ranks uses of libdls: private names, which no program
# has, under a version of their own, so that only libraries of one build match.
$(LIB)/private.names: $(DLS_OBJECTS) $(MPI_OBJECTS)
	$(Q)$(call tool,nm) -g --defined-only $(DLS_OBJECTS) | sed -n 's/.* [A-Z] //p' | sort -u > $@.made
	$(Q)$(call tool,nm) -u $(MPI_OBJECTS) /dev/null 2>/dev/null | sed -n 's/.* U //p' | sort -u | \
	    comm -12 - $@.made | grep -v '^dls_' > $@ || true
$(LIB)/private.redefine: $(LIB)/private.names
	$(Q)sed 's/.*/& dls_private_&/' $< > $@
$(LIB)/dls.map: dls/dls.map $(LIB)/private.names
	$(Q){ cat $<; [ ! -s $(LIB)/private.names ] || { echo 'DLS_PRIVATE_$(LIB_VERSION) {'; \
	    echo '    global:'; sed 's/.*/        dls_private_&;/' $(LIB)/private.names; echo '};'; }; } > $@

# All of a library as one object, by their private names.
$(LIB)/libdls.o: $(DLS_OBJECTS)
$(LIB)/$(MPI_LIB).o: $(MPI_OBJECTS)
$(LIB)/libdls-smpi.o: $(SMPI_OBJECTS)
$(LIBS:%=$(LIB)/%.o): $(LIB)/private.redefine
	$(Q)$(call tool,ld) -r -o $@ $(filter %.o,$^)
	$(Q)$(call tool,objcopy) --redefine-syms=$< $@

SHARED  = $(CC) $(CFLAGS_ALL) -shared -Wl,-soname,$(@F) -Wl,--gc-sections -Wl,--no-undefined
$(LIB)/libdls.so.$(LIB_MAJOR): $(LIB)/libdls.o $(LIB)/dls.map
	$(say) LD $@
	$(Q)$(SHARED) -Wl,--version-script=$(LIB)/dls.map -o $@ $< -lm

# It stays when it is unloaded: it is asked at the end of the process (watch.c).
$(LIB)/$(MPI_LIB).so.$(LIB_MAJOR): $(LIB)/$(MPI_LIB).o dls/mpi/dls_mpi.map $(LIB)/libdls.so
	$(say) LD $@
	$(Q)$(SHARED) -Wl,-z,nodelete -Wl,--version-script=dls/mpi/dls_mpi.map -o $@ $< $(LIB)/libdls.so \
	    $(LIBS_MPI)

$(LIB)/libdls-smpi.so.$(LIB_MAJOR): $(LIB)/libdls-smpi.o dls/dls.map
	$(say) LD $@
	$(Q)$(SHARED) -Wl,--version-script=dls/dls.map -o $@ $< \
	    -lsimgrid -lm

$(LIB)/%.so: $(LIB)/%.so.$(LIB_MAJOR)
	$(Q)ln -sf $(<F) $@

# One object, in which only the exported names are left to link with.
$(LIB)/%.a: $(LIB)/%.so $(LIB)/%.o
	$(say) AR $@
	$(Q)$(call tool,nm) -D --defined-only $< | sed -n 's/.* [A-Z] \(dls_[A-Za-z0-9_]*\).*/\1/p' > $@.names
	$(Q)$(call tool,ld) -r --gc-sections $$(sed 's/^/-u /' $@.names) -o $(@:.a=-only.o) $(@:.a=.o)
	$(Q)$(call tool,objcopy) --keep-global-symbols=$@.names $(@:.a=-only.o)
	$(Q)rm -f $@ && $(call tool,ar) rcs $@ $(@:.a=-only.o)

# Only the library: for programs that do not need the suite.
LIBDIR  = $(PREFIX)/lib
INTO    = $(DESTDIR)$(LIBDIR)
INCLUDE = $(DESTDIR)$(PREFIX)/include
MAN3    = $(DESTDIR)$(PREFIX)/share/man/man3
EXAMPLES = $(DESTDIR)$(PREFIX)/share/doc/dls/examples
install-lib: lib ## libdls, its headers, manual pages, pkg-config files and examples into PREFIX
	install -d $(INTO)/pkgconfig $(INCLUDE) $(EXAMPLES) $(MAN3)
	for lib in $(LIBS); do \
	    install -m 755 $(LIB)/$$lib.so.$(LIB_MAJOR) $(INTO)/$$lib.so.$(LIB_VERSION) && \
	    ln -sf $$lib.so.$(LIB_VERSION) $(INTO)/$$lib.so.$(LIB_MAJOR) && \
	    ln -sf $$lib.so.$(LIB_MAJOR) $(INTO)/$$lib.so && \
	    install -m 644 $(LIB)/$$lib.a $(INTO)/ || exit 1; done
	for pc in $(PCS); do \
	    sed 's|@PREFIX@|$(PREFIX)|; s|@LIBDIR@|$(LIBDIR:$(PREFIX)/%=$${prefix}/%)|; s|@VERSION@|$(LIB_VERSION)|; s|@MPI@|$(MPI)|' \
	        $${pc%=*} > $(INTO)/pkgconfig/$${pc#*=}.pc || exit 1; done
	install -m 644 dls/dls.h dls/dls_mpi.h dls/dls.hpp dls/dls_mpi.hpp dls/dls.f90 \
	    dls/dls_mpi.f90 $(INCLUDE)/
	install -m 644 dls/examples/* $(EXAMPLES)/
	install -m 644 $(MANUALS) $(MAN3)/
	for page in $(basename $(notdir $(MANUALS))); do \
	    for name in $$(sed -n 's/^[a-z][^(]*[ *]\(dls_[a-z_]*\)(.*/\1/p' dls/$$page.h); do \
	        echo ".so man3/$$page.3" > $(MAN3)/$$name.3 || exit 1; done; done
