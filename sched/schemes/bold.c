/* Bold: chunks as large as mean, deviation and overhead allow, judged by the
 * iterations probably not done yet.
 *
 *     C_i = 1                                             for Q <= 1
 *     C_i = t                                             for d <= c_2
 *     C_i = min(t, t + max(0, c_1 w) + s/2 - sqrt(s (t + s/4)))      else
 *
 *     Q = R/p,   t = max(R, N)/p,   v = Q/(b + Q),   d = R/(1 + 1/ln Q - v)
 *     s = a (ln d - ln c_2) (1 + M/(p^2 t)),
 *     w = ln(v ln Q) + ln b, the latter where b > 0
 *     a = 2 (sigma/mu)^2,   b = 8 a ln(8 a),
 *     c_1 = h/(mu ln 2),   c_2 = sqrt(2 pi) c_1
 *
 * Hagerup 1997 (strategy Bold): mu and sigma are the mean and the standard
 * deviation of an iteration's time, h the overhead of a request, in one unit;
 * the defaults are those of that paper's experiments, exponential times of mean
 * 1 and h = 0.5.  M counts the iterations not reported done, N those probably
 * not done yet: a worker with k of them does k/(k mu + h) in a unit of time.
 *
 * That needs the clock with every request.  Ours is the sum of a worker's
 * reported times since it began the loop.  A worker that asks again without a
 * report (requests that leave early, `dlsbench chunks`) took k mu + h.  The
 * value of mu in the clock's unit is measured as the ratio of all reported to
 * all expected times.  So only ratios of mu, sigma and h count, as elsewhere
 * here.
 *
 * Implementations differ: LB4OMP takes the clock's unit for that of mu, rounds
 * down, and does not count the time between two first requests; where b is not
 * above 0 (sigma at most mu/4) its w is ln ln Q.  We round up. */
#include "sched/arith.h"

#include <stdio.h>

enum { BOLD_MU, BOLD_SIGMA, BOLD_OVERHEAD };

struct bold_worker {
    double size;  /* k of its chunk, 0: no chunk */
    double speed; /* k/(k mu + h) */
    double begun; /* when it got the chunk */
    double clock; /* its last request */
    double ahead; /* chunks that the clock counts with their probable time */
};

struct bold_state {
    double part; /* 1/p */
    double mu, overhead;
    double a, b, c1, c2;
    double ln_b;                 /* 0: b is not above 0 */
    double ln_p_c2;              /* ln p - ln c_2 */
    double now;                  /* the latest request */
    double expected, reported;   /* sums of the reports */
    double sizes, speeds, begun; /* sums of size, speed and speed * begun */
    struct bold_worker worker[];
};

static int bold_init(void *state, const struct sched_loop *loop,
                     const struct spec *spec, struct error *err)
{
    struct bold_state *s = state;
    (void)err;
    s->part = 1.0 / loop->workers;
    s->mu = spec->value[BOLD_MU].real;
    s->overhead = spec->value[BOLD_OVERHEAD].real;
    double variation = spec->value[BOLD_SIGMA].real / s->mu;
    s->a = 2 * variation * variation;
    s->b = s->a > 0 ? 8 * s->a * log(8 * s->a) : 0;
    s->c1 = s->overhead / (s->mu * log(2));
    s->c2 = sqrt(2 * acos(-1)) * s->c1;
    s->ln_b = s->b > 0 ? log(s->b) : 0;
    s->ln_p_c2 = -log(s->part * s->c2); /* infinity without overhead */
    return 0;
}

/* ---- iterations probably not done ---- */

static double time_of(const struct bold_state *s, double size)
{
    return size * s->mu + s->overhead;
}

/* Adds a worker's chunk to the sums (sign 1), or takes it out (-1). */
static void count_chunk(struct bold_state *s, const struct bold_worker *w,
                        int sign)
{
    s->sizes += sign * w->size;
    s->speeds += sign * w->speed;
    s->begun += sign * w->speed * w->begun;
}

static void drop_chunk(struct bold_state *s, struct bold_worker *w)
{
    if (w->size > 0)
        count_chunk(s, w, -1);
    w->size = 0;
}

static void bold_feedback(void *state, int worker, int64_t size, double time)
{
    struct bold_state *s = state;
    struct bold_worker *w = &s->worker[worker];
    double expected = time_of(s, (double)size);
    if (time > 0) {
        s->expected += expected;
        s->reported += time;
        w->clock += time * (s->expected / s->reported);
    } else {
        w->clock += expected;
    }
    if (w->ahead == 0) {
        drop_chunk(s, w);
        return;
    }
    w->clock -= expected;
    w->ahead--;
}

/* ---- sizes ---- */

/* t + s/2 - sqrt(s (t + s/4)), where st is s t; for a large s without a
 * difference of nearly equal numbers, and 0 for an infinite one, without
 * overhead. */
static double cautious_time(double t, double st)
{
    double tt = t * t;
    if (st > tt)
        return t * tt / (tt + st / 2 + sqrt(st * (tt + st / 4)));
    double half = st * (0.5 / t);
    return t + half - sqrt(st + half * half);
}

/* Each request waits for this computation, a logarithm of a logarithm.  So
 * every possible division is a product (x is R/d; s t for s), and ln d comes
 * from ln Q. */
static double size_of(const struct bold_state *s, double remaining)
{
    double not_reported = remaining + s->sizes;
    double not_done = not_reported - (s->now * s->speeds - s->begun);
    double quota = remaining * s->part;
    if (quota <= 1)
        return 1;
    double t = (remaining > not_done ? remaining : not_done) * s->part;
    double v = quota / (s->b + quota);
    double ln_quota = log(quota);
    double x = 1 + 1 / ln_quota - v;
    if (remaining <= s->c2 * x)
        return t;
    double w = log(v * ln_quota) + s->ln_b;
    double st = s->a == 0 ? 0
                          : s->a * (ln_quota - log(x) + s->ln_p_c2) *
                                (t + not_reported * s->part * s->part);
    double more = w > 0 ? s->c1 * w : 0;
    double size = more + cautious_time(t, st);
    return size < t ? size : t;
}

static int64_t bold_next(void *state, int worker, int64_t remaining)
{
    struct bold_state *s = state;
    struct bold_worker *w = &s->worker[worker];
    /* The worker asks: it has done its chunk. */
    if (w->size > 0) {
        w->clock += time_of(s, w->size);
        w->ahead++;
    }
    drop_chunk(s, w);
    if (w->clock > s->now)
        s->now = w->clock;
    int64_t size = sched_round_up(size_of(s, (double)remaining));
    size = size < 1 ? 1 : size > remaining ? remaining : size;
    w->size = (double)size;
    w->speed = w->size / time_of(s, w->size);
    w->begun = s->now;
    count_chunk(s, w, 1);
    return size;
}

static void bold_note(const void *state, char *text, size_t size)
{
    (void)state;
    snprintf(text, size,
             "bold: these are the sizes where every chunk takes k mu + h; a "
             "run measures what is done");
}

static const struct spec_param bold_params[] = {
    [BOLD_MU] = PARAM_REAL("mu", "1", 1e-12, 1e12,
                           "mean time of an iteration, in any unit"),
    [BOLD_SIGMA] = PARAM_REAL("sigma", "1", 0, 1e12,
                              "its standard deviation, in the unit of mu"),
    [BOLD_OVERHEAD] = PARAM_REAL("h", "0.5", 0, 1e12,
                                 "overhead of a request, in the unit of mu"),
    {0},
};

const struct sched_ops sched_bold_ops = {
    .name = "bold",
    .citation = "Hagerup 1997",
    .summary = "sizes by mean, deviation, overhead and what is not done yet",
    .params = bold_params,
    .flags = SCHED_WHOLE_TIME,
    .state_size = sizeof(struct bold_state),
    .worker_size = sizeof(struct bold_worker),
    .init = bold_init,
    .next = bold_next,
    .feedback = bold_feedback,
    .note = bold_note,
};
