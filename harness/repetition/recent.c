#include "harness/repetition/recent.h"

static bool recent_next(struct source *base, struct chunk *chunk)
{
    struct recent_source *source = (struct recent_source *)base;
    double begin_s = engine_now(), before_s = base->wait_s;
    bool more = source_pass(base, source->inner, chunk);
    recent_add(&source->recent, begin_s, engine_now(), base->wait_s - before_s);
    return more;
}

/* Under reissue no worker asks ahead. */
struct source *recent_open(struct recent_source *source, struct source *inner)
{
    *source = (struct recent_source){.base = {.next = recent_next,
                                              .worker = inner->worker,
                                              .watch = inner->watch},
                                     .inner = inner};
    invariant(inner->ask_ahead == NULL);
    return &source->base;
}
