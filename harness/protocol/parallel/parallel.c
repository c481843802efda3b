#include "harness/protocol/parallel/parallel.h"

/* The members of a worker that the loops below need, in registers: the compiler
 * must assume that a kernel changes anything it reaches by pointer. */
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

static inline void run_step(struct body *body, const struct sched_table *table,
                            int64_t step)
{
    struct chunk chunk = sched_table_chunk(table, step);
    count_chunk(body, chunk.start, chunk.size);
    run_range(body, chunk.start, chunk.size);
}

/* For a source with only a counter: between two chunks are only the
 * fetch-and-add and the table.  After an early step, the next step is counted
 * first.  So the processor has run most of its chunk when the counter's cache
 * line arrives.  Otherwise it would keep that line until the chunk ends. */
static void run_counted(struct body *shared, struct source *source)
{
    const struct sched_table table = *source->table;
    const struct source_early early = source->early;
    struct source_counter *counter = source->counter;
    struct body body = *shared;
    int64_t step = source_step(counter);
    for (; step < early.from; step = source_step(counter))
        run_step(&body, &table, step);
    int64_t before = body.chunks;
    while (step < early.until) {
        int64_t next = source_step(counter);
        run_step(&body, &table, step);
        step = next;
    }
    /* The last early request may have found no chunk. */
    if (body.chunks > before)
        source->ahead_count += body.chunks - before - (step >= table.steps);
    for (; step < table.steps; step = source_step(counter))
        run_step(&body, &table, step);
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
        /* Chunks may be shorter than the time between a kernel's polls, while
         * others wait. */
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

static void stamp_chunk(struct worker *w, const struct chunk *chunk,
                        uint64_t begin, uint64_t end)
{
    if (w->log != NULL)
        w->log[w->chunks] = (struct ran){.start = chunk->start,
                                         .size = chunk->size,
                                         .begin = begin,
                                         .end = end};
    w->compute_ticks += end - begin;
    w->chunks++;
    w->iterations += chunk->size;
}

/* run_counted with times.  If only a counter is between two chunks, one stamp
 * ends a chunk and begins the next: the counter's nanoseconds belong to a
 * chunk, as with timing: worker. begin: the end of the chunk before, if any. */
static void stamp_counted(struct worker *w, const struct body *body,
                          uint64_t begin)
{
    struct source *source = w->source;
    const struct sched_table table = *source->table;
    const struct source_early early = source->early;
    int64_t step = source_step(source->counter);
    if (w->chunks == 0 || body->poll != NULL)
        begin = engine_ticks();
    while (step < table.steps) {
        const struct chunk chunk = sched_table_chunk(&table, step);
        bool ahead = step >= early.from && step < early.until;
        if (ahead)
            step = source_step(source->counter);
        run_range(body, chunk.start, chunk.size);
        uint64_t end = engine_ticks();
        stamp_chunk(w, &chunk, begin, end);
        kernel_poll(body->poll);
        if (ahead)
            source->ahead_count += step < table.steps;
        else
            step = source_step(source->counter);
        begin = body->poll == NULL ? end : engine_ticks();
    }
}

/* timing: chunk.  A stamp on both sides of every chunk. */
static void run_stamped(struct worker *w)
{
    struct source *source = w->source;
    const struct body body = make_body(w);
    struct chunk chunk;
    uint64_t end = 0;
    w->chunks = 0;
    w->iterations = 0;
    w->compute_ticks = 0;
    while (source->table == NULL) {
        if (!source->next(source, &chunk))
            return;
        uint64_t begin = engine_ticks();
        if (source->ask_ahead != NULL)
            run_ahead(&body, source, &chunk);
        else
            run_range(&body, chunk.start, chunk.size);
        end = engine_ticks();
        stamp_chunk(w, &chunk, begin, end);
        kernel_poll(body.poll);
    }
    stamp_counted(w, &body, end);
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
