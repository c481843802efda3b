/* In simulation the cell says how many processes compete with a worker. */
#include "harness/workers/power.h"

int powers_open(struct powers *powers, const struct setup *setup,
                const struct tree *tree, const struct place *place,
                const struct comm *comm, const struct place_report *own,
                struct error *err)
{
    const struct sched_ops *outer = setup->scheme.pair.outer;
    const int *load = setup->load;
    (void)place, (void)comm, (void)own, (void)err;
    powers_given(powers, setup);
    powers_allocate(powers, tree->workers, load != NULL,
                    outer != NULL && outer->available != NULL);
    for (int w = 0; load != NULL && w < tree->workers; w++)
        powers->queue[w] = 1 + load[w];
    powers_share(powers, setup);
    return 0;
}
