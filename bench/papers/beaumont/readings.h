/* The claims in other readings of the paper: which of them depend on what it
 * does not say, or may not have said as it was. */
#ifndef BENCH_PAPERS_BEAUMONT_READINGS_H
#define BENCH_PAPERS_BEAUMONT_READINGS_H

#include "bench/papers/beaumont/claims.h"

enum { BEAUMONT_READINGS = 9 };

struct beaumont_variant {
    const char *name;
    struct beaumont_reading reading;
};

extern const struct beaumont_variant beaumont_variants[BEAUMONT_READINGS];

struct beaumont_readings {
    int platforms; /* at most 200 */
    struct beaumont_claim claim[BEAUMONT_READINGS][BEAUMONT_CLAIMS];
};

/* Runs all of them on the analytic engine, with the seed and the number of
 * platforms of `setup`.  Returns 0 or -errno with a text. */
int beaumont_readings_run(const struct beaumont_setup *setup,
                          struct beaumont_readings *readings,
                          struct error *err);

#endif
