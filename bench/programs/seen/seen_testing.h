/* Rows of a report, as the tests of verdicts and answers need them. */
#ifndef BENCH_PROGRAMS_SEEN_SEEN_TESTING_H
#define BENCH_PROGRAMS_SEEN_SEEN_TESTING_H

#include "base/unit_testing.h"
#include "bench/programs/seen/seen_report.h"
#include "bench/programs/seen/seen_verdict.h"

#include <string.h>

/* A loop of two threads that waits for 0.3 of 1 s at its end. */
static inline struct counters_site site(uint32_t clause, uint32_t kinds)
{
    return (struct counters_site){.clause = clause,
                                  .kinds = kinds,
                                  .visits = 10,
                                  .iterations = 10000,
                                  .chunks = 100,
                                  .threads_min = 2,
                                  .threads_max = 2};
}

static inline struct loops_loop row(const struct counters_site *site)
{
    return (struct loops_loop){.site = site,
                               .seconds = 1,
                               .saved_s = 0.3,
                               .here_s = 2,
                               .busy_s = 1.4,
                               .chunk_s = 0.01,
                               .longest_s = 0.2};
}

/* A text has one thing, and has another one not. */
static inline void says(const char *text, const char *said,
                        const char *not_said)
{
    if (strstr(text, said) == NULL || strstr(text, not_said) != NULL)
        fail_msg("'%s', not '%s', in: %s", said, not_said, text);
}

#endif
