/* Collective calls for the MPI of tests (mpi_testing.h).  A call copies the
 * rank's data; it gets the others' data when all have called. */
#ifndef HARNESS_MESSAGES_MPI_TESTING_COLLECTIVES_H
#define HARNESS_MESSAGES_MPI_TESTING_COLLECTIVES_H

#include "harness/messages/mpi_testing.h"

enum { FAKE_STEPS_MAX = 64 };

enum fake_collective {
    FAKE_BARRIER,
    FAKE_BROADCAST,
    FAKE_GATHER,
    FAKE_ALLGATHER,
    FAKE_ALLREDUCE,
};

/* One step of one communicator. */
struct fake_step {
    bool used;
    int context, number; /* which step of the communicator this is */
    int ranks, came, left;
    enum fake_collective kind;
    size_t bytes; /* that each rank gives */
    int root;
    MPI_Op op;
    char *given[FAKE_RANKS_MAX];
    void *to[FAKE_RANKS_MAX];
};

static struct {
    int ranks;
    int numbers[64][FAKE_RANKS_MAX]; /* steps so far, by context and rank */
    struct fake_step step[FAKE_STEPS_MAX];
} fake_collectives;

/* Before the first collective call, with the number of ranks. */
static inline void mpi_testing_collectives(int ranks)
{
    memset(&fake_collectives, 0, sizeof(fake_collectives));
    fake_collectives.ranks = ranks;
}

static struct fake_step *fake_find_step(int context, int number)
{
    struct fake_step *empty = NULL;
    for (int i = 0; i < FAKE_STEPS_MAX; i++) {
        struct fake_step *s = &fake_collectives.step[i];
        if (s->used && s->context == context && s->number == number)
            return s;
        if (!s->used && empty == NULL)
            empty = s;
    }
    if (empty == NULL)
        abort();
    *empty =
        (struct fake_step){.used = true, .context = context, .number = number};
    return empty;
}

static void fake_reduce(const struct fake_step *s, int *to)
{
    memcpy(to, s->given[0], s->bytes);
    for (int r = 1; r < fake_collectives.ranks; r++) {
        for (size_t i = 0; i < s->bytes / sizeof(int); i++) {
            int other = ((const int *)(void *)s->given[r])[i];
            bool takes = s->op == MPI_MIN ? other < to[i] : other > to[i];
            to[i] = takes ? other : to[i];
        }
    }
}

/* The rank's part, once all have come. */
static void fake_take_part(struct fake_step *s, int rank)
{
    int ranks = fake_collectives.ranks;
    bool gathers = s->kind == FAKE_ALLGATHER ||
                   (s->kind == FAKE_GATHER && rank == s->root);
    for (int r = 0; gathers && r < ranks; r++)
        memcpy((char *)s->to[rank] + (size_t)r * s->bytes, s->given[r],
               s->bytes);
    if (s->kind == FAKE_BROADCAST && rank != s->root)
        memcpy(s->to[rank], s->given[s->root], s->bytes);
    if (s->kind == FAKE_ALLREDUCE)
        fake_reduce(s, s->to[rank]);
    if (++s->left < ranks)
        return;
    for (int r = 0; r < ranks; r++)
        free(s->given[r]);
    s->used = false;
}

/* Whether the collective request of a rank is done now. */
static bool fake_collective_done(struct fake_request *r)
{
    struct fake_step *s = fake_find_step(r->context, r->tag);
    if (s->came < fake_collectives.ranks)
        return false;
    fake_take_part(s, r->rank);
    return true;
}

static int fake_enter(enum fake_collective kind, const void *from, void *to,
                      size_t bytes, int root, MPI_Op op, MPI_Comm comm,
                      MPI_Request *request)
{
    pthread_mutex_lock(&fake.lock);
    int context = fake_context(comm), rank = fake_rank(comm);
    int number = fake_collectives.numbers[context][rank]++;
    struct fake_step *s = fake_find_step(context, number);
    int i = fake_new_request(FAKE_COLLECTIVE);
    s->kind = kind;
    s->bytes = bytes;
    s->root = root;
    s->op = op;
    s->to[rank] = to;
    s->given[rank] = malloc(bytes + 1);
    if (bytes > 0)
        memcpy(s->given[rank], from, bytes);
    s->came++;
    fake.request[i].context = context;
    fake.request[i].rank = rank;
    fake.request[i].tag = number;
    fake.request[i].ready = fake_collective_done;
    *request = FAKE_FIRST_REQUEST + i;
    pthread_mutex_unlock(&fake.lock);
    return MPI_SUCCESS;
}

int MPI_Ibarrier(MPI_Comm comm, MPI_Request *request)
{
    return fake_enter(FAKE_BARRIER, NULL, NULL, 0, 0, MPI_OP_NULL, comm,
                      request);
}

int MPI_Barrier(MPI_Comm comm)
{
    MPI_Request request;
    MPI_Ibarrier(comm, &request);
    return MPI_Wait(&request, MPI_STATUS_IGNORE);
}

int MPI_Ibcast(void *data, int count, MPI_Datatype type, int root,
               MPI_Comm comm, MPI_Request *request)
{
    return fake_enter(FAKE_BROADCAST, data, data,
                      (size_t)count * fake_type_size(type), root, MPI_OP_NULL,
                      comm, request);
}

int MPI_Igather(const void *from, int count, MPI_Datatype type, void *to,
                int to_count, MPI_Datatype to_type, int root, MPI_Comm comm,
                MPI_Request *request)
{
    (void)to_count, (void)to_type;
    return fake_enter(FAKE_GATHER, from, to,
                      (size_t)count * fake_type_size(type), root, MPI_OP_NULL,
                      comm, request);
}

int MPI_Iallgather(const void *from, int count, MPI_Datatype type, void *to,
                   int to_count, MPI_Datatype to_type, MPI_Comm comm,
                   MPI_Request *request)
{
    (void)to_count, (void)to_type;
    return fake_enter(FAKE_ALLGATHER, from, to,
                      (size_t)count * fake_type_size(type), 0, MPI_OP_NULL,
                      comm, request);
}

/* For ints: their least or largest. */
int MPI_Iallreduce(const void *from, void *to, int count, MPI_Datatype type,
                   MPI_Op op, MPI_Comm comm, MPI_Request *request)
{
    return fake_enter(FAKE_ALLREDUCE, from, to,
                      (size_t)count * fake_type_size(type), 0, op, comm,
                      request);
}

#endif
