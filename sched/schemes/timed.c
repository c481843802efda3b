/* Chunks by time: as many iterations as take about the given microseconds.
 *
 * C = max(1, floor(us / t_j)), with t_j the mean time of an iteration of worker
 * j so far.
 *
 * Each worker begins with `first` iterations and doubles them until a chunk has
 * taken us/4.  The rule is ours; HPX also sizes chunks by time
 * (auto_chunk_size: a part of the loop is run first to measure it). */
#include "sched/arith.h"

enum { TIMED_US, TIMED_FIRST };

struct timed_worker {
    double time, size; /* sums over its finished chunks */
    int64_t next;      /* size while it doubles; 0: enough measured */
};

struct timed_state {
    double target; /* seconds */
    struct timed_worker worker[];
};

static int timed_init(void *state, const struct sched_loop *loop,
                      const struct spec *spec, struct error *err)
{
    struct timed_state *s = state;
    (void)err;
    s->target = 1e-6 * spec->value[TIMED_US].real;
    for (int j = 0; j < loop->workers; j++)
        s->worker[j].next = spec->value[TIMED_FIRST].integer;
    return 0;
}

static int64_t timed_next(void *state, int worker, int64_t remaining)
{
    const struct timed_state *s = state;
    const struct timed_worker *w = &s->worker[worker];
    (void)remaining;
    if (w->next > 0)
        return w->next;
    /* A quotient that only rounding makes not whole counts as whole. */
    int64_t size =
        sched_size(s->target * w->size / w->time * (1 + 4 * DBL_EPSILON));
    return size > 1 ? size : 1;
}

/* A chunk that took no time tells only that more are needed. */
static void timed_feedback(void *state, int worker, int64_t size, double time)
{
    struct timed_state *s = state;
    struct timed_worker *w = &s->worker[worker];
    if (time > 0) {
        w->time += time;
        w->size += (double)size;
    }
    if (w->next > 0 && time >= s->target / 4)
        w->next = 0;
    else if (w->next > 0 && w->next < (int64_t)1 << 61)
        w->next *= 2;
}

static const struct spec_param timed_params[] = {
    [TIMED_US] = PARAM_REAL("us", "100", 1e-3, 1e12, "microseconds of a chunk"),
    [TIMED_FIRST] = PARAM_WHOLE("first", "1", 1, 0x1p53,
                                "iterations of a worker's first chunk"),
    {0},
};

const struct sched_ops sched_timed_ops = {
    .name = "timed",
    .citation = "this suite; after HPX's auto_chunk_size",
    .summary = "as many iterations as take us microseconds, measured",
    .params = timed_params,
    .flags = SCHED_SECONDS,
    .state_size = sizeof(struct timed_state),
    .worker_size = sizeof(struct timed_worker),
    .init = timed_init,
    .next = timed_next,
    .feedback = timed_feedback,
};
