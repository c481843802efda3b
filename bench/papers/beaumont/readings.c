#include "bench/papers/beaumont/readings.h"

#include <errno.h>
#include <stdlib.h>

#define CUT DIVISIBLE_TAIL_CUT
#define SHARE DIVISIBLE_TAIL_SHARE
#define ALONE DIVISIBLE_NO_OVERLAP
#define FRONT DIVISIBLE_WITH_OVERLAP

/* 2 Mbit / 8 is 2 Mbit read as 2e6 / 8 bytes where data are not, or data that
 * are 8 times as long beside a latency that is not. */
const struct beaumont_variant beaumont_variants[BEAUMONT_READINGS] = {
    {"as printed", {2, 2, CUT, ALONE, false}},
    {"one network for all workers of a platform", {2, 2, CUT, ALONE, true}},
    {"last round shared", {2, 2, SHARE, ALONE, false}},
    {"2 Mbyte a unit", {16, 2, CUT, ALONE, false}},
    {"2 Mbyte a unit and a latency", {16, 16, CUT, ALONE, false}},
    {"latency of 0.25 Mbit", {2, 0.25, CUT, ALONE, false}},
    {"M.I. as for workers with overlap", {2, 2, CUT, FRONT, false}},
    {"the same, latency of 0.25 Mbit", {2, 0.25, CUT, FRONT, false}},
    {"the same, 2 Mbyte a unit", {16, 0.25, CUT, FRONT, false}},
};

enum { MOST = 200 }; /* platforms: more do not change what holds */

int beaumont_readings_run(const struct beaumont_setup *setup,
                          struct beaumont_readings *readings, struct error *err)
{
    struct beaumont_setup one = *setup;
    struct beaumont_series *series = calloc(1, sizeof(*series));
    int code = series != NULL ? 0 : error_set(err, ENOMEM, "out of memory");
    one.engine = &beaumont_analytic;
    one.progress = NULL;
    one.platforms = setup->platforms < MOST ? setup->platforms : MOST;
    readings->platforms = one.platforms;
    for (int r = 0; code == 0 && r < BEAUMONT_READINGS; r++) {
        one.reading = beaumont_variants[r].reading;
        code = beaumont_run(&one, series, err);
        if (code == 0)
            beaumont_claims(series, readings->claim[r]);
    }
    free(series);
    return code;
}
