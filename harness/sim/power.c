/* In simulation the cell says how many processes compete with a worker. */
#include "harness/place/power.h"

int powers_open(struct powers *powers, const struct setup *setup,
                const struct tree *tree, const struct place *place,
                const struct comm *comm, const struct place_report *own,
                struct error *err)
{
    const struct sched_ops *outer = setup->scheme.pair.outer;
    const int *load = setup->load;
    (void)place, (void)comm, (void)own;
    int code = powers_given(powers, setup, err);
    if (code == 0)
        code = powers_allocate(powers, tree->workers, load != NULL,
                               outer != NULL && outer->available != NULL, err);
    for (int w = 0; code == 0 && load != NULL && w < tree->workers; w++)
        powers->queue[w] = 1 + load[w];
    if (code == 0)
        powers_share(powers, setup);
    else
        powers_close(powers);
    return code;
}
