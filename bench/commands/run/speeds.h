/* The speeds that sizes by time need (bench/campaign/sizing.h), where the
 * campaign does not have them. */
#ifndef BENCH_COMMANDS_RUN_SPEEDS_H
#define BENCH_COMMANDS_RUN_SPEEDS_H

#include "bench/commands/run/run_options.h"

/* Loads the campaign that o->file names.  Speeds that its sizes lack are those
 * of the result directory in --out; else of the simulated platform; else of
 * --calibration, or of this machine's, which a run measures first.  They become
 * a setting of the campaign, so that its stored text has them; so do the nodes
 * of
 * --nodes, where layouts are by nodes.  Returns 0 or
 * -errno with a text. */
int speeds_load_campaign(struct run_options *o, struct campaign *campaign,
                         struct error *err);

#endif
