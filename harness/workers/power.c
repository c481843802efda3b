#include "harness/workers/power.h"

#include "harness/process/need.h"

#include <errno.h>
#include <stdlib.h>

void powers_given(struct powers *powers, const struct setup *setup)
{
    int workers = setup->workers;
    *powers = (struct powers){
        .measured_s = -1,
        .given = need_zeroed((size_t)workers, sizeof(*powers->given))};
    for (int w = 0; w < workers; w++)
        powers->given[w] = setup->power != NULL ? setup->power[w] : 1;
}

void powers_allocate(struct powers *powers, int workers, bool count,
                     bool available)
{
    size_t n = (size_t)workers;
    if (count) {
        powers->queue = need_zeroed(n, sizeof(*powers->queue));
        powers->share = need_zeroed(n, sizeof(*powers->share));
    }
    if (available)
        powers->available = need_zeroed(n, sizeof(*powers->available));
}

void powers_share(struct powers *powers, const struct setup *setup)
{
    const struct sched_pair *pair = &setup->scheme.pair;
    int workers = setup->workers;
    for (int w = 0; powers->share != NULL && w < workers; w++)
        powers->share[w] = powers->given[w] / powers->queue[w];
    const double *share = powers->share ? powers->share : powers->given;
    for (int w = 0; powers->available != NULL && w < workers; w++)
        powers->available[w] =
            pair->outer->available(&pair->outer_spec, share[w]);
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
