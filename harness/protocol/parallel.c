#include "harness/protocol/parallel.h"

static inline void run_chunk(const struct worker *w, const struct chunk *chunk)
{
    char *output = w->output + (size_t)chunk->start * w->output_bytes;
    w->kernel->run(w->instance, w->scratch, chunk->start, chunk->size, output,
                   w->poll);
}

/* timing: worker.  No clock between two chunks. */
static void run_plain(struct worker *w)
{
    struct source *source = w->source;
    struct ran *log = w->log;
    int64_t chunks = 0, iterations = 0;
    struct chunk chunk;
    while (source->next(source, &chunk)) {
        run_chunk(w, &chunk);
        if (log != NULL) {
            log[chunks].start = chunk.start;
            log[chunks].size = chunk.size;
        }
        chunks++;
        iterations += chunk.size;
    }
    w->chunks = chunks;
    w->iterations = iterations;
}

/* timing: chunk.  A stamp on both sides of every chunk. */
static void run_stamped(struct worker *w)
{
    struct source *source = w->source;
    struct chunk chunk;
    w->chunks = 0;
    w->iterations = 0;
    w->compute_ticks = 0;
    while (source->next(source, &chunk)) {
        uint64_t begin = engine_ticks();
        run_chunk(w, &chunk);
        uint64_t end = engine_ticks();
        if (w->log != NULL)
            w->log[w->chunks] =
                (struct ran){chunk.start, chunk.size, begin, end};
        w->compute_ticks += end - begin;
        w->chunks++;
        w->iterations += chunk.size;
    }
}

void parallel_run(struct worker *worker)
{
    worker->begin_s = engine_now();
    if (worker->stamp)
        run_stamped(worker);
    else
        run_plain(worker);
    worker->end_s = engine_now();
}
