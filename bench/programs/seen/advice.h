/* What to do about a loop whose schedule costs time. */
#ifndef BENCH_PROGRAMS_SEEN_ADVICE_H
#define BENCH_PROGRAMS_SEEN_ADVICE_H

#include "dls/omp/omp_counters.h"

enum { ADVICE_SIZE = 128 };

/* The next command, in words.  One run does not tell which scheme is faster:
 * the costs of iterations are not known, nor is the noise.  Returns `text`. */
const char *advice_text(const struct counters_site *site,
                        char text[ADVICE_SIZE]);

#endif
