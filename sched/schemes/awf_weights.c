#include "sched/schemes/awf_weights.h"

#include <stdio.h>

const struct spec_param awf_params[] = {{0}};

int awf_init(void *state, const struct sched_loop *loop,
             const struct spec *spec, struct error *err)
{
    struct awf_state *s = state;
    (void)spec;
    (void)err;
    s->workers = loop->workers;
    for (int j = 0; j < loop->workers; j++) {
        s->worker[j].power = sched_power(loop, j);
        s->power += s->worker[j].power;
    }
    return 0;
}

/* w/p: the worker's part of all rates.  Workers without a rate count by their
 * powers. */
static double share_of(const struct awf_state *s, const struct awf_worker *w)
{
    if (w->rate == 0)
        return w->power / s->power;
    return w->rate * s->known_power / (s->known_rate * s->power);
}

int64_t awf_stage_next(void *state, int worker, int64_t remaining)
{
    struct awf_state *s = state;
    if (sched_stage_begins(&s->requests, s->workers)) {
        s->remaining = (double)remaining;
        for (int64_t j = 0; j < s->workers; j++)
            s->worker[j].share = share_of(s, &s->worker[j]);
    }
    return sched_round_up(s->remaining * s->worker[worker].share / 2);
}

int64_t awf_chunk_next(void *state, int worker, int64_t remaining)
{
    const struct awf_state *s = state;
    return sched_round_up((double)remaining * share_of(s, &s->worker[worker]) /
                          2);
}

void awf_learn(struct awf_state *s, struct awf_worker *w, double size,
               double time)
{
    w->reports++;
    w->times += w->reports * time;
    w->sizes += w->reports * size;
    if (w->rate == 0)
        s->known_power += w->power;
    s->known_rate -= w->rate;
    w->rate = w->sizes / w->times;
    s->known_rate += w->rate;
}

/* A chunk that is too short for the clock is ignored. */
void awf_feedback(void *state, int worker, int64_t size, double time)
{
    struct awf_state *s = state;
    if (time > 0)
        awf_learn(s, &s->worker[worker], (double)size, time);
}

void awf_again(void *state, const struct sched_loop *loop)
{
    struct awf_state *s = state;
    (void)loop;
    s->requests = (struct sched_stage){0};
}

void awf_note(const void *state, char *text, size_t size)
{
    (void)state;
    snprintf(text, size,
             "awf: these sizes come from the powers alone; a run measures the "
             "workers and changes them");
}
