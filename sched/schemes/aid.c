#include "sched/schemes/aid.h"

#include <stdio.h>

/* A run uses equal powers by default. */
static bool tell_types(const struct sched_loop *loop)
{
    for (int j = 1; loop->power != NULL && j < loop->workers; j++)
        if (loop->power[j] != loop->power[0])
            return true;
    return false;
}

static int64_t type_of(const struct sched_loop *loop, int worker)
{
    for (int j = 0; j < worker; j++)
        if (loop->power[j] == loop->power[worker])
            return j;
    return worker;
}

void aid_init(void *state, const struct sched_loop *loop, int64_t chunk,
              double share)
{
    struct aid_state *s = state;
    s->workers = s->unknown = loop->workers;
    s->chunk = chunk;
    s->iterations = share * (double)loop->iterations;
    bool typed = tell_types(loop);
    for (int j = 0; j < loop->workers; j++)
        s->worker[j].type = typed ? type_of(loop, j) : j;
}

/* Runs when all samples are known.  The first worker of a type holds its sums:
 * of times in `factor`, of workers in `shared`. */
static void share_out(struct aid_state *s)
{
    double slowest = 0, sum = 0;
    for (int64_t j = 0; j < s->workers; j++) {
        struct aid_worker *first = &s->worker[s->worker[j].type];
        first->factor += s->worker[j].time;
        first->shared++;
    }
    for (int64_t j = 0; j < s->workers; j++) {
        struct aid_worker *w = &s->worker[j];
        if (w->type == j)
            w->factor /= (double)w->shared;
        else
            w->factor = s->worker[w->type].factor;
        w->shared = 0;
        slowest = fmax(slowest, w->factor);
    }
    for (int64_t j = 0; j < s->workers; j++) {
        s->worker[j].factor = slowest / s->worker[j].factor;
        sum += s->worker[j].factor;
    }
    s->part = s->iterations / sum;
}

int64_t aid_next(void *state, int worker, int64_t remaining)
{
    struct aid_state *s = state;
    struct aid_worker *w = &s->worker[worker];
    (void)remaining;
    if (s->unknown > 0) {
        w->had += s->chunk;
        return s->chunk;
    }
    if (w->shared)
        return s->chunk;
    w->shared = 1;
    int64_t share = sched_size(w->factor * s->part * (1 + 4 * DBL_EPSILON));
    return share > w->had ? share - w->had : s->chunk;
}

/* A sample too short for the clock is ignored: the next one counts. */
void aid_feedback(void *state, int worker, int64_t size, double time)
{
    struct aid_state *s = state;
    struct aid_worker *w = &s->worker[worker];
    if (w->time > 0 || !(time > 0))
        return;
    w->time = time / (double)size;
    s->unknown--;
    if (s->unknown == 0)
        share_out(s);
}

void aid_note(const void *state, char *text, size_t size)
{
    (void)state;
    snprintf(
        text, size,
        "aid: these are samples; a run measures the workers and gives each "
        "its share");
}
