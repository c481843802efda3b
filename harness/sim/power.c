/* In simulation what competes with a worker is what the cell says. */
#include "harness/place/power.h"

#include <errno.h>
#include <stdlib.h>

int powers_open(struct powers *powers, const struct cell *cell,
                const struct tree *tree, const struct place *place,
                const struct comm *comm, const struct place_report *own,
                struct error *err)
{
    struct sched_pair pair;
    (void)place, (void)comm, (void)own;
    int workers = tree->workers;
    int *load = cell_loads(cell);
    int code = powers_given(powers, cell, workers, err);
    if (code == 0)
        code = cell_scheme_parse(cell->scheme, &pair, err);
    if (code == 0)
        code = powers_allocate(
            powers, workers, load != NULL,
            pair.outer != NULL && pair.outer->available != NULL, err);
    for (int w = 0; code == 0 && load != NULL && w < workers; w++)
        powers->queue[w] = 1 + load[w];
    if (code == 0)
        powers_share(powers, &pair, workers);
    else
        powers_close(powers);
    free(load);
    return code;
}
