/* The parts of a calibration that a campaign needs: its kernels, and the widths
 * of its blocks. */
#ifndef BENCH_COMMANDS_CALIBRATE_FOR_H
#define BENCH_COMMANDS_CALIBRATE_FOR_H

#include "bench/calibrate/calibrate.h"
#include "bench/campaign/campaign.h"

/* Asks for the kernels of the campaign's cells instead of the usual ones, those
 * of grids with the sync intervals that it gives.  The request points into the
 * campaign.  Returns 0 or -E2BIG. */
int calibrate_for(const struct campaign *campaign,
                  struct calibrate_request *request, struct error *err);

#endif
