# `make papers`: the papers at their own scale, on simulated clusters.  Each has
# campaigns bench/papers/NAME.yaml and NAME-*.yaml and a report,
# analysis/paper_NAME.py.  Options: OUT=folder, SIM='options of dlsbench sim'.
PAPERS = han ciorba andronikos diaz
# Past the papers, too long for `make papers`.
LONGER = beyond

# Simulation against reality: CAMPAIGN=file, OUT=folder.
.PHONY: validate
validate: sim ## a campaign here and simulated on this-machine, side by side
	$(Q)PYTHON=$(PYTHON) sh bench/validate.sh $(BUILD)/dlsbench \
	    $(or $(CAMPAIGN),bench/campaigns/workstation.yaml) \
	    $(or $(OUT),results/validate/$(shell date -u +%Y-%m-%dT%H%M%SZ))

.PHONY: papers $(PAPERS:%=paper-%) $(LONGER:%=paper-%)
papers: $(PAPERS:%=paper-%) ## the papers' tables and curves beside ours (SimGrid)

paper-beyond: ## past Han: 256 masters, three levels, 65,536 workers (SimGrid)

$(PAPERS:%=paper-%) $(LONGER:%=paper-%): paper-%: sim
	$(Q)PYTHON=$(PYTHON) sh bench/papers/run.sh $* $(BUILD)/dlsbench \
	    $(or $(OUT),results/paper-$*/$(shell date -u +%Y-%m-%dT%H%M%SZ)) $(SIM)
