/* When a computing worker polls for messages: at every poll of its kernel,
 * unless looks are costly.  In some networks a look needs system calls, 2 to 20
 * us, up to a third of the time between two polls. */
#ifndef HARNESS_REPETITION_NATIVE_LOOKS_H
#define HARNESS_REPETITION_NATIVE_LOOKS_H

#include "harness/engine/engine.h"

#include <stdbool.h>
#include <stdint.h>

struct looks {
    uint64_t next;  /* engine_ticks of the next look; 0: at once */
    unsigned count; /* of looks without a message */
    bool costly;    /* the last timed look was costly */
};

static inline bool looks_due(const struct looks *looks, uint64_t now)
{
    return now >= looks->next;
}

/* Whether to read the clock after a look: after one in 32, and after all while
 * they are costly. (Reading it takes as long as a cheap look.) */
static inline bool looks_timed(struct looks *looks)
{
    return looks->count++ % 32 == 0 || looks->costly;
}

/* After a look from `begin` to `end` without a message.  A costly look is
 * followed by a pause ten times as long, so that looks take at most a tenth of
 * the computing time.  The pause is at most 100 us, because a look that took
 * very long had lost its core. */
static inline void looks_pause(struct looks *looks, uint64_t begin,
                               uint64_t end, double tick_s)
{
    static const double costly_s = 1e-6, pause_max_s = 100e-6;
    double look_s = (double)(end - begin) * tick_s;
    double pause_s = 10 * look_s < pause_max_s ? 10 * look_s : pause_max_s;
    looks->costly = look_s > costly_s;
    looks->next = end + (looks->costly ? (uint64_t)(pause_s / tick_s) : 0);
}

/* After a look that began at `before`. */
static inline void looks_after(struct looks *looks, bool found, uint64_t before,
                               double tick_s)
{
    if (!found && looks_timed(looks))
        looks_pause(looks, before, engine_ticks(), tick_s);
}

#endif
