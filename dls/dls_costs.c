/* The costs of iterations that the program gives. */
#include "dls/dls_internal.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

static bool needs_costs(const dls_loop *loop)
{
    return (sched_flags(loop->scheme, &loop->spec) & SCHED_NEEDS_COST) != 0;
}

int costs_check(dls_loop *loop)
{
    if (!needs_costs(loop) || loop->iterations == 0)
        return 0;
    if (loop->cost == NULL)
        return error_set(&loop->error, EINVAL,
                         "dls: scheme %s counts with the costs of the "
                         "iterations, which options.costs or dls_costs give",
                         loop->spec.canonical);
    if (loop->cost_count != loop->iterations)
        return error_set(&loop->error, EINVAL,
                         "dls: costs of %lld iterations for a loop of %lld: "
                         "dls_costs gives others",
                         (long long)loop->cost_count,
                         (long long)loop->iterations);
    return 0;
}

int costs_copy(dls_loop *loop, const double *costs, int64_t count, bool wanted)
{
    if (costs == NULL || count == 0 || !(wanted || needs_costs(loop)))
        return 0;
    double *sum = calloc((size_t)count + 1, sizeof(*sum));
    if (sum == NULL)
        return error_set(&loop->error, ENOMEM, "dls: out of memory");
    for (int64_t i = 0; i < count; i++) {
        sum[i + 1] = sum[i] + costs[i];
        if (isfinite(sum[i + 1]) && costs[i] >= 0)
            continue;
        free(sum);
        return error_set(&loop->error, EINVAL,
                         "dls: the cost of iteration %lld is %g, allowed are "
                         "0 and more, and a finite sum",
                         (long long)i, costs[i]);
    }
    free(loop->cost);
    loop->cost = sum;
    loop->cost_count = count;
    sched_table_free(&loop->table); /* it was built from the old costs */
    return 0;
}

DLS_PUBLIC int dls_costs(dls_loop *loop, const double *costs,
                         int64_t iterations)
{
    if (loop == NULL)
        return -EINVAL;
    if (loop->code != 0)
        return loop->code;
    if (costs == NULL || iterations < 0)
        return error_set(
            &loop->error, EINVAL, "dls: costs of %lld iterations%s",
            (long long)iterations, costs == NULL ? " are NULL" : "");
    if (loop->over != NULL)
        return error_set(&loop->error, ENOTSUP,
                         "dls: over ranks the costs are those of the options");
    if (dls_unfinished(loop) > 0)
        return error_set(&loop->error, EBUSY,
                         "dls: the costs of a loop that runs cannot change");
    return costs_copy(loop, costs, iterations, false);
}
