/* Makes a struct interval_model of a loop, its chunks and a calibration.  All
 * that the model points to is copied, because the calibration may be freed
 * first. */
#include "bench/foretell/sync_interval/forecast.h"

#include "harness/check/setup.h"
#include "harness/process/need.h"
#include "kernels/kernel.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Costs of workers closer than this count as equal. */
static const double same = 0.1;

/* ---- the kernel ---- */

int forecast_shape(const char *kernel, struct forecast_shape *shape,
                   struct error *err)
{
    const struct kernel_ops *ops;
    struct kernel_grid grid;
    struct spec spec;
    void *instance;
    int code = kernel_parse(kernel, &ops, &spec, err);
    if (code != 0)
        return code;
    if (ops->dependence == NULL)
        return error_set(err, ENOTSUP,
                         "kernel %s: its iterations are independent, there is "
                         "nothing to synchronize",
                         ops->name);
    code = kernel_outline(ops, &spec, &instance, err);
    if (code != 0)
        return code;
    ops->dependence->grid(instance, &grid);
    *shape = (struct forecast_shape){.rows = ops->iterations(instance),
                                     .columns = grid.columns,
                                     .boundary_bytes = grid.boundary_bytes,
                                     .skew = grid.skew,
                                     .reach = grid.reach,
                                     .steps = grid.steps};
    if (kernel_boundary_columns(&grid) == 0)
        code = error_set(err, ENOTSUP,
                         "kernel %s: its rows are independent, there is "
                         "nothing to synchronize",
                         spec.canonical);
    ops->destroy(instance);
    return code;
}

/* ---- the workers ---- */

/* A loop of fewer rows than workers leaves the others without work. */
static int count_working(const struct forecast_loop *loop)
{
    return loop->shape.rows < loop->workers ? (int)loop->shape.rows
                                            : loop->workers;
}

/* Adds a worker to the group of its power and cost, or begins a group.  A group
 * has the mean costs of its workers.  The model's `last` is the group of the
 * last worker. */
static void add_worker(struct forecast *f, double power, double c_p, double c_b)
{
    int j = 0;
    struct interval_group *g = f->group;
    while (j < f->model.groups &&
           (g[j].power != power || fabs(c_p / g[j].c_p - 1) > same))
        j++;
    if (j == f->model.groups) {
        g[f->model.groups++] = (struct interval_group){
            .workers = 1, .power = power, .c_p = c_p, .c_b = c_b};
        f->model.last = j;
        return;
    }
    f->model.last = j;
    double n = (double)g[j].workers++;
    g[j].c_p = (n * g[j].c_p + c_p) / (n + 1);
    g[j].c_b = (n * g[j].c_b + c_b) / (n + 1);
}

/* How much longer a worker takes with the processes on its core. */
static double load_factor(const struct forecast_loop *loop, int worker)
{
    return loop->load != NULL ? 1 + loop->load[worker] : 1;
}

struct forecast_widths {
    struct calibration_kernel kernel; /* its cost points to the list below */
    struct calibration_charge ends;
    bool ranks, alone; /* alone: no rows are another worker's */
    int workers;
    struct calibration_cost cost[];
};

static struct interval_width width_of(const void *widths, int64_t h)
{
    const struct forecast_widths *w = widths;
    struct calibration_charged charged = calibration_charged_beside(
        &w->kernel, w->workers, w->ranks ? &w->ends : NULL, h);
    return (struct interval_width){
        charged.factor, w->alone ? 0 : charged.shared + charged.wait};
}

/* Copies, because the calibration may be freed before the model is used. */
static void copy_widths(struct forecast *f, const struct forecast_loop *loop,
                        const struct calibration_kind *kind,
                        const struct calibration_kernel *kernel)
{
    size_t costs = (size_t)kind->workers * sizeof(*kernel->cost);
    if (kernel->blocks == 0)
        return;
    struct forecast_widths *w = need_zeroed(1, sizeof(*w) + costs);
    w->kernel = *kernel;
    w->kernel.cost = w->cost;
    memcpy(w->cost, kernel->cost, costs);
    w->ends = kind->charge;
    w->ranks = loop->ranks > 1;
    w->alone = count_working(loop) == 1;
    w->workers = kind->workers;
    f->widths = w;
    f->model.width = width_of;
    f->model.widths = w;
    f->model.ends = !w->ranks;
}

/* The chunks with the costs of their workers, and the model's room. */
static void copy_chunks(struct forecast *f, const struct forecast_loop *loop,
                        const struct calibration_kind *kind,
                        const struct calibration_kernel *kernel)
{
    const struct forecast_chunks *chunks = loop->chunks;
    if (chunks == NULL || chunks->list == NULL ||
        chunks->count * loop->shape.steps > FORECAST_LISTED)
        return;
    size_t count = (size_t)chunks->count;
    struct interval_piece *piece = need_zeroed(
        1, count * sizeof(*piece) + (size_t)loop->workers * sizeof(double));
    for (size_t c = 0; c < count; c++) {
        const struct calibration_cost *cost =
            &kernel->cost[chunks->list[c].worker % kind->workers];
        piece[c] = chunks->list[c];
        double times = load_factor(loop, piece[c].worker);
        piece[c].c_p = times * cost->c_p;
        piece[c].c_b = times * cost->c_b;
    }
    f->pieces = piece;
    f->model.piece = piece;
    f->model.pieces = chunks->count;
    f->model.steps = loop->shape.steps;
    f->model.free_s = (double *)(void *)(piece + count);
}

static int make_groups(struct forecast *f, const struct forecast_loop *loop,
                       const struct calibration_kind *kind, struct error *err)
{
    double points = (double)loop->shape.rows * (double)loop->shape.columns;
    const struct calibration_kernel *kernel =
        calibration_kernel_near(kind, loop->kernel, points);
    if (kernel == NULL)
        return error_set(err, EINVAL,
                         "the calibration does not know kernel %s: measure it "
                         "with dlsbench calibrate --kernel '%s'",
                         loop->kernel, loop->kernel);
    snprintf(f->kernel, sizeof(f->kernel), "%s", kernel->spec);
    copy_widths(f, loop, kind, kernel);
    copy_chunks(f, loop, kind, kernel);
    f->group = need_zeroed((size_t)loop->workers + 1, sizeof(*f->group));
    for (int w = 0; w < count_working(loop); w++) {
        const struct calibration_cost *cost = &kernel->cost[w % kind->workers];
        double times = load_factor(loop, w);
        add_worker(f, loop->power ? loop->power[w] : 1, times * cost->c_p,
                   times * cost->c_b);
    }
    f->model.group = f->group;
    return 0;
}

static int make_costs(struct forecast *f, const struct forecast_loop *loop,
                      const struct calibration_kind *kind, const char *name,
                      struct error *err)
{
    double c_d = 0, c_c = 0;
    double c_sch = calibration_c_sch(kind, loop->transport);
    if (!calibration_exchange(kind, loop->workers, &c_d, &c_c) &&
        count_working(loop) > 1)
        return error_set(err, EINVAL,
                         "the calibration was made with one worker and knows "
                         "no boundary between %s: measure again with dlsbench "
                         "calibrate --workers 2",
                         name);
    f->model.c_d = c_d;
    f->model.c_c = c_c * (double)loop->shape.boundary_bytes;
    f->model.c_sch = isnan(c_sch) ? 0 : c_sch;
    if (kind->ends.known) {
        f->model.ends = true;
        f->model.b_d = kind->ends.start;
        f->model.b_c = kind->ends.byte * (double)loop->shape.boundary_bytes;
        f->model.flight = kind->ends.flight;
    }
    return 0;
}

/* As many chunks as requested, or as leave a row for each.  With very unequal
 * powers a slow worker's share of one chunk may be less: it gets a row. */
static int fit_chunks(struct forecast *f, struct error *err)
{
    int code = interval_check(&f->model, err);
    while (code != 0 && f->model.k > 1) {
        f->model.k = f->model.k > 16 ? f->model.k * 15 / 16 : f->model.k - 1;
        code = interval_check(&f->model, err);
    }
    if (code == 0)
        return 0;
    for (int j = 0; j < f->model.groups; j++)
        f->group[j].chunk = fmax(interval_chunk(&f->model, j), 1);
    return interval_check(&f->model, err);
}

int forecast_open(struct forecast *f, const struct forecast_loop *loop,
                  const struct calibration *calibration, struct error *err)
{
    int which = loop->ranks > 1 ? CALIBRATION_RANKS : CALIBRATION_THREADS;
    const struct calibration_kind *kind = &calibration->kind[which];
    *f = (struct forecast){.model = {.sync_dim = (double)loop->shape.columns,
                                     .k = loop->k,
                                     .skew = loop->shape.skew,
                                     .reach = fmax(loop->shape.reach, 0),
                                     .lead = fmax(-loop->shape.reach, 0),
                                     .stream = loop->stream}};
    f->model.chunk_dim = (double)loop->shape.rows;
    if (kind->workers == 0)
        return error_set(err, EINVAL,
                         "the calibration knows nothing of %s: measure again "
                         "with dlsbench calibrate",
                         calibration_names[which]);
    int code = make_groups(f, loop, kind, err);
    if (code == 0)
        code = make_costs(f, loop, kind, calibration_names[which], err);
    if (code == 0)
        code = fit_chunks(f, err);
    if (code != 0) {
        forecast_close(f);
        return code;
    }
    f->model.chunk_dim *= loop->shape.steps;
    f->model.k *= loop->shape.steps;
    return 0;
}

void forecast_close(struct forecast *f)
{
    free(f->group);
    free(f->widths);
    free(f->pieces);
    f->group = NULL;
    f->widths = NULL;
    f->pieces = NULL;
}

/* The powers that the cell's scheme uses: available powers if its load counts.
 * The caller frees them.  NULL: all equal. */
static double *powers_of(const struct setup *setup)
{
    const struct sched_ops *outer = setup->scheme.pair.outer;
    bool left =
        setup->load != NULL && outer != NULL && outer->available != NULL;
    double *power;
    if (setup->power == NULL && !left)
        return NULL;
    power = need_zeroed((size_t)setup->workers, sizeof(*power));
    for (int w = 0; w < setup->workers; w++)
        power[w] = (setup->power != NULL ? setup->power[w] : 1) /
                   (left ? 1 + setup->load[w] : 1);
    return power;
}

int forecast_cell(struct forecast *f, const struct cell *cell,
                  const struct forecast_shape *shape,
                  const struct calibration *calibration, struct error *err)
{
    struct setup setup;
    struct forecast_chunks chunks;
    int code = setup_resolve(&setup, cell, err);
    if (code != 0)
        return code;
    double *power = powers_of(&setup);
    struct forecast_loop loop = {
        .kernel = cell->kernel,
        .shape = *shape,
        .ranks = cell->ranks,
        .threads = cell->threads,
        .workers = setup.workers,
        .power = forecast_by_power(cell->scheme) ? power : NULL,
        .load = setup.load,
        .transport = cell->transport,
        .chunks = &chunks,
        .stream = setup.protocol != PROTOCOL_SUBPROBLEM};
    code = forecast_chunks(cell->scheme, shape->rows, loop.workers, power,
                           cell->min_chunk, &chunks, err);
    loop.k = chunks.k;
    if (cell->boundary_bytes > 0)
        loop.shape.boundary_bytes = (size_t)cell->boundary_bytes;
    if (code == 0)
        code = forecast_open(f, &loop, calibration, err);
    forecast_forget(&chunks);
    free(power);
    setup_free(&setup);
    return code;
}

/* ---- asking the model ---- */

double forecast_time(const struct forecast *f, double h, bool skewed)
{
    struct interval_model model = f->model;
    if (!skewed)
        model.skew = 0;
    return interval_time(&model, h, INTERVAL_TWA_TEXT);
}

int64_t forecast_without_skew(const struct forecast *f)
{
    struct interval_model model = f->model;
    model.skew = 0;
    return interval_whole(&model, interval_optimum(&model));
}

/* The formulas as printed. */
static double printed_optimum(const struct forecast *f, bool chen_xue)
{
    struct interval_model model = f->model;
    if (interval_workers(&model) == 1)
        return model.sync_dim;
    model.printed = true;
    if (chen_xue) {
        model.k = 1;
        return interval_chen_xue(&model);
    }
    return interval_optimum(&model);
}

int64_t forecast_interval(const struct forecast *f, const char *word,
                          double *time_s)
{
    int64_t h;
    if (strcmp(word, "auto") == 0)
        h = interval_whole(&f->model, interval_optimum(&f->model));
    else
        h = (int64_t)fmax(
            round(printed_optimum(f, strcmp(word, "chen-xue") == 0)), 1);
    if ((double)h > f->model.sync_dim)
        h = (int64_t)f->model.sync_dim;
    *time_s = forecast_time(f, (double)h, true);
    return h;
}
