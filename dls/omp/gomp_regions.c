/* In front of libgomp: parallel regions, parallel loops, and loops that the
 * library never changes. */
#include "dls/omp/gomp.h"
#include "dls/omp/omp_team.h"

/* ---- regions ---- */

/* Begins the team of a region measured here. For LLVM's runtime OMPT begins it,
 * and needs the region's site. */
static void enter_region(struct region *region, unsigned threads)
{
    struct loop_site *site = region->site;
    region->outside = here.mate;
    if (site == NULL || !site->measures)
        return;
    if (site->runtime->llvm)
        here.entering = site;
    else if (site->runtime->threads != NULL && site->runtime->most != NULL) {
        region->team = team_begin(site, threads > 0 ? (int)threads
                                                    : site->runtime->most());
        region->stamp = region->team->stamp;
    }
}

static void leave_region(const struct region *region)
{
    here.entering = NULL;
    here.mate = region->outside;
    if (region->team != NULL)
        team_end(region->team);
}

/* A thread begins the region, and is at its end. */
struct inside {
    const struct region *before;
    const struct unit *unit;
    struct frame *top;
};

static struct inside begin_thread(const struct region *region)
{
    /* The data are often where the last region's data were: they arrive from
     * the other core together with the region's cache line. */
    __builtin_prefetch(here.data);
    const struct inside inside = {here.region, here.unit, here.top};
    here.region = region;
    here.data = region->data;
    here.unit = NULL; /* its number belongs to this region now */
    mapped_thread();
    if (region->team != NULL)
        mate_begin(region->team, region->stamp, region->team->runtime->thread(),
                   region->team->runtime->threads());
    return inside;
}

static void end_thread(const struct region *region, struct inside inside)
{
    if (here.top != inside.top)
        frames_drop(inside.top);
    here.region = inside.before;
    here.unit = inside.unit;
    if (region->team != NULL)
        mate_arrive_last(region->team);
}

static void run_region(void *arg)
{
    const struct region *region = arg;
    const struct inside inside = begin_thread(region);
    region->body(region->data);
    end_thread(region, inside);
}

/* A region whose static loop is cut. */
static void run_cut(void *arg)
{
    struct cut *cut = arg;
    const struct inside inside = begin_thread(&cut->region);
    blocks_run(cut);
    end_thread(&cut->region, inside);
}

/* False: it runs uncut. */
static __attribute__((noinline)) bool
begin_cut(parallel_fn *real, const struct region *region, const void *caller,
          unsigned threads, unsigned flags)
{
    struct cut cut = {.region = *region};
    if (!blocks_begin(&cut, caller))
        return false;
    real(run_cut, &cut, threads, flags);
    blocks_end(&cut);
    return true;
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
    const struct inside inside = begin_thread(&loop->region);
    struct frame *frame;
    if (gomp_push((const void *)loop->region.body, &loop->clause, &frame))
        gomp_begin(frame, &loop->bounds, &loop->clause, NULL, NULL);
    loop->region.body(loop->region.data);
    end_thread(&loop->region, inside);
}

static const struct runtime *begin_region(struct region *region,
                                          const void *caller, unsigned threads)
{
    const struct clause clause = {.clause = CLAUSE_REGION, .caller = caller};
    region->site = site_find((const void *)region->body, &clause);
    enter_region(region, threads);
    return region->site != NULL ? region->site->runtime
                                : runtime_at(caller, false);
}

OMP_ENTRY parallel_fn GOMP_parallel;
OMP_ENTRY void GOMP_parallel(void (*body)(void *), void *data, unsigned threads,
                             unsigned flags)
{
    struct region region = {.body = body, .data = data};
    const struct runtime *runtime = begin_region(&region, CALLER, threads);
    parallel_fn *real = REAL(parallel_fn, runtime, GOMP_parallel);
    bool whole = region.site == NULL || region.site->blocks == NULL;
    if (OMP_LIKELY(whole) || !begin_cut(real, &region, CALLER, threads, flags))
        real(run_region, &region, threads, flags);
    leave_region(&region);
}

typedef unsigned parallel_reductions_fn(void (*)(void *), void *, unsigned,
                                        unsigned);
OMP_ENTRY parallel_reductions_fn GOMP_parallel_reductions;
OMP_ENTRY unsigned GOMP_parallel_reductions(void (*body)(void *), void *data,
                                            unsigned threads, unsigned flags)
{
    struct region region = {
        .reductions = *(void **)data, .body = body, .data = data};
    const struct runtime *runtime = begin_region(&region, CALLER, threads);
    unsigned got =
        REAL(parallel_reductions_fn, runtime,
             GOMP_parallel_reductions)(run_region, &region, threads, flags);
    leave_region(&region);
    return got;
}

typedef void parallel_sections_fn(void (*)(void *), void *, unsigned, unsigned,
                                  unsigned);
OMP_ENTRY parallel_sections_fn GOMP_parallel_sections;
OMP_ENTRY void GOMP_parallel_sections(void (*body)(void *), void *data,
                                      unsigned threads, unsigned count,
                                      unsigned flags)
{
    struct region region = {.body = body, .data = data};
    const struct runtime *runtime = begin_region(&region, CALLER, threads);
    REAL(parallel_sections_fn, runtime, GOMP_parallel_sections)
    (run_region, &region, threads, count, flags);
    leave_region(&region);
}

/* Runs a region whose visits are known. False: the runtime's entry must run it,
 * with run_parallel_loop as its body; then call leave_region. */
static bool run_known(struct parallel_loop *loop, unsigned threads,
                      unsigned flags, const struct runtime **runtime)
{
    const void *body = (const void *)loop->region.body;
    if (settings()->folder != NULL)
        begin_region(&loop->region, loop->clause.caller, threads);
    loop->clause.region = loop->region.site;
    const struct loop_site *site = site_find(body, &loop->clause);
    *runtime =
        site != NULL ? site->runtime : runtime_at(loop->clause.caller, false);
    if (!gomp_is_known(site, &loop->clause))
        return false;
    REAL(parallel_fn, *runtime, GOMP_parallel)
    (run_parallel_loop, loop, threads, flags);
    leave_region(&loop->region);
    return true;
}

#define LOOP_OF(kind, bits, size)                                              \
    {                                                                          \
        .region = {.body = body, .data = data, .outside = here.mate},          \
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
        struct parallel_loop loop = LOOP_OF(kind, bits, chunk);                \
        const struct runtime *runtime;                                         \
        if (run_known(&loop, threads, flags, &runtime))                        \
            return;                                                            \
        REAL(parallel_chunked_fn, runtime, GOMP_parallel_loop_##name)          \
        (run_parallel_loop, &loop, threads, first, end, step, chunk, flags);   \
        leave_region(&loop.region);                                            \
    }

#define PARALLEL_PLAIN(name, kind, bits)                                       \
    OMP_ENTRY parallel_plain_fn GOMP_parallel_loop_##name;                     \
    OMP_ENTRY void GOMP_parallel_loop_##name(                                  \
        void (*body)(void *), void *data, unsigned threads, long first,        \
        long end, long step, unsigned flags)                                   \
    {                                                                          \
        struct parallel_loop loop = LOOP_OF(kind, bits, 0);                    \
        const struct runtime *runtime;                                         \
        if (run_known(&loop, threads, flags, &runtime))                        \
            return;                                                            \
        REAL(parallel_plain_fn, runtime, GOMP_parallel_loop_##name)            \
        (run_parallel_loop, &loop, threads, first, end, step, flags);          \
        leave_region(&loop.region);                                            \
    }

#define PARALLEL(kind, name, clause, flags) PARALLEL_##kind(name, clause, flags)
#include "dls/omp/gomp.def"

/* ---- loops that never change ---- */

static struct frame *push_alone(const void *caller, uint32_t clause,
                                uint32_t flags)
{
    struct frame *frame;
    gomp_push(caller, &(struct clause){.clause = clause, .flags = flags},
              &frame);
    return frame;
}

/* For reduction(task), inscan and lastprivate(conditional): their memory is the
 * program's. */
#define OTHER(name, bits)                                                      \
    OMP_ENTRY start_fn GOMP_loop_##name;                                       \
    OMP_ENTRY bool GOMP_loop_##name(                                           \
        long first, long end, long step, long schedule, long chunk,            \
        long *from, long *to, uintptr_t *reductions, void **memory)            \
    {                                                                          \
        struct frame *frame = push_alone(CALLER, CLAUSE_OTHER, bits);          \
        return REAL(start_fn, frame->runtime, GOMP_loop_##name)(               \
            first, end, step, schedule, chunk, from, to, reductions, memory);  \
    }                                                                          \
    OMP_ENTRY ull_start_fn GOMP_loop_ull_##name;                               \
    OMP_ENTRY bool GOMP_loop_ull_##name(                                       \
        bool up, ull first, ull end, ull step, long schedule, ull chunk,       \
        ull *from, ull *to, uintptr_t *reductions, void **memory)              \
    {                                                                          \
        struct frame *frame = push_alone(CALLER, CLAUSE_OTHER, bits);          \
        return REAL(ull_start_fn, frame->runtime, GOMP_loop_ull_##name)(       \
            up, first, end, step, schedule, chunk, from, to, reductions,       \
            memory);                                                           \
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
                    GOMP_loop_##prefix##doacross_start)(                       \
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
                    GOMP_loop_##prefix##doacross_runtime_start)(loops, counts, \
                                                                from, to);     \
    }

#define ACROSS(prefix, kind, T)                                                \
    OMP_ENTRY prefix##across_fn GOMP_loop_##prefix##doacross_##kind##_start;   \
    OMP_ENTRY bool GOMP_loop_##prefix##doacross_##kind##_start(                \
        unsigned loops, T *counts, T chunk, T *from, T *to)                    \
    {                                                                          \
        struct frame *frame = push_alone(CALLER, CLAUSE_DOACROSS, 0);          \
        return REAL(prefix##across_fn, frame->runtime,                         \
                    GOMP_loop_##prefix##doacross_##kind##_start)(              \
            loops, counts, chunk, from, to);                                   \
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
        REAL(legacy_fn, frame->runtime, GOMP_parallel_loop_##kind##_start)     \
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
    REAL(legacy_plain_fn, frame->runtime, GOMP_parallel_loop_runtime_start)
    (body, data, threads, first, end, step);
}
