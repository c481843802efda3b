/* Polls at a steady pace: the pieces of a kernel's work may be far shorter
 * than the time between two polls. */
#ifndef KERNELS_PACE_H
#define KERNELS_PACE_H

#include "kernels/kernel.h"

struct pace {
    const struct kernel_poll *poll; /* may be NULL */
    int64_t every;                  /* points between two polls */
    int64_t done;                   /* since the last */
};

/* `points` more are done. */
static inline void pace_add(struct pace *pace, int64_t points)
{
    pace->done += points;
    if (pace->done < pace->every)
        return;
    pace->done = 0;
    kernel_poll(pace->poll);
}

#endif
