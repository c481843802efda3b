/* Blocks of grids by width, repeated visits of kernels, and the charges. */
#include "harness/costs/calibration.h"

#include "base/stats.h"
#include "harness/costs/calibration_fields.h"

#include <errno.h>
#include <math.h>

/* ---- visits ---- */

enum { VISITS_MAX = 9 };

/* A usual block width for the sum: c_p and c_b of one fit are correlated. */
#define COLUMNS 100.0

/* NAN where less than half of the visits know it. */
static double middle_of(const struct calibration_kernel *visit, int visits,
                        int block, size_t offset)
{
    double value[VISITS_MAX];
    int known = 0;
    for (int v = 0; v < visits; v++) {
        const char *from = (const char *)&visit[v].block[block];
        double one = *(const double *)(const void *)(from + offset);
        if (!isnan(one))
            value[known++] = one;
    }
    return 2 * known > visits ? stats_middle(value, known) : NAN;
}

static void take_medians(struct calibration_kernel *visit, int visits)
{
    struct calibration_block middle[CALIBRATION_BLOCKS];
    int blocks = visit->blocks;
    for (int b = 0; b < blocks; b++)
        middle[b] = (struct calibration_block){
            visit->block[b].h,
            middle_of(visit, visits, b,
                      offsetof(struct calibration_block, row)),
            middle_of(visit, visits, b,
                      offsetof(struct calibration_block, shared)),
            middle_of(visit, visits, b,
                      offsetof(struct calibration_block, wait))};
    for (int b = 0; b < blocks; b++)
        visit->block[b] = middle[b];
}

double calibration_keep_middle(struct calibration_kernel *visit, int visits,
                               int workers)
{
    double sum[VISITS_MAX], sorted[VISITS_MAX];
    for (int v = 0; v < visits; v++) {
        sum[v] = 0;
        for (int w = 0; w < workers; w++)
            sum[v] += visit[v].cost[w].c_p + visit[v].cost[w].c_b / COLUMNS;
        sorted[v] = sum[v];
    }
    stats_sort(sorted, visits);
    take_medians(visit, visits);
    int middle = 0;
    while (sum[middle] != sorted[visits / 2])
        middle++;
    struct calibration_cost *cost = visit->cost;
    visit->cost = visit[middle].cost;
    visit[middle].cost = cost;
    return sorted[visits - 1] / sorted[0];
}

/* ---- charges ---- */

static double factor_of(const struct calibration_kernel *kernel, int workers,
                        const struct calibration_block *block)
{
    double line = 0; /* the line's mean seconds for a row of h columns */
    for (int w = 0; w < workers; w++)
        line += kernel->cost[w].c_b + (double)block->h * kernel->cost[w].c_p;
    return block->row / (line / workers);
}

/* y = a + b h by least squares, of the blocks that know it; a and b are not
 * below 0, as costs are not. */
static double on_line(const struct calibration_kernel *kernel, bool wait,
                      int64_t h)
{
    double n = 0, x = 0, y = 0, xx = 0, xy = 0;
    for (int b = 0; b < kernel->blocks; b++) {
        const struct calibration_block *block = &kernel->block[b];
        double width = (double)block->h;
        double cost = wait ? block->wait : block->shared;
        if (isnan(cost))
            continue;
        cost = fmax(cost, 0);
        n++, x += width, y += cost, xx += width * width, xy += width * cost;
    }
    if (n == 0)
        return NAN;
    double spread = n * xx - x * x;
    double slope = spread > 0 ? (n * xy - x * y) / spread : 0;
    double start = (y - slope * x) / n;
    if (slope < 0)
        return y / n;
    return start < 0 ? xy / xx * (double)h : start + slope * (double)h;
}

struct calibration_charged
calibration_charged(const struct calibration_kernel *kernel, int workers,
                    int64_t h)
{
    struct calibration_charged charged = {1, 0, NAN};
    const struct calibration_block *block = kernel->block;
    int above = 0;
    if (kernel->blocks == 0)
        return charged;
    while (above < kernel->blocks && block[above].h < h)
        above++;
    bool known = above < kernel->blocks && block[above].h == h;
    charged.shared =
        known ? fmax(block[above].shared, 0) : on_line(kernel, false, h);
    charged.wait = known && !isnan(block[above].wait)
                       ? block[above].wait
                       : on_line(kernel, true, h);
    int last = kernel->blocks - 1, right = above < last ? above : last;
    int left = known || above == 0 ? right : above - 1;
    charged.factor = factor_of(kernel, workers, &block[right]);
    if (left < right) {
        double part = (double)(h - block[left].h) /
                      (double)(block[right].h - block[left].h);
        charged.factor = part * charged.factor +
                         (1 - part) * factor_of(kernel, workers, &block[left]);
    }
    return charged;
}

/* NAN is not above 0. */
static double above_0(double value)
{
    return value > 0 ? value : 0;
}

struct calibration_charged
calibration_charged_beside(const struct calibration_kernel *kernel, int workers,
                           const struct calibration_charge *ends, int64_t h)
{
    struct calibration_charged charged = {1, 0, 0};
    if (kernel->blocks == 0)
        return charged;
    charged = calibration_charged(kernel, workers, h);
    double sent = ends != NULL ? above_0(ends->send) : 0;
    charged.shared = above_0(charged.shared - sent);
    charged.wait =
        ends != NULL ? above_0(charged.wait - above_0(ends->receive)) : 0;
    return charged;
}

/* ---- as JSON ---- */

json_t *calibration_blocks_to_json(const struct calibration_kernel *kernel)
{
    return record_list(kernel->block, kernel->blocks, sizeof(*kernel->block),
                       calibration_block_fields);
}

int calibration_blocks_from_json(const json_t *list,
                                 struct calibration_kernel *kernel,
                                 struct error *err)
{
    struct calibration_block *block = kernel->block;
    kernel->blocks = 0;
    if (list == NULL)
        return 0;
    if (!json_is_array(list) || json_array_size(list) > CALIBRATION_BLOCKS)
        return error_set(err, EINVAL, "'blocks' must be a list of %d at most",
                         (int)CALIBRATION_BLOCKS);
    int n = (int)json_array_size(list);
    int code = record_take_list(list, block, n, sizeof(*block),
                                calibration_block_fields, err);
    for (int i = 1; code == 0 && i < n; i++)
        if (block[i].h <= block[i - 1].h)
            code = error_set(err, EINVAL,
                             "'h' must be more than in the block before");
    kernel->blocks = code == 0 ? n : 0;
    return code;
}
