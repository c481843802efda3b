/* In front of LLVM's libomp: the entries that clang, flang and Intel's
 * compilers call for loops with a schedule other than static.  If the chunks
 * are ours, the runtime's own loop begins empty, through the entry for 64 bits
 * of any type, and its next ends it.  Loops outside a region have one
 * thread. */
#include "dls/omp/gomp.h"

#include <stdarg.h>
#include <stdlib.h>

#define CALLER __builtin_return_address(0)

/* The runtime's numbers of schedules. */
enum {
    KMP_DYNAMIC = 35,
    KMP_GUIDED = 36,
    KMP_RUNTIME = 37,
    KMP_AUTO = 38,
    KMP_ORDERED = 64, /* and all above: not to be changed */
    KMP_MONOTONIC = 1 << 29,
    KMP_NONMONOTONIC = 1 << 30,
};

typedef void init_8_fn(void *, int32_t, int32_t, int64_t, int64_t, int64_t,
                       int64_t);
typedef int next_8_fn(void *, int32_t, int32_t *, int64_t *, int64_t *,
                      int64_t *);

/* A loop's bounds, the last one included, in 64 bits. */
struct loop_bounds {
    bool any; /* it has iterations */
    uint64_t first, distance, step;
    bool up;
};

/* The compiler's description of the place of a call. */
struct ident {
    int32_t reserved[4];
    const char *source;
};

static struct clause clause_of(const struct ident *where, int32_t schedule,
                               int64_t chunk)
{
    int32_t kind = schedule & ~(KMP_MONOTONIC | KMP_NONMONOTONIC);
    struct clause clause = {.by_llvm = true,
                            .source = where != NULL ? where->source : NULL};
    clause.clause = kind == KMP_DYNAMIC   ? CLAUSE_DYNAMIC
                    : kind == KMP_GUIDED  ? CLAUSE_GUIDED
                    : kind == KMP_RUNTIME ? CLAUSE_RUNTIME
                    : kind == KMP_AUTO    ? CLAUSE_AUTO
                                          : CLAUSE_OTHER;
    if (clause.clause == CLAUSE_DYNAMIC || clause.clause == CLAUSE_GUIDED)
        clause.chunk = chunk;
    if (kind >= KMP_ORDERED)
        clause.flags |= COUNTERS_ORDERED;
    if (schedule & KMP_MONOTONIC)
        clause.flags |= COUNTERS_MONOTONIC;
    return clause;
}

static uint64_t count_iterations(const struct loop_bounds *range)
{
    uint64_t step = range->up ? range->step : -range->step;
    if (!range->any || step == 0)
        return 0;
    uint64_t more = range->distance / step;
    return more == UINT64_MAX ? more : more + 1;
}

/* ---- in and out ---- */

/* Makes the frame of a loop that begins.  Frames of this task that remain
 * belong to cancelled loops. */
static struct frame *push_frame(const void *caller, const struct clause *clause,
                                struct ompt_place *place)
{
    struct loop_site *site = site_find(caller, clause);
    const struct runtime *runtime =
        site != NULL ? site->runtime : runtime_at(caller, true);
    bool known = ompt_find_place(place);
    while (place->task != NULL && here.top != NULL &&
           here.top->task == place->task)
        frame_pop();
    struct frame *frame = frame_push(runtime, site);
    frame->is.kmp = true;
    frame->task = place->task;
    frame->is.known = known && site != NULL &&
                      clause->clause < CLAUSE_DOACROSS &&
                      !(clause->flags & COUNTERS_ORDERED) &&
                      (site->measures || site->strategy != NULL);
    return frame;
}

static void begin_loop(struct frame *frame, const struct ompt_place *place,
                       const struct loop_bounds *range)
{
    uint64_t iterations = count_iterations(range);
    frame->replaced = site_takes(frame->site, iterations, place->threads);
    frame->iterations = frame->replaced ? (int64_t)iterations : 0;
    frame->first = range->first;
    frame->step = range->step;
    frame->threads = place->threads;
    frame->thread = place->thread;
    frame_join(frame, place->task != NULL ? ompt_next_slot(place)
                                          : &frame->alone_slot);
}

static bool is_ours(const struct frame *frame)
{
    return frame != NULL && frame->is.kmp;
}

/* The thread leaves: the runtime has no chunk left for it. */
static void leave_loop(struct frame *frame)
{
    if (frame->instance != NULL && !frame->replaced)
        frame_done(frame);
    frame_pop();
}

/* Ends the runtime's own empty loop. */
static int end_own(struct frame *frame, void *where, int32_t thread)
{
    int64_t first, last, step;
    int32_t is_last;
    next_8_fn *next = REAL(next_8_fn, frame->runtime, __kmpc_dispatch_next_8);
    while (next(where, thread, &is_last, &first, &last, &step))
        continue;
    frame_pop();
    return 0;
}

static void watch_chunk(struct frame *frame, uint64_t distance)
{
    uint64_t step = (int64_t)frame->step < 0 ? -frame->step : frame->step;
    frame->chunks++;
    frame->taken += step > 1 ? distance / step + 1 : distance + 1;
}

#define DISPATCH(type, T, S, U)                                                \
    typedef void init_##type##_fn(void *, int32_t, int32_t, T, T, S, S);       \
    typedef int next_##type##_fn(void *, int32_t, int32_t *, T *, T *, S *);   \
    typedef void dist_##type##_fn(void *, int32_t, int32_t, int32_t *, T, T,   \
                                  S, S);                                       \
    OMP_ENTRY init_##type##_fn __kmpc_dispatch_init_##type;                    \
    OMP_ENTRY next_##type##_fn __kmpc_dispatch_next_##type;                    \
    OMP_ENTRY dist_##type##_fn __kmpc_dist_dispatch_init_##type;               \
    OMP_ENTRY void __kmpc_dispatch_init_##type(void *where, int32_t thread,    \
                                               int32_t schedule, T first,      \
                                               T last, S step, S chunk)        \
    {                                                                          \
        const struct clause clause = clause_of(where, schedule, chunk);        \
        const struct loop_bounds range = {                                     \
            .any = step > 0 ? first <= last : first >= last,                   \
            .up = step > 0,                                                    \
            .first = (uint64_t)first,                                          \
            .distance = step > 0 ? (uint64_t)(U)((U)last - (U)first)           \
                                 : (uint64_t)(U)((U)first - (U)last),          \
            .step = (uint64_t)(int64_t)step};                                  \
        struct ompt_place place;                                               \
        struct frame *frame = push_frame(CALLER, &clause, &place);             \
        if (frame->is.known)                                                   \
            begin_loop(frame, &place, &range);                                 \
        if (frame->replaced)                                                   \
            REAL(init_8_fn, frame->runtime, __kmpc_dispatch_init_8)            \
        (where, thread, KMP_DYNAMIC | KMP_MONOTONIC, 0, -1, 1, 1);             \
        else REAL(init_##type##_fn, frame->runtime,                            \
                  __kmpc_dispatch_init_##type)(where, thread, schedule, first, \
                                               last, step, chunk);             \
    }                                                                          \
    OMP_ENTRY void __kmpc_dist_dispatch_init_##type(                           \
        void *where, int32_t thread, int32_t schedule, int32_t *is_last,       \
        T first, T last, S step, S chunk)                                      \
    {                                                                          \
        const struct clause clause = {.clause = CLAUSE_OTHER,                  \
                                      .by_llvm = true};                        \
        struct ompt_place place;                                               \
        struct frame *frame = push_frame(CALLER, &clause, &place);             \
        REAL(dist_##type##_fn, frame->runtime,                                 \
             __kmpc_dist_dispatch_init_##type)                                 \
        (where, thread, schedule, is_last, first, last, step, chunk);          \
    }                                                                          \
    OMP_ENTRY int __kmpc_dispatch_next_##type(void *where, int32_t thread,     \
                                              int32_t *is_last, T *first,      \
                                              T *last, S *step)                \
    {                                                                          \
        struct frame *frame = here.top;                                        \
        struct chunk chunk;                                                    \
        if (is_ours(frame) && frame->replaced) {                               \
            if (!frame_take(frame, &chunk))                                    \
                return end_own(frame, where, thread);                          \
            uint64_t begin = (uint64_t)chunk.start;                            \
            uint64_t end = begin + (uint64_t)chunk.size - 1;                   \
            *first = (T)(frame->first + begin * frame->step);                  \
            *last = (T)(frame->first + end * frame->step);                     \
            if (step != NULL)                                                  \
                *step = (S)frame->step;                                        \
            if (is_last != NULL)                                               \
                *is_last = (int64_t)end + 1 == frame->iterations;              \
            return 1;                                                          \
        }                                                                      \
        const struct runtime *runtime =                                        \
            frame != NULL ? frame->runtime : gomp_runtime_of(CALLER, true);    \
        next_##type##_fn *next =                                               \
            REAL(next_##type##_fn, runtime, __kmpc_dispatch_next_##type);      \
        if (!is_ours(frame))                                                   \
            return next(where, thread, is_last, first, last, step);            \
        bool watched = frame->instance != NULL;                                \
        bool quiet = !watched || --frame->quiet > 0;                           \
        if (!quiet)                                                            \
            frame_watch_begin(frame);                                          \
        int more = next(where, thread, is_last, first, last, step);            \
        if (!more)                                                             \
            leave_loop(frame);                                                 \
        else if (watched)                                                      \
            watch_chunk(frame, frame->step >> 63 ? (U)*first - (U)*last        \
                                                 : (U)*last - (U)*first);      \
        if (more && !quiet)                                                    \
            frame_watch_end(frame, true);                                      \
        return more;                                                           \
    }

DISPATCH(4, int32_t, int32_t, uint32_t)
DISPATCH(4u, uint32_t, int32_t, uint32_t)
DISPATCH(8, int64_t, int64_t, uint64_t)
DISPATCH(8u, uint64_t, int64_t, uint64_t)

/* Newer compilers call it behind every loop; older runtimes have none. */
typedef void deinit_fn(void *, int32_t);
OMP_ENTRY deinit_fn __kmpc_dispatch_deinit;
OMP_ENTRY void __kmpc_dispatch_deinit(void *where, int32_t thread)
{
    const struct runtime *runtime = gomp_runtime_of(CALLER, true);
    if (runtime->entry[ENTRY___kmpc_dispatch_deinit] != NULL)
        REAL(deinit_fn, runtime, __kmpc_dispatch_deinit)(where, thread);
}

/* ---- regions ---- */

/* OMPT identifies a region by the return address of its call.  If the call is
 * the last one of a function, that address is in another function.  So this
 * identifies the region by its own function and by its place. */
typedef void fork_fn(void *, int32_t, void *, ...);
OMP_ENTRY fork_fn __kmpc_fork_call;

static fork_fn *begin_region(const struct ident *where, const void *body,
                             const void *caller)
{
    const struct clause clause = {.clause = CLAUSE_REGION,
                                  .caller = caller,
                                  .by_llvm = true,
                                  .source =
                                      where != NULL ? where->source : NULL};
    struct loop_site *site =
        settings()->folder != NULL ? site_find(body, &clause) : NULL;
    const struct runtime *runtime =
        site != NULL ? site->runtime : runtime_at(caller, true);
    here.entering = site;
    return REAL(fork_fn, runtime, __kmpc_fork_call);
}

/* The shared variables of a region are arguments.  Passes all of them on, and
 * some that nobody reads. */
#define ARGS_4(i) arg[i], arg[(i) + 1], arg[(i) + 2], arg[(i) + 3]
#define ARGS_16(i) ARGS_4(i), ARGS_4((i) + 4), ARGS_4((i) + 8), ARGS_4((i) + 12)
#define ARGS_64(i)                                                             \
    ARGS_16(i), ARGS_16((i) + 16), ARGS_16((i) + 32), ARGS_16((i) + 48)
#define ARGS_256(i)                                                            \
    ARGS_64(i), ARGS_64((i) + 64), ARGS_64((i) + 128), ARGS_64((i) + 192)
#define ARGS_1024(i)                                                           \
    ARGS_256(i), ARGS_256((i) + 256), ARGS_256((i) + 512), ARGS_256((i) + 768)
enum { FEW = 16, MANY = 1024 };

static void take_args(void **arg, int count, int room, va_list *args)
{
    for (int i = 0; i < room; i++)
        arg[i] = i < count ? va_arg(*args, void *) : NULL;
}

static __attribute__((noinline)) void
fork_many(fork_fn *fork, void *where, int count, void *body, va_list *args)
{
    void *arg[MANY];
    if (count > MANY) {
        settings_say("a region of LLVM's compilers shares %d variables, at "
                     "most %d can be passed on",
                     count, (int)MANY);
        abort();
    }
    take_args(arg, count, MANY, args);
    fork(where, count, body, ARGS_1024(0));
}

OMP_ENTRY void __kmpc_fork_call(void *where, int32_t count, void *body, ...)
{
    void *arg[FEW];
    va_list args;
    fork_fn *fork = begin_region(where, body, CALLER);
    va_start(args, body);
    if (count <= FEW) {
        take_args(arg, count, FEW, &args);
        fork(where, count, body, ARGS_16(0));
    } else {
        fork_many(fork, where, count, body, &args);
    }
    va_end(args);
    here.entering = NULL;
}
