/* Loops and regions of LLVM's runtime, seen through its tools interface. */
#include "dls/omp/omp_team.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

/* Names and numbers are those of the OpenMP specification. */
typedef union ompt_data data_t;
typedef ompt_callback lookup_fn(const char *);
typedef int parallel_info_fn(int, data_t **, int *);
typedef int task_info_fn(int, int *, data_t **, void **, data_t **, int *);

struct start_result {
    int (*initialize)(lookup_fn *lookup, int device, data_t *data);
    void (*finalize)(data_t *data);
    data_t data;
};

enum { PARALLEL_BEGIN = 3, PARALLEL_END = 4, IMPLICIT_TASK = 7 };
enum { TASK_INITIAL = 1, TASK_IMPLICIT = 2, AVAILABLE = 2 };

static parallel_info_fn *parallel_info;
static task_info_fn *task_info;

/* ---- the loops of a team ---- */

enum { SLOTS = 32 };

struct block {
    struct visit_slot slot[SLOTS];
    struct block *_Atomic next;
    struct block *outside; /* of the enclosing region of this thread */
    struct team *team;     /* NULL: not measured */
    struct mate *mate;     /* of its beginner, in the enclosing region */
};

/* The first block of the region that this thread began last. libomp 14 may
 * report a region's end when its team already belongs to another thread's
 * region, so the data in that report cannot be trusted. */
static __thread struct block *begun __attribute__((tls_model("initial-exec")));

/* An implicit task, in the data that the runtime stores for it: the slot of its
 * next loop.  The address of the data does not identify the task: the runtime
 * reuses it for a nested region of one thread. */
struct implicit_task {
    struct block *block; /* NULL: the team's first */
    int at;
};

static struct block *make_block(void)
{
    return settings_need(calloc(1, sizeof(struct block)),
                         "the loops of a region");
}

/* The first thread that arrives makes it. */
static struct block *next_block(struct block *block)
{
    struct block *next = atomic_load(&block->next);
    if (next != NULL)
        return next;
    struct block *made = make_block();
    if (atomic_compare_exchange_strong(&block->next, &next, made))
        return made;
    free(made);
    return next;
}

/* The team's other threads must not be the first to ask for its runtime:
 * runtime.c. */
static void know_runtime(const void *caller)
{
    static __thread const void *known
        __attribute__((tls_model("initial-exec")));
    if (caller != known)
        runtime_at(caller, true);
    known = caller;
}

/* A program compiled by gcc has set the region's site. */
static struct loop_site *find_region(const void *caller)
{
    struct loop_site *site = here.entering;
    const struct clause clause = {
        .clause = CLAUSE_REGION, .caller = caller, .by_llvm = true};
    here.entering = NULL;
    if (site == NULL)
        site = site_find(caller, &clause);
    return site != NULL && site->measures ? site : NULL;
}

static void parallel_begin(data_t *task, const void *frame, data_t *parallel,
                           unsigned threads, int flags, const void *caller)
{
    (void)task, (void)frame, (void)flags;
    know_runtime(caller);
    struct block *block = make_block();
    struct loop_site *site =
        settings()->folder != NULL ? find_region(caller) : NULL;
    block->outside = begun;
    block->mate = here.mate;
    if (site != NULL)
        block->team = team_begin(site, threads > 0 ? (int)threads : 1);
    begun = block;
    parallel->ptr = block;
}

static void parallel_end(data_t *parallel, data_t *task, int flags,
                         const void *caller)
{
    (void)parallel, (void)task, (void)flags, (void)caller;
    struct block *block = begun;
    begun = block != NULL ? block->outside : NULL;
    if (block != NULL && block->team != NULL) {
        /* A single thread reaches no barrier. */
        if (here.mate != NULL && here.mate->team == block->team)
            mate_arrive(NULL);
        here.mate = block->mate;
        team_end(block->team);
    }
    while (block != NULL) {
        struct block *next = atomic_load(&block->next);
        /* Visits that were cancelled, and so were not left by all, end now. */
        for (int i = 0; i < SLOTS; i++)
            instance_abandon(&block->slot[i]);
        free(block);
        block = next;
    }
}

/* An implicit task may end after its region: the slots may be gone. */
static void implicit_task(int scope, data_t *parallel, data_t *task,
                          unsigned threads, unsigned thread, int flags)
{
    if (scope != OMPT_BEGIN) {
        frames_forget(task->ptr);
        free(task->ptr);
        task->ptr = NULL;
        return;
    }
    task->ptr = settings_need(calloc(1, sizeof(struct implicit_task)),
                              "the loops of a region");
    const struct block *block =
        (flags & TASK_INITIAL) || parallel == NULL ? NULL : parallel->ptr;
    if (!(flags & TASK_INITIAL))
        mapped_thread();
    if (block != NULL && block->team != NULL)
        mate_begin(block->team, block->team->stamp, (int)thread, (int)threads);
}

/* ---- the tool ---- */

static int initialize_tool(lookup_fn *lookup, int device, data_t *data)
{
    (void)device, (void)data;
    ompt_callback found = lookup("ompt_set_callback");
    ompt_set_fn *set = (ompt_set_fn *)found;
    if (set != NULL) {
        OMPT_SET(set, PARALLEL_BEGIN, parallel_begin);
        OMPT_SET(set, PARALLEL_END, parallel_end);
        OMPT_SET(set, IMPLICIT_TASK, implicit_task);
    }
    if (set != NULL && settings()->folder != NULL)
        ompt_watch_events(set);
    task_info = (task_info_fn *)lookup("ompt_get_task_info");
    parallel_info = (parallel_info_fn *)lookup("ompt_get_parallel_info");
    return 1;
}

static void finalize_tool(data_t *data)
{
    (void)data;
    parallel_info = NULL;
}

typedef struct start_result *start_tool_fn(unsigned, const char *);

static atomic_bool asked; /* a runtime has called ompt_start_tool here */

static const char own_tool[] = "the program has its own OMPT tool: it is kept";

static bool is_idle(void)
{
    return settings()->folder == NULL && !settings()->schedules;
}

static void say_alone(const char *why)
{
    if (!is_idle())
        settings_say("%s, and the loops of LLVM's runtime are left alone", why);
}

OMP_ENTRY start_tool_fn ompt_start_tool;

/* A runtime takes only one tool: the program's own has precedence. */
OMP_ENTRY struct start_result *ompt_start_tool(unsigned version,
                                               const char *runtime)
{
    static struct start_result result = {.initialize = initialize_tool,
                                         .finalize = finalize_tool};
    const char *libraries = getenv("OMP_TOOL_LIBRARIES");
    runtime_begins(__builtin_return_address(0));
    void *found = dlsym(RTLD_NEXT, "ompt_start_tool");
    start_tool_fn *other;
    memcpy(&other, &found, sizeof(other));
    struct start_result *others =
        other != NULL ? other(version, runtime) : NULL;
    atomic_store(&asked, true);
    if (others != NULL) {
        say_alone(own_tool);
        return others;
    }
    /* The runtime asks these where it gets none here. */
    if (libraries != NULL && libraries[0] != '\0') {
        say_alone("OMP_TOOL_LIBRARIES names an OMPT tool: it is kept");
        return NULL;
    }
    return is_idle() ? NULL : &result;
}

/* A tool in the program itself has precedence over any library. */
static bool has_other(void)
{
    Dl_info theirs, ours;
    const void *found = dlsym(RTLD_DEFAULT, "ompt_start_tool");
    return found != NULL && dladdr(found, &theirs) != 0 &&
           dladdr(&asked, &ours) != 0 && theirs.dli_fbase != ours.dli_fbase;
}

/* Explains why no runtime has called. */
static void look_why(void)
{
    const char *tools = getenv("OMP_TOOL");
    if (atomic_exchange(&asked, true))
        return;
    if (tools != NULL && strcmp(tools, "disabled") == 0)
        say_alone("OMP_TOOL=disabled: nobody knows which threads are a team");
    else if (has_other())
        say_alone(own_tool);
}

/* ---- where a thread is ---- */

bool ompt_is_active(void)
{
    if (OMP_LIKELY(parallel_info != NULL && task_info != NULL))
        return true;
    if (!OMP_LIKELY(atomic_load_explicit(&asked, memory_order_relaxed)))
        look_why();
    return false;
}

bool ompt_find_place(struct ompt_place *place)
{
    data_t *data = NULL, *parallel = NULL;
    int flags = 0, threads = 1, thread = 0;
    *place = (struct ompt_place){.threads = 1};
    if (!ompt_is_active())
        return false;
    bool known = parallel_info(0, &parallel, &threads) == AVAILABLE &&
                 task_info(0, &flags, &data, NULL, NULL, &thread) == AVAILABLE;
    if (known && (flags & TASK_INITIAL))
        return true;
    if (!known || parallel == NULL || parallel->ptr == NULL || data == NULL ||
        data->ptr == NULL || !(flags & TASK_IMPLICIT))
        return false;
    place->task = data->ptr;
    place->first = parallel->ptr;
    place->threads = threads;
    place->thread = thread;
    return true;
}

struct visit_slot *ompt_next_slot(const struct ompt_place *place)
{
    struct implicit_task *task = place->task;
    if (task->block == NULL)
        task->block = place->first;
    if (task->at == SLOTS) {
        task->block = next_block(task->block);
        task->at = 0;
    }
    return &task->block->slot[task->at++];
}
