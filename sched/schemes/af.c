/* Adaptive factoring: sizes by the mean and deviation of each worker's own
 * iterations, measured while the loop runs.
 *
 *     C = (D + 2 T R - sqrt(D^2 + 4 D T R)) / (2 mu_j)
 *     D = sum over workers of sigma^2 / mu,   T = 1 / sum of 1/mu
 *
 * Banicescu and Liu 2000.  A chunk of n iterations that took t is one sample
 * t/n of the mean with variance sigma^2/n; from k chunks of a worker
 *
 *     mu = sum(t) / sum(n),   sigma^2 = sum(n (t/n - mu)^2) / (k - 1)
 *
 * The paper leaves the start open: the first four chunks of a worker have
 * `first` iterations, a 64th of I/p unless it is given, and D and T of workers
 * not yet known are taken as the mean of the others'.
 *
 * Implementations differ in the samples.  LB4OMP hands out each chunk in ten
 * parts (the first has 100 iterations): mu is the mean of the parts' t/n since
 * the loop's beginning, of equal weight, sigma their deviation, which is below
 * that of iterations; its mAF counts from request to request.  DLS4LB stops
 * after each iteration and takes mu and sigma from the last chunk alone.
 * In the start: DLS4LB begins with its minimum chunk; an unknown worker counts
 * there as the fastest, in the balancer by Carino in the Loci framework as the
 * slowest, in LB4OMP as the asking one.
 * And in the size: DLS4LB sums sigma / mu for D, adds .55 and cuts off, and
 * hands out I/2p at most. */
#include "sched/arith.h"

#include <stdio.h>

enum { AF_FIRST };

enum { SAMPLES = 4 };

struct af_worker {
    double reports;      /* k */
    double sizes, times; /* sum of n and of t */
    double squares;      /* sum of t^2/n */
    double mean;         /* mu, 0: too few samples */
    double spread;       /* sigma^2 / mu */
};

struct af_state {
    double workers, known;
    double rates;  /* sum of 1/mu of those known */
    double spread; /* sum of sigma^2/mu of those known */
    int64_t first;
    struct af_worker worker[];
};

static size_t af_state_size(const struct sched_loop *loop)
{
    return sizeof(struct af_state) +
           (size_t)loop->workers * sizeof(struct af_worker);
}

static int af_init(void *state, const struct sched_loop *loop,
                   const struct spec *spec, struct error *err)
{
    struct af_state *s = state;
    (void)err;
    s->workers = loop->workers;
    s->first = spec->value[AF_FIRST].given
                   ? spec->value[AF_FIRST].integer
                   : loop->iterations / 64 / loop->workers;
    if (s->first < 1)
        s->first = 1;
    return 0;
}

/* With x = D + 2 T R and y the root, x^2 - y^2 = (2 T R)^2: the formula with
 * no difference of nearly equal numbers. */
static int64_t af_next(void *state, int worker, int64_t remaining)
{
    const struct af_state *s = state;
    const struct af_worker *w = &s->worker[worker];
    if (w->mean == 0)
        return s->first;
    double all = s->workers / s->known;
    double d = s->spread * all;
    double tr = (double)remaining / (s->rates * all);
    double sum = d + 2 * tr + sqrt(d * d + 4 * d * tr);
    return sched_round_up(2 * tr * tr / (sum * w->mean));
}

static void learn_times(struct af_state *s, struct af_worker *w)
{
    double mean = w->times / w->sizes;
    double scatter = fmax(0, w->squares - w->times * mean);
    if (w->mean > 0) {
        s->rates -= 1 / w->mean;
        s->spread -= w->spread;
    } else {
        s->known++;
    }
    w->mean = mean;
    w->spread = scatter / (w->reports - 1) / mean;
    s->rates += 1 / w->mean;
    s->spread = fmax(0, s->spread + w->spread);
}

/* A clock too coarse for the chunk says nothing. */
static void af_feedback(void *state, int worker, int64_t size, double time)
{
    struct af_state *s = state;
    struct af_worker *w = &s->worker[worker];
    if (!(time > 0))
        return;
    w->reports++;
    w->sizes += (double)size;
    w->times += time;
    w->squares += time * time / (double)size;
    if (w->reports >= SAMPLES)
        learn_times(s, w);
}

static void af_again(void *state, const struct sched_loop *loop)
{
    (void)state;
    (void)loop;
}

static void af_note(const void *state, char *text, size_t size)
{
    (void)state;
    snprintf(text, size,
             "af: these are first chunks only; a run measures the workers and "
             "changes the sizes");
}

static const struct spec_param af_params[] = {
    [AF_FIRST] = {.key = "first",
                  .type = SPEC_INTEGER,
                  .min = 1,
                  .max = 0x1p53,
                  .help = "size of a worker's first four chunks, default "
                          "floor(I/64p)"},
    {0},
};

const struct sched_ops sched_af_ops = {
    .name = "af",
    .citation = "Banicescu and Liu 2000",
    .summary = "sizes by each worker's measured mean and deviation",
    .params = af_params,
    .state_size = af_state_size,
    .init = af_init,
    .next = af_next,
    .feedback = af_feedback,
    .again = af_again,
    .note = af_note,
};
