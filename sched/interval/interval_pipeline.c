#include "sched/interval/interval_pipeline.h"

#include <math.h>

/* The search begins with this many intervals, evenly spaced on a logarithmic
 * scale: where 2 W + h > U_s, T can have more than one minimum. */
enum { LOOKS = 256 };

/* Whole intervals that are tried at most. */
enum { TRIES = 4096, TRIES_ALL = 1 << 16 };

static double message_time(const struct interval_model *model, double h)
{
    return model->c_d + h * model->c_c;
}

/* Both halves of one exchange, t_r + t_s. */
static double exchange_time(const struct interval_model *model, double h)
{
    double ends = model->memory ? 0 : 2 * message_time(model, h);
    return ends + interval_width(model, h).extra_s;
}

/* From one chunk to the next: the part of every worker but the last in T, when
 * the successor stays h + back columns behind, back >= W.  The h + back columns
 * lie in the middle of the trapezoid, so that `before` columns are to each side
 * of them; where these reach into the slopes, g is the whole less two
 * triangles. */
static double pass_time(const struct interval_model *model, int j, double h,
                        bool blocks)
{
    double chunk = interval_chunk(model, j);
    double lag = (chunk - 1) * model->skew;
    double back = blocks ? ceil(lag / h) * h : lag;
    double before = fmax((model->sync_dim + lag - h - back) / 2, 0);
    double columns =
        before < lag ? model->sync_dim - before * before / lag : h + back;
    double messages = fmin(h + back, model->sync_dim - before) / h;
    double delay = model->memory ? message_time(model, h) : 0;
    return messages * exchange_time(model, h) + delay +
           columns * chunk * interval_point(model, j, h);
}

static double time_of(const struct interval_model *model, double h, bool blocks)
{
    int slowest = interval_slowest(model);
    double fill = 0; /* once around all workers */
    for (int j = 0; j < model->groups; j++)
        fill +=
            (double)model->group[j].workers * pass_time(model, j, h, blocks);
    double last = pass_time(model, slowest, h, blocks);
    double work =
        interval_chunk(model, slowest) * interval_point(model, slowest, h);
    double drain = model->sync_dim * (exchange_time(model, h) / h + work);
    double k = model->stream ? (double)model->k : 1;
    double time = fmax(k * drain + fill, drain + k * fill);
    return time - last - exchange_time(model, h);
}

double interval_pipeline_time(const struct interval_model *model, double h)
{
    return time_of(model, h, false);
}

/* Where nothing tells two intervals apart the longer one has fewer blocks. */
static bool is_as_good(double t, double t_best)
{
    return t <= t_best * (1 + 1e-12);
}

/* T without T_wa, by the logarithm of h. */
static double time_at(const struct interval_model *model, double x)
{
    struct interval_model copy = *model;
    copy.t_ms = 0;
    return interval_time(&copy, exp(x), INTERVAL_TWA_PRINTED);
}

/* Golden section in [low, high], which holds one minimum. */
static double golden_section(const struct interval_model *model, double low,
                             double high)
{
    const double ratio = (sqrt(5) - 1) / 2;
    double a = high - ratio * (high - low), b = low + ratio * (high - low);
    double t_a = time_at(model, a), t_b = time_at(model, b);
    while (high - low > 1e-9 && a < b) {
        if (t_a <= t_b) {
            high = b, b = a, t_b = t_a;
            a = high - ratio * (high - low);
            t_a = time_at(model, a);
        } else {
            low = a, a = b, t_a = t_b;
            b = low + ratio * (high - low);
            t_b = time_at(model, b);
        }
    }
    return (low + high) / 2;
}

double interval_pipeline_minimum(const struct interval_model *model)
{
    double end = log(model->sync_dim), step = end / LOOKS;
    int best = 0;
    double t_best = INFINITY;
    for (int i = 0; i <= LOOKS; i++) {
        double t = time_at(model, fmin(i * step, end));
        if (t < t_best)
            best = i, t_best = t;
    }
    double x = golden_section(model, fmax((best - 1) * step, 0),
                              fmin((best + 1) * step, end));
    /* golden comes near an end of the range, but not there */
    double t = time_at(model, x);
    double t_end = time_at(model, end), t_start = time_at(model, 0);
    if (is_as_good(t_end, fmin(t, t_start)))
        return model->sync_dim;
    return t_start <= t ? 1 : exp(x);
}

int64_t interval_pipeline_whole(const struct interval_model *model, double h)
{
    double low = fmax(floor(h / 2), 1);
    double high = fmax(fmin(ceil(2 * h), floor(model->sync_dim)), low);
    double step = fmax(floor((high - low) / TRIES), 1);
    double best = low, t_best = INFINITY;
    for (double x = low; x <= high; x += step) {
        double t = time_of(model, x, true);
        if (is_as_good(t, t_best))
            best = x, t_best = fmin(t, t_best);
    }
    return (int64_t)best;
}

/* The best of [low, high] in steps; T_wa is constant. */
static double best_whole(const struct interval_model *model, double low,
                         double high, double step)
{
    double best = low, t_best = INFINITY;
    for (double h = low; h <= high; h += step) {
        double t = interval_time(model, h, INTERVAL_TWA_PRINTED);
        if (is_as_good(t, t_best))
            best = h, t_best = fmin(t, t_best);
    }
    return best;
}

int64_t interval_whole_minimum(const struct interval_model *model)
{
    double end = fmax(floor(model->sync_dim), 1);
    double step = ceil(end / TRIES_ALL);
    double best = best_whole(model, 1, end, step);
    if (step > 1)
        best =
            best_whole(model, fmax(best - step, 1), fmin(best + step, end), 1);
    return (int64_t)best;
}
