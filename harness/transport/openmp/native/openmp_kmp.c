/* LLVM's OpenMP runtime, called as the code that clang emits calls it; see
 * openmp/runtime/src/kmp.h there. */
#include "harness/transport/openmp/openmp_internal.h"

enum entry {
    GLOBAL_THREAD,
    PUSH_THREADS,
    FORK_CALL,
    SET_SCHEDULE,
    STATIC_INIT,
    STATIC_FINI,
    DISPATCH_INIT,
    DISPATCH_NEXT,
};

static const char *const entries[] = {
    [GLOBAL_THREAD] = "__kmpc_global_thread_num",
    [PUSH_THREADS] = "__kmpc_push_num_threads",
    [FORK_CALL] = "__kmpc_fork_call",
    [SET_SCHEDULE] = "omp_set_schedule",
    [STATIC_INIT] = "__kmpc_for_static_init_8",
    [STATIC_FINI] = "__kmpc_for_static_fini",
    [DISPATCH_INIT] = "__kmpc_dispatch_init_8",
    [DISPATCH_NEXT] = "__kmpc_dispatch_next_8",
    NULL,
};

/* enum sched_type */
enum {
    STATIC_CHUNKED = 33,
    STATIC_BLOCK = 34,
    DYNAMIC_CHUNKED = 35,
    GUIDED_CHUNKED = 36,
    RUNTIME = 37,
    MONOTONIC = 1 << 29,
    NONMONOTONIC = 1 << 30,
};

/* ident_t: the compiler's description of a place in the source. */
struct kmp_ident {
    int32_t reserved, flags, more[2];
    const char *source;
};

enum { PLACE_KMPC = 2, PLACE_LOOP = 0x200 };

static const struct kmp_ident here = {
    0, PLACE_KMPC, {0, 0}, ";dlsbench;loop;0;0;;"};
static const struct kmp_ident loop_here = {
    0, PLACE_KMPC | PLACE_LOOP, {0, 0}, ";dlsbench;loop;0;0;;"};

static int32_t global_thread(const struct openmp *openmp)
{
    return ((int32_t(*)(const struct kmp_ident *))openmp->entry[GLOBAL_THREAD])(
        &here);
}

/* ---- the team ---- */

struct call {
    void (*body)(int thread, void *arg);
    void *arg;
};

static void call_body(const int32_t *global, const int32_t *thread,
                      const struct call *call)
{
    (void)global;
    call->body(*thread, call->arg);
}

static void kmp_fork(const struct openmp *openmp, int threads,
                     void (*body)(int thread, void *arg), void *arg)
{
    struct call call = {body, arg};
    ((void (*)(const struct kmp_ident *, int32_t, int32_t))
         openmp->entry[PUSH_THREADS])(&here, global_thread(openmp), threads);
    ((void (*)(const struct kmp_ident *, int32_t,
               void (*)(const int32_t *, const int32_t *, const struct call *),
               ...))openmp->entry[FORK_CALL])(&here, 1, call_body, &call);
}

static void kmp_set_schedule(const struct openmp *openmp, int kind, int chunk)
{
    ((void (*)(int, int))openmp->entry[SET_SCHEDULE])(kind, chunk);
}

/* ---- the loop ---- */

static void end_blocks(const struct source_openmp *source)
{
    ((void (*)(const struct kmp_ident *,
               int32_t))source->openmp->entry[STATIC_FINI])(&loop_here,
                                                            source->self);
}

/* The blocks of one thread are `stride` apart. */
static bool next_block(struct source *base, struct chunk *chunk)
{
    struct source_openmp *source = (struct source_openmp *)base;
    int64_t from = source->at, last = source->loop->last;
    if (from >= last) {
        end_blocks(source);
        return openmp_over(base, chunk);
    }
    openmp_chunk(chunk, from,
                 last - from > source->size ? from + source->size : last);
    source->at = last - from > source->stride ? from + source->stride : last;
    return true;
}

static bool begin_blocks(struct source *base, struct chunk *chunk)
{
    struct source_openmp *source = (struct source_openmp *)base;
    const struct openmp_loop *loop = source->loop;
    int64_t given = loop->schedule.chunk;
    int64_t low = loop->first, high = loop->last - 1, stride = 1;
    int32_t last = 0;
    ((void (*)(const struct kmp_ident *, int32_t, int32_t, int32_t *, int64_t *,
               int64_t *, int64_t *, int64_t,
               int64_t))source->openmp->entry[STATIC_INIT])(
        &loop_here, source->self, given > 0 ? STATIC_CHUNKED : STATIC_BLOCK,
        &last, &low, &high, &stride, 1, given > 0 ? given : 1);
    source->at = high >= low ? low : loop->last;
    source->size = high - low + 1;
    source->stride = given > 0 ? stride : INT64_MAX; /* one block each */
    base->next = next_block;
    return next_block(base, chunk);
}

static int32_t type_of(const struct openmp_schedule *schedule)
{
    if (schedule->runtime)
        return RUNTIME | NONMONOTONIC;
    int32_t type =
        schedule->kind == OPENMP_DYNAMIC ? DYNAMIC_CHUNKED : GUIDED_CHUNKED;
    return type | (schedule->monotonic ? MONOTONIC : NONMONOTONIC);
}

static bool next_chunk(struct source *base, struct chunk *chunk)
{
    const struct source_openmp *source = (struct source_openmp *)base;
    int32_t last;
    int64_t low, high, step;
    if (((int32_t(*)(const struct kmp_ident *, int32_t, int32_t *, int64_t *,
                     int64_t *,
                     int64_t *))source->openmp->entry[DISPATCH_NEXT])(
            &here, source->self, &last, &low, &high, &step) == 0)
        return openmp_over(base, chunk);
    openmp_chunk(chunk, low, high + 1);
    return true;
}

static bool kmp_begin(struct source *base, struct chunk *chunk)
{
    struct source_openmp *source = (struct source_openmp *)base;
    const struct openmp_loop *loop = source->loop;
    const struct openmp_schedule *schedule = &loop->schedule;
    source->self = global_thread(source->openmp);
    if (!schedule->runtime && schedule->kind == OPENMP_STATIC)
        return begin_blocks(base, chunk);
    ((void (*)(const struct kmp_ident *, int32_t, int32_t, int64_t, int64_t,
               int64_t, int64_t))source->openmp->entry[DISPATCH_INIT])(
        &here, source->self, type_of(schedule), loop->first, loop->last - 1, 1,
        schedule->chunk > 0 ? schedule->chunk : 1);
    base->next = next_chunk;
    return next_chunk(base, chunk);
}

const struct openmp_runtime openmp_kmp = {
    .name = "libomp",
    .package = "libomp-dev",
    .files = {"libomp.so.5", "libomp.so", NULL},
    .entries = entries,
    .waiting = {"OMP_WAIT_POLICY", "KMP_BLOCKTIME", NULL},
    .variable = "KMP_BLOCKTIME",
    .value = "0",
    .mark = "LLVM OMP API version: ",
    .fork = kmp_fork,
    .set_schedule = kmp_set_schedule,
    .begin = kmp_begin,
};
