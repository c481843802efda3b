#include "sched/divisible/curve.h"

#include "base/list.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

/* A relative gain in load below this is only rounding. */
static const double no_gain = 1e-14;

/* Whether both pieces have the same worker and continue in the same way. */
static bool same_way(const struct divisible_piece *a,
                     const struct divisible_piece *b)
{
    return a->worker == b->worker && a->rest_curve == b->rest_curve &&
           a->rest_piece == b->rest_piece;
}

static int append_piece(struct divisible_curve *curve,
                        const struct divisible_piece *piece, struct error *err)
{
    if (curve->count > 0 && same_way(&curve->piece[curve->count - 1], piece))
        return 0;
    if (list_grow(&curve->piece, &curve->capacity, curve->count + 1,
                  sizeof(*curve->piece)) != 0)
        return error_set(err, ENOMEM, "out of memory");
    curve->piece[curve->count++] = *piece;
    return 0;
}

int divisible_curve_zero(struct divisible_curve *curve, struct error *err)
{
    static const struct divisible_piece nobody = {
        .worker = -1, .rest_curve = -1, .rest_piece = -1};
    *curve = (struct divisible_curve){0};
    return append_piece(curve, &nobody, err);
}

int divisible_curve_copy(struct divisible_curve *curve,
                         const struct divisible_curve *from, struct error *err)
{
    int code = 0;
    *curve = (struct divisible_curve){0};
    for (int k = 0; code == 0 && k < from->count; k++)
        code = append_piece(curve, &from->piece[k], err);
    return code;
}

static double piece_value(const struct divisible_piece *piece, double R)
{
    return piece->at + piece->slope * (R - piece->from);
}

/* "First to `worker`, then by rest" as a curve that begins at g + z. */
static int add_worker(struct divisible_curve *curve,
                      const struct divisible_worker *worker, int number,
                      const struct divisible_curve *rest, int rest_curve,
                      struct error *err)
{
    /* R' = keep (R - g) + late */
    double unit = worker->G + worker->w;
    double keep = worker->w / unit,
           late = worker->G * divisible_start_up(worker) / unit;
    double begin = worker->g + divisible_start_up(worker);
    int code = 0;
    for (int k = 0; code == 0 && k < rest->count; k++) {
        const struct divisible_piece *next = &rest->piece[k];
        if (k + 1 < rest->count &&
            rest->piece[k + 1].from <= divisible_start_up(worker))
            continue;
        double from = fmax((next->from - late) / keep + worker->g, begin);
        struct divisible_piece piece = {
            .from = from,
            .at = (from - begin) / unit +
                  piece_value(next, keep * (from - worker->g) + late),
            .slope = 1 / unit + next->slope * keep,
            .worker = number,
            .rest_curve = rest_curve,
            .rest_piece = k,
        };
        code = append_piece(curve, &piece, err);
    }
    return code;
}

/* Whether b is above a at R or, where they meet, from R on. */
static bool is_above(const struct divisible_piece *b,
                     const struct divisible_piece *a, double R)
{
    double at_a = piece_value(a, R), at_b = piece_value(b, R);
    if (fabs(at_b - at_a) > no_gain * at_a)
        return at_b > at_a;
    return b->slope > a->slope * (1 + no_gain);
}

static int append_from(struct divisible_curve *curve,
                       const struct divisible_piece *way, double R,
                       struct error *err)
{
    struct divisible_piece piece = *way;
    piece.at = piece_value(way, R);
    piece.from = R;
    return append_piece(curve, &piece, err);
}

/* Appends the larger of a and b from R on, both being lines up to `to`; a
 * where they are equal. */
static int append_larger(struct divisible_curve *curve,
                         const struct divisible_piece *a,
                         const struct divisible_piece *b, double R, double to,
                         struct error *err)
{
    bool b_first = is_above(b, a, R);
    const struct divisible_piece *now = b_first ? b : a;
    const struct divisible_piece *then = b_first ? a : b;
    double cross = INFINITY;
    if (then->slope > now->slope * (1 + no_gain))
        cross = R + (piece_value(now, R) - piece_value(then, R)) /
                        (then->slope - now->slope);
    /* Rounding may put the crossing of lines that meet at R before R. */
    int code = cross > R ? append_from(curve, now, R, err) : 0;
    if (code == 0 && cross < to)
        code = append_from(curve, then, fmax(cross, R), err);
    return code;
}

/* The larger of a and b; b may begin later. */
static int take_larger(struct divisible_curve *curve,
                       const struct divisible_curve *a,
                       const struct divisible_curve *b, struct error *err)
{
    int i = 0, j = -1, code = 0;
    double R = 0;
    while (code == 0 && isfinite(R)) {
        double next_a = i + 1 < a->count ? a->piece[i + 1].from : INFINITY;
        double next_b = j + 1 < b->count ? b->piece[j + 1].from : INFINITY;
        double to = fmin(next_a, next_b);
        if (to > R && j < 0)
            code = append_from(curve, &a->piece[i], R, err);
        else if (to > R)
            code = append_larger(curve, &a->piece[i], &b->piece[j], R, to, err);
        i += next_a <= to && isfinite(to);
        j += next_b <= to && isfinite(to);
        R = to;
    }
    return code;
}

int divisible_curve_larger(struct divisible_curve *base,
                           const struct divisible_curve *other,
                           struct error *err)
{
    struct divisible_curve both = {0};
    int code = take_larger(&both, base, other, err);
    if (code != 0) {
        divisible_curve_free(&both);
        return code;
    }
    divisible_curve_free(base);
    *base = both;
    return 0;
}

int divisible_curve_raise(struct divisible_curve *base,
                          const struct divisible_platform *platform, int worker,
                          const struct divisible_curve *rest, int rest_curve,
                          struct error *err)
{
    struct divisible_curve with = {0};
    int code = add_worker(&with, &platform->worker[worker], worker, rest,
                          rest_curve, err);
    if (code == 0)
        code = divisible_curve_larger(base, &with, err);
    divisible_curve_free(&with);
    return code;
}

double divisible_curve_invert(const struct divisible_curve *curve, double load,
                              int *piece)
{
    int k = curve->count - 1;
    while (k > 0 && curve->piece[k].at > load)
        k--;
    /* U is 0 up to the first worker's g + z. */
    if (curve->piece[k].slope == 0)
        k++;
    *piece = k;
    return curve->piece[k].from +
           (load - curve->piece[k].at) / curve->piece[k].slope;
}

void divisible_curve_free(struct divisible_curve *curve)
{
    free(curve->piece);
    *curve = (struct divisible_curve){0};
}
