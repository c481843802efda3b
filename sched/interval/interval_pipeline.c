#include "sched/interval/interval_pipeline.h"

#include <math.h>
#include <stddef.h>

/* The search begins with this many intervals, evenly spaced on a logarithmic
 * scale: where 2 W + h > U_s, T can have more than one minimum. */
enum { LOOKS = 256 };

/* The most whole intervals to try. */
enum { TRIES = 4096, TRIES_ALL = 1 << 16 };

static double message_time(const struct interval_model *model, double h)
{
    return model->c_d + h * model->c_c;
}

static double busy_time(const struct interval_model *model, double h)
{
    return model->ends ? model->b_d + h * model->b_c
                       : 2 * message_time(model, h);
}

/* The part of a message's time in which neither end is busy. */
static double delay_time(const struct interval_model *model, double h)
{
    return fmax(message_time(model, h) - busy_time(model, h), 0);
}

/* Blocks of h columns. */
struct blocks {
    double h;
    double factor, in, out, delay; /* in: receiving a boundary, out: sending */
    double least;                  /* that each block takes */
    double kept; /* for each column that is sent later than it could be */
    bool whole;  /* the successor stays whole blocks behind */
};

static struct blocks blocks_of(const struct interval_model *model, double h,
                               bool whole)
{
    struct interval_width width = interval_width(model, h);
    double busy = busy_time(model, h) / 2;
    struct blocks b = {.h = h,
                       .factor = width.factor,
                       .in = busy + width.extra_s,
                       .out = busy,
                       .delay = delay_time(model, h),
                       .whole = whole};
    if (model->ends && model->flight > 0) {
        b.kept = fmax(model->c_c - model->b_c, 0);
        b.least =
            fmax((model->c_d - model->b_d) / model->flight, 0) + h * b.kept;
    }
    return b;
}

/* The first chunk receives nothing, the last one sends nothing. */
enum place { FIRST, INNER, LAST, ALONE, PLACES = ALONE };

static double exchange_time(const struct blocks *b, enum place place)
{
    return (place == INNER || place == LAST ? b->in : 0) +
           (place == INNER || place == FIRST ? b->out : 0);
}

/* The time of one column, through all rows of a chunk. */
static double column_time(const struct interval_piece *piece,
                          const struct blocks *b)
{
    return piece->rows * b->factor * (piece->c_p + piece->c_b / b->h);
}

/* The time from one chunk to the next: what every worker but the last adds to
 * T, when the successor stays h + back columns behind, back >= W.  The h + back
 * columns lie in the middle of the trapezoid, so that `before` columns are to
 * each side of them; where these reach into the slopes, g is the whole less two
 * triangles.  After the first h columns the chunk above sets the pace, `column`
 * s each. */
static double pass_time(const struct interval_model *model,
                        const struct interval_piece *piece,
                        const struct blocks *b, enum place place, double column)
{
    double h = b->h, lag = (piece->rows - 1) * model->skew;
    double need = lag + model->reach;
    double back = b->whole ? ceil(need / h) * h : need;
    double before = fmax((model->sync_dim + lag - h - back) / 2, 0);
    double columns = before < lag ? model->sync_dim - before * before / lag
                                  : fmin(h + back, model->sync_dim);
    double messages = fmin(h + back, model->sync_dim - before) / h;
    double busy = messages * exchange_time(b, place) + (columns - h) * column +
                  h * column_time(piece, b);
    return fmax(busy, messages * b->least) + b->delay;
}

/* The time of all columns of a chunk. */
static double drain_time(const struct interval_model *model,
                         const struct interval_piece *piece,
                         const struct blocks *b, enum place place)
{
    double block = exchange_time(b, place) / b->h + column_time(piece, b);
    return model->sync_dim * fmax(block, b->least / b->h);
}

static struct interval_piece chunk_of(const struct interval_model *model, int j)
{
    return (struct interval_piece){.rows = interval_chunk(model, j),
                                   .c_p = model->group[j].c_p,
                                   .c_b = model->group[j].c_b};
}

static double count_at(const struct interval_model *model, int j,
                       enum place place)
{
    bool first = j == 0, last = j == model->last;
    return place == FIRST  ? first
           : place == LAST ? last
                           : (double)model->group[j].workers - first - last;
}

/* The pass time of a chunk of group j. */
static double pass_of(const struct interval_model *model,
                      const struct blocks *b, int j, enum place place)
{
    struct interval_piece piece = chunk_of(model, j);
    return pass_time(model, &piece, b, place, column_time(&piece, b));
}

/* The time that the k chunks of a worker of group j take, less one pass to the
 * next worker.  The first or the last chunk has this place. */
static double stay_of(const struct interval_model *model,
                      const struct blocks *b, int j, enum place place, double k)
{
    struct interval_piece piece = chunk_of(model, j);
    return (k - 1) * drain_time(model, &piece, b, INNER) +
           drain_time(model, &piece, b, place) - pass_of(model, b, j, place);
}

/* T for k equal chunks per worker: the longer of two paths.  One stays with a
 * worker, the other goes round all workers k times. */
static double equal_pieces(const struct interval_model *model,
                           const struct blocks *b)
{
    double k = model->stream ? (double)model->k : 1;
    double once = 0, round = 0, stay = -INFINITY, longest = -INFINITY;
    for (int j = 0; j < model->groups; j++) {
        round += (double)model->group[j].workers * pass_of(model, b, j, INNER);
        longest = fmax(longest, stay_of(model, b, j, INNER, 1));
        for (enum place place = 0; place < PLACES; place++) {
            double count = count_at(model, j, place);
            if (count == 0)
                continue;
            once += count * pass_of(model, b, j, place);
            stay = fmax(stay, stay_of(model, b, j, place, k));
        }
    }
    if (k == 1)
        return once + stay;
    return fmax(once + stay, once + (k - 1) * round + longest);
}

/* A chunk in its turn: its start and end, the pass to the next one, and what a
 * column takes at its start. */
struct turn {
    double start, pass, end, column;
};

/* From the turn before, which delays this one unless this one starts late. */
static void take_turn(const struct interval_model *model,
                      const struct interval_piece *piece,
                      const struct blocks *b, bool first, enum place place,
                      struct turn *turn)
{
    double *free_s = &model->free_s[piece->worker];
    double own = column_time(piece, b), column = own, start = *free_s;
    if (!first && turn->start + turn->pass >= start) {
        start = turn->start + turn->pass;
        column = fmax(own, turn->column);
    } else if (!first) {
        double kept =
            (start - turn->start) /
            fmax(turn->column + (b->in + b->out) / b->h, b->least / b->h);
        start += b->kept * fmin(kept, model->sync_dim);
    }
    double end = start + drain_time(model, piece, b, place);
    if (!first)
        end = fmax(end, turn->end + pass_time(model, piece, b, place, own));
    *turn = (struct turn){start, pass_time(model, piece, b, place, column), end,
                          column};
    *free_s = end + fmax(model->c_sch - b->in - b->out - b->h * own, 0);
}

static double listed_pieces(const struct interval_model *model,
                            const struct blocks *b)
{
    struct turn turn = {.start = 0};
    for (int64_t c = 0; c < model->pieces; c++)
        model->free_s[model->piece[c].worker] = 0;
    int64_t last = model->steps * model->pieces - 1;
    for (int64_t c = 0; c <= last; c++)
        take_turn(model, &model->piece[c % model->pieces], b,
                  c % model->pieces == 0,
                  c == 0      ? last == 0 ? ALONE : FIRST
                  : c == last ? LAST
                              : INNER,
                  &turn);
    return turn.end;
}

static double time_of(const struct interval_model *model, double h, bool whole)
{
    struct blocks b = blocks_of(model, h, whole);
    bool listed = model->stream && model->piece != NULL;
    return listed ? listed_pieces(model, &b) : equal_pieces(model, &b);
}

double interval_pipeline_time(const struct interval_model *model, double h)
{
    return time_of(model, h, false);
}

/* Of two intervals with equal times the longer one has fewer blocks. */
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
    /* the golden section never reaches the ends */
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
