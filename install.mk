# `make install`, `make uninstall`, and `make dist`, the archive of a release.
SHARE   = $(DESTDIR)$(PREFIX)/share/dlsbench
BIN     = $(DESTDIR)$(PREFIX)/bin
MAN     = $(DESTDIR)$(PREFIX)/share/man
DOC     = $(DESTDIR)$(PREFIX)/share/doc/dlsbench
READERS = $(shell awk -F'"' '/^READER/ {print $$2}' bench/options/commands.def)
RELEASE = dlsbench-$(VERSION)
# What is copied as it is: below share/dlsbench, and the manual.
SHARED_FILES = $(wildcard bench/campaigns/*.yaml bench/papers/*.* bench/papers/*/*.* \
          bench/platforms/*.* bench/platforms/*/*.* analysis/*.py analysis/figure_kinds/*.py \
          analysis/templates/*) \
          $(filter-out jobs/site.env,$(wildcard jobs/*.*))
DOC_FILES = README.md CHANGELOG.md CONTRIBUTING.md CITATION.cff LICENSE results/README.md \
          $(wildcard docs/*.* docs/*/*.*)

.PHONY: install uninstall dist deb docs
# An installed program does not know the folder that it was built in.
$(BUILD)/installed/where: FORCE
	$(call remember,$(LIBDIR:$(PREFIX)/%=%))
$(BUILD)/installed/installed.o: bench/launching/installed.c $(BUILD)/flags $(BUILD)/installed/where
	$(Q)$(CC) $(CFLAGS_ALL) $(NO_PATH) $(FATAL) $(CPPFLAGS) \
	    -DBUILD_LIBDIR='"$(LIBDIR:$(PREFIX)/%=%)"' -MMD -MP -c -o $@ $<
$(BUILD)/installed/dlsbench: $(filter-out %/launching/installed.o,$(OBJECTS)) $(BUILD)/installed/installed.o
	$(say) LD $@
	$(Q)$(CC) $(CFLAGS_ALL) -o $@ $^ $(LDLIBS)

# By the program, or, where it is for another machine, those of the archive.
$(BUILD)/man/made: $(BUILD)/dlsbench
	$(Q)rm -rf $(@D) && mkdir -p $(@D)
	$(Q)if all=$$($< --help=complete 2>/dev/null); then \
	    for command in '' $$(echo "$$all" | sed -n '/^-/!s/\t.*//p'); do \
	    case " $(READERS) " in *" $$command "*) continue ;; esac; \
	    $< $$command --help=man >$(@D)/dlsbench$${command:+-$$command}.1 || exit 1; done; \
	    for name in keys columns rules; do \
	    $< list $$name --man >$(@D)/dlsbench-$$name.5 || exit 1; done; \
	    else cp man/dlsbench*.[15] $(@D)/; fi
	$(Q)touch $@

install: $(BUILD)/installed/dlsbench $(BUILD)/man/made install-lib ## into PREFIX, with dlsbench-report and its like, and libdls
	install -d $(BIN) $(SHARE) $(DOC) $(INTO)/dlsbench/static $(MAN)/man1 $(MAN)/man5
	install $(BUILD)/installed/dlsbench $(BIN)/
	[ ! -e $(BUILD)/dlsbench-sim ] || { install $(BUILD)/dlsbench-sim $(BIN)/ && \
	    install -m 644 $(SIM_PRELOAD) $(INTO)/dlsbench/; }
	for name in '' static/; do install -m 644 $(LIB)/$${name}libdls-omp.so \
	    $(INTO)/dlsbench/$$name || exit 1; done
	for file in $(SHARED_FILES); do case $$file,$$(head -c 2 $$file) in \
	    *.py,*) mode=644 ;; *,'#!') mode=755 ;; *) mode=644 ;; esac; \
	    install -D -m $$mode $$file $(SHARE)/$$file || exit 1; done
	for file in $(DOC_FILES); do install -D -m 644 $$file $(DOC)/$$file || exit 1; done
	install packaging/reader.sh $(SHARE)/
	for name in $(READERS); do ln -sf $$name.py $(SHARE)/analysis/dlsbench-$$name && \
	    ln -sf ../share/dlsbench/reader.sh $(BIN)/dlsbench-$$name || exit 1; done
	for name in submit status; do \
	    ln -sf ../share/dlsbench/jobs/$$name.sh $(BIN)/dlsbench-$$name || exit 1; done
	for section in 1 5; do \
	    install -m 644 $(BUILD)/man/*.$$section $(MAN)/man$$section/ || exit 1; done
	for name in $(READERS) submit status; do \
	    ln -sf dlsbench.1 $(MAN)/man1/dlsbench-$$name.1 || exit 1; done
	install -D -m 644 packaging/completion/dlsbench.bash \
	    $(DESTDIR)$(PREFIX)/share/bash-completion/completions/dlsbench
	install -D -m 644 packaging/completion/_dlsbench \
	    $(DESTDIR)$(PREFIX)/share/zsh/site-functions/_dlsbench

uninstall: ## removes what install puts there, with the same PREFIX and LIBDIR
	$(Q)root=$$(mktemp -d) && $(MAKE) --no-print-directory install DESTDIR=$$root >/dev/null && \
	    { [ ! -d "$(SHARE)" ] || find "$(SHARE)" -name __pycache__ -prune -exec rm -r {} +; } && \
	    (cd $$root && find . ! -type d) | while read -r file; do rm -f "$(DESTDIR)/$$file"; done && \
	    (cd $$root && find . -mindepth 1 -depth -type d) | while read -r folder; do \
	    [ ! -d "$(DESTDIR)/$$folder" ] || \
	    rmdir --ignore-fail-on-non-empty "$(DESTDIR)/$$folder" || :; done; rm -r "$$root"

# What is committed, and the manual pages: the same bytes from each clone.
XZ_LEVEL = -9
dist: $(BUILD)/man/made $(MANUALS) ## build/dlsbench-VERSION.tar.xz of the commit, with manual pages, and its Spack package
	@[ -n '$(wildcard .git)' ] || { echo 'make dist: this is no git checkout' >&2; exit 1; }
	@[ -z "$$($(GIT) status --porcelain -uno)" ] || { \
	    echo 'make dist: the archive is of a commit: commit first, or git stash' >&2; exit 1; }
	$(Q)$(GIT) -c tar.umask=0022 archive --format=tar --prefix=$(RELEASE)/man/ \
	    $$(ls $(BUILD)/man/*.[15] $(MANUALS) | sed 's/^/--add-file=/') \
	    --prefix=$(RELEASE)/ HEAD >$(BUILD)/$(RELEASE).tar
	$(Q)xz -f $(XZ_LEVEL) -T1 $(BUILD)/$(RELEASE).tar
	$(Q)rm -rf $(BUILD)/spack && cp -r packaging/spack $(BUILD)/
	@cd $(BUILD) && sha256sum $(RELEASE).tar.xz && sum=$$(sha256sum $(RELEASE).tar.xz | cut -c 1-64) && \
	    sed -i -e "s|^    git = .*|    url = 'file://$$PWD/$(RELEASE).tar.xz'|" -e '/^import pathlib$$/,+1d' \
	    -e "s|branch=\"main\"|sha256='$$sum'|" spack/packages/dlsbench/package.py

# Built from the archive, in a folder of its own, so that nothing else comes in.
deb: dist ## build/deb: Debian packages of the commit, by debhelper, checked by lintian
	$(Q)rm -rf $(BUILD)/deb && mkdir $(BUILD)/deb && tar -xf $(BUILD)/$(RELEASE).tar.xz -C $(BUILD)/deb
	$(Q)cd $(BUILD)/deb/$(RELEASE) && cp -r packaging/debian . && \
	    env -u MAKEFLAGS -u MAKELEVEL dpkg-buildpackage -us -uc -b
	$(Q)cd $(BUILD)/deb && lintian --allow-root --fail-on error,warning *.changes

# README.md and what it leads to; a link without a target is an error.
docs: ## build/manual/html: the manual as one book with search, by Sphinx with MyST and Furo
	@$(PYTHON) -c 'import sphinx, myst_parser, furo' 2>/dev/null || { \
	    echo 'make docs needs python3-sphinx, python3-myst-parser, furo: make deps docs' >&2; exit 1; }
	$(Q)$(PYTHON) -m sphinx -q -W --keep-going -c packaging/manual \
	    -d $(BUILD)/manual/read . $(BUILD)/manual/html
	@echo $(BUILD)/manual/html/index.html
