/* The tables and claims on paper, and as CSV. */
#ifndef BENCH_PAPERS_BEAUMONT_REPORT_H
#define BENCH_PAPERS_BEAUMONT_REPORT_H

#include "bench/papers/beaumont/readings.h"

#include <stdio.h>

/* A table of ratios for each figure, then the claims, then which of them hold
 * in other readings.  Returns 0 or -ENOMEM. */
int beaumont_report(const struct beaumont_setup *setup,
                    const struct beaumont_series *series,
                    const struct beaumont_claim *claim,
                    const struct beaumont_readings *readings, FILE *out);

/* figures.csv: one row for each point; claims.csv: one for each claim;
 * readings.csv: one for each claim in each reading.
 * results/README.md says what is in them.  Return 0 or -ENOMEM. */
int beaumont_figures_csv(const struct beaumont_setup *setup,
                         const struct beaumont_series *series, FILE *out);
int beaumont_claims_csv(const struct beaumont_claim *claim, FILE *out);
int beaumont_readings_csv(const struct beaumont_readings *readings, FILE *out);

#endif
