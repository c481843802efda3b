/* In front of libgomp: parallel regions, those that are a loop by themselves,
 * loops that are always left alone, and the ends of all. */
#include "dls/omp/gomp.h"

/* ---- regions ---- */

static void leave_region(struct frame *top, const struct region *before)
{
    frames_drop(top);
    here.region = before;
}

static void run_region(void *arg)
{
    const struct region *region = arg;
    const struct region *before = here.region;
    struct frame *top = here.top;
    here.region = region;
    mapped_thread();
    region->body(region->data);
    leave_region(top, before);
}

/* A region that is a loop: each thread begins it. */
struct parallel_loop {
    struct region region;
    struct clause clause;
    struct bounds bounds;
};

static void run_parallel_loop(void *arg)
{
    const struct parallel_loop *loop = arg;
    const struct region *before = here.region;
    struct frame *top = here.top, *frame;
    mapped_thread();
    if (gomp_push((const void *)loop->region.body, &loop->clause, &frame))
        gomp_begin(frame, &loop->bounds, &loop->clause, NULL, NULL);
    loop->region.body(loop->region.data);
    leave_region(top, before);
}

OMP_ENTRY parallel_fn GOMP_parallel;
OMP_ENTRY void GOMP_parallel(void (*body)(void *), void *data, unsigned threads,
                             unsigned flags)
{
    const struct clause clause = {.clause = CLAUSE_REGION, .caller = CALLER};
    struct site *site = site_find((const void *)body, &clause);
    struct region region = {body, data, site};
    const struct runtime *runtime =
        site != NULL ? site->runtime : runtime_at(CALLER, false);
    parallel_fn *parallel = REAL(parallel_fn, runtime, parallel);
    if (site == NULL || !site->measures) {
        parallel(run_region, &region, threads, flags);
        return;
    }
    uint64_t began = engine_ticks();
    atomic_fetch_add(&site->counted->begun, 1);
    parallel(run_region, &region, threads, flags);
    instance_count_alone(site, began, engine_ticks());
}

/* Runs a region whose visits are known; false: the runtime's own entry must do
 * it, with run_parallel_loop as its body. */
static bool run_known(struct parallel_loop *loop, unsigned threads,
                      unsigned flags, const struct runtime **runtime)
{
    const struct site *site =
        site_find((const void *)loop->region.body, &loop->clause);
    *runtime =
        site != NULL ? site->runtime : runtime_at(loop->clause.caller, false);
    if (!gomp_is_known(site, &loop->clause))
        return false;
    REAL(parallel_fn, *runtime, parallel)
    (run_parallel_loop, loop, threads, flags);
    return true;
}

#define LOOP(kind, bits, size)                                                 \
    {                                                                          \
        .region = {body, data, NULL},                                          \
        .clause = {.clause = kind,                                             \
                   .flags = (bits) | COUNTERS_COMBINED,                        \
                   .chunk = size,                                              \
                   .caller = CALLER},                                          \
        .bounds = {                                                            \
            .up = step > 0,                                                    \
            .first = (uint64_t)first,                                          \
            .end = (uint64_t)end,                                              \
            .step = (uint64_t)step                                             \
        }                                                                      \
    }

typedef void parallel_chunked_fn(void (*)(void *), void *, unsigned, long, long,
                                 long, long, unsigned);
typedef void parallel_plain_fn(void (*)(void *), void *, unsigned, long, long,
                               long, unsigned);

#define PARALLEL_CHUNKED(name, kind, bits)                                     \
    OMP_ENTRY parallel_chunked_fn GOMP_parallel_loop_##name;                   \
    OMP_ENTRY void GOMP_parallel_loop_##name(                                  \
        void (*body)(void *), void *data, unsigned threads, long first,        \
        long end, long step, long chunk, unsigned flags)                       \
    {                                                                          \
        struct parallel_loop loop = LOOP(kind, bits, chunk);                   \
        const struct runtime *runtime;                                         \
        if (!run_known(&loop, threads, flags, &runtime))                       \
            REAL(parallel_chunked_fn, runtime, parallel_##name)                \
        (run_parallel_loop, &loop, threads, first, end, step, chunk, flags);   \
    }

#define PARALLEL_PLAIN(name, kind, bits)                                       \
    OMP_ENTRY parallel_plain_fn GOMP_parallel_loop_##name;                     \
    OMP_ENTRY void GOMP_parallel_loop_##name(                                  \
        void (*body)(void *), void *data, unsigned threads, long first,        \
        long end, long step, unsigned flags)                                   \
    {                                                                          \
        struct parallel_loop loop = LOOP(kind, bits, 0);                       \
        const struct runtime *runtime;                                         \
        if (!run_known(&loop, threads, flags, &runtime))                       \
            REAL(parallel_plain_fn, runtime, parallel_##name)                  \
        (run_parallel_loop, &loop, threads, first, end, step, flags);          \
    }

#include "dls/omp/gomp.def"

/* ---- loops that are left alone ---- */

static struct frame *push_alone(const void *caller, uint32_t clause,
                                uint32_t flags)
{
    struct frame *frame;
    gomp_push(caller, &(struct clause){.clause = clause, .flags = flags},
              &frame);
    return frame;
}

/* Of reduction(task), inscan and lastprivate(conditional): their memory is the
 * program's. */
#define OTHER(name, bits)                                                      \
    OMP_ENTRY start_fn GOMP_loop_##name;                                       \
    OMP_ENTRY bool GOMP_loop_##name(                                           \
        long first, long end, long step, long schedule, long chunk,            \
        long *from, long *to, uintptr_t *reductions, void **memory)            \
    {                                                                          \
        struct frame *frame = push_alone(CALLER, CLAUSE_OTHER, bits);          \
        return REAL(start_fn, frame->runtime, loop_##name)(                    \
            first, end, step, schedule, chunk, from, to, reductions, memory);  \
    }                                                                          \
    OMP_ENTRY ull_start_fn GOMP_loop_ull_##name;                               \
    OMP_ENTRY bool GOMP_loop_ull_##name(                                       \
        bool up, ull first, ull end, ull step, long schedule, ull chunk,       \
        ull *from, ull *to, uintptr_t *reductions, void **memory)              \
    {                                                                          \
        struct frame *frame = push_alone(CALLER, CLAUSE_OTHER, bits);          \
        return REAL(ull_start_fn, frame->runtime,                              \
                    loop_ull_##name)(up, first, end, step, schedule, chunk,    \
                                     from, to, reductions, memory);            \
    }
OTHER(start, 0)
OTHER(ordered_start, COUNTERS_ORDERED)

/* T is long, or ull with the entries of that name. */
#define DOACROSS(prefix, T)                                                    \
    typedef bool prefix##general_fn(unsigned, T *, long, T, T *, T *,          \
                                    uintptr_t *, void **);                     \
    typedef bool prefix##across_fn(unsigned, T *, T, T *, T *);                \
    typedef bool prefix##across_plain_fn(unsigned, T *, T *, T *);             \
    OMP_ENTRY prefix##general_fn GOMP_loop_##prefix##doacross_start;           \
    OMP_ENTRY bool GOMP_loop_##prefix##doacross_start(                         \
        unsigned loops, T *counts, long schedule, T chunk, T *from, T *to,     \
        uintptr_t *reductions, void **memory)                                  \
    {                                                                          \
        struct frame *frame = push_alone(CALLER, CLAUSE_DOACROSS, 0);          \
        return REAL(prefix##general_fn, frame->runtime,                        \
                    loop_##prefix##doacross_start)(                            \
            loops, counts, schedule, chunk, from, to, reductions, memory);     \
    }                                                                          \
    ACROSS(prefix, static, T)                                                  \
    ACROSS(prefix, dynamic, T)                                                 \
    ACROSS(prefix, guided, T)                                                  \
    OMP_ENTRY prefix##across_plain_fn                                          \
        GOMP_loop_##prefix##doacross_runtime_start;                            \
    OMP_ENTRY bool GOMP_loop_##prefix##doacross_runtime_start(                 \
        unsigned loops, T *counts, T *from, T *to)                             \
    {                                                                          \
        struct frame *frame = push_alone(CALLER, CLAUSE_DOACROSS, 0);          \
        return REAL(prefix##across_plain_fn, frame->runtime,                   \
                    loop_##prefix##doacross_runtime_start)(loops, counts,      \
                                                           from, to);          \
    }

#define ACROSS(prefix, kind, T)                                                \
    OMP_ENTRY prefix##across_fn GOMP_loop_##prefix##doacross_##kind##_start;   \
    OMP_ENTRY bool GOMP_loop_##prefix##doacross_##kind##_start(                \
        unsigned loops, T *counts, T chunk, T *from, T *to)                    \
    {                                                                          \
        struct frame *frame = push_alone(CALLER, CLAUSE_DOACROSS, 0);          \
        return REAL(prefix##across_fn, frame->runtime,                         \
                    loop_##prefix##doacross_##kind##_start)(loops, counts,     \
                                                            chunk, from, to);  \
    }
DOACROSS(, long)
DOACROSS(ull_, ull)

/* Before gcc 4.9: the caller is a thread of the team and runs the body by
 * itself; the others begin with _next. */
typedef void legacy_fn(void (*)(void *), void *, unsigned, long, long, long,
                       long);
typedef void legacy_plain_fn(void (*)(void *), void *, unsigned, long, long,
                             long);

#define LEGACY(kind, clause)                                                   \
    OMP_ENTRY legacy_fn GOMP_parallel_loop_##kind##_start;                     \
    OMP_ENTRY void GOMP_parallel_loop_##kind##_start(                          \
        void (*body)(void *), void *data, unsigned threads, long first,        \
        long end, long step, long chunk)                                       \
    {                                                                          \
        struct frame *frame = push_alone(CALLER, clause, COUNTERS_ORDERED);    \
        REAL(legacy_fn, frame->runtime, parallel_loop_##kind##_start)          \
        (body, data, threads, first, end, step, chunk);                        \
    }
LEGACY(static, CLAUSE_STATIC)
LEGACY(dynamic, CLAUSE_DYNAMIC)
LEGACY(guided, CLAUSE_GUIDED)

OMP_ENTRY legacy_plain_fn GOMP_parallel_loop_runtime_start;
OMP_ENTRY void GOMP_parallel_loop_runtime_start(void (*body)(void *),
                                                void *data, unsigned threads,
                                                long first, long end, long step)
{
    struct frame *frame = push_alone(CALLER, CLAUSE_RUNTIME, COUNTERS_ORDERED);
    REAL(legacy_plain_fn, frame->runtime, parallel_loop_runtime_start)
    (body, data, threads, first, end, step);
}

/* ---- ends ---- */

/* The runtime of the loop that ends.  The frame goes before the runtime's end:
 * a thread that waits there may run a task with loops of its own. */
static const struct runtime *leave(const void *caller)
{
    const struct frame *frame = here.top;
    if (frame == NULL)
        return gomp_runtime_of(caller, false);
    const struct runtime *runtime = frame->runtime;
    frame_pop();
    return runtime;
}

typedef void end_fn(void);
typedef bool end_cancel_fn(void);

OMP_ENTRY end_fn GOMP_loop_end, GOMP_loop_end_nowait;
OMP_ENTRY end_cancel_fn GOMP_loop_end_cancel;

OMP_ENTRY void GOMP_loop_end(void)
{
    REAL(end_fn, leave(CALLER), loop_end)();
}

OMP_ENTRY void GOMP_loop_end_nowait(void)
{
    REAL(end_fn, leave(CALLER), loop_end_nowait)();
}

OMP_ENTRY bool GOMP_loop_end_cancel(void)
{
    return REAL(end_cancel_fn, leave(CALLER), loop_end_cancel)();
}
