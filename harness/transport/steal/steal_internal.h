/* The private declarations of work stealing: steal.c opens it and steals in
 * memory, steal_ranks.c steals between ranks. */
#ifndef HARNESS_TRANSPORT_STEAL_STEAL_INTERNAL_H
#define HARNESS_TRANSPORT_STEAL_STEAL_INTERNAL_H

#include "harness/transport/steal/steal.h"

static inline uint64_t steal_look(const struct steal_range *range)
{
    return atomic_load_explicit(&range->ends, memory_order_acquire);
}

/* A range has become empty. */
void steal_emptied(struct steal *steal);

/* ---- between ranks ---- */

/* Returns 0 or -ENOMEM. */
int steal_ranks_open(struct steal *steal);
void steal_ranks_reset(struct steal *steal);

/* By an idle thread: passes a moment, or blocks until a message comes. */
void steal_pause(struct steal *steal, struct engine_idle *idle);

/* All threads of this rank have left, although iterations may remain. */
static inline bool steal_is_deserted(const struct steal *steal)
{
    return atomic_load(&steal->working) == 0;
}

#endif
