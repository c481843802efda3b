#include "harness/counters/sde.h"

#include <sde_lib.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

enum { CHUNKS, ITERATIONS, REQUESTS, WAIT_NS, NAMES };

const struct sde_name sde_names[] = {
    [CHUNKS] = {"chunks", "chunks that workers have run"},
    [ITERATIONS] = {"iterations", "iterations that workers have run"},
    [REQUESTS] = {"requests", "asked of a master or an rma window for chunks"},
    [WAIT_NS] = {"wait_ns", "nanoseconds of waiting for chunks or boundaries"},
    [NAMES] = {NULL, NULL},
};

/* A worker's counts, on a separate cache line. */
struct seat {
    _Alignas(128) _Atomic pid_t owner; /* its thread; 0: none */
    _Atomic long long count[NAMES];
};

/* The argument that PAPI hands back to ask for a count. */
struct handle {
    struct sde *sde;
    int what;
};

struct sde {
    struct handle handle[NAMES];
    int threads;
    struct seat *seat;
};

static long long read_count(void *arg)
{
    const struct handle *handle = arg;
    const struct sde *sde = handle->sde;
    pid_t reader = gettid();
    long long sum = 0;
    for (int i = 0; i < sde->threads; i++) {
        const struct seat *seat = &sde->seat[i];
        long long count = atomic_load(&seat->count[handle->what]);
        if (atomic_load(&seat->owner) == reader)
            return count;
        sum += count;
    }
    return sum;
}

static bool register_all(struct sde *sde, papi_handle_t library)
{
    for (int i = 0; i < NAMES; i++) {
        sde->handle[i] = (struct handle){sde, i};
        if (papi_sde_register_counter_cb(
                library, sde_names[i].name, PAPI_SDE_RO | PAPI_SDE_DELTA,
                PAPI_SDE_long_long, read_count, &sde->handle[i]) != SDE_OK)
            return false;
        papi_sde_describe_counter(library, sde_names[i].name,
                                  sde_names[i].what);
    }
    return true;
}

struct sde *sde_open(int threads)
{
    struct sde *sde = calloc(1, sizeof(*sde));
    void *seats = NULL;
    size_t bytes = (size_t)threads * sizeof(struct seat);
    if (sde == NULL || posix_memalign(&seats, 128, bytes) != 0) {
        free(sde);
        return NULL;
    }
    sde->seat = seats;
    sde->threads = threads;
    for (int i = 0; i < threads; i++) {
        atomic_init(&sde->seat[i].owner, 0);
        for (int j = 0; j < NAMES; j++)
            atomic_init(&sde->seat[i].count[j], 0);
    }
    papi_handle_t library = papi_sde_init("dlsbench");
    if (library != NULL &&
        papi_sde_get_counter_handle(library, sde_names[0].name) == NULL &&
        register_all(sde, library))
        return sde;
    free(sde->seat);
    free(sde);
    return NULL;
}

/* libsde 1.0 can forget nothing: after papi_sde_shutdown or
 * papi_sde_unregister_counter the next call crashes, and a name that is
 * registered again keeps its first callback.  So the names stay until the
 * process ends, and count nothing from here on. */
void sde_close(struct sde *sde)
{
    if (sde == NULL)
        return;
    sde->threads = 0;
    free(sde->seat);
    sde->seat = NULL;
}

void sde_thread_open(struct sde *sde, int thread)
{
    if (sde != NULL)
        atomic_store(&sde->seat[thread].owner, gettid());
}

void sde_tell(struct sde *sde, int thread, const struct counters_work *work)
{
    if (sde == NULL)
        return;
    _Atomic long long *count = sde->seat[thread].count;
    atomic_fetch_add(&count[CHUNKS], work->chunks);
    atomic_fetch_add(&count[ITERATIONS], work->iterations);
    atomic_fetch_add(&count[REQUESTS], work->requests);
    atomic_fetch_add(&count[WAIT_NS], (long long)(work->wait_s * 1e9));
}
