# `make papers`: the papers at their own scale, on simulated clusters.  Each has
# a folder, bench/papers/NAME/ (see bench/papers/run_papers.py).  Options: OUT=folder
# (of `make papers`: each paper has a folder in it), SIM='options of dlsbench sim'.
NOW = $(shell date -u +%Y-%m-%dT%H%M%SZ)
# Han's take longest; Diaz' wait for a fit.
PAPERS = han diaz andronikos ciorba

# Past the papers, too long for `make papers`.
LONGER = beyond

# Simulation against reality: CAMPAIGN=file or name, OUT=folder, ROUNDS=3,
# HELD=another campaign, which nothing is calibrated for.
.PHONY: validate
validate: sim ## a campaign here and simulated on this-machine, side by side
	$(Q)PYTHON=$(PYTHON) ROUNDS=$(or $(ROUNDS),3) HELD=$(HELD) sh bench/validate.sh $(BUILD)/dlsbench \
	    $(or $(CAMPAIGN),bench/campaigns/workstation.yaml) \
	    $(or $(OUT),results/validate/$(NOW))

# Two hosts of this machine on a shaped network, as root: OUT=folder, RATE=100mbit.
.PHONY: real-cluster real-link
real-cluster: sim ## a fast and a slow host, measured and simulated (root)
real-link: sim ## results over one link to one and two masters, the same (root)
real-cluster real-link:
	$(Q)PYTHON=$(PYTHON) sh bench/real/run.sh $(@:real-%=%) $(BUILD)/dlsbench \
	    $(or $(OUT),results/$@/$(NOW))

.PHONY: papers $(PAPERS:%=paper-%) $(LONGER:%=paper-%) paper-beaumont
RUN_PAPERS = PYTHON=$(PYTHON) $(PYTHON) bench/papers/run_papers.py $(BUILD)/dlsbench
RUN_PAPER = $(RUN_PAPERS) '$(@:paper-%=%)=$(or $(OUT),results/$@/$(NOW))'

papers: sim ## the papers' tables and curves beside ours (SimGrid)
	$(Q)$(RUN_PAPERS) $(foreach p,$(PAPERS),'$p=$(if $(OUT),$(OUT)/paper-$p,results/paper-$p/$(NOW))') \
	    -- $(SIM)

paper-beaumont: $(BUILD)/dlsbench ## divisible loads, figures 5 to 15 (PLATFORMS=n DATA= LATENCY=mbit EQUATIONS=overlap)
	$(Q)$(RUN_PAPER) -- $(if $(PLATFORMS),--platforms $(PLATFORMS)) \
	    $(if $(DATA),--data $(DATA)) \
	    $(if $(LATENCY),--latency $(LATENCY)) $(if $(EQUATIONS),--equations $(EQUATIONS))

paper-beyond: ## past Han: 256 masters, three levels, 65,536 workers (SimGrid), 7.6 million (replayed)

$(PAPERS:%=paper-%) $(LONGER:%=paper-%): paper-%: sim
	$(Q)$(RUN_PAPER) -- $(SIM)
