/* In front of libgomp: the entries that begin and continue a loop.  Unchanged
 * loops need them too, because they share _next and _end with the others. */
#include "dls/omp/gomp.h"

/* ---- chunks ---- */

static inline void place_chunk(const struct frame *frame, struct chunk chunk,
                               uint64_t *from, uint64_t *to)
{
    uint64_t first = frame->first + (uint64_t)chunk.start * frame->step;
    *from = first;
    /* Not beyond the end, where the type may be. */
    *to = chunk.start + chunk.size == frame->iterations
              ? frame->end
              : first + (uint64_t)chunk.size * frame->step;
}

static inline bool take_range(struct frame *frame, uint64_t *from, uint64_t *to)
{
    struct chunk chunk;
    if (!frame_take(frame, &chunk))
        return false;
    place_chunk(frame, chunk, from, to);
    return true;
}

static inline bool take_long(struct frame *frame, long *from, long *to)
{
    uint64_t first, end;
    if (!take_range(frame, &first, &end))
        return false;
    *from = (long)first;
    *to = (long)end;
    return true;
}

static inline bool take_ull(struct frame *frame, ull *from, ull *to)
{
    uint64_t first, end;
    if (!take_range(frame, &first, &end))
        return false;
    *from = first;
    *to = end;
    return true;
}

/* The runtime has given the first chunk of a visit, or none. */
static bool watch_first(struct frame *frame, bool more, uint64_t size)
{
    if (frame->instance == NULL)
        return more;
    if (!more)
        return frame_done(frame);
    frame->chunks++;
    frame->taken += size;
    return --frame->quiet > 0 || frame_watch_end(frame, true);
}

/* In LLVM's runtime a loop begins with its first chunk. */
static bool take_pending(struct frame *frame, long *from, long *to)
{
    bool pending = frame->is.pending;
    if (pending) {
        *from = (long)frame->first;
        *to = (long)frame->end;
    }
    frame->is.pending = false;
    return pending;
}

static bool watch_chunk(struct frame *frame, enum runtime_entry entry,
                        long *from, long *to)
{
    next_fn *next = (next_fn *)gomp_real(frame->runtime, entry);
    if (frame->instance == NULL)
        return take_pending(frame, from, to) || next(from, to);
    bool quiet = --frame->quiet > 0;
    if (!quiet)
        frame_watch_begin(frame);
    bool more = next(from, to);
    if (more) {
        frame->chunks++;
        frame->taken += (uint64_t)*to - (uint64_t)*from;
    }
    return quiet && more ? more : frame_watch_end(frame, more);
}

static bool watch_ull(struct frame *frame, enum runtime_entry entry, ull *from,
                      ull *to)
{
    ull_next_fn *next = (ull_next_fn *)gomp_real(frame->runtime, entry);
    if (frame->instance == NULL)
        return next(from, to);
    bool quiet = --frame->quiet > 0;
    if (!quiet)
        frame_watch_begin(frame);
    bool more = next(from, to);
    if (more) {
        frame->chunks++;
        frame->taken += *to - *from;
    }
    return quiet && more ? more : frame_watch_end(frame, more);
}

/* ---- GOMP_loop_..._start and _next ---- */

static bool start_long(struct frame *frame, const struct clause *clause,
                       long first, long end, long step, long *from, long *to)
{
    const struct bounds b = {.up = step > 0,
                             .first = (uint64_t)first,
                             .end = (uint64_t)end,
                             .step = (uint64_t)step};
    bool more = gomp_begin(frame, &b, clause, from, to);
    if (frame->replaced)
        return take_long(frame, from, to);
    return watch_first(frame, more, more ? (uint64_t)*to - (uint64_t)*from : 0);
}

static bool start_ull(struct frame *frame, const struct clause *clause, bool up,
                      ull first, ull end, ull step, ull *from, ull *to)
{
    const struct bounds b = {
        .wide = true, .up = up, .first = first, .end = end, .step = step};
    bool more = gomp_begin(frame, &b, clause, from, to);
    if (frame->replaced)
        return take_ull(frame, from, to);
    return watch_first(frame, more, more ? *to - *from : 0);
}

static __attribute__((noinline)) bool
next_long(enum runtime_entry entry, const void *caller, long *from, long *to)
{
    struct frame *frame = here.top;
    if (frame != NULL && frame->replaced)
        return take_long(frame, from, to);
    if (frame != NULL)
        return watch_chunk(frame, entry, from, to);
    next_fn *next = (next_fn *)gomp_real(gomp_runtime_of(caller, false), entry);
    return next(from, to);
}

static __attribute__((noinline)) bool
next_ull(enum runtime_entry entry, const void *caller, ull *from, ull *to)
{
    struct frame *frame = here.top;
    if (frame != NULL && frame->replaced)
        return take_ull(frame, from, to);
    if (frame != NULL)
        return watch_ull(frame, entry, from, to);
    ull_next_fn *next =
        (ull_next_fn *)gomp_real(gomp_runtime_of(caller, false), entry);
    return next(from, to);
}

/* The step's atomic operation waits for all earlier stores: for a bare frame
 * only the result is stored, nothing else, not even on the stack. */
#define NEXT_OF(name, T, slowly)                                               \
    OMP_ENTRY bool GOMP_loop_##name##_next(T *from, T *to);                    \
    OMP_ENTRY bool GOMP_loop_##name##_next(T *from, T *to)                     \
    {                                                                          \
        struct frame *frame = here.top;                                        \
        uint64_t first, end;                                                   \
        if (!OMP_LIKELY(frame != NULL && frame->bare.is))                      \
            return slowly(ENTRY_GOMP_loop_##name##_next, CALLER, from, to);    \
        int64_t step = source_step(frame->counter);                            \
        if (OMP_LIKELY((uint64_t)step < frame->bare.even)) {                   \
            first = frame->first + (uint64_t)step * frame->bare.stride;        \
            *from = (T)first;                                                  \
            *to = (T)(first + frame->bare.stride);                             \
            return true;                                                       \
        }                                                                      \
        if (!OMP_LIKELY(step < frame->table->steps))                           \
            return frame_done(frame);                                          \
        place_chunk(frame, sched_table_chunk(frame->table, step), &first,      \
                    &end);                                                     \
        *from = (T)first;                                                      \
        *to = (T)end;                                                          \
        return true;                                                           \
    }
#define NEXT(name)                                                             \
    NEXT_OF(name, long, next_long)                                             \
    NEXT_OF(ull_##name, ull, next_ull)

#define CHUNKED(name, kind, bits)                                              \
    OMP_ENTRY chunked_fn GOMP_loop_##name##_start;                             \
    OMP_ENTRY bool GOMP_loop_##name##_start(long first, long end, long step,   \
                                            long chunk, long *from, long *to)  \
    {                                                                          \
        const struct clause clause = {                                         \
            .clause = kind, .flags = bits, .chunk = chunk};                    \
        struct frame *frame;                                                   \
        if (gomp_push(CALLER, &clause, &frame))                                \
            return start_long(frame, &clause, first, end, step, from, to);     \
        return REAL(chunked_fn, frame->runtime, GOMP_loop_##name##_start)(     \
            first, end, step, chunk, from, to);                                \
    }                                                                          \
    OMP_ENTRY ull_chunked_fn GOMP_loop_ull_##name##_start;                     \
    OMP_ENTRY bool GOMP_loop_ull_##name##_start(                               \
        bool up, ull first, ull end, ull step, ull chunk, ull *from, ull *to)  \
    {                                                                          \
        const struct clause clause = {                                         \
            .clause = kind, .flags = bits, .chunk = (int64_t)chunk};           \
        struct frame *frame;                                                   \
        if (gomp_push(CALLER, &clause, &frame))                                \
            return start_ull(frame, &clause, up, first, end, step, from, to);  \
        return REAL(ull_chunked_fn, frame->runtime,                            \
                    GOMP_loop_ull_##name##_start)(up, first, end, step, chunk, \
                                                  from, to);                   \
    }                                                                          \
    NEXT(name)

#define PLAIN(name, kind, bits)                                                \
    OMP_ENTRY plain_fn GOMP_loop_##name##_start;                               \
    OMP_ENTRY bool GOMP_loop_##name##_start(long first, long end, long step,   \
                                            long *from, long *to)              \
    {                                                                          \
        const struct clause clause = {.clause = kind, .flags = bits};          \
        struct frame *frame;                                                   \
        if (gomp_push(CALLER, &clause, &frame))                                \
            return start_long(frame, &clause, first, end, step, from, to);     \
        return REAL(plain_fn, frame->runtime,                                  \
                    GOMP_loop_##name##_start)(first, end, step, from, to);     \
    }                                                                          \
    OMP_ENTRY ull_plain_fn GOMP_loop_ull_##name##_start;                       \
    OMP_ENTRY bool GOMP_loop_ull_##name##_start(bool up, ull first, ull end,   \
                                                ull step, ull *from, ull *to)  \
    {                                                                          \
        const struct clause clause = {.clause = kind, .flags = bits};          \
        struct frame *frame;                                                   \
        if (gomp_push(CALLER, &clause, &frame))                                \
            return start_ull(frame, &clause, up, first, end, step, from, to);  \
        return REAL(ull_plain_fn, frame->runtime,                              \
                    GOMP_loop_ull_##name##_start)(up, first, end, step, from,  \
                                                  to);                         \
    }                                                                          \
    NEXT(name)

#define LOOP(kind, name, clause, flags) kind(name, clause, flags)
#include "dls/omp/gomp.def"
