/* When a worker that computes looks for messages: at every poll of its kernel,
 * unless looks are dear.  Over some networks a look takes system calls, 2 to
 * 20 us, which would be a third of the time between two polls. */
#ifndef HARNESS_RUN_NATIVE_LOOKS_H
#define HARNESS_RUN_NATIVE_LOOKS_H

#include <stdbool.h>
#include <stdint.h>

struct looks {
    uint64_t next; /* engine_ticks; zeroed: at once */
};

static inline bool looks_due(const struct looks *looks, uint64_t now)
{
    return now >= looks->next;
}

/* After a look from `begin` to `end` that found nothing.  The next one waits
 * ten times as long as a dear look took, so that looks cost a tenth of the
 * computing at most; but not longer than 100 us, because a look that took very
 * long had lost its core. */
static inline void looks_pause(struct looks *looks, uint64_t begin,
                               uint64_t end, double tick_s)
{
    static const double dear_s = 1e-6, pause_max_s = 100e-6;
    double look_s = (double)(end - begin) * tick_s;
    double pause_s = 10 * look_s < pause_max_s ? 10 * look_s : pause_max_s;
    looks->next = end + (look_s > dear_s ? (uint64_t)(pause_s / tick_s) : 0);
}

#endif
