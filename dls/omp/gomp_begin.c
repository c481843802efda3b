/* How a loop of libgomp begins: through GOMP_loop_start, whose last argument
 * returns memory that exactly the threads of this visit share.  So the runtime
 * handles nowait, nested regions, teams and orphaned loops.  If the chunks are
 * ours, the runtime's loop is empty; otherwise it is the one that the program
 * requested. */
#include "dls/omp/gomp.h"
#include "dls/omp/omp_team.h"

#include <stdlib.h>

/* libgomp's numbers of schedules. */
enum { GOMP_RUNTIME, GOMP_STATIC, GOMP_DYNAMIC, GOMP_GUIDED };
#define GOMP_MONOTONIC 0x80000000l

void (*gomp_real(const struct runtime *runtime, enum runtime_entry entry))(void)
{
    void (*found)(void) = runtime->entry[entry];
    if (!OMP_LIKELY(found != NULL)) {
        settings_say("no OpenMP runtime has the function that the program "
                     "calls");
        abort();
    }
    return found;
}

const struct runtime *gomp_runtime_of(const void *caller, bool by_llvm)
{
    const struct clause clause = {.clause = CLAUSE_CALL, .by_llvm = by_llvm};
    const struct loop_site *site = site_find(caller, &clause);
    return site != NULL ? site->runtime : runtime_at(caller, by_llvm);
}

const struct runtime *gomp_runtime_here(const void *caller)
{
    const struct mate *mate = mate_here();
    return mate != NULL ? mate->team->runtime : gomp_runtime_of(caller, false);
}

/* Iterations; larger than INT64_MAX where it has more. */
static uint64_t count_iterations(const struct bounds *b)
{
    uint64_t distance, step = b->up ? b->step : -b->step;
    bool any = b->wide ? (b->up ? b->first < b->end : b->first > b->end)
                       : (b->up ? (int64_t)b->first < (int64_t)b->end
                                : (int64_t)b->first > (int64_t)b->end);
    if (!any || step == 0)
        return 0;
    distance = b->up ? b->end - b->first : b->first - b->end;
    return (distance - 1) / step + 1;
}

/* A loop that the runtime alone knows; one thread counts its visits. */
static void begin_single(struct frame *frame)
{
    const struct loop_site *site = frame->site;
    if (site == NULL || !site->measures || site->runtime->thread == NULL ||
        site->runtime->thread() != 0)
        return;
    frame->is.alone = true;
    frame->timed.since = engine_ticks();
    open_visit(site->counted, frame->timed.since);
}

bool gomp_is_known(const struct loop_site *site, const struct clause *clause)
{
    /* In LLVM's runtime, programs of gcc are not watched chunk by chunk. */
    return site != NULL &&
           (site->runtime->shares ||
            (site->runtime->llvm && site->strategy != NULL &&
             ompt_is_active())) &&
           clause->clause != CLAUSE_STATIC &&
           clause->clause < CLAUSE_DOACROSS &&
           !(clause->flags & COUNTERS_ORDERED) &&
           (site->measures || site->strategy != NULL);
}

bool gomp_push(const void *address, const struct clause *clause,
               struct frame **out)
{
    blocks_guard("a loop of the team");
    struct loop_site *site = site_find(address, clause);
    const struct runtime *runtime =
        site != NULL ? site->runtime : runtime_at(address, false);
    struct frame *frame = frame_push(runtime, site);
    *out = frame;
    if (gomp_is_known(site, clause))
        return true;
    begin_single(frame);
    return false;
}

static long schedule_of(const struct clause *clause)
{
    long kind = clause->clause == CLAUSE_DYNAMIC  ? GOMP_DYNAMIC
                : clause->clause == CLAUSE_GUIDED ? GOMP_GUIDED
                                                  : GOMP_RUNTIME;
    return clause->flags & COUNTERS_MONOTONIC ? kind | GOMP_MONOTONIC : kind;
}

/* Begins the runtime's loop and takes its first chunk, where the chunks are not
 * ours (from NULL: none is taken); sets the memory of the visit (NULL: it has
 * none). */
static bool begin_real(const struct frame *frame, const struct bounds *b,
                       const struct clause *clause, void *from, void *to,
                       void **memory)
{
    const struct runtime *runtime = frame->runtime;
    if (frame->replaced)
        return REAL(start_fn, runtime, GOMP_loop_start)(
            0, 0, 1, GOMP_DYNAMIC, 1, NULL, NULL, NULL, memory);
    if (b->wide)
        return REAL(ull_start_fn, runtime, GOMP_loop_ull_start)(
            b->up, b->first, b->end, b->step, schedule_of(clause),
            (ull)clause->chunk, from, to, NULL, memory);
    return REAL(start_fn, runtime, GOMP_loop_start)(
        (long)b->first, (long)b->end, (long)b->step, schedule_of(clause),
        clause->chunk, from, to, NULL, memory);
}

/* Begins a loop whose chunks LLVM's runtime hands out: it begins with its first
 * chunk, which waits in the frame until requested. */
static bool begin_untouched(struct frame *frame, const struct bounds *b,
                            const struct clause *clause, void *from, void *to)
{
    long first, end;
    begin_single(frame);
    if (from != NULL)
        return begin_real(frame, b, clause, from, to, NULL);
    frame->is.pending = begin_real(frame, b, clause, &first, &end, NULL);
    if (frame->is.pending) {
        frame->first = (uint64_t)first;
        frame->end = (uint64_t)end;
    }
    return false;
}

bool gomp_begin(struct frame *frame, const struct bounds *b,
                const struct clause *clause, void *from, void *to)
{
    void *memory = &frame->alone_slot;
    uint64_t iterations = count_iterations(b);
    bool more = false, shares = frame->runtime->shares, known = true;
    struct ompt_place place = {.threads = 0};
    if (shares) {
        place.threads = frame->runtime->threads();
        place.thread = frame->runtime->thread();
    } else {
        known = ompt_find_place(&place);
    }
    frame->replaced =
        known && site_takes(frame->site, iterations, place.threads);
    frame->iterations = frame->replaced ? (int64_t)iterations : 0;
    frame->first = b->first;
    frame->end = b->end;
    frame->step = b->step;
    frame->threads = place.threads;
    frame->thread = place.thread;
    if (!shares && !frame->replaced)
        return begin_untouched(frame, b, clause, from, to);
    if (shares) {
        memory = (void *)sizeof(struct visit_slot);
        more = begin_real(frame, b, clause, from, to, &memory);
    } else if (place.task != NULL) {
        memory = ompt_next_slot(&place);
    }
    frame_join(frame, memory);
    return more;
}
