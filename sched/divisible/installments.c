#include "sched/divisible/installments.h"

#include <errno.h>
#include <stdlib.h>

/* Chunks are found from the last one, which is set to 1, back to the first, and
 * scaled at the end.  Loads above this are scaled down on the way. */
static const double huge_load = 0x1p400;

/* The time of the messages after chunk n until its worker's next message can
 * leave or, with overlap, has come. */
static double message_time(const struct divisible_platform *platform,
                           const int *order, enum divisible_equations equations,
                           const double *L, int64_t n)
{
    int p = platform->workers;
    int count = equations == DIVISIBLE_WITH_OVERLAP ? p : p - 1;
    double sum = 0;
    for (int64_t m = n + 1; m <= n + count; m++)
        sum += platform->worker[order[m % p]].G * L[m];
    return sum;
}

/* The equations, solved backwards; returns the sum of all chunks. */
static double solve_equations(const struct divisible_platform *platform,
                              const int *order,
                              enum divisible_equations equations, int64_t count,
                              double *L)
{
    int p = platform->workers;
    double sum = 1;
    L[count - 1] = 1;
    for (int64_t n = count - 2; n >= 0; n--) {
        const struct divisible_worker *worker = &platform->worker[order[n % p]];
        const struct divisible_worker *next =
            &platform->worker[order[(n + 1) % p]];
        double busy = n >= count - p
                          ? (next->G + next->w) * L[n + 1]
                          : message_time(platform, order, equations, L, n);
        L[n] = busy / worker->w;
        sum += L[n];
        if (L[n] > huge_load) { /* go on in a larger unit */
            for (int64_t m = n; m < count; m++)
                L[m] /= huge_load;
            sum /= huge_load;
        }
    }
    return sum;
}

static int check_installments(const struct divisible_platform *platform, int x,
                              struct error *err)
{
    if (x < 1 || x > DIVISIBLE_INSTALLMENTS_MAX)
        return error_set(err, EINVAL,
                         "%d installments, allowed is 1 to %d: more do not "
                         "make a plan better",
                         x, DIVISIBLE_INSTALLMENTS_MAX);
    if (platform->overlap)
        return error_set(err, EINVAL,
                         "multi-installment is for workers without overlap of "
                         "communication and computation");
    return 0;
}

int divisible_installments(const struct divisible_platform *platform,
                           double load, int x,
                           enum divisible_equations equations,
                           struct divisible_plan *plan, struct error *err)
{
    int p = platform->workers;
    int code = check_installments(platform, x, err);
    if (code != 0)
        return code;
    int64_t count = (int64_t)x * p;
    int *order = calloc((size_t)p, sizeof(*order));
    double *L = calloc((size_t)count, sizeof(*L));
    if (order == NULL || L == NULL)
        code = error_set(err, ENOMEM, "out of memory");
    if (code == 0) {
        divisible_sort(platform, DIVISIBLE_BY_LINK, order);
        double scale =
            load / solve_equations(platform, order, equations, count, L);
        for (int64_t n = 0; code == 0 && n < count; n++)
            code = divisible_plan_add(plan, order[n % p], (int)(n / p),
                                      L[n] * scale, err);
    }
    if (code == 0)
        code = divisible_plan_time(plan, platform, err);
    free(order);
    free(L);
    return code;
}
