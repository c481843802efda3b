#include "harness/comm/comm.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A poll that lasts this long means that no rank waits for long. */
#define PATIENCE_S 1e-3
/* Large arrays travel in parts that an int can count. */
enum { PART = 1 << 28 };

int comm_open(struct comm *comm, struct error *err)
{
    int provided, compare;
    MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &provided);
    if (provided < MPI_THREAD_SERIALIZED) {
        MPI_Finalize();
        return error_set(err, ENOTSUP,
                         "this MPI does not let several threads "
                         "take turns (MPI_THREAD_SERIALIZED)");
    }
    *comm = (struct comm){.patience = {.spin_s = PATIENCE_S},
                          .lanes = 1,
                          .posted = 1,
                          .landing = INT_MAX,
                          .mpi = aligned_alloc(128, 128)};
    if (comm->mpi == NULL) {
        MPI_Finalize();
        return error_set(err, ENOMEM, "out of memory");
    }
    atomic_init(&comm->mpi->held, 0);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm->all);
    MPI_Comm_rank(comm->all, &comm->rank);
    MPI_Comm_size(comm->all, &comm->ranks);
    MPI_Comm_split_type(comm->all, MPI_COMM_TYPE_SHARED, comm->rank,
                        MPI_INFO_NULL, &comm->host);
    MPI_Comm_rank(comm->host, &comm->host_rank);
    MPI_Comm_size(comm->host, &comm->host_ranks);
    int one = comm->host_ranks == comm->ranks;
    MPI_Allreduce(&one, &compare, 1, MPI_INT, MPI_MIN, comm->all);
    comm->one_host = compare != 0;
    return 0;
}

void comm_close(struct comm *comm)
{
    comm_quiet_barrier(comm);
    MPI_Comm_free(&comm->host);
    MPI_Comm_free(&comm->all);
    free(comm->mpi);
    MPI_Finalize();
}

bool comm_test(const struct comm *comm, MPI_Request *request)
{
    int done;
    if (!comm_try(comm))
        return false;
    MPI_Test(request, &done, MPI_STATUS_IGNORE);
    comm_end(comm);
    return done != 0;
}

int comm_reap(const struct comm *comm, MPI_Request *list, int count)
{
    int kept = 0;
    (void)comm;
    for (int i = 0; i < count; i++) {
        int done;
        MPI_Test(&list[i], &done, MPI_STATUS_IGNORE);
        if (!done)
            list[kept++] = list[i];
    }
    return kept;
}

struct wait {
    const struct comm *comm;
    MPI_Request *request;
};

static bool wait_over(void *arg)
{
    const struct wait *wait = arg;
    return comm_test(wait->comm, wait->request);
}

void comm_wait(const struct comm *comm, const struct engine_patience *patience,
               MPI_Request *request)
{
    struct wait wait = {comm, request};
    engine_wait(patience, NULL, wait_over, &wait);
}

/* Messages wake no thread, and events would not hear of them. */
int comm_pause(const struct comm *comm, struct engine_idle *idle,
               const struct engine_patience *patience,
               struct engine_event *event, MPI_Request *requests, int count,
               MPI_Status *status)
{
    (void)comm, (void)event, (void)requests, (void)count, (void)status;
    engine_idle(idle, patience, NULL);
    return -1;
}

static bool request_done(void *arg)
{
    int done;
    MPI_Test((MPI_Request *)arg, &done, MPI_STATUS_IGNORE);
    return done != 0;
}

/* Every collective step is nonblocking and waited for through the engine. */
static void wait_quietly(const struct comm *comm, MPI_Request *request)
{
    engine_wait(&comm->patience, NULL, request_done, request);
}

void comm_quiet_barrier(const struct comm *comm)
{
    MPI_Request request;
    MPI_Ibarrier(comm->all, &request);
    wait_quietly(comm, &request);
}

void comm_sharp_barrier(const struct comm *comm)
{
    MPI_Barrier(comm->all);
}

int comm_agree(const struct comm *comm, int code, struct error *err)
{
    int first, mine = code != 0 ? comm->rank : INT_MAX;
    MPI_Request request;
    MPI_Iallreduce(&mine, &first, 1, MPI_INT, MPI_MIN, comm->all, &request);
    wait_quietly(comm, &request);
    if (first == INT_MAX)
        return 0;
    MPI_Ibcast(&code, 1, MPI_INT, first, comm->all, &request);
    wait_quietly(comm, &request);
    MPI_Ibcast(err->text, sizeof(err->text), MPI_BYTE, first, comm->all,
               &request);
    wait_quietly(comm, &request);
    return code;
}

/* The bytes of the part that begins at `at`. */
static int part_size(size_t bytes, size_t at)
{
    return (int)(bytes - at < PART ? bytes - at : PART);
}

void comm_broadcast(const struct comm *comm, void *data, size_t bytes)
{
    MPI_Request request;
    for (size_t at = 0; at < bytes; at += PART) {
        MPI_Ibcast((char *)data + at, part_size(bytes, at), MPI_BYTE, 0,
                   comm->all, &request);
        wait_quietly(comm, &request);
    }
}

char *comm_broadcast_text(const struct comm *comm, char *text)
{
    uint64_t size = comm->rank == 0 ? strlen(text) + 1 : 0;
    comm_broadcast(comm, &size, sizeof(size));
    char *copy = comm->rank == 0 ? text : malloc(size);
    if (copy == NULL)
        MPI_Abort(comm->all, 1);
    comm_broadcast(comm, copy, size);
    return copy;
}

void comm_gather(const struct comm *comm, const void *one, void *all,
                 size_t bytes)
{
    MPI_Request request;
    MPI_Igather(one, (int)bytes, MPI_BYTE, all, (int)bytes, MPI_BYTE, 0,
                comm->all, &request);
    wait_quietly(comm, &request);
}

static void send_parts(const struct comm *comm, const char *data, size_t bytes)
{
    MPI_Request request;
    for (size_t at = 0; at < bytes; at += PART) {
        MPI_Isend(data + at, part_size(bytes, at), MPI_BYTE, 0, 0, comm->all,
                  &request);
        wait_quietly(comm, &request);
    }
}

/* Rank 0 takes the others' one by one: sizes beyond an int. */
static void receive_parts(const struct comm *comm, char *data, size_t bytes,
                          int rank)
{
    MPI_Request request;
    for (size_t at = 0; at < bytes; at += PART) {
        MPI_Irecv(data + at, part_size(bytes, at), MPI_BYTE, rank, 0, comm->all,
                  &request);
        wait_quietly(comm, &request);
    }
}

static void gather_parts(const struct comm *comm, const void *one, size_t bytes,
                         char *all, const uint64_t *sizes)
{
    if (comm->rank != 0) {
        send_parts(comm, one, bytes);
        return;
    }
    if (bytes > 0)
        memcpy(all, one, bytes);
    all += bytes;
    for (int rank = 1; rank < comm->ranks; rank++) {
        receive_parts(comm, all, sizes[rank], rank);
        all += sizes[rank];
    }
}

int comm_gather_any(const struct comm *comm, const void *one, size_t bytes,
                    void **all, size_t *total)
{
    uint64_t mine = bytes, sum = 0;
    uint64_t *sizes =
        comm->rank == 0 ? calloc((size_t)comm->ranks, sizeof(*sizes)) : NULL;
    if (comm->rank == 0 && sizes == NULL)
        MPI_Abort(comm->all, 1);
    comm_gather(comm, &mine, sizes, sizeof(mine));
    for (int rank = 0; comm->rank == 0 && rank < comm->ranks; rank++)
        sum += sizes[rank];
    *all = comm->rank == 0 ? malloc(sum + 1) : NULL;
    *total = sum;
    if (comm->rank == 0 && *all == NULL)
        MPI_Abort(comm->all, 1);
    gather_parts(comm, one, bytes, *all, sizes);
    free(sizes);
    return 0;
}

void comm_sum_u64(const struct comm *comm, uint64_t *values, int count)
{
    MPI_Request request;
    MPI_Ireduce(comm->rank == 0 ? MPI_IN_PLACE : values, values, count,
                MPI_UINT64_T, MPI_SUM, 0, comm->all, &request);
    wait_quietly(comm, &request);
}

void comm_sum_u8(const struct comm *comm, uint8_t *values, size_t count)
{
    MPI_Request request;
    for (size_t at = 0; at < count; at += PART) {
        MPI_Ireduce(comm->rank == 0 ? MPI_IN_PLACE : values + at, values + at,
                    part_size(count, at), MPI_UINT8_T, MPI_SUM, 0, comm->all,
                    &request);
        wait_quietly(comm, &request);
    }
}

int comm_max_int(const struct comm *comm, int value)
{
    int most;
    MPI_Request request;
    MPI_Iallreduce(&value, &most, 1, MPI_INT, MPI_MAX, comm->all, &request);
    wait_quietly(comm, &request);
    return most;
}

void comm_share_u64(const struct comm *comm, uint64_t one, uint64_t *all)
{
    MPI_Request request;
    MPI_Iallgather(&one, 1, MPI_UINT64_T, all, 1, MPI_UINT64_T, comm->all,
                   &request);
    wait_quietly(comm, &request);
}

void comm_describe(char *text, size_t size)
{
    char version[MPI_MAX_LIBRARY_VERSION_STRING];
    int length;
    MPI_Get_library_version(version, &length);
    /* The first line names the library and its version. */
    version[strcspn(version, "\n")] = '\0';
    for (char *c = version; *c != '\0'; c++)
        if (*c == '\t')
            *c = ' ';
    snprintf(text, size, "%s", version);
}
