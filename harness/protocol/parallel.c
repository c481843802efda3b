#include "harness/protocol/parallel.h"

/* The fields of a worker that the loops below need, in registers: the compiler
 * must assume that a kernel could change anything it reaches by pointer. */
struct body {
    void (*run)(const void *instance, void *scratch, int64_t start,
                int64_t size, void *output, const struct kernel_poll *poll);
    const void *instance;
    void *scratch;
    char *output;
    size_t output_bytes;
    const struct kernel_poll *poll;
    struct ran *log;
    int64_t chunks, iterations;
};

static inline void run_range(const struct body *body, int64_t start,
                             int64_t size)
{
    body->run(body->instance, body->scratch, start, size,
              body->output + (size_t)start * body->output_bytes, body->poll);
}

static inline void count_chunk(struct body *body, int64_t start, int64_t size)
{
    if (body->log != NULL) {
        body->log[body->chunks].start = start;
        body->log[body->chunks].size = size;
    }
    body->chunks++;
    body->iterations += size;
}

/* A source that only has to count: only the fetch-and-add and the table are
 * between two chunks. */
static void run_counted(struct body *shared, const struct source *source)
{
    const struct sched_table table = *source->table;
    struct source_counter *counter = source->counter;
    struct body body = *shared;
    for (;;) {
        int64_t step = source_step(counter);
        if (step >= table.steps)
            break;
        struct chunk chunk = sched_table_chunk(&table, step);
        run_range(&body, chunk.start, chunk.size);
        count_chunk(&body, chunk.start, chunk.size);
    }
    *shared = body;
}

/* The request for the next chunk leaves shortly before this one ends. */
static void run_ahead(const struct body *body, struct source *source,
                      const struct chunk *chunk)
{
    int64_t rest = chunk->size < source->ahead ? chunk->size : source->ahead;
    int64_t turn = chunk->start + chunk->size - rest;
    if (chunk->size > rest)
        run_range(body, chunk->start, chunk->size - rest);
    source->ask_ahead(source);
    run_range(body, turn, rest);
}

static void run_asked(struct body *body, struct source *source)
{
    struct chunk chunk;
    while (source->table == NULL) {
        if (!source->next(source, &chunk))
            return;
        if (source->ask_ahead != NULL)
            run_ahead(body, source, &chunk);
        else
            run_range(body, chunk.start, chunk.size);
        count_chunk(body, chunk.start, chunk.size);
        /* Chunks may be shorter than the time between a kernel's polls, and
         * others wait all the same. */
        kernel_poll(body->poll);
    }
    run_counted(body, source);
}

static struct body make_body(const struct worker *w)
{
    return (struct body){.run = w->kernel->run,
                         .instance = w->instance,
                         .scratch = w->scratch,
                         .output = w->output,
                         .output_bytes = w->output_bytes,
                         .poll = w->poll,
                         .log = w->log};
}

/* timing: worker.  No clock between two chunks. */
static void run_plain(struct worker *w)
{
    struct body body = make_body(w);
    run_asked(&body, w->source);
    w->chunks = body.chunks;
    w->iterations = body.iterations;
}

/* timing: chunk.  A stamp on both sides of every chunk; one for both where only
 * a counter is between two, which nobody waits for: its nanoseconds belong to
 * the later chunk, as they belong to computing with timing: worker. */
static void run_stamped(struct worker *w)
{
    struct source *source = w->source;
    const struct body body = make_body(w);
    struct chunk chunk;
    bool counts = false;
    uint64_t end = 0;
    w->chunks = 0;
    w->iterations = 0;
    w->compute_ticks = 0;
    while (source_next(source, &chunk)) {
        uint64_t begin = counts ? end : engine_ticks();
        if (source->ask_ahead != NULL)
            run_ahead(&body, source, &chunk);
        else
            run_range(&body, chunk.start, chunk.size);
        end = engine_ticks();
        if (w->log != NULL)
            w->log[w->chunks] = (struct ran){.start = chunk.start,
                                             .size = chunk.size,
                                             .begin = begin,
                                             .end = end};
        w->compute_ticks += end - begin;
        w->chunks++;
        w->iterations += chunk.size;
        counts = source->table != NULL && body.poll == NULL;
        kernel_poll(body.poll);
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
    worker->logged = worker->chunks;
}
