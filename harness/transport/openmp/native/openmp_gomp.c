/* gcc's OpenMP runtime, called as the code that gcc emits calls it; see "The
 * libgomp ABI" in its manual. */
#include "harness/transport/openmp/openmp_internal.h"

enum entry {
    PARALLEL,
    THREAD_NUM,
    SET_SCHEDULE,
    END_NOWAIT,
    DYNAMIC_START, /* pairs of start and next */
    DYNAMIC_NEXT,
    FREE_DYNAMIC_START,
    FREE_DYNAMIC_NEXT,
    GUIDED_START,
    GUIDED_NEXT,
    FREE_GUIDED_START,
    FREE_GUIDED_NEXT,
    RUNTIME_START,
    RUNTIME_NEXT,
};

static const char *const entries[] = {
    [PARALLEL] = "GOMP_parallel",
    [THREAD_NUM] = "omp_get_thread_num",
    [SET_SCHEDULE] = "omp_set_schedule",
    [END_NOWAIT] = "GOMP_loop_end_nowait",
    [DYNAMIC_START] = "GOMP_loop_dynamic_start",
    [DYNAMIC_NEXT] = "GOMP_loop_dynamic_next",
    [FREE_DYNAMIC_START] = "GOMP_loop_nonmonotonic_dynamic_start",
    [FREE_DYNAMIC_NEXT] = "GOMP_loop_nonmonotonic_dynamic_next",
    [GUIDED_START] = "GOMP_loop_guided_start",
    [GUIDED_NEXT] = "GOMP_loop_guided_next",
    [FREE_GUIDED_START] = "GOMP_loop_nonmonotonic_guided_start",
    [FREE_GUIDED_NEXT] = "GOMP_loop_nonmonotonic_guided_next",
    [RUNTIME_START] = "GOMP_loop_maybe_nonmonotonic_runtime_start",
    [RUNTIME_NEXT] = "GOMP_loop_maybe_nonmonotonic_runtime_next",
    NULL,
};

/* ---- the team ---- */

struct call {
    int (*thread_num)(void);
    void (*body)(int thread, void *arg);
    void *arg;
};

static void call_body(void *data)
{
    const struct call *call = data;
    call->body(call->thread_num(), call->arg);
}

static void gomp_fork(const struct openmp *openmp, int threads,
                      void (*body)(int thread, void *arg), void *arg)
{
    void (*parallel)(void (*)(void *), void *, unsigned, unsigned) = (void (*)(
        void (*)(void *), void *, unsigned, unsigned))openmp->entry[PARALLEL];
    struct call call = {(int (*)(void))openmp->entry[THREAD_NUM], body, arg};
    parallel(call_body, &call, (unsigned)threads, 0);
}

static void gomp_set_schedule(const struct openmp *openmp, int kind, int chunk)
{
    ((void (*)(int, int))openmp->entry[SET_SCHEDULE])(kind, chunk);
}

/* ---- the loop ---- */

/* Blocks are dealt out without the runtime, as gcc compiles it. */
static bool next_block(struct source *base, struct chunk *chunk)
{
    struct source_openmp *source = (struct source_openmp *)base;
    int64_t from = source->at, last = source->loop->last;
    if (last - from <= source->stride)
        base->next = openmp_over;
    else
        source->at += source->stride;
    openmp_chunk(chunk, from,
                 last - from > source->size ? from + source->size : last);
    return true;
}

static bool begin_blocks(struct source *base, struct chunk *chunk)
{
    struct source_openmp *source = (struct source_openmp *)base;
    const struct openmp_loop *loop = source->loop;
    int64_t blocks = (loop->last - loop->first - 1) / loop->schedule.chunk + 1;
    if (source->thread >= blocks)
        return openmp_over(base, chunk);
    source->size = loop->schedule.chunk;
    source->at = loop->first + source->thread * source->size;
    /* No further than the end: the product may be more than 2^63. */
    source->stride =
        blocks > loop->threads ? loop->threads * source->size : INT64_MAX;
    base->next = next_block;
    return next_block(base, chunk);
}

/* One block each; the first threads have one iteration more. */
static bool begin_block(struct source *base, struct chunk *chunk)
{
    const struct source_openmp *source = (struct source_openmp *)base;
    const struct openmp_loop *loop = source->loop;
    int64_t share = (loop->last - loop->first) / loop->threads;
    int64_t more = (loop->last - loop->first) % loop->threads;
    int64_t thread = source->thread;
    int64_t from = loop->first + share * thread;
    from += thread < more ? thread : more;
    openmp_chunk(chunk, from, from + share + (thread < more));
    base->next = openmp_over;
    return chunk->size > 0;
}

static bool end_loop(struct source *base, struct chunk *chunk)
{
    const struct source_openmp *source = (struct source_openmp *)base;
    source->openmp->entry[END_NOWAIT]();
    return openmp_over(base, chunk);
}

static bool next_chunk(struct source *base, struct chunk *chunk)
{
    const struct source_openmp *source = (struct source_openmp *)base;
    long from, to;
    if (!((bool (*)(long *, long *))source->more)(&from, &to))
        return end_loop(base, chunk);
    openmp_chunk(chunk, from, to);
    return true;
}

static enum entry start_of(const struct openmp_schedule *schedule)
{
    if (schedule->runtime)
        return RUNTIME_START;
    if (schedule->kind == OPENMP_DYNAMIC)
        return schedule->monotonic ? DYNAMIC_START : FREE_DYNAMIC_START;
    return schedule->monotonic ? GUIDED_START : FREE_GUIDED_START;
}

static bool start_loop(const struct openmp *openmp,
                       const struct openmp_loop *loop, enum entry at,
                       long *from, long *to)
{
    void (*entry)(void) = openmp->entry[at];
    if (at == RUNTIME_START)
        return ((bool (*)(long, long, long, long *, long *))entry)(
            loop->first, loop->last, 1, from, to);
    return ((bool (*)(long, long, long, long, long *, long *))entry)(
        loop->first, loop->last, 1, loop->schedule.chunk, from, to);
}

static bool gomp_begin(struct source *base, struct chunk *chunk)
{
    struct source_openmp *source = (struct source_openmp *)base;
    const struct openmp_schedule *schedule = &source->loop->schedule;
    if (!schedule->runtime && schedule->kind == OPENMP_STATIC)
        return schedule->chunk > 0 ? begin_blocks(base, chunk)
                                   : begin_block(base, chunk);
    enum entry at = start_of(schedule);
    long from = 0, to = 0;
    source->more = source->openmp->entry[at + 1];
    base->next = next_chunk;
    if (!start_loop(source->openmp, source->loop, at, &from, &to))
        return end_loop(base, chunk);
    openmp_chunk(chunk, from, to);
    return true;
}

/* A thousand polls are some microseconds. */
const struct openmp_runtime openmp_gomp = {
    .name = "libgomp",
    .package = "libgomp1",
    .files = {"libgomp.so.1", NULL},
    .entries = entries,
    .waiting = {"OMP_WAIT_POLICY", "GOMP_SPINCOUNT", NULL},
    .variable = "GOMP_SPINCOUNT",
    .value = "1000",
    .mark = "_OPENMP = '",
    .fork = gomp_fork,
    .set_schedule = gomp_set_schedule,
    .begin = gomp_begin,
};
