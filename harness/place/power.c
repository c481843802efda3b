#include "harness/place/power.h"

#include <errno.h>
#include <stdlib.h>

int powers_given(struct powers *powers, const struct cell *cell, int workers,
                 struct error *err)
{
    *powers = (struct powers){.given = cell_powers(cell)};
    if (powers->given == NULL) {
        powers->given = calloc((size_t)workers + 1, sizeof(*powers->given));
        for (int w = 0; powers->given != NULL && w < workers; w++)
            powers->given[w] = 1;
    }
    return powers->given ? 0
                         : error_set(err, ENOMEM,
                                     "out of memory for %d workers", workers);
}

int powers_allocate(struct powers *powers, int workers, bool count,
                    bool available, struct error *err)
{
    size_t n = (size_t)workers + 1;
    if (count) {
        powers->queue = calloc(n, sizeof(*powers->queue));
        powers->share = calloc(n, sizeof(*powers->share));
    }
    if (available)
        powers->available = calloc(n, sizeof(*powers->available));
    if ((count && (powers->queue == NULL || powers->share == NULL)) ||
        (available && powers->available == NULL))
        return error_set(err, ENOMEM, "out of memory for %d workers", workers);
    return 0;
}

void powers_share(struct powers *powers, const struct sched_pair *pair,
                  int workers)
{
    for (int w = 0; powers->share != NULL && w < workers; w++)
        powers->share[w] = powers->given[w] / powers->queue[w];
    const double *share = powers->share ? powers->share : powers->given;
    for (int w = 0; powers->available != NULL && w < workers; w++)
        powers->available[w] =
            pair->outer->available(&pair->outer_spec, share[w]);
}

void powers_settle(struct powers *powers, const struct cell *cell, int workers)
{
    struct sched_pair pair;
    if (sched_pair_parse(cell->scheme, &pair, NULL) == 0)
        powers_share(powers, &pair, workers);
}

void powers_close(struct powers *powers)
{
    free(powers->given);
    free(powers->queue);
    free(powers->share);
    free(powers->available);
    *powers = (struct powers){0};
}

const double *powers_of_scheme(const struct powers *powers)
{
    return powers->available != NULL && powers->share != NULL ? powers->share
                                                              : powers->given;
}

bool powers_take_part(const struct powers *powers, int worker)
{
    return powers->available == NULL || powers->available[worker] > 0;
}
