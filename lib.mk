# `make lib`: libdls, from the sources that the suite measures.  It exports only
# the names that dls/*.h declares, and needs only libc and libm.
LIB     = $(BUILD)/lib
LIB_VERSION = $(shell sed -n 's/.*DLS_VERSION "\(.*\)"/\1/p' dls/dls.h)
LIB_MAJOR = $(firstword $(subst ., ,$(LIB_VERSION)))
DLS_SOURCES := $(filter-out %_test.c,$(wildcard base/*.c sched/*.c \
               sched/schemes/*.c dls/*.c)) harness/comm/source.c \
               harness/engine/native/engine.c
DLS_OBJECTS := $(DLS_SOURCES:%.c=$(LIB)/%.o)

.PHONY: lib install-lib
lib: $(LIB)/libdls.so $(LIB)/libdls.a $(LIB)/dls.pc ## libdls: the schemes for anybody's loop (dls/dls.h)

$(LIB)/%.o: %.c $(BUILD)/flags
	$(say) CC $<
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS_ALL) $(FATAL) -fPIC -fvisibility=hidden -ffunction-sections \
	    -fdata-sections -I. -D_GNU_SOURCE -MMD -MP -c -o $@ $<

$(LIB)/libdls.so.$(LIB_MAJOR): $(DLS_OBJECTS) dls/dls.map
	$(say) LD $@
	$(Q)$(CC) $(CFLAGS_ALL) -shared -Wl,-soname,$(@F) -Wl,--gc-sections \
	    -Wl,--no-undefined -Wl,--version-script=dls/dls.map -o $@ $(DLS_OBJECTS) -lm

$(LIB)/libdls.so: $(LIB)/libdls.so.$(LIB_MAJOR)
	$(Q)ln -sf $(<F) $@

# One object, in which only the public names are left to link with.
$(LIB)/libdls.a: $(LIB)/libdls.so
	$(say) AR $@
	$(Q)ld -r --gc-sections $$(nm -D --defined-only $< | sed -n 's/.* \(dls_[a-z_]*\).*/-u \1/p') \
	    -o $(LIB)/libdls.o $(DLS_OBJECTS)
	$(Q)objcopy --localize-hidden $(LIB)/libdls.o
	$(Q)rm -f $@ && ar rcs $@ $(LIB)/libdls.o

$(LIB)/dls.pc: dls/dls.pc.in FORCE
	@mkdir -p $(@D)
	@sed 's|@PREFIX@|$(PREFIX)|; s|@VERSION@|$(LIB_VERSION)|' $< > $@.new
	@cmp -s $@.new $@ && rm $@.new || mv $@.new $@

# Only the library: for programs that do not need the suite.
LIBDIR  = $(DESTDIR)$(PREFIX)/lib
INCLUDE = $(DESTDIR)$(PREFIX)/include
EXAMPLES = $(DESTDIR)$(PREFIX)/share/doc/dls/examples
install-lib: lib ## libdls, its headers, pkg-config file and examples into PREFIX
	install -d $(LIBDIR)/pkgconfig $(INCLUDE) $(EXAMPLES)
	install -m 755 $(LIB)/libdls.so.$(LIB_MAJOR) $(LIBDIR)/libdls.so.$(LIB_VERSION)
	ln -sf libdls.so.$(LIB_VERSION) $(LIBDIR)/libdls.so.$(LIB_MAJOR)
	ln -sf libdls.so.$(LIB_MAJOR) $(LIBDIR)/libdls.so
	install -m 644 $(LIB)/libdls.a $(LIBDIR)/
	install -m 755 $(LIB)/libdls-omp.so $(LIBDIR)/
	install -m 644 $(LIB)/dls.pc $(LIBDIR)/pkgconfig/
	install -m 644 dls/dls.h dls/dls.hpp dls/dls.f90 $(INCLUDE)/
	install -m 644 dls/examples/* $(EXAMPLES)/
