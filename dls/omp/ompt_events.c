/* The events of LLVM's runtime in a region, as OMPT reports them. */
#include "dls/omp/omp_team.h"

typedef union ompt_data data_t;

enum {
    TASK_CREATE = 5,
    TASK_SCHEDULE = 6,
    WORK = 20,
    MASKED = 21,
    SYNC_REGION = 23,
    MUTEX_ACQUIRE = 26,
    MUTEX_ACQUIRED = 27,
};

/* ---- events of a thread ---- */

enum { SYNC_BARRIERS = 4, SYNC_TASKWAIT = 5, SYNC_TASKGROUP = 6 };
enum { SYNC_IMPLICIT = 8 };

/* Around a wait for tasks; a stack of nested waits in each thread. */
enum { WAITS_INSIDE = 8 };
static __thread struct {
    struct apart apart[WAITS_INSIDE];
    int depth;
} waits __attribute__((tls_model("initial-exec")));

static void wait_for_tasks(struct mate *mate, int scope)
{
    if (scope == OMPT_BEGIN && waits.depth++ < WAITS_INSIDE)
        waits.apart[waits.depth - 1] = mate_apart_begin(mate);
    else if (scope != OMPT_BEGIN && waits.depth > 0 &&
             --waits.depth < WAITS_INSIDE)
        mate_wait_end(mate, waits.apart[waits.depth]);
}

/* A thread may report the last barrier of a region when it is already in the
 * next region: then `parallel` is NULL. */
static void sync_region(int kind, int scope, data_t *parallel, data_t *task,
                        const void *caller)
{
    (void)task;
    struct mate *mate = mate_here();
    bool barrier = kind <= SYNC_BARRIERS || kind >= SYNC_IMPLICIT;
    if (mate == NULL || parallel == NULL)
        return;
    if (kind == SYNC_TASKWAIT || kind == SYNC_TASKGROUP)
        wait_for_tasks(mate, scope);
    else if (barrier && scope == OMPT_BEGIN) {
        const void *to = here.caller != NULL ? here.caller : caller;
        mate_arrive(to != mate->team->site->address ? to : NULL);
    } else if (barrier)
        mate_leave();
}

static void work_event(int kind, int scope, data_t *parallel, data_t *task,
                       uint64_t count, const void *caller)
{
    static const uint32_t kinds[] = {0,           KIND_STATIC,  KIND_SECTIONS,
                                     KIND_SINGLE, KIND_SINGLE,  0,
                                     0,           KIND_TASKLOOP};
    (void)parallel, (void)task, (void)count, (void)caller;
    if (scope == OMPT_BEGIN && kind > 0 && kind < 8)
        mate_meet(kinds[kind]);
}

static void masked_event(int scope, data_t *parallel, data_t *task,
                         const void *caller)
{
    (void)scope, (void)parallel, (void)task, (void)caller;
    mate_meet(KIND_MASTER);
}

/* ---- tasks ---- */

enum { TASK_EXPLICIT = 4, EXPLICIT_TAG = 1 };
enum { TASK_COMPLETE = 1, TASK_CANCELLED = 3, TASK_DETACHED = 4 };

static void task_create(data_t *task, const void *frame, data_t *made,
                        int flags, int depends, const void *caller)
{
    (void)task, (void)frame, (void)depends, (void)caller;
    if ((flags & TASK_EXPLICIT) == 0)
        return;
    made->value = EXPLICIT_TAG;
    mate_meet(KIND_TASKS);
}

/* A thread leaves a task for another one.  An explicit task that resumes later
 * counts again. */
static void task_schedule(data_t *prior, int status, data_t *next)
{
    static __thread struct apart since[WAITS_INSIDE]
        __attribute__((tls_model("initial-exec")));
    static __thread int depth __attribute__((tls_model("initial-exec")));
    struct mate *mate = mate_here();
    bool ends = status == TASK_COMPLETE || status == TASK_CANCELLED ||
                status == TASK_DETACHED;
    if (mate == NULL)
        return;
    if (prior != NULL && prior->value == EXPLICIT_TAG && ends && depth > 0) {
        mate->depth--;
        if (--depth < WAITS_INSIDE)
            mate_task_end(mate, since[depth]);
    } else if (next != NULL && next->value == EXPLICIT_TAG) {
        if (depth < WAITS_INSIDE)
            since[depth] = mate_apart_begin(mate);
        depth++;
        mate->depth++;
    }
}

/* ---- locks ---- */

static __thread uint64_t asked_lock __attribute__((tls_model("initial-exec")));

static void mutex_acquire(int kind, unsigned hint, unsigned how, uint64_t lock,
                          const void *caller)
{
    static const uint32_t kinds[] = {
        0,         KIND_LOCK,     KIND_LOCK,     KIND_LOCK,
        KIND_LOCK, KIND_CRITICAL, KIND_CRITICAL, KIND_ORDERED};
    (void)hint, (void)how, (void)lock, (void)caller;
    asked_lock = 0;
    if (mate_here() == NULL || kind < 1 || kind > 7)
        return;
    mate_meet(kinds[kind]);
    asked_lock = watch_lock_begin();
}

static void mutex_acquired(int kind, uint64_t lock, const void *caller)
{
    (void)kind, (void)lock;
    if (asked_lock != 0)
        watch_lock_end(asked_lock, here.caller != NULL ? here.caller : caller);
    asked_lock = 0;
}

void ompt_watch_events(ompt_set_fn *set)
{
    OMPT_SET(set, SYNC_REGION, sync_region);
    OMPT_SET(set, WORK, work_event);
    OMPT_SET(set, MASKED, masked_event);
    OMPT_SET(set, TASK_CREATE, task_create);
    OMPT_SET(set, TASK_SCHEDULE, task_schedule);
    OMPT_SET(set, MUTEX_ACQUIRE, mutex_acquire);
    OMPT_SET(set, MUTEX_ACQUIRED, mutex_acquired);
}
