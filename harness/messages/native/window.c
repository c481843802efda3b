#include "harness/messages/window.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>

static int open_shared(struct window *window, size_t bytes)
{
    const struct comm *comm = window->comm;
    void *mine;
    MPI_Aint size;
    int unit;
    /* Aligned by hand: MPI guarantees only the alignment of a double. */
    int code = MPI_Win_allocate_shared(
        comm->rank == 0 ? (MPI_Aint)bytes + 128 : 0, 1, MPI_INFO_NULL,
        comm->all, &mine, &window->handle);
    if (code != MPI_SUCCESS)
        return code;
    comm_check(window->comm,
               MPI_Win_shared_query(window->handle, 0, &size, &unit, &mine));
    uintptr_t address = (uintptr_t)mine;
    window->memory = (void *)((address + 127) & ~(uintptr_t)127);
    return code;
}

static int open_rma(struct window *window)
{
    const struct comm *comm = window->comm;
    int64_t *counter;
    int code = MPI_Win_allocate(
        comm->rank == 0 ? (MPI_Aint)sizeof(*counter) : 0, sizeof(*counter),
        MPI_INFO_NULL, comm->all, &counter, &window->handle);
    if (code == MPI_SUCCESS && comm->rank == 0)
        *counter = 0;
    return code;
}

/* Not every MPI has windows between all hosts (Open MPI over TCP has none),
 * and by default MPI would end the program. */
static int open_any(struct window *window, size_t bytes, struct error *err)
{
    const struct comm *comm = window->comm;
    MPI_Errhandler usual;
    char why[MPI_MAX_ERROR_STRING] = "";
    int length, code;
    MPI_Comm_get_errhandler(comm->all, &usual);
    MPI_Comm_set_errhandler(comm->all, MPI_ERRORS_RETURN);
    code = window->shared ? open_shared(window, bytes) : open_rma(window);
    MPI_Comm_set_errhandler(comm->all, usual);
    MPI_Errhandler_free(&usual);
    if (code == MPI_SUCCESS && comm->failed != NULL)
        MPI_Win_set_errhandler(window->handle, MPI_ERRORS_RETURN);
    if (code == MPI_SUCCESS)
        return 0;
    MPI_Error_string(code, why, &length);
    return error_set(err, ENOTSUP,
                     "MPI makes no %s window between these ranks (%s): use "
                     "transport master with collect=master",
                     window->shared ? "shared" : "rma", why);
}

/* Opens the one passive epoch of the window, which window_close ends (MPI 3.1,
 * section 11.5.3).  Data written earlier by rank 0 are visible to all
 * afterwards. */
static void begin_access(const struct window *window)
{
    const struct comm *comm = window->comm;
    comm_check(comm, MPI_Win_lock_all(MPI_MODE_NOCHECK, window->handle));
    comm_check(comm, MPI_Win_sync(window->handle));
    comm_quiet_barrier(comm);
    comm_check(comm, MPI_Win_sync(window->handle));
}

int window_open(struct window *window, const struct comm *comm, bool shared,
                size_t bytes, struct error *err)
{
    *window = (struct window){.comm = comm, .shared = shared};
    if (shared && !comm->one_host)
        return error_set(err, ENOTSUP,
                         "window shared needs all ranks on one host (%d of %d "
                         "are here): use window=rma",
                         comm->host_ranks, comm->ranks);
    int code = comm_agree(comm, open_any(window, bytes, err), err);
    if (code != 0)
        return code;
    if (shared && comm->rank == 0)
        memset(window->memory, 0, bytes);
    begin_access(window);
    return 0;
}

int window_open_room(struct window *window, const struct comm *comm,
                     size_t bytes, struct error *err)
{
    *window = (struct window){.comm = comm, .shared = true};
    int code = comm_agree(comm, open_any(window, bytes, err), err);
    if (code == 0)
        begin_access(window);
    return code;
}

void window_close(struct window *window)
{
    if (comm_failed(window->comm))
        return;
    comm_quiet_barrier(window->comm);
    comm_check(window->comm, MPI_Win_unlock_all(window->handle));
    comm_check(window->comm, MPI_Win_free(&window->handle));
}

void window_set_counter(struct window *window, int64_t step)
{
    comm_check(window->comm,
               MPI_Accumulate(&step, 1, MPI_INT64_T, 0, 0, 1, MPI_INT64_T,
                              MPI_REPLACE, window->handle));
    comm_check(window->comm, MPI_Win_flush(0, window->handle));
}

void window_progress(struct window *window)
{
    int flag;
    if (!comm_try(window->comm))
        return;
    comm_check(window->comm,
               MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, window->comm->all, &flag,
                          MPI_STATUS_IGNORE));
    comm_end(window->comm);
}

int64_t window_fetch_step(struct window *window)
{
    static const int64_t one = 1;
    int64_t step = INT64_MAX; /* beyond every table, if the call fails */
    comm_begin(window->comm);
    comm_check(window->comm, MPI_Fetch_and_op(&one, &step, MPI_INT64_T, 0, 0,
                                              MPI_SUM, window->handle));
    comm_check(window->comm, MPI_Win_flush(0, window->handle));
    comm_end(window->comm);
    return step;
}

double window_measure_progress(struct window *window, double busy_s)
{
    const struct comm *comm = window->comm;
    double worst = -1;
    if (comm->ranks < 2)
        return worst;
    comm_quiet_barrier(comm);
    comm_sharp_barrier(comm);
    double start = engine_now();
    if (comm->rank == 0) {
        while (engine_now() - start < busy_s)
            ;
    } else if (comm->rank == 1) {
        for (int i = 0; i < 5; i++) {
            double before = engine_now();
            window_fetch_step(window);
            double took = engine_now() - before;
            if (took > worst)
                worst = took;
        }
    }
    comm_quiet_barrier(comm);
    if (comm->rank == 1)
        MPI_Send(&worst, 1, MPI_DOUBLE, 0, 0, comm->all);
    if (comm->rank == 0)
        MPI_Recv(&worst, 1, MPI_DOUBLE, 1, 0, comm->all, MPI_STATUS_IGNORE);
    return worst;
}
