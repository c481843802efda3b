#include "harness/costs/calibration.h"

#include "base/stats.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const calibration_names[CALIBRATION_KINDS] = {"threads", "ranks"};

/* Workers count as equal if their powers differ by less. */
static const double ALIKE = 1.1;

bool calibration_is_alike(const struct calibration_kind *kind)
{
    double most = 1;
    for (int w = 0; w < kind->workers; w++)
        most = fmax(most, kind->worker[w].power);
    return most < ALIKE;
}

/* ---- memory ---- */

int calibration_kind_open(struct calibration_kind *kind, int workers, int pairs,
                          int kernels, int transfers, struct error *err)
{
    *kind = (struct calibration_kind){.workers = workers,
                                      .pairs = pairs,
                                      .kernels = kernels,
                                      .transfers = transfers};
    kind->transfer = calloc((size_t)transfers + 1, sizeof(*kind->transfer));
    kind->worker = calloc((size_t)workers + 1, sizeof(*kind->worker));
    kind->pair = calloc((size_t)pairs + 1, sizeof(*kind->pair));
    kind->kernel = calloc((size_t)kernels + 1, sizeof(*kind->kernel));
    bool room = kind->worker && kind->pair && kind->kernel && kind->transfer;
    for (int k = 0; room && k < kernels; k++) {
        kind->kernel[k].cost =
            calloc((size_t)workers + 1, sizeof(*kind->kernel[k].cost));
        room = kind->kernel[k].cost != NULL;
    }
    if (room)
        return 0;
    calibration_kind_free(kind);
    return error_set(err, ENOMEM, "out of memory for %d workers", workers);
}

void calibration_kind_free(struct calibration_kind *kind)
{
    for (int k = 0; kind->kernel != NULL && k < kind->kernels; k++)
        free(kind->kernel[k].cost);
    free(kind->kernel);
    free(kind->transfer);
    free(kind->pair);
    free(kind->worker);
    *kind = (struct calibration_kind){.workers = 0};
}

void calibration_free(struct calibration *calibration)
{
    for (int i = 0; i < CALIBRATION_KINDS; i++)
        calibration_kind_free(&calibration->kind[i]);
}

/* ---- powers ---- */

static double slowest_cost(const struct calibration_kernel *kernel, int workers)
{
    double slowest = 0;
    for (int w = 0; w < workers; w++)
        slowest = fmax(slowest, kernel->cost[w].c_p);
    return slowest;
}

void calibration_set_powers(struct calibration_kind *kind)
{
    double least = INFINITY;
    for (int w = 0; w < kind->workers; w++) {
        double logs = 0;
        for (int k = 0; k < kind->kernels; k++) {
            struct calibration_kernel *kernel = &kind->kernel[k];
            struct calibration_cost *cost = &kernel->cost[w];
            cost->power = slowest_cost(kernel, kind->workers) / cost->c_p;
            logs += log(cost->power);
        }
        kind->worker[w].power =
            kind->kernels > 0 ? exp(logs / kind->kernels) : 1;
        least = fmin(least, kind->worker[w].power);
    }
    for (int w = 0; w < kind->workers; w++)
        kind->worker[w].power /= least;
}

/* ---- looking things up ---- */

/* Other vectors or work make another loop (deps), whatever its size. */
static bool same_loop(const char *a, const char *b)
{
    static const char *const keys[] = {"vectors=", "work="};
    for (int i = 0; i < 2; i++) {
        const char *x = strstr(a, keys[i]), *y = strstr(b, keys[i]);
        size_t length = x != NULL ? strcspn(x, ",") : 0;
        if ((y != NULL ? strcspn(y, ",") : 0) != length ||
            (length > 0 && memcmp(x, y, length) != 0))
            return false;
    }
    return true;
}

const struct calibration_kernel *
calibration_kernel_near(const struct calibration_kind *kind, const char *spec,
                        double points)
{
    const struct calibration_kernel *best = NULL;
    size_t length = strcspn(spec, ":");
    double nearest = INFINITY;
    for (int k = 0; k < kind->kernels; k++) {
        const struct calibration_kernel *kernel = &kind->kernel[k];
        if (strcspn(kernel->spec, ":") != length ||
            strncmp(kernel->spec, spec, length) != 0 ||
            !same_loop(kernel->spec, spec))
            continue;
        if (strcmp(kernel->spec, spec) == 0)
            return kernel;
        double own = (double)kernel->rows * (double)kernel->columns;
        double ratio = fabs(log(points / own));
        if (ratio < nearest) {
            nearest = ratio;
            best = kernel;
        }
    }
    return best;
}

const struct calibration_kernel *
calibration_kernel_of(const struct calibration_kind *kind, const char *spec)
{
    for (int k = 0; k < kind->kernels; k++)
        if (strcmp(kind->kernel[k].spec, spec) == 0)
            return &kind->kernel[k];
    return NULL;
}

static bool is_below(const struct calibration_pair *pair, int workers)
{
    return pair->worker[0] < workers && pair->worker[1] < workers;
}

int calibration_like(const struct calibration_kind *kind, int rank)
{
    return rank == 0 ? 0 : 1 + (rank - 1) % (kind->workers - 1);
}

bool calibration_exchange(const struct calibration_kind *kind, int workers,
                          double *c_d, double *c_c)
{
    int n = 0, inside = 0;
    for (int i = 0; i < kind->pairs; i++)
        inside += is_below(&kind->pair[i], workers);
    double *start = calloc(2 * (size_t)kind->pairs + 1, sizeof(*start));
    if (start == NULL || kind->pairs == 0) {
        free(start);
        return false;
    }
    double *byte = start + kind->pairs;
    for (int i = 0; i < kind->pairs; i++) {
        if (inside > 0 && !is_below(&kind->pair[i], workers))
            continue;
        start[n] = kind->pair[i].c_d;
        byte[n++] = kind->pair[i].c_c;
    }
    *c_d = stats_median(start, n).median;
    *c_c = stats_median(byte, n).median;
    free(start);
    return true;
}

double calibration_c_sch(const struct calibration_kind *kind,
                         const char *transport)
{
    for (int i = 0; i < kind->dispatches; i++)
        if (strcmp(kind->dispatch[i].transport, transport) == 0)
            return kind->dispatch[i].c_sch;
    return NAN;
}
