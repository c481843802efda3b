/* What the paper's section 6 says of its curves, held against ours. */
#ifndef BENCH_PAPERS_BEAUMONT_CLAIMS_H
#define BENCH_PAPERS_BEAUMONT_CLAIMS_H

#include "bench/papers/beaumont/series.h"

enum { BEAUMONT_CLAIMS = 10, BEAUMONT_WHYS = 4 };

/* Where a heuristic's time goes in a figure, means over its loads. */
struct beaumont_why {
    const char *heuristic, *figure;
    double rounds, latency, waiting, over_bound; /* as in series.h */
};

struct beaumont_claim {
    const char *claim;  /* as the paper has it, in short */
    const char *figure; /* number in the paper */
    const char *means;  /* how we read it as a number */
    bool holds;
    char found[200]; /* the numbers */
    int whys;        /* what they come from */
    struct beaumont_why why[BEAUMONT_WHYS];
};

/* Fills claim[0 .. BEAUMONT_CLAIMS - 1]. */
void beaumont_claims(const struct beaumont_series *series,
                     struct beaumont_claim *claim);

#endif
