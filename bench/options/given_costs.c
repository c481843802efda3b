#include "bench/options/given_costs.h"

#include "base/text.h"
#include "kernels/kernel.h"
#include "kernels/support/cost_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int count_iterations(const struct cell *cell, int64_t *iterations,
                            struct error *err)
{
    const struct kernel_ops *ops;
    struct spec spec;
    void *instance;
    int code = kernel_parse(cell->kernel, &ops, &spec, err);
    if (code == 0 && ops->count != NULL) {
        *iterations = ops->count(&spec);
        return 0;
    }
    if (code == 0)
        code = kernel_outline(ops, &spec, &instance, err);
    if (code != 0)
        return code;
    *iterations = ops->iterations(instance);
    ops->destroy(instance);
    return 0;
}

int given_costs_check(struct cell *cell, struct error *err)
{
    double *cost;
    int64_t count, iterations;
    int code = cell_check(cell, err);
    if (code != 0 || text_is(cell->costs, "model") ||
        text_is(cell->costs, "measured") || text_is(cell->costs, "last") ||
        cell->costs[0] == '\0')
        return code;
    code = costs_read("costs", cell->costs, 1, &cost, &count, err);
    if (code != 0)
        return -EINVAL;
    free(cost);
    code = count_iterations(cell, &iterations, err);
    if (code == 0 && count != iterations)
        code = error_set(err, EINVAL,
                         "costs: %s has %lld costs, kernel %.*s has %lld "
                         "iterations",
                         cell->costs, (long long)count,
                         (int)strcspn(cell->kernel, ":"), cell->kernel,
                         (long long)iterations);
    return code;
}
