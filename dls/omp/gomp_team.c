/* Replaces libgomp's entries for what a team's threads meet between its begin
 * and end: barriers, sections, single and tasks. */
#include "dls/omp/gomp.h"
#include "dls/omp/omp_team.h"

/* Around a call in which the team's threads wait for one another. */
static void begin_barrier(const struct runtime *runtime, const void *caller)
{
    blocks_guard("a barrier");
    if (runtime->llvm)
        here.caller = caller;
    else
        mate_arrive(caller);
}

static void end_barrier(void)
{
    here.caller = NULL;
    mate_leave();
}

typedef void wait_fn(void);
typedef bool wait_cancel_fn(void);

#define WAIT(name)                                                             \
    OMP_ENTRY wait_fn GOMP_##name;                                             \
    OMP_ENTRY void GOMP_##name(void)                                           \
    {                                                                          \
        const struct runtime *runtime = gomp_runtime_here(CALLER);             \
        begin_barrier(runtime, CALLER);                                        \
        REAL(wait_fn, runtime, GOMP_##name)();                                 \
        end_barrier();                                                         \
    }
#define WAIT_CANCEL(name)                                                      \
    OMP_ENTRY wait_cancel_fn GOMP_##name;                                      \
    OMP_ENTRY bool GOMP_##name(void)                                           \
    {                                                                          \
        const struct runtime *runtime = gomp_runtime_here(CALLER);             \
        begin_barrier(runtime, CALLER);                                        \
        bool cancelled = REAL(wait_cancel_fn, runtime, GOMP_##name)();         \
        end_barrier();                                                         \
        return cancelled;                                                      \
    }
WAIT(barrier)
WAIT_CANCEL(barrier_cancel)

typedef void unregister_fn(bool);
OMP_ENTRY unregister_fn GOMP_workshare_task_reduction_unregister;
OMP_ENTRY void GOMP_workshare_task_reduction_unregister(bool cancelled)
{
    const struct runtime *runtime = gomp_runtime_here(CALLER);
    if (!cancelled)
        begin_barrier(runtime, CALLER);
    REAL(unregister_fn, runtime, GOMP_workshare_task_reduction_unregister)
    (cancelled);
    end_barrier();
}

/* ---- loops ---- */

/* The runtime of the loop that ends.  The frame must go before the runtime's
 * end, because a thread that waits there may run a task with other loops. */
static const struct runtime *leave_frame(const void *caller)
{
    const struct frame *frame = here.top;
    if (frame == NULL)
        return gomp_runtime_of(caller, false);
    const struct runtime *runtime = frame->runtime;
    frame_pop();
    return runtime;
}

OMP_ENTRY wait_fn GOMP_loop_end, GOMP_loop_end_nowait;
OMP_ENTRY wait_cancel_fn GOMP_loop_end_cancel;

OMP_ENTRY void GOMP_loop_end(void)
{
    const struct runtime *runtime = leave_frame(CALLER);
    begin_barrier(runtime, CALLER);
    REAL(wait_fn, runtime, GOMP_loop_end)();
    end_barrier();
}

OMP_ENTRY void GOMP_loop_end_nowait(void)
{
    REAL(wait_fn, leave_frame(CALLER), GOMP_loop_end_nowait)();
}

OMP_ENTRY bool GOMP_loop_end_cancel(void)
{
    const struct runtime *runtime = leave_frame(CALLER);
    begin_barrier(runtime, CALLER);
    bool cancelled = REAL(wait_cancel_fn, runtime, GOMP_loop_end_cancel)();
    end_barrier();
    return cancelled;
}

/* ---- sections ---- */

/* The thread is done with its section, and has got another one, or none. */
static unsigned take_section(unsigned number)
{
    struct mate *mate = mate_here();
    if (mate == NULL)
        return number;
    uint64_t now = engine_ticks();
    mate_meet(KIND_SECTIONS);
    watch_end(now);
    if (mate->section != 0)
        mate_count_unit(mate, now - mate->section);
    mate->section = number != 0 ? now : 0;
    return number;
}

typedef unsigned sections_fn(unsigned);
typedef unsigned sections2_fn(unsigned, uintptr_t *, void **);
typedef unsigned sections_next_fn(void);
OMP_ENTRY sections_fn GOMP_sections_start;
OMP_ENTRY sections2_fn GOMP_sections2_start;
OMP_ENTRY sections_next_fn GOMP_sections_next;

OMP_ENTRY unsigned GOMP_sections_start(unsigned count)
{
    blocks_guard("sections");
    return take_section(REAL(sections_fn, gomp_runtime_here(CALLER),
                             GOMP_sections_start)(count));
}

OMP_ENTRY unsigned GOMP_sections2_start(unsigned count, uintptr_t *reductions,
                                        void **memory)
{
    blocks_guard("sections");
    return take_section(REAL(sections2_fn, gomp_runtime_here(CALLER),
                             GOMP_sections2_start)(count, reductions, memory));
}

OMP_ENTRY unsigned GOMP_sections_next(void)
{
    const struct runtime *runtime = gomp_runtime_here(CALLER);
    struct mate *mate = mate_here();
    if (mate != NULL && mate->section != 0)
        take_section(0);
    return take_section(REAL(sections_next_fn, runtime, GOMP_sections_next)());
}

WAIT(sections_end)
WAIT_CANCEL(sections_end_cancel)
OMP_ENTRY wait_fn GOMP_sections_end_nowait;
OMP_ENTRY void GOMP_sections_end_nowait(void)
{
    REAL(wait_fn, gomp_runtime_here(CALLER), GOMP_sections_end_nowait)();
}

/* ---- single ---- */

typedef bool single_fn(void);
typedef void *single_copy_fn(void);
typedef void single_copy_end_fn(void *);
OMP_ENTRY single_fn GOMP_single_start;
OMP_ENTRY single_copy_fn GOMP_single_copy_start;
OMP_ENTRY single_copy_end_fn GOMP_single_copy_end;

OMP_ENTRY bool GOMP_single_start(void)
{
    blocks_guard("single");
    mate_meet(KIND_SINGLE);
    return REAL(single_fn, gomp_runtime_here(CALLER), GOMP_single_start)();
}

/* Threads without work wait in the first call, the thread with work in the
 * second. */
OMP_ENTRY void *GOMP_single_copy_start(void)
{
    const struct runtime *runtime = gomp_runtime_here(CALLER);
    struct mate *mate = mate_here();
    blocks_guard("single");
    mate_meet(KIND_SINGLE);
    if (!runtime->llvm && mate != NULL) {
        mate_arrive(CALLER);
        void *data = REAL(single_copy_fn, runtime, GOMP_single_copy_start)();
        if (data != NULL)
            mate_leave();
        else
            mate_go_on(mate);
        return data;
    }
    return REAL(single_copy_fn, runtime, GOMP_single_copy_start)();
}

OMP_ENTRY void GOMP_single_copy_end(void *data)
{
    const struct runtime *runtime = gomp_runtime_here(CALLER);
    begin_barrier(runtime, CALLER);
    REAL(single_copy_end_fn, runtime, GOMP_single_copy_end)(data);
    end_barrier();
}

/* ---- tasks ---- */

/* A task's function is given to the runtime as one of this library's, which
 * times it.  There is one for each of them: the runtime copies the data, and
 * nothing can be hidden in it.  Tasks beyond that number are not timed. */
typedef void body_fn(void *);
typedef void copy_fn(void *, void *);

enum { BODIES = 64 };
static _Atomic uintptr_t body_of[BODIES];

static void run_task(unsigned number, void *data)
{
    body_fn *body =
        (body_fn *)atomic_load_explicit(&body_of[number], memory_order_relaxed);
    struct mate *mate = mate_here();
    if (mate == NULL) {
        body(data);
        return;
    }
    struct apart task = mate_apart_begin(mate);
    mate->depth++;
    body(data);
    mate->depth--;
    mate_task_end(mate, task);
}

#define EACH_8(DO, digit)                                                      \
    DO(digit##0)                                                               \
    DO(digit##1)                                                               \
    DO(digit##2)                                                               \
    DO(digit##3) DO(digit##4) DO(digit##5) DO(digit##6) DO(digit##7)
#define EACH(DO)                                                               \
    EACH_8(DO, 00)                                                             \
    EACH_8(DO, 01)                                                             \
    EACH_8(DO, 02)                                                             \
    EACH_8(DO, 03) EACH_8(DO, 04) EACH_8(DO, 05) EACH_8(DO, 06) EACH_8(DO, 07)
#define TIMED(number)                                                          \
    static void timed_##number(void *data)                                     \
    {                                                                          \
        run_task(number, data);                                                \
    }
EACH(TIMED)
#define NAME(number) timed_##number,
static body_fn *const timed[BODIES] = {EACH(NAME)};

/* The function that times this one. */
static body_fn *find_timed(body_fn *body)
{
    uintptr_t key = (uintptr_t)body;
    unsigned first =
        (unsigned)((key >> 4) * UINT64_C(0x9E3779B97F4A7C15) >> 58);
    for (unsigned i = 0; i < BODIES; i++) {
        unsigned at = (first + i) % BODIES;
        uintptr_t there =
            atomic_load_explicit(&body_of[at], memory_order_relaxed);
        if (there == key ||
            (there == 0 &&
             atomic_compare_exchange_strong(&body_of[at], &there, key)) ||
            there == key)
            return timed[at];
    }
    return body;
}

static body_fn *begin_task(const struct runtime *runtime, body_fn *body,
                           uint32_t kinds)
{
    blocks_guard("a task");
    if (mate_here() == NULL || runtime->llvm)
        return body;
    mate_meet(kinds);
    return find_timed(body);
}

/* Older compilers pass fewer arguments than there are now; then the runtime
 * does not look at the last ones. */
typedef void task_fn(body_fn *, void *, copy_fn *, long, long, bool, unsigned,
                     void **, int, void *);
OMP_ENTRY task_fn GOMP_task;
OMP_ENTRY void GOMP_task(body_fn *body, void *data, copy_fn *copy, long size,
                         long align, bool deferred, unsigned flags,
                         void **depend, int priority, void *detach)
{
    const struct runtime *runtime = gomp_runtime_here(CALLER);
    REAL(task_fn, runtime, GOMP_task)
    (begin_task(runtime, body, KIND_TASKS), data, copy, size, align, deferred,
     flags, depend, priority, detach);
}

#define TASKLOOP(name, T)                                                      \
    typedef void name##_fn(body_fn *, void *, copy_fn *, long, long, unsigned, \
                           unsigned long, int, T, T, T);                       \
    OMP_ENTRY name##_fn GOMP_##name;                                           \
    OMP_ENTRY void GOMP_##name(body_fn *body, void *data, copy_fn *copy,       \
                               long size, long align, unsigned flags,          \
                               unsigned long tasks, int priority, T first,     \
                               T end, T step)                                  \
    {                                                                          \
        const struct runtime *runtime = gomp_runtime_here(CALLER);             \
        body_fn *run = begin_task(runtime, body, KIND_TASKLOOP);               \
        struct mate *mate = runtime->llvm ? NULL : mate_here();                \
        struct apart wait = {0};                                               \
        if (mate != NULL)                                                      \
            wait = mate_apart_begin(mate);                                     \
        REAL(name##_fn, runtime, GOMP_##name)                                  \
        (run, data, copy, size, align, flags, tasks, priority, first, end,     \
         step);                                                                \
        if (mate != NULL)                                                      \
            mate_wait_end(mate, wait);                                         \
    }
TASKLOOP(taskloop, long)
TASKLOOP(taskloop_ull, ull)

/* ---- waiting for tasks ---- */

typedef void wait_depend_fn(void **);
OMP_ENTRY wait_fn GOMP_taskwait, GOMP_taskgroup_end;
OMP_ENTRY wait_depend_fn GOMP_taskwait_depend;

#define WAIT_TASKS(name)                                                       \
    OMP_ENTRY void GOMP_##name(void)                                           \
    {                                                                          \
        const struct runtime *runtime = gomp_runtime_here(CALLER);             \
        struct mate *mate = runtime->llvm ? NULL : mate_here();                \
        blocks_guard("a task");                                                \
        if (mate == NULL) {                                                    \
            REAL(wait_fn, runtime, GOMP_##name)();                             \
            return;                                                            \
        }                                                                      \
        struct apart wait = mate_apart_begin(mate);                            \
        REAL(wait_fn, runtime, GOMP_##name)();                                 \
        mate_wait_end(mate, wait);                                             \
    }
WAIT_TASKS(taskwait)
WAIT_TASKS(taskgroup_end)

OMP_ENTRY void GOMP_taskwait_depend(void **depend)
{
    const struct runtime *runtime = gomp_runtime_here(CALLER);
    struct mate *mate = runtime->llvm ? NULL : mate_here();
    struct apart wait = {0};
    blocks_guard("a task");
    if (mate != NULL)
        wait = mate_apart_begin(mate);
    REAL(wait_depend_fn, runtime, GOMP_taskwait_depend)(depend);
    if (mate != NULL)
        mate_wait_end(mate, wait);
}

/* ---- what is not measured: it must not be in a block of a static loop ---- */

typedef bool cancel_fn(int, bool);
typedef bool cancelled_fn(int);
typedef void scope_fn(uintptr_t *);
OMP_ENTRY cancel_fn GOMP_cancel;
OMP_ENTRY cancelled_fn GOMP_cancellation_point;
OMP_ENTRY scope_fn GOMP_scope_start;
OMP_ENTRY wait_fn GOMP_taskgroup_start;

OMP_ENTRY bool GOMP_cancel(int which, bool is)
{
    blocks_guard("cancel");
    return REAL(cancel_fn, gomp_runtime_here(CALLER), GOMP_cancel)(which, is);
}

OMP_ENTRY bool GOMP_cancellation_point(int which)
{
    blocks_guard("cancel");
    return REAL(cancelled_fn, gomp_runtime_here(CALLER),
                GOMP_cancellation_point)(which);
}

OMP_ENTRY void GOMP_scope_start(uintptr_t *reductions)
{
    blocks_guard("scope");
    REAL(scope_fn, gomp_runtime_here(CALLER), GOMP_scope_start)(reductions);
}

OMP_ENTRY void GOMP_taskgroup_start(void)
{
    blocks_guard("a task");
    REAL(wait_fn, gomp_runtime_here(CALLER), GOMP_taskgroup_start)();
}
