/* How much of its core a thread had, how much of it other processes, and how
 * fast the core is.  Native only. */
#ifndef HARNESS_ENGINE_SHARE_H
#define HARNESS_ENGINE_SHARE_H

#include <stdint.h>

/* The system's counts for a thread since it started. */
struct engine_share_mark {
    double now_s;
    double cpu_s;   /* on a core */
    double ready_s; /* waiting for one; NAN: the system does not say */
    int64_t slept, displaced; /* switches: by itself, by others */
};

/* The share of the span between two marks. */
struct engine_share {
    double span_s; /* by the clock */
    double cpu_s;
    double others_s; /* ready to run, without a core; NAN: not known */
    int64_t slept, displaced;
};

/* By the thread itself; a few microseconds, outside of what is timed. */
void engine_share_mark(struct engine_share_mark *mark);

/* A sleeping thread waits for no core.  If the system does not count the
 * waiting: 0 without a switch by others; with one, clock time minus processor
 * time, as long as the thread has not slept. */
struct engine_share engine_share_between(const struct engine_share_mark *from,
                                         const struct engine_share_mark *to);

/* Seconds that a fixed piece of arithmetic takes on the caller's core now: more
 * when its clock is lower, or when another thread of the core is busy.  The
 * middle one of three; about 10 us in all. */
double engine_core_probe(void);

#endif
