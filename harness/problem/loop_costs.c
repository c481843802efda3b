#include "harness/problem/loop_costs.h"

#include "harness/process/need.h"
#include "kernels/support/cost_file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct loop_known {
    struct loop_known *next;
    double *before;
    double *first; /* for choice last: the costs of the first step; or NULL */
    char choice[SPEC_TEXT_MAX];
};

static int add_model(const struct loop *loop, double *before, struct error *err)
{
    const struct kernel_cost *cost = loop->kernel->cost;
    if (cost == NULL || cost->operations == NULL)
        return error_set(err, ENOTSUP, "costs model: kernel %s has none",
                         loop->kernel->name);
    for (int64_t i = 0; i < loop->iterations; i++)
        before[i + 1] = before[i] + cost->operations(loop->instance, i);
    return 0;
}

static int add_measured(const struct loop *loop, const struct comm *comm,
                        double *before, struct error *err)
{
    if (loop_measured(loop, comm, before))
        return 0;
    return error_set(err, ENOTSUP,
                     "costs measured: the iterations of kernel %s were not "
                     "measured one by one",
                     loop->kernel->name);
}

static int add_costs(const struct loop *loop, const char *choice,
                     const struct comm *comm, double *before, struct error *err)
{
    if (strcmp(choice, "model") == 0 || strcmp(choice, "last") == 0)
        return add_model(loop, before, err);
    if (strcmp(choice, "measured") == 0)
        return add_measured(loop, comm, before, err);
    double *cost;
    int64_t count;
    int code = costs_read("costs", choice, 1, &cost, &count, err);
    if (code != 0)
        return code;
    if (count != loop->iterations)
        code = error_set(err, EINVAL,
                         "costs: %s has %" PRId64 " costs, kernel %s has "
                         "%" PRId64 " iterations",
                         choice, count, loop->kernel->name, loop->iterations);
    for (int64_t i = 0; code == 0 && i < count; i++)
        before[i + 1] = before[i] + cost[i];
    free(cost);
    return code;
}

static struct loop_known *find_known(const struct loop *loop,
                                     const char *choice)
{
    struct loop_known *known = loop->known_costs;
    while (known != NULL && strcmp(known->choice, choice) != 0)
        known = known->next;
    return known;
}

int loop_costs(struct loop *loop, const char *choice, const struct comm *comm,
               const double **before, struct error *err)
{
    struct loop_known *known = find_known(loop, choice);
    if (known == NULL) {
        known = need_zeroed(1, sizeof(*known));
        known->before =
            need_zeroed((size_t)loop->iterations + 1, sizeof(*known->before));
        int code = add_costs(loop, choice, comm, known->before, err);
        if (code != 0) {
            free(known->before);
            free(known);
            return code;
        }
        if (strcmp(choice, "last") == 0) {
            size_t n = (size_t)loop->iterations + 1;
            known->first = need_zeroed(n, sizeof(*known->first));
            memcpy(known->first, known->before, n * sizeof(*known->first));
        }
        strcpy(known->choice, choice);
        known->next = loop->known_costs;
        loop->known_costs = known;
    }
    *before = known->before;
    return 0;
}

void loop_open_steps(struct loop *loop)
{
    const struct kernel_steps *steps = loop->kernel->steps;
    loop->grid.steps = steps->count(loop->instance);
    if (loop->grid.steps > 1)
        loop->grid.state_bytes = steps->state_bytes(loop->instance);
    loop->drifts = steps->operations != NULL && loop->grid.steps > 1;
}

void loop_costs_close(struct loop *loop)
{
    struct loop_known *known;
    while ((known = loop->known_costs) != NULL) {
        loop->known_costs = known->next;
        free(known->before);
        free(known->first);
        free(known);
    }
}

/* ---- costs of the last time step ---- */

static int by_start(const void *a, const void *b)
{
    const struct loop_took *x = a, *y = b;
    return x->start < y->start ? -1 : x->start > y->start;
}

void loop_costs_begin(struct loop *loop)
{
    struct loop_known *known = find_known(loop, "last");
    size_t bytes = ((size_t)loop->iterations + 1) * sizeof(*known->before);
    memcpy(known->before, known->first, bytes);
}

/* Replaces the old costs of a chunk, which began at `old`, by new ones from
 * before[0] on.  seconds 0: the clock was too coarse, and a unit of old costs
 * takes `unit`.  Returns where the next chunk's old costs begin. */
static double recost_chunk(double *before, int64_t size, double old,
                           double seconds, double unit)
{
    double begin = old, sum = before[size] - old;
    double took = seconds > 0 ? seconds : sum * unit, now = before[0];
    for (int64_t i = 1; i <= size; i++) {
        double part =
            sum > 0 ? (before[i] - begin) / sum : (double)i / (double)size;
        old = before[i];
        before[i] = now + took * part;
    }
    return old;
}

void loop_costs_step(struct loop *loop, struct loop_took *took, int64_t count)
{
    double *before = find_known(loop, "last")->before;
    double all = 0, whole = before[loop->iterations], old = 0;
    qsort(took, (size_t)count, sizeof(*took), by_start);
    for (int64_t i = 0; i < count; i++)
        all += took[i].seconds > 0 ? took[i].seconds : 0;
    if (all <= 0)
        return; /* the clock was too coarse: nothing is known */
    double unit = whole > 0 ? all / whole : 0;
    for (int64_t i = 0; i < count; i++)
        old = recost_chunk(before + took[i].start, took[i].size, old,
                           took[i].seconds, unit);
}
