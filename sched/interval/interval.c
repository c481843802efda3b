/* The paper's formulas; see interval.h for all of them. */
#include "sched/interval/interval.h"
#include "sched/interval/interval_pipeline.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stddef.h>

static int check_group(const struct interval_group *group, int j,
                       struct error *err)
{
    if (group->workers < 1)
        return error_set(err, EINVAL, "group %d has %" PRId64 " workers", j,
                         group->workers);
    if (!isfinite(group->power) || !(group->power > 0))
        return error_set(err, EINVAL,
                         "the power of group %d is %g, it must be above 0", j,
                         group->power);
    if (!isfinite(group->c_p) || !(group->c_p > 0))
        return error_set(err, EINVAL,
                         "c_p of group %d is %g s, it must be above 0", j,
                         group->c_p);
    if (!isfinite(group->c_b) || group->c_b < 0)
        return error_set(err, EINVAL,
                         "c_b of group %d is %g s, it must not be below 0", j,
                         group->c_b);
    return 0;
}

static int check_chunks(const struct interval_model *model, struct error *err)
{
    for (int j = 0; j < model->groups; j++) {
        double chunk = interval_chunk(model, j);
        if (!isfinite(chunk) || chunk < 1)
            return error_set(err, EINVAL,
                             "chunks of %.3g iterations: U_c = %g is too "
                             "small for %" PRId64 " chunks for each of %" PRId64
                             " workers%s",
                             chunk, model->chunk_dim, model->k,
                             interval_workers(model),
                             model->groups > 1 ? " with these powers" : "");
    }
    return 0;
}

int interval_check(const struct interval_model *model, struct error *err)
{
    int code = 0;
    if (model->groups < 1 || model->group == NULL)
        return error_set(err, EINVAL, "there are no workers");
    for (int j = 0; code == 0 && j < model->groups; j++)
        code = check_group(&model->group[j], j, err);
    const struct {
        const char *what;
        double value, min;
    } rows[] = {
        {"U_c", model->chunk_dim, 1}, {"U_s", model->sync_dim, 1},
        {"c_d", model->c_d, 0},       {"c_c", model->c_c, 0},
        {"c_sch", model->c_sch, 0},   {"t_(m-s)", model->t_ms, 0},
        {"k", (double)model->k, 1},   {"the skew", model->skew, 0},
        {"b_d", model->b_d, 0},       {"b_c", model->b_c, 0},
        {"the lead", model->lead, 0},
    };
    for (size_t i = 0; code == 0 && i < sizeof(rows) / sizeof(rows[0]); i++)
        if (!isfinite(rows[i].value) || rows[i].value < rows[i].min)
            code = error_set(err, EINVAL, "%s is %g, it must be at least %g",
                             rows[i].what, rows[i].value, rows[i].min);
    if (code == 0 && (model->last < 0 || model->last >= model->groups ||
                      (model->last == 0 && model->groups > 1 &&
                       model->group[0].workers == 1)))
        return error_set(err, EINVAL, "the last worker cannot be of group %d",
                         model->last);
    return code == 0 ? check_chunks(model, err) : code;
}

int64_t interval_workers(const struct interval_model *model)
{
    int64_t workers = 0;
    for (int j = 0; j < model->groups; j++)
        workers += model->group[j].workers;
    return workers;
}

int interval_slowest(const struct interval_model *model)
{
    int slowest = 0;
    for (int j = 1; j < model->groups; j++) {
        const struct interval_group *a = &model->group[j],
                                    *b = &model->group[slowest];
        if (a->power < b->power || (a->power == b->power && a->c_p >= b->c_p))
            slowest = j;
    }
    return slowest;
}

double interval_chunk(const struct interval_model *model, int group)
{
    double total = 0;
    if (model->group[group].chunk > 0)
        return model->group[group].chunk;
    for (int j = 0; j < model->groups; j++)
        total += (double)model->group[j].workers * model->group[j].power;
    return model->chunk_dim / (double)model->k * model->group[group].power /
           total;
}

/* (1) */
static double message_time(const struct interval_model *model, double elements)
{
    return model->c_d + elements * model->c_c;
}

struct interval_width interval_width(const struct interval_model *model,
                                     double h)
{
    if (model->width == NULL)
        return (struct interval_width){.factor = 1};
    return model->width(model->widths, llround(h));
}

double interval_assignment(const struct interval_model *model, double h,
                           enum interval_reading reading)
{
    if (reading == INTERVAL_TWA_PRINTED)
        return (double)interval_workers(model) * model->t_ms;
    return 2 * message_time(model, h) + model->c_sch;
}

double interval_ratio(const struct interval_model *model, double h)
{
    double least = INFINITY;
    for (int64_t c = 0; model->piece != NULL && c < model->pieces; c++)
        least = fmin(least, model->piece[c].rows * model->piece[c].c_p);
    for (int j = 0; model->piece == NULL && j < model->groups; j++)
        least = fmin(least, interval_chunk(model, j) * model->group[j].c_p);
    return h * least / (2 * message_time(model, h));
}

/* (3) without T_wa, for one group. */
static double equal_time(const struct interval_model *model, double h)
{
    double chunk = interval_chunk(model, 0);
    double chunks = model->chunk_dim / (double)model->k / chunk;
    double syncs = model->sync_dim / h;
    double t_p = h * chunk * model->group[0].c_p;
    double t_s = message_time(model, h), t_r = t_s, t_idle = t_s;
    return (t_p + t_s) + (chunks - 2) * (t_r + t_p + t_s) +
           syncs * (t_r + t_p) + (syncs - 1) * t_idle;
}

/* (8) without T_wa. */
static double different_time(const struct interval_model *model, double h)
{
    int slowest = interval_slowest(model);
    double syncs = model->sync_dim / h;
    double t_s = message_time(model, h), t_r = t_s, t_idle = t_s;
    double sum = -t_r - t_s;
    for (int j = 0; j < model->groups; j++) {
        double t_p = h * interval_chunk(model, j) * model->group[j].c_p;
        sum += (double)model->group[j].workers * (t_r + t_p + t_s);
        if (j == slowest)
            sum += (syncs - 1) * (t_r + t_p + t_idle);
    }
    return sum;
}

/* All iterations on one worker, which exchanges no messages. */
static double alone_time(const struct interval_model *model, double h)
{
    const struct interval_group *g = &model->group[0];
    double point = model->printed ? g->c_p
                                  : interval_width(model, h).factor *
                                        (g->c_p + g->c_b / h);
    return model->sync_dim * model->chunk_dim * point;
}

double interval_time(const struct interval_model *model, double h,
                     enum interval_reading reading)
{
    double t_wa = interval_assignment(model, h, reading);
    if (interval_workers(model) == 1)
        return alone_time(model, h) + t_wa;
    double t_np = !model->printed     ? interval_pipeline_time(model, h)
                  : model->groups > 1 ? different_time(model, h)
                                      : equal_time(model, h);
    if (model->stream && !model->printed)
        return t_np + t_wa;
    /* (5), (10) */
    double k = (double)model->k;
    double t_tr = (model->ends && !model->printed ? 1 : 2) *
                  message_time(model, model->sync_dim);
    return k * t_np + (k - 1) * t_tr + t_wa;
}

/* The factor of h in T: the denominator of (4) and (7). */
static double equal_slope(const struct interval_model *model)
{
    double chunk = interval_chunk(model, 0);
    double part = model->chunk_dim / (double)model->k;
    return (part - chunk) * model->group[0].c_p +
           (2 * part / chunk - 4) * model->c_c;
}

/* The denominator of (9) and (12). */
static double different_slope(const struct interval_model *model)
{
    int slowest = interval_slowest(model);
    double sum = -4 * model->c_c;
    for (int j = 0; j < model->groups; j++) {
        double work = interval_chunk(model, j) * model->group[j].c_p;
        sum += (double)model->group[j].workers * (work + 2 * model->c_c);
        if (j == slowest)
            sum -= work;
    }
    return sum;
}

double interval_formula(const struct interval_model *model)
{
    if (interval_workers(model) == 1)
        return INFINITY;
    double slope =
        model->groups > 1 ? different_slope(model) : equal_slope(model);
    return slope > 0 ? sqrt(2 * model->c_d * model->sync_dim / slope)
                     : INFINITY;
}

/* The smallest h that the model describes. */
static double least_interval(const struct interval_model *model)
{
    return model->printed ? 1 : fmin(model->lead + 1, model->sync_dim);
}

double interval_optimum(const struct interval_model *model)
{
    double h = interval_formula(model);
    if (!model->printed && model->width != NULL)
        h = (double)interval_whole_minimum(model);
    else if (!model->printed && interval_workers(model) > 1)
        h = interval_pipeline_minimum(model);
    return fmin(fmax(h, least_interval(model)), model->sync_dim);
}

int64_t interval_whole(const struct interval_model *model, double h)
{
    if (!model->printed && model->skew > 0 && interval_workers(model) > 1)
        return interval_pipeline_whole(model, h);
    double below = fmax(floor(h), floor(least_interval(model)));
    double above = fmax(fmin(ceil(h), floor(model->sync_dim)), below);
    /* In this reading of the paper T_wa does not depend on h. */
    double t_below = interval_time(model, below, INTERVAL_TWA_PRINTED);
    double t_above = interval_time(model, above, INTERVAL_TWA_PRINTED);
    return (int64_t)(t_above < t_below ? above : below);
}
