/* One cell of the null kernel over the ranks of the benchmark. */
#ifndef BENCH_OVERHEAD_CONTEST_H
#define BENCH_OVERHEAD_CONTEST_H

#include "bench/overhead/overhead.h"

struct contest {
    const char *scheme, *transport, *master, *window, *kernel, *power;
    bool late; /* without prefetch: a worker asks when its chunk is done */
    struct setup setup;
    struct loop loop;
    struct run *run;
    double value[OVERHEAD_ROUNDS], ratio[OVERHEAD_ROUNDS];
};

/* By all ranks.  Returns 0 or -errno. */
int contest_open(struct contest *c, struct launch_context *context,
                 struct error *err);
/* Seconds per chunk; 0: it did not run. */
double contest_time(struct contest *c);
void contest_close(struct contest *c);

#endif
