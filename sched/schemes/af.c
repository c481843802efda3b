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
 * The paper leaves the start open: the first `samples` (4) chunks of a worker
 * have `first` iterations, a 64th of I/p by default.  Workers not yet known
 * count with the mean D and T of the others.
 *
 * Implementations differ, and keys follow them:
 *
 *     most=      no chunk is larger: DLS4LB hands out I/2p at most
 *     first=     DLS4LB begins with its minimum chunk, one iteration
 *     samples=   DLS4LB sizes by a worker's first chunk already
 *     unknown=   an unknown worker counts as the fastest (DLS4LB), the slowest
 *                (the balancer by Carino in the Loci framework); LB4OMP counts
 *                it as the asking one, without a key here
 *     mean=last  mu of a worker's last chunk alone (DLS4LB)
 *
 * Not available here: LB4OMP hands out each chunk in ten parts (the first has
 * 100 iterations): mu is the mean of the parts' t/n since the loop's beginning,
 * of equal weight, sigma their deviation, which is below that of iterations;
 * its mAF counts from request to request.  DLS4LB stops after each iteration
 * and takes sigma from the last chunk's iterations alone, adds .55 and cuts
 * off. It sums sigma / mu for D, which is not a time: its sizes depend on the
 * unit of time. */
#include "sched/arith.h"

#include <stdio.h>
#include <string.h>

enum { AF_FIRST, AF_MOST, AF_SAMPLES, AF_UNKNOWN, AF_MEAN };

/* How a worker without enough samples counts. */
enum unknown { AS_MEAN, AS_FASTEST, AS_SLOWEST };

struct af_worker {
    double reports;      /* k */
    double sizes, times; /* sum of n and of t */
    double squares;      /* sum of t^2/n */
    double mean;         /* mu, 0: too few samples */
    double spread;       /* sigma^2 / mu */
};

struct af_state {
    double workers, known;
    double rates;  /* sum of 1/mu of known workers */
    double spread; /* sum of sigma^2/mu of known workers */
    int64_t first, most;
    int64_t samples;
    enum unknown unknown;
    bool last; /* mean=last */
    struct af_worker worker[];
};

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
    s->most =
        spec->value[AF_MOST].given ? spec->value[AF_MOST].integer : INT64_MAX;
    s->samples = spec->value[AF_SAMPLES].integer;
    const char *unknown = spec->value[AF_UNKNOWN].text;
    s->unknown = strcmp(unknown, "fastest") == 0   ? AS_FASTEST
                 : strcmp(unknown, "slowest") == 0 ? AS_SLOWEST
                                                   : AS_MEAN;
    s->last = strcmp(spec->value[AF_MEAN].text, "last") == 0;
    return 0;
}

/* The known worker that unknown ones count as.  The search takes place only
 * until all are known. */
static const struct af_worker *find_model(const struct af_state *s)
{
    const struct af_worker *model = NULL;
    for (int64_t i = 0; i < (int64_t)s->workers; i++) {
        const struct af_worker *w = &s->worker[i];
        bool faster = model != NULL && w->mean < model->mean;
        if (w->mean > 0 &&
            (model == NULL || faster == (s->unknown == AS_FASTEST)))
            model = w;
    }
    return model;
}

/* D and 1/T over all workers. */
static void add_unknown(const struct af_state *s, double *d, double *rates)
{
    double missing = s->workers - s->known;
    *d = s->spread;
    *rates = s->rates;
    if (s->unknown == AS_MEAN) {
        *d *= s->workers / s->known;
        *rates *= s->workers / s->known;
    } else if (missing > 0) {
        const struct af_worker *model = find_model(s);
        *d += missing * model->spread;
        *rates += missing / model->mean;
    }
}

/* With x = D + 2 T R and y the root, x^2 - y^2 = (2 T R)^2: the formula with
 * no difference of nearly equal numbers. */
static int64_t af_next(void *state, int worker, int64_t remaining)
{
    const struct af_state *s = state;
    const struct af_worker *w = &s->worker[worker];
    if (w->mean == 0)
        return s->first < s->most ? s->first : s->most;
    double d, rates;
    add_unknown(s, &d, &rates);
    double tr = (double)remaining / rates;
    double sum = d + 2 * tr + sqrt(d * d + 4 * d * tr);
    int64_t size = sched_round_up(2 * tr * tr / (sum * w->mean));
    return size < s->most ? size : s->most;
}

/* `last` is t/n of the worker's last chunk. */
static void learn_times(struct af_state *s, struct af_worker *w, double last)
{
    double mean = w->times / w->sizes;
    double scatter = fmax(0, w->squares - w->times * mean);
    double variance = w->reports > 1 ? scatter / (w->reports - 1) : 0;
    if (w->mean > 0) {
        s->rates -= 1 / w->mean;
        s->spread -= w->spread;
    } else {
        s->known++;
    }
    w->mean = s->last ? last : mean;
    w->spread = variance / w->mean;
    s->rates += 1 / w->mean;
    s->spread = fmax(0, s->spread + w->spread);
}

/* A chunk that is too short for the clock is ignored. */
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
    if (w->reports >= (double)s->samples)
        learn_times(s, w, time / (double)size);
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
    [AF_FIRST] = PARAM_WHOLE("first", NULL, 1, 0x1p53,
                             "size of a worker's first chunks, default "
                             "floor(I/64p)"),
    [AF_MOST] = PARAM_WHOLE("most", NULL, 1, 0x1p53,
                            "no chunk has more iterations, default any"),
    [AF_SAMPLES] =
        PARAM_WHOLE("samples", "4", 1, 1000000,
                    "how many first chunks a worker has", .quiet = true),
    [AF_UNKNOWN] = PARAM_WORD("unknown", "mean", "mean|fastest|slowest",
                              "which of the others one counts as that has not "
                              "had them",
                              .quiet = true),
    [AF_MEAN] = PARAM_WORD("mean", "all", "all|last",
                           "of which of a worker's chunks its mean time is",
                           .quiet = true),
    {0},
};

const struct sched_ops sched_af_ops = {
    .name = "af",
    .citation = "Banicescu and Liu 2000",
    .summary = "sizes by each worker's measured mean and deviation",
    .params = af_params,
    .state_size = sizeof(struct af_state),
    .worker_size = sizeof(struct af_worker),
    .init = af_init,
    .next = af_next,
    .feedback = af_feedback,
    .again = af_again,
    .note = af_note,
};
