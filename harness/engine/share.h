/* How much of its core a thread had, how much other processes had, and how fast
 * the core is.  Native only. */
#ifndef HARNESS_ENGINE_SHARE_H
#define HARNESS_ENGINE_SHARE_H

#include <stdint.h>

/* The system's counts for a thread since it started. */
struct engine_share_mark {
    double now_s;
    double cpu_s;   /* waiting for a core; NAN: unknown */
    double ready_s; /* waiting for one; NAN: the system does not say */
    int64_t slept, displaced; /* switches: voluntary, involuntary */
};

/* The share of the span between two marks. */
struct engine_share {
    double span_s; /* by the clock */
    double cpu_s;
    double others_s; /* ready to run, without a core; NAN: unknown */
    int64_t slept, displaced;
};

/* By the thread itself; takes a few microseconds, untimed. */
void engine_share_mark(struct engine_share_mark *mark);

/* A sleeping thread waits for no core.  If the system does not count waiting
 * for a core: 0 without an involuntary switch; with one, clock time minus
 * processor time, provided that the thread has not slept. */
struct engine_share engine_share_between(const struct engine_share_mark *from,
                                         const struct engine_share_mark *to);

/* Seconds for a fixed piece of arithmetic on the caller's core now: more if its
 * clock is lower, or another thread of the core is busy.  The middle one of
 * three; about 10 us in all. */
double engine_core_probe(void);

#endif
