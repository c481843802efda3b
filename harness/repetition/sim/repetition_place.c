/* Where simulated workers are, as the platform says. */
#include "harness/repetition/sim/repetition_impl.h"

#include "harness/engine/sim/world.h"
#include "harness/problem/sim/machine.h"
#include "harness/process/need.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

/* How many times as slow as its core a worker is all the time. */
static double slowness_factor(const struct run *run, uint8_t hit)
{
    double factor = 1;
    for (int k = 0; k < run->setup->perturbs.count; k++)
        if ((hit >> k & 1) && perturb_slows(&run->setup->perturbs.list[k]))
            factor *= run->setup->perturbs.list[k].factor;
    return factor;
}

/* Measured powers are those of the platform; the slowest worker has power 1. */
static void know_powers(struct run *run)
{
    double *power = run->powers.given, slowest = INFINITY;
    int workers = run->tree.workers;
    uint8_t *hit = need_zeroed((size_t)workers, sizeof(*hit));
    setup_pick_perturbed(run->setup, hit);
    for (int w = 0; w < workers; w++) {
        power[w] = host_of_worker(run, w)->speed / slowness_factor(run, hit[w]);
        slowest = fmin(slowest, power[w]);
    }
    for (int w = 0; w < workers; w++)
        power[w] /= slowest;
    free(hit);
    powers_share(&run->powers, run->setup);
}

/* context_open has checked that every worker has a core. */
int run_open_places(struct run *run, bool oversubscribe, struct error *err)
{
    (void)oversubscribe;
    int code = powers_open(&run->powers, run->setup, &run->tree, NULL,
                           &run->context->comm, NULL, err);
    if (code == 0 && run->setup->measures_power)
        know_powers(run);
    return code;
}

bool run_oversubscribed(const struct run *run)
{
    (void)run;
    return false;
}

int run_shared_masters(const struct run *run)
{
    (void)run;
    return 0;
}

/* Other causes of varying times: schemes that keep learning, and time slices
 * with varying begin. */
bool run_varies(const struct run *run)
{
    bool sliced = run->powers.queue != NULL &&
                  machine_slices(world_here()->machine) != NULL;
    return sliced || setup_learns_by_repetition(run->setup);
}

bool run_equal_speeds(const struct run *run)
{
    const struct world *world = world_here();
    (void)run;
    for (int i = 0; i < world->places; i++)
        if (world->place[i].speed != world->speed)
            return false;
    return true;
}

static int compare_hosts(const void *a, const void *b)
{
    const struct world_place *const *x = a, *const *y = b;
    if ((*x)->host != (*y)->host)
        return (uintptr_t)(*x)->host < (uintptr_t)(*y)->host ? -1 : 1;
    return (*x > *y) - (*x < *y);
}

/* A host is identified by its first rank: addresses differ from run to run.
 * Shared cores and caches are not simulated. */
void run_share_sites(const struct run *run, struct site *site)
{
    const struct world *world = world_here();
    size_t n = (size_t)run->tree.workers;
    const struct world_place **sorted = need_zeroed(n, sizeof(*sorted));
    for (size_t i = 0; i < n; i++)
        sorted[i] = &world->place[i];
    qsort(sorted, n, sizeof(*sorted), compare_hosts);
    for (size_t i = 0, first = 0; i < n; i++) {
        if (sorted[i]->host != sorted[first]->host)
            first = i;
        site[sorted[i] - world->place].node =
            (uint64_t)(sorted[first] - world->place);
    }
    free(sorted);
}
