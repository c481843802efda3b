/* Windows for the MPI of tests, with as little as the standard promises:
 *
 * - The others see a rank's stores to its memory when it calls MPI_Win_sync,
 *   and not before (the separate memory model).
 * - An access happens at some time from its call to the flush; until then the
 *   place of its result holds rubbish.
 * - In some worlds, a flush waits until the target enters MPI.
 *
 *     mpi_testing_windows(ranks, &seed); instead of mpi_testing_start
 *     assert_int_equal(mpi_testing_windows_left(), 0); */
#ifndef HARNESS_MESSAGES_MPI_TESTING_WINDOWS_H
#define HARNESS_MESSAGES_MPI_TESTING_WINDOWS_H

#include "harness/messages/mpi_testing_collectives.h"

enum {
    FAKE_FIRST_WINDOW = 1 << 24,
    FAKE_WINDOWS_MAX = 16,
    FAKE_ACCESSES_MAX = 64,
    FAKE_RUBBISH = 0xa5,
};

/* A rank's part of a window. */
struct fake_area {
    char *memory;  /* as its own processor sees it */
    char *outside; /* as the others see it; NULL: the memory is shared */
    char *before;  /* as it was at the rank's last MPI_Win_sync */
    void *own;     /* allocated with the window */
    size_t bytes;
    int unit;
    bool locked;
};

struct fake_window {
    int came, freed;
    struct fake_area part[FAKE_RANKS_MAX];
};

enum fake_operation { FAKE_GET, FAKE_REPLACE, FAKE_FETCH_ADD };

struct fake_access {
    bool used, done;
    enum fake_operation operation;
    int window, from, target;
    size_t at, bytes;
    const void *origin;
    void *result;
    pthread_t thread;
};

static struct {
    int ranks;
    bool weak;    /* targets must enter MPI */
    int refusing; /* this rank makes no window; -1: all do */
    int made[FAKE_RANKS_MAX];
    MPI_Errhandler handler[FAKE_RANKS_MAX];
    struct fake_window window[FAKE_WINDOWS_MAX];
    struct fake_access access[FAKE_ACCESSES_MAX];
} fake_windows;

static struct fake_area *fake_area(int window, int rank)
{
    return &fake_windows.window[window].part[rank];
}

static _Noreturn void fake_wrong(const char *what, int rank)
{
    fprintf(stderr, "rank %d: %s\n", rank, what);
    abort();
}

static void fake_perform(struct fake_access *a)
{
    char *target = fake_area(a->window, a->target)->outside + a->at;
    int64_t old, add;
    a->done = true;
    if (a->operation == FAKE_REPLACE) {
        memcpy(target, a->origin, a->bytes);
        return;
    }
    memcpy(&old, target, sizeof(old) < a->bytes ? sizeof(old) : a->bytes);
    memcpy(a->result, target, a->bytes);
    if (a->operation == FAKE_GET)
        return;
    memcpy(&add, a->origin, sizeof(add));
    old += add;
    memcpy(target, &old, sizeof(old));
}

/* A rank has entered MPI: what the others want of it happens. */
static void fake_serve(int rank)
{
    for (int i = 0; i < FAKE_ACCESSES_MAX; i++) {
        struct fake_access *a = &fake_windows.access[i];
        if (a->used && !a->done && a->target == rank)
            fake_perform(a);
    }
}

/* mpi_testing_start for a world with windows, which are weak by chance. */
static inline void mpi_testing_windows(int ranks, uint64_t *seed)
{
    memset(&fake_windows, 0, sizeof(fake_windows));
    fake_windows.ranks = ranks;
    fake_windows.weak = testing_random(seed) % 2;
    mpi_testing_start(*seed);
    mpi_testing_collectives(ranks);
    fake_windows.refusing = -1;
    fake.entered = fake_serve;
}

/* Windows not freed, and accesses not finished. */
static inline int mpi_testing_windows_left(void)
{
    int left = 0;
    for (int w = 0; w < FAKE_WINDOWS_MAX; w++)
        left += fake_windows.window[w].came != fake_windows.window[w].freed;
    for (int i = 0; i < FAKE_ACCESSES_MAX; i++)
        left += fake_windows.access[i].used;
    return left;
}

/* ---- making and freeing ---- */

static void fake_wait_for(const int *count, int many)
{
    for (bool there = false; !there;) {
        pthread_mutex_lock(&fake.lock);
        there = *count == many;
        pthread_mutex_unlock(&fake.lock);
        sched_yield();
    }
}

static char *fake_copy(const char *memory, size_t bytes)
{
    return memcpy(malloc(bytes + 1), memory, bytes);
}

/* A rank's part; all ranks make their windows in the same order. */
static int fake_make(MPI_Comm comm, struct fake_area part, bool shared,
                     MPI_Win *window)
{
    int rank = fake_rank(comm);
    pthread_mutex_lock(&fake.lock);
    int w = fake_windows.made[rank]++;
    bool refuses = fake_windows.refusing == rank;
    if (refuses && fake_windows.handler[rank] != MPI_ERRORS_RETURN)
        fake_wrong("MPI ends the program", rank);
    if (w == FAKE_WINDOWS_MAX)
        fake_wrong("no window left", rank);
    if (!shared && part.bytes > 0) {
        part.outside = fake_copy(part.memory, part.bytes);
        part.before = fake_copy(part.memory, part.bytes);
    }
    *fake_area(w, rank) = part;
    fake_windows.window[w].came++;
    *window = FAKE_FIRST_WINDOW + w * FAKE_RANKS_MAX + rank;
    pthread_mutex_unlock(&fake.lock);
    fake_wait_for(&fake_windows.window[w].came, fake_windows.ranks);
    return refuses ? MPI_ERR_WIN : MPI_SUCCESS;
}

static int fake_window_rank(MPI_Win window)
{
    return (window - FAKE_FIRST_WINDOW) % FAKE_RANKS_MAX;
}

static int fake_window_number(MPI_Win window)
{
    return (window - FAKE_FIRST_WINDOW) / FAKE_RANKS_MAX;
}

static struct fake_area *fake_own_area(MPI_Win window)
{
    return fake_area(fake_window_number(window), fake_window_rank(window));
}

int MPI_Win_create(void *memory, MPI_Aint bytes, int unit, MPI_Info info,
                   MPI_Comm comm, MPI_Win *window)
{
    (void)info;
    struct fake_area part = {
        .memory = memory, .bytes = (size_t)bytes, .unit = unit};
    return fake_make(comm, part, false, window);
}

/* Memory that is aligned to a double and not to more. */
static int fake_allocate(MPI_Aint bytes, int unit, MPI_Comm comm, bool shared,
                         void *memory, MPI_Win *window)
{
    char *own = aligned_alloc(128, ((size_t)bytes + 255) / 128 * 128);
    memset(own, FAKE_RUBBISH, (size_t)bytes + 8);
    struct fake_area part = {
        .own = own, .memory = own + 8, .bytes = (size_t)bytes, .unit = unit};
    memcpy(memory, &part.memory, sizeof(part.memory));
    return fake_make(comm, part, shared, window);
}

int MPI_Win_allocate(MPI_Aint bytes, int unit, MPI_Info info, MPI_Comm comm,
                     void *memory, MPI_Win *window)
{
    (void)info;
    return fake_allocate(bytes, unit, comm, false, memory, window);
}

int MPI_Win_allocate_shared(MPI_Aint bytes, int unit, MPI_Info info,
                            MPI_Comm comm, void *memory, MPI_Win *window)
{
    (void)info;
    return fake_allocate(bytes, unit, comm, true, memory, window);
}

int MPI_Win_shared_query(MPI_Win window, int rank, MPI_Aint *bytes, int *unit,
                         void *memory)
{
    const struct fake_area *part = fake_area(fake_window_number(window), rank);
    memcpy(memory, &part->memory, sizeof(part->memory));
    *bytes = (MPI_Aint)part->bytes;
    *unit = part->unit;
    return MPI_SUCCESS;
}

static void fake_free_parts(struct fake_window *window)
{
    for (int r = 0; r < fake_windows.ranks; r++) {
        free(window->part[r].outside);
        free(window->part[r].before);
        free(window->part[r].own);
    }
}

int MPI_Win_free(MPI_Win *handle)
{
    struct fake_window *window =
        &fake_windows.window[fake_window_number(*handle)];
    if (fake_own_area(*handle)->locked)
        fake_wrong("frees a window that it has locked",
                   fake_window_rank(*handle));
    pthread_mutex_lock(&fake.lock);
    if (++window->freed == fake_windows.ranks)
        fake_free_parts(window);
    pthread_mutex_unlock(&fake.lock);
    *handle = MPI_WIN_NULL;
    return MPI_SUCCESS;
}

/* ---- accesses ---- */

int MPI_Win_lock_all(int promise, MPI_Win window)
{
    (void)promise;
    fake_own_area(window)->locked = true;
    return MPI_SUCCESS;
}

/* Copies each side's changes since the last call to the other side. */
int MPI_Win_sync(MPI_Win window)
{
    struct fake_area *part = fake_own_area(window);
    pthread_mutex_lock(&fake.lock);
    for (size_t i = 0; part->outside != NULL && i < part->bytes; i++) {
        if (part->memory[i] != part->before[i])
            part->outside[i] = part->memory[i];
        else if (part->memory[i] != part->outside[i])
            part->memory[i] = part->outside[i];
        part->before[i] = part->memory[i];
    }
    pthread_mutex_unlock(&fake.lock);
    return MPI_SUCCESS;
}

static void fake_check_access(const struct fake_access *a)
{
    const struct fake_area *target = fake_area(a->window, a->target);
    if (!fake_area(a->window, a->from)->locked)
        fake_wrong("accesses a window that it has not locked", a->from);
    if (a->at + a->bytes > target->bytes)
        fake_wrong("accesses what is not in the window", a->from);
    for (int i = 0; i < FAKE_ACCESSES_MAX; i++) {
        const struct fake_access *other = &fake_windows.access[i];
        if (other->used && other->from == a->from &&
            !pthread_equal(other->thread, a->thread))
            fake_wrong("two of its threads are at MPI", a->from);
    }
}

static int fake_access(MPI_Win window, struct fake_access access)
{
    pthread_mutex_lock(&fake.lock);
    access.used = true;
    access.window = fake_window_number(window);
    access.from = fake_window_rank(window);
    access.at *= (size_t)fake_area(access.window, access.target)->unit;
    access.thread = pthread_self();
    fake_check_access(&access);
    int i = 0;
    while (i < FAKE_ACCESSES_MAX && fake_windows.access[i].used)
        i++;
    if (i == FAKE_ACCESSES_MAX)
        fake_wrong("no access left", access.from);
    if (access.result != NULL)
        memset(access.result, FAKE_RUBBISH, access.bytes);
    fake_windows.access[i] = access;
    if (!fake_windows.weak && random_next(&fake.random) % 2)
        fake_perform(&fake_windows.access[i]);
    pthread_mutex_unlock(&fake.lock);
    return MPI_SUCCESS;
}

int MPI_Get(void *result, int count, MPI_Datatype type, int target, MPI_Aint at,
            int target_count, MPI_Datatype target_type, MPI_Win window)
{
    (void)target_count, (void)target_type;
    return fake_access(
        window,
        (struct fake_access){.operation = FAKE_GET,
                             .target = target,
                             .at = (size_t)at,
                             .bytes = (size_t)count * fake_type_size(type),
                             .result = result});
}

int MPI_Accumulate(const void *origin, int count, MPI_Datatype type, int target,
                   MPI_Aint at, int target_count, MPI_Datatype target_type,
                   MPI_Op op, MPI_Win window)
{
    (void)target_count, (void)target_type;
    if (op != MPI_REPLACE)
        fake_wrong("accumulates by another operation",
                   fake_window_rank(window));
    return fake_access(
        window,
        (struct fake_access){.operation = FAKE_REPLACE,
                             .target = target,
                             .at = (size_t)at,
                             .bytes = (size_t)count * fake_type_size(type),
                             .origin = origin});
}

int MPI_Fetch_and_op(const void *origin, void *result, MPI_Datatype type,
                     int target, MPI_Aint at, MPI_Op op, MPI_Win window)
{
    if (op != MPI_SUM || type != MPI_INT64_T)
        fake_wrong("fetches by another operation", fake_window_rank(window));
    return fake_access(window, (struct fake_access){.operation = FAKE_FETCH_ADD,
                                                    .target = target,
                                                    .at = (size_t)at,
                                                    .bytes = sizeof(int64_t),
                                                    .origin = origin,
                                                    .result = result});
}

/* Whether all of a rank's accesses to a target are over, and then they are. */
static bool fake_flushed(int window, int from, int target)
{
    bool all = true;
    fake_serve(from);
    for (int i = 0; i < FAKE_ACCESSES_MAX; i++) {
        struct fake_access *a = &fake_windows.access[i];
        if (!a->used || a->window != window || a->from != from ||
            (target >= 0 && a->target != target))
            continue;
        if (!a->done && !fake_windows.weak)
            fake_perform(a);
        a->used = !a->done;
        all = all && a->done;
    }
    return all;
}

static int fake_flush(MPI_Win window, int target)
{
    for (bool all = false; !all;) {
        pthread_mutex_lock(&fake.lock);
        all = fake_flushed(fake_window_number(window), fake_window_rank(window),
                           target);
        pthread_mutex_unlock(&fake.lock);
        if (!all)
            sched_yield();
    }
    return MPI_SUCCESS;
}

int MPI_Win_flush(int target, MPI_Win window)
{
    return fake_flush(window, target);
}

int MPI_Win_unlock_all(MPI_Win window)
{
    fake_flush(window, -1);
    fake_own_area(window)->locked = false;
    return MPI_SUCCESS;
}

/* ---- errors ---- */

int MPI_Comm_get_errhandler(MPI_Comm comm, MPI_Errhandler *handler)
{
    *handler = fake_windows.handler[fake_rank(comm)];
    return MPI_SUCCESS;
}

int MPI_Comm_set_errhandler(MPI_Comm comm, MPI_Errhandler handler)
{
    fake_windows.handler[fake_rank(comm)] = handler;
    return MPI_SUCCESS;
}

int MPI_Errhandler_free(MPI_Errhandler *handler)
{
    *handler = MPI_ERRHANDLER_NULL;
    return MPI_SUCCESS;
}

int MPI_Error_string(int code, char *text, int *length)
{
    *length = sprintf(text, "error %d", code);
    return MPI_SUCCESS;
}

#endif
