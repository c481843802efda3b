/* The speeds for sizes by time (bench/campaign/sizing.h), if the campaign does
 * not have them. */
#ifndef BENCH_COMMANDS_RUN_SPEEDS_H
#define BENCH_COMMANDS_RUN_SPEEDS_H

#include "bench/commands/run/run_options.h"

/* Loads the campaign o->file.  Missing speeds for its sizes come from the
 * result directory in --out; else from the simulated platform; else from
 * --calibration, or this machine's, which a run measures first.  They become a
 * setting of the campaign, so that its stored text has them; likewise --nodes
 * for layouts by nodes.  Returns 0 or -errno with a text. */
int speeds_load_campaign(struct run_options *o, struct campaign *campaign,
                         struct error *err);

#endif
