#include "harness/transport/reissue/reissue_source.h"

#include <string.h>

/* The worker has run its chunk.  A dropped chunk tells a scheme nothing: it may
 * have waited for the end of the loop. */
static void finish_chunk(struct reissue_source *source)
{
    const struct chunk *chunk = &source->current;
    size_t at = (size_t)chunk->start * source->output_bytes;
    if (chunk->size == 0)
        return;
    if (reissue_claim(source->book, source->base.worker, chunk->start)) {
        if (source->output != NULL)
            memcpy(source->output + at, source->own + at,
                   (size_t)chunk->size * source->output_bytes);
        reissue_placed(source->book, chunk->start, engine_now());
    } else {
        source->inner->dropped = true;
    }
    source->current.size = 0;
}

/* False: the loop is over. */
static bool take_again(struct reissue_source *source, struct chunk *chunk)
{
    enum reissue_answer answer;
    double wait_s, since = 0;
    while ((answer = reissue_take(source->book, source->base.worker,
                                  engine_now(), chunk, &wait_s)) ==
           REISSUE_WAIT) {
        if (since == 0)
            since = source_wait(&source->base);
        if (source->serve == NULL || !source->serve(source->arg))
            engine_sleep(engine_nap(wait_s, source->serve != NULL));
    }
    if (since != 0)
        source_go_on(&source->base, since);
    return answer == REISSUE_CHUNK;
}

static bool reissue_next(struct source *base, struct chunk *chunk)
{
    struct reissue_source *source = (struct reissue_source *)base;
    source->inner->watch = base->watch;
    finish_chunk(source);
    if (!source->dry && source_pass(base, source->inner, chunk)) {
        reissue_out(source->book, base->worker, chunk, engine_now());
    } else {
        source->dry = true;
        if (!take_again(source, chunk))
            return false;
    }
    source->current = *chunk;
    return true;
}

void reissue_source_open(struct reissue_source *source, int worker)
{
    source->base = (struct source){.next = reissue_next, .worker = worker};
    source->current = (struct chunk){0};
    source->dry = false;
}
