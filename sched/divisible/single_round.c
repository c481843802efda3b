/* A given order is solved from its end: with the curve of the later workers
 * (curve.h) each worker gets a message if that increases the load.  All orders
 * together are solved by subsets: the best order of a set begins with one of
 * its workers and continues with the best order of the others.  This takes n
 * 2^(n-1) steps instead of n!. */
#include "sched/divisible/single_round.h"
#include "sched/divisible/curve.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Pieces that the local search may look at, which bounds its time. */
static const double search_budget = 2e7;

/* Curves, numbered by position in an order or by subset. */
struct curves {
    struct divisible_curve *curve;
    int count;
};

static int curves_make(struct curves *curves, int count, struct error *err)
{
    curves->curve = calloc((size_t)count, sizeof(*curves->curve));
    curves->count = curves->curve != NULL ? count : 0;
    return curves->curve != NULL ? 0 : error_set(err, ENOMEM, "out of memory");
}

static void curves_free(struct curves *curves)
{
    for (int i = 0; i < curves->count; i++)
        divisible_curve_free(&curves->curve[i]);
    free(curves->curve);
}

/* ---- from the participants to a plan ---- */

/* R before participant k is A T + B; the sum of all alpha is the load, which
 * gives T. */
static double end_time(const struct divisible_platform *platform, double load,
                       const int *taking, int count)
{
    double A = 1, B = 0, by_time = 0, fixed = 0;
    for (int k = 0; k < count; k++) {
        const struct divisible_worker *w = &platform->worker[taking[k]];
        double unit = w->G + w->w;
        by_time += A / unit;
        fixed += (B - w->g - divisible_start_up(w)) / unit;
        A *= w->w / unit;
        B = (B - w->g) * (w->w / unit) + w->G * divisible_start_up(w) / unit;
    }
    return (load - fixed) / by_time;
}

/* Returns the next worker's alpha; subtracts its message's time from *R. */
static double take_part(const struct divisible_worker *w, double *R)
{
    double alpha = (*R - w->g - divisible_start_up(w)) / (w->G + w->w);
    *R -= w->g + alpha * w->G;
    return alpha;
}

/* Follows the pieces of curve `first` at this load.  Sets the workers that take
 * part, in the order of their messages; returns how many. */
static int read_off(const struct curves *curves, int first, double load,
                    int *taking)
{
    int number = first, piece, count = 0;
    divisible_curve_invert(&curves->curve[first], load, &piece);
    for (;;) {
        const struct divisible_piece *p = &curves->curve[number].piece[piece];
        if (p->worker < 0)
            return count;
        taking[count++] = p->worker;
        number = p->rest_curve;
        piece = p->rest_piece;
    }
}

static int make_plan(const struct curves *curves, int first,
                     const struct divisible_platform *platform, double load,
                     struct divisible_plan *plan, struct error *err)
{
    int taking[DIVISIBLE_WORKERS_MAX];
    int count = read_off(curves, first, load, taking);
    /* If latencies are long compared with the load, alphas have few correct
     * digits: a factor corrects the sum. */
    double end = end_time(platform, load, taking, count), R = end, sum = 0;
    int code = 0;
    for (int k = 0; k < count; k++)
        sum += fmax(take_part(&platform->worker[taking[k]], &R), 0);
    R = end;
    for (int k = 0; code == 0 && k < count; k++) {
        double alpha = take_part(&platform->worker[taking[k]], &R);
        /* If no correct digit is left, the last worker gets the whole load. */
        double part = sum > 0 ? alpha / sum : k == count - 1;
        code = divisible_plan_add(plan, taking[k], 0, part * load, err);
    }
    return code == 0 ? divisible_plan_time(plan, platform, err) : code;
}

/* ---- a given order ---- */

/* Curve k is the most that the workers from position k on can do. */
static int solve_order(const struct divisible_platform *platform,
                       const int *order, int count, struct curves *curves,
                       struct error *err)
{
    int code = curves_make(curves, count + 1, err);
    if (code == 0)
        code = divisible_curve_zero(&curves->curve[count], err);
    for (int k = count - 1; code == 0 && k >= 0; k--) {
        struct divisible_curve *next = &curves->curve[k + 1];
        code = divisible_curve_copy(&curves->curve[k], next, err);
        if (code == 0)
            code = divisible_curve_raise(&curves->curve[k], platform, order[k],
                                         next, k + 1, err);
    }
    return code;
}

int divisible_single_given(const struct divisible_platform *platform,
                           double load, const int *order, int count,
                           struct divisible_plan *plan, struct error *err)
{
    struct curves curves = {0};
    int code = solve_order(platform, order, count, &curves, err);
    if (code == 0)
        code = make_plan(&curves, 0, platform, load, plan, err);
    curves_free(&curves);
    return code;
}

/* ---- all orders ---- */

/* Makes the curve of one subset; those of smaller ones exist. */
static int solve_subset(const struct divisible_platform *platform, int set,
                        struct curves *curves, struct error *err)
{
    struct divisible_curve *all = &curves->curve[set];
    int code = divisible_curve_zero(all, err);
    for (int i = 0; code == 0 && i < platform->workers; i++) {
        int others = set & ~(1 << i);
        if (others == set)
            continue;
        code = divisible_curve_larger(all, &curves->curve[others], err);
        if (code == 0)
            code = divisible_curve_raise(all, platform, i,
                                         &curves->curve[others], others, err);
    }
    return code;
}

static int search_all(const struct divisible_platform *platform, double load,
                      struct divisible_plan *plan, struct error *err)
{
    int sets = 1 << platform->workers;
    struct curves curves = {0};
    int code = curves_make(&curves, sets, err);
    for (int set = 0; code == 0 && set < sets; set++)
        code = solve_subset(platform, set, &curves, err);
    if (code == 0)
        code = make_plan(&curves, sets - 1, platform, load, plan, err);
    curves_free(&curves);
    return code;
}

/* ---- local search ---- */

struct search {
    const struct divisible_platform *platform;
    double load;
    int *order, *best; /* best: the order of `makespan` */
    double makespan;
    double looked_at; /* pieces so far */
};

/* Keeps the current order if it is better than the best so far. */
static int try_order(struct search *search, bool *better, struct error *err)
{
    int count = search->platform->workers, piece;
    struct curves curves = {0};
    int code =
        solve_order(search->platform, search->order, count, &curves, err);
    if (code == 0) {
        double makespan =
            divisible_curve_invert(&curves.curve[0], search->load, &piece);
        *better = search->makespan == 0 || makespan < search->makespan;
        if (*better) {
            search->makespan = makespan;
            memcpy(search->best, search->order,
                   (size_t)count * sizeof(*search->best));
        }
        for (int k = 0; k <= count; k++)
            search->looked_at += curves.curve[k].count;
    }
    curves_free(&curves);
    return code;
}

static void exchange_neighbours(int *order, int k)
{
    int worker = order[k];
    order[k] = order[k + 1];
    order[k + 1] = worker;
}

/* One pass over all neighbours. */
static int improve_order(struct search *search, bool *improved,
                         struct error *err)
{
    int code = 0;
    *improved = false;
    for (int k = 0; code == 0 && k + 1 < search->platform->workers &&
                    search->looked_at < search_budget;
         k++) {
        bool better = false;
        exchange_neighbours(search->order, k);
        code = try_order(search, &better, err);
        if (!better)
            exchange_neighbours(search->order, k);
        *improved = *improved || better;
    }
    return code;
}

static int search_local(const struct divisible_platform *platform, double load,
                        struct divisible_plan *plan, struct error *err)
{
    size_t count = (size_t)platform->workers;
    struct search search = {
        .platform = platform,
        .load = load,
        .order = calloc(count, sizeof(*search.order)),
        .best = calloc(count, sizeof(*search.best)),
    };
    int code = search.order != NULL && search.best != NULL
                   ? 0
                   : error_set(err, ENOMEM, "out of memory");
    bool go_on = true;
    for (int key = DIVISIBLE_BY_LINK; code == 0 && key <= DIVISIBLE_BY_UNIT;
         key++) {
        divisible_sort(platform, key, search.order);
        code = try_order(&search, &go_on, err);
    }
    if (code == 0)
        memcpy(search.order, search.best, count * sizeof(*search.order));
    for (go_on = true; code == 0 && go_on;)
        code = improve_order(&search, &go_on, err);
    if (code == 0)
        code = divisible_single_given(platform, load, search.best,
                                      platform->workers, plan, err);
    free(search.order);
    free(search.best);
    return code;
}

/* ---- the choice of an order ---- */

static enum divisible_order
choose_order(const struct divisible_platform *platform)
{
    const struct divisible_worker *worker = platform->worker;
    bool latencies = false, links = false, start_ups = false;
    for (int i = 0; i < platform->workers; i++) {
        latencies = latencies || worker[i].g > 0;
        start_ups = start_ups || divisible_start_up(&worker[i]) > 0;
        links = links || worker[i].G != worker[0].G;
    }
    if (!latencies && !start_ups)
        return DIVISIBLE_THEOREM_1;
    if (!links && !start_ups)
        return DIVISIBLE_THEOREM_2;
    return platform->workers <= DIVISIBLE_EXACT_MAX ? DIVISIBLE_EXACT
                                                    : DIVISIBLE_HEURISTIC;
}

static int send_sorted(const struct divisible_platform *platform, double load,
                       enum divisible_key key, struct divisible_plan *plan,
                       struct error *err)
{
    int order[DIVISIBLE_WORKERS_MAX];
    divisible_sort(platform, key, order);
    return divisible_single_given(platform, load, order, platform->workers,
                                  plan, err);
}

int divisible_single_best(const struct divisible_platform *platform,
                          double load, struct divisible_plan *plan,
                          struct error *err)
{
    plan->order = choose_order(platform);
    switch (plan->order) {
    case DIVISIBLE_THEOREM_1:
        return send_sorted(platform, load, DIVISIBLE_BY_LINK, plan, err);
    case DIVISIBLE_THEOREM_2:
        return send_sorted(platform, load, DIVISIBLE_BY_LATENCY, plan, err);
    case DIVISIBLE_EXACT:
        return search_all(platform, load, plan, err);
    default:
        return search_local(platform, load, plan, err);
    }
}
