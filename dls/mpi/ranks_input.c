/* The input of chunks.  Rank 0 has the whole loop's input.  On one host it is
 * in shared memory, which the workers read; on several, a worker gets its
 * chunk's input from rank 0 by remote memory access (MPI_Get).  So it does not
 * depend on who handed out the chunk. */
#include "dls/mpi/ranks_internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Counts of MPI are int. */
enum { PART = 1 << 30 };

static bool is_packed(const dls_data *data)
{
    return data->size > 0 && data->bytes == 0;
}

static bool has_input(const struct ranks *ranks)
{
    return ranks->data.input.size > 0;
}

/* ---- arguments ---- */

static int refuse_data(struct ranks *ranks, const char *which, const char *why)
{
    return error_set(&ranks->loop.error, EINVAL, "dls: the %s: %s", which, why);
}

static int check_size(struct ranks *ranks, const dls_data *data,
                      const char *which, bool needs_memory, int64_t n)
{
    if (data->bytes == 0 || n == 0)
        return 0;
    if (data->bytes > (uint64_t)(INT64_MAX / 2 / n))
        return refuse_data(ranks, which, "more bytes than any memory has");
    return needs_memory && data->memory == NULL
               ? refuse_data(ranks, which, "the memory is NULL")
               : 0;
}

int data_check(struct ranks *ranks, int64_t iterations)
{
    const struct data *data = &ranks->data;
    int code = check_size(ranks, &data->input, "input", ranks->comm.rank == 0,
                          iterations);
    return code != 0
               ? code
               : check_size(ranks, &data->output, "output", true, iterations);
}

static int read_data(struct ranks *ranks, const dls_data *given, dls_data *data,
                     const char *which, bool is_output)
{
    bool here = is_output || ranks->comm.rank == 0;
    if (given == NULL)
        return 0;
    int code =
        loop_copy_sized(&ranks->loop, given, data, sizeof(*data), "dls_data");
    if (code != 0)
        return code;
    bool packs = data->measure || data->pack || data->unpack;
    if (data->bytes > 0 && packs)
        return refuse_data(ranks, which,
                           "has bytes per iteration, and functions for data "
                           "that are packed (bytes 0): it is one or the other");
    if (data->bytes == 0 && here &&
        (data->measure == NULL || data->pack == NULL ||
         (is_output && data->unpack == NULL)))
        return refuse_data(ranks, which,
                           is_output
                               ? "bytes is 0, and measure, pack or unpack "
                                 "is NULL"
                               : "bytes is 0, and measure or pack is "
                                 "NULL");
    return 0;
}

int data_read(struct ranks *ranks, const dls_mpi_options *options)
{
    struct data *data = &ranks->data;
    int code = read_data(ranks, options->input, &data->input, "input", false);
    if (code == 0)
        code = read_data(ranks, options->output, &data->output, "output", true);
    return code != 0 ? code : data_check(ranks, ranks->loop.iterations);
}

static uint64_t form_of(const dls_data *data)
{
    return data->size == 0 ? 0 : data->bytes + 1;
}

uint64_t data_form(const struct ranks *ranks)
{
    const struct data *data = &ranks->data;
    return form_of(&data->input) * 0x9e3779b97f4a7c15 + form_of(&data->output);
}

int data_choose(struct ranks *ranks)
{
    struct data *data = &ranks->data;
    const char *way = ranks->text.value[OPTION_INPUT].text;
    bool several = has_input(ranks) && ranks->comm.ranks > 1;
    bool shared = strcmp(way, "shared") == 0;
    if (several && shared && !ranks->comm.one_host)
        return error_set(&ranks->loop.error, ENOTSUP,
                         "dls: input=shared needs all ranks on one host");
    data->shares =
        several &&
        (shared || (ranks->comm.one_host && strcmp(way, "auto") == 0));
    data->remote = several && !data->shares;
    ranks->loop.notes =
        has_input(ranks) || ranks->data.output.size > 0 || ranks_charge(ranks);
    return 0;
}

/* ---- the loop begins ---- */

/* Bytes before an iteration. */
static int64_t bytes_before(const struct data *data, int64_t iteration)
{
    return data->before != NULL ? data->before[iteration]
                                : iteration * (int64_t)data->input.bytes;
}

/* Only rank 0 can measure its input.  All ranks need the places of all
 * iterations, to get those of any chunk themselves. */
static int measure_input(struct ranks *ranks)
{
    struct data *data = &ranks->data;
    const dls_data *input = &data->input;
    int64_t n = ranks->loop.iterations, bytes = 0;
    free(data->before);
    data->before = calloc((size_t)n + 1, sizeof(*data->before));
    int code = data->before != NULL ? 0
                                    : error_set(&ranks->loop.error, ENOMEM,
                                                "dls: out of memory");
    code = comm_agree(&ranks->comm, code, &ranks->loop.error);
    if (code != 0)
        return code;
    for (int64_t i = 0; ranks->comm.rank == 0 && i < n; i++) {
        data->before[i] = bytes;
        bytes += (int64_t)input->measure(input->arg, i);
    }
    data->before[n] = bytes;
    comm_broadcast(&ranks->comm, data->before,
                   ((size_t)n + 1) * sizeof(*data->before));
    return 0;
}

static void close_store(struct ranks *ranks)
{
    struct data *data = &ranks->data;
    const struct comm *comm = &ranks->comm;
    if (data->window != MPI_WIN_NULL && !comm_failed(comm)) {
        comm_quiet_barrier(comm);
        comm_check(comm, MPI_Win_unlock_all(data->window));
        comm_check(comm, MPI_Win_free(&data->window));
    }
    if (!data->shares && is_packed(&data->input))
        free(data->store);
    data->store = NULL;
    data->is_open = false;
}

/* The window's passive epoch (MPI_Win_lock_all) lasts until close_store.  So
 * workers get input at any time, without synchronizing with rank 0. */
static int make_window(struct ranks *ranks)
{
    struct data *data = &ranks->data;
    const struct comm *comm = &ranks->comm;
    bool here = comm->rank == 0;
    MPI_Aint bytes = here ? data->bytes : 0, size;
    int unit, code;
    if (data->shares)
        code = MPI_Win_allocate_shared(bytes, 1, MPI_INFO_NULL, comm->all,
                                       &data->store, &data->window);
    else
        code = MPI_Win_create(data->store, bytes, 1, MPI_INFO_NULL, comm->all,
                              &data->window);
    if (comm_check(comm, code) != MPI_SUCCESS)
        return ranks_failed(ranks);
    MPI_Win_set_errhandler(data->window, MPI_ERRORS_RETURN);
    if (data->shares)
        comm_check(comm, MPI_Win_shared_query(data->window, 0, &size, &unit,
                                              &data->store));
    comm_check(comm, MPI_Win_lock_all(MPI_MODE_NOCHECK, data->window));
    return comm_failed(comm) ? ranks_failed(ranks) : 0;
}

/* Rank 0's memory: the program's, or its packed input. */
static int open_store(struct ranks *ranks)
{
    struct data *data = &ranks->data;
    int code = 0;
    if (ranks->comm.rank == 0 && !data->shares) {
        data->store = is_packed(&data->input) ? malloc((size_t)data->bytes + 1)
                                              : data->input.memory;
        if (data->store == NULL && data->bytes > 0)
            code = error_set(&ranks->loop.error, ENOMEM, "dls: out of memory");
    }
    code = comm_agree(&ranks->comm, code, &ranks->loop.error);
    return code == 0 && ranks->comm.ranks > 1 ? make_window(ranks) : code;
}

static void fill_store(struct data *data, int64_t iterations)
{
    const dls_data *input = &data->input;
    if (is_packed(input))
        for (int64_t i = 0; i < iterations; i++)
            input->pack(input->arg, i, data->store + bytes_before(data, i));
    else if (data->shares && data->bytes > 0)
        memcpy(data->store, input->memory, (size_t)data->bytes);
}

/* Store and window stay if the input has as many bytes as before.  Its content
 * may be new: it is packed or copied again, unless the store is the program's
 * own memory. */
int data_begin(struct ranks *ranks)
{
    struct data *data = &ranks->data;
    int code = 0;
    for (int w = 0; w < ranks->loop.workers && data->worker != NULL; w++) {
        data->worker[w].now.size = data->worker[w].count = 0;
        data->worker[w].fetched = false;
    }
    if (!has_input(ranks))
        return 0;
    if (is_packed(&data->input))
        code = measure_input(ranks);
    if (code != 0)
        return code;
    data->bytes = bytes_before(data, ranks->loop.iterations);
    if (!data->is_open || data->bytes != data->open_bytes) {
        close_store(ranks);
        code = open_store(ranks);
    }
    if (code != 0)
        return code;
    data->is_open = true;
    data->open_bytes = data->bytes;
    if (ranks->comm.rank == 0)
        fill_store(data, ranks->loop.iterations);
    if (data->window != MPI_WIN_NULL)
        comm_check(&ranks->comm, MPI_Win_sync(data->window));
    return 0; /* a barrier follows */
}

void data_close(struct ranks *ranks)
{
    struct data *data = &ranks->data;
    close_store(ranks);
    for (int w = 0; w < ranks->loop.workers && data->worker != NULL; w++) {
        free(data->worker[w].done);
        free(data->worker[w].input);
    }
    free(data->worker);
    free(data->before);
    data->worker = NULL;
    data->before = NULL;
}

/* ---- during the loop ---- */

/* A probe receives nothing, but in some networks MPI_Get is only answered while
 * rank 0 is in MPI. */
void data_serve(struct ranks *ranks)
{
    const struct comm *comm = &ranks->comm;
    int flag;
    if (comm->rank != 0 || !comm_try(comm))
        return;
    comm_check(comm, MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm->all, &flag,
                                MPI_STATUS_IGNORE));
    comm_end(comm);
}

int data_make_room(struct ranks *ranks, int number)
{
    struct worker_data *worker = &ranks->data.worker[number];
    if (ranks->data.output.size == 0 || worker->count < worker->room)
        return 0;
    int64_t room = 2 * worker->room + 8;
    struct chunk *more =
        realloc(worker->done, (size_t)room * sizeof(*worker->done));
    if (more == NULL)
        return -ENOMEM;
    worker->done = more;
    worker->room = room;
    return 0;
}

void data_note(struct ranks *ranks, int number, const struct chunk *chunk)
{
    struct worker_data *worker = &ranks->data.worker[number];
    worker->now = chunk != NULL ? *chunk : (struct chunk){0};
    worker->fetched = false;
    if (chunk == NULL || ranks->data.output.size == 0)
        return;
    struct chunk *last =
        worker->count > 0 ? &worker->done[worker->count - 1] : NULL;
    if (last != NULL && last->start + last->size == chunk->start)
        last->size += chunk->size;
    else
        worker->done[worker->count++] = *chunk;
}

static int get_bytes(struct ranks *ranks, char *to, int64_t at, int64_t bytes)
{
    const struct comm *comm = &ranks->comm;
    comm_begin(comm);
    while (bytes > 0 && !comm_failed(comm)) {
        int part = bytes < PART ? (int)bytes : PART;
        comm_check(comm, MPI_Get(to, part, MPI_BYTE, 0, (MPI_Aint)at, part,
                                 MPI_BYTE, ranks->data.window));
        to += part;
        at += part;
        bytes -= part;
    }
    comm_check(comm, MPI_Win_flush(0, ranks->data.window));
    comm_end(comm);
    return comm_failed(comm) ? ranks_failed(ranks) : 0;
}

static int fetch_chunk(struct ranks *ranks, struct worker_data *worker)
{
    const struct data *data = &ranks->data;
    int64_t at = bytes_before(data, worker->now.start);
    int64_t bytes =
        bytes_before(data, worker->now.start + worker->now.size) - at;
    if (!comm_may(&ranks->comm))
        return ranks_refuse(ranks, EPERM,
                            "MPI's level of threads lets only the main thread "
                            "get input");
    if (worker->input == NULL || (size_t)bytes > worker->input_room) {
        free(worker->input);
        worker->input_room = 0;
        worker->input = malloc((size_t)bytes + 1);
        if (worker->input == NULL)
            return ranks_refuse(ranks, ENOMEM, "out of memory");
        worker->input_room = (size_t)bytes;
    }
    int code = get_bytes(ranks, worker->input, at, bytes);
    worker->fetched = code == 0;
    return code;
}

static int check_input(dls_loop *loop, int number, const void **pointer,
                       int64_t *first)
{
    if (loop->code != 0)
        return loop->code;
    if (loop->over != &ranks_over || !has_input(ranks_of(loop)))
        return loop_refuse(loop, ENOTSUP,
                           "dls: the loop has no input "
                           "(dls_mpi_options.input)");
    if (number < 0 || number >= loop->workers)
        return loop_refuse(loop, EINVAL, "dls: there is no such worker");
    if (pointer == NULL || first == NULL)
        return loop_refuse(loop, EINVAL, "dls: pointer or first is NULL");
    if (ranks_of(loop)->data.worker[number].now.size == 0)
        return loop_refuse(loop, EINVAL, "dls: the worker has no chunk");
    return 0;
}

DLS_PUBLIC int dls_input(dls_loop *loop, int number, const void **pointer,
                         int64_t *first)
{
    if (loop == NULL)
        return -EINVAL;
    int code = check_input(loop, number, pointer, first);
    if (code != 0)
        return code;
    struct ranks *ranks = ranks_of(loop);
    struct worker_data *worker = &ranks->data.worker[number];
    bool here = !ranks->data.remote || ranks->comm.rank == 0;
    if (!here && !worker->fetched)
        code = fetch_chunk(ranks, worker);
    if (code != 0)
        return code;
    *pointer =
        here ? ranks->data.store + bytes_before(&ranks->data, worker->now.start)
             : worker->input;
    *first = worker->now.start;
    return 0;
}
