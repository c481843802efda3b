/* An MPI for tests in which ranks are threads of one process and messages
 * arrive in random order, as far as the standard allows: messages of one sender
 * in one communicator do not overtake each other, all others do.  By chance, a
 * send completes at once or only when it is received.  Its data are read when
 * it is received, so that a buffer that changes too early is noticed.
 *
 * Include it in one file of a test program: its functions then replace the
 * library's.  Functions missing here must not be called.
 *
 *     mpi_testing_start(seed);
 *     rank[r].comm = mpi_testing_rank(r, ranks, &rank[r].lock);
 *     mpi_testing_run(run_rank, rank, ranks, sizeof(*rank));
 *     assert_int_equal(mpi_testing_left(), 0); nothing under way any more
 *     mpi_testing_end();
 *
 * mpi_testing_worlds runs that with many seeds. */
#ifndef HARNESS_MESSAGES_MPI_TESTING_H
#define HARNESS_MESSAGES_MPI_TESTING_H

#include "harness/testing.h"

#include "base/random.h"
#include "harness/messages/comm.h"

#include <limits.h>
#include <mpi.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifndef MPICH
#error "handles are made up as MPICH's are: integers"
#endif

enum {
    FAKE_RANKS_MAX = 64,
    FAKE_FIRST_COMM = 1000,
    FAKE_FIRST_REQUEST = 10000,
    FAKE_REQUESTS_MAX = 1 << 12,
    FAKE_LOOKS_MAX = 6, /* of a receiver, until a message has arrived */
    FAKE_FIRST_TYPE = 1 << 20,
    FAKE_SECONDS_MAX = 120,
};

struct fake_message {
    int context, from, to, tag;
    size_t bytes;
    const void *data; /* the sender's own, or a copy */
    void *copy;
    int looks;   /* still until it has arrived */
    int request; /* of a sender that waits for it; -1: none */
    struct fake_message *next;
};

enum fake_kind { FAKE_FREE, FAKE_SEND, FAKE_RECEIVE, FAKE_COLLECTIVE };

struct fake_request {
    enum fake_kind kind;
    bool done, cancelled;
    int context, rank, source, tag;
    void *data;
    size_t room;
    uint64_t posted; /* receives match in the order in which they were posted */
    int got_source, got_tag;
    size_t got_bytes;
    /* A collective call: whether it is over, and then the rank's part. */
    bool (*ready)(struct fake_request *request);
};

/* The only test data at file scope: MPI has no handle for it. */
static struct {
    pthread_mutex_t lock;
    uint64_t random, posted;
    struct fake_message *first, *last;
    struct fake_request request[FAKE_REQUESTS_MAX];
    int top;                    /* requests from here on were never used */
    int copies[FAKE_RANKS_MAX]; /* of communicators, by each rank */
    void (*entered)(int rank);  /* told, with the lock, who enters MPI */
} fake = {.lock = PTHREAD_MUTEX_INITIALIZER};

static inline void mpi_testing_start(uint64_t seed)
{
    fake.random = seed;
    fake.posted = 0;
    fake.top = 0;
    memset(fake.request, 0, sizeof(fake.request));
    memset(fake.copies, 0, sizeof(fake.copies));
    fake.entered = NULL;
}

/* The handle of communicator `context` in rank `rank`. */
static inline MPI_Comm mpi_testing_comm(int context, int rank)
{
    return FAKE_FIRST_COMM + context * FAKE_RANKS_MAX + rank;
}

/* A rank's communicator, as from comm_open; lock: the rank's, NULL if only one
 * thread calls. */
static inline struct comm mpi_testing_rank(int rank, int ranks,
                                           struct engine_lock *lock)
{
    return (struct comm){.all = mpi_testing_comm(0, rank),
                         .rank = rank,
                         .ranks = ranks,
                         .lanes = 1,
                         .posted = 1,
                         .landing = INT_MAX,
                         .mpi = lock,
                         .patience = {.nap_ns = 2000}};
}

/* Runs body(&rank[r]) of every rank in a separate thread until all are over;
 * size: of a rank. */
static inline void mpi_testing_run(void *(*body)(void *), void *rank, int ranks,
                                   size_t size)
{
    pthread_t thread[FAKE_RANKS_MAX];
    for (int r = 0; r < ranks; r++)
        assert_int_equal(pthread_create(&thread[r], NULL, body,
                                        (char *)rank + (size_t)r * size),
                         0);
    for (int r = 0; r < ranks; r++)
        pthread_join(thread[r], NULL);
}

/* Runs `worlds` random worlds of a test, whose seed is printed. */
static inline void mpi_testing_worlds(const char *test, int worlds,
                                      void (*run_world)(uint64_t seed))
{
    alarm(FAKE_SECONDS_MAX); /* a rank that waits for ever ends the test */
    testing_worlds(test, worlds, run_world);
    alarm(0);
}

/* Messages and requests not finished. */
static inline int mpi_testing_left(void)
{
    int left = 0;
    for (struct fake_message *m = fake.first; m != NULL; m = m->next)
        left++;
    for (int i = 0; i < fake.top; i++)
        left += fake.request[i].kind != FAKE_FREE;
    return left;
}

static inline void mpi_testing_end(void)
{
    while (fake.first != NULL) {
        struct fake_message *next = fake.first->next;
        free(fake.first->copy);
        free(fake.first);
        fake.first = next;
    }
    fake.last = NULL;
}

/* ---- inside; the lock is held ---- */

static int fake_context(MPI_Comm comm)
{
    return (comm - FAKE_FIRST_COMM) / FAKE_RANKS_MAX;
}

static int fake_rank(MPI_Comm comm)
{
    return (comm - FAKE_FIRST_COMM) % FAKE_RANKS_MAX;
}

static void fake_enter_mpi(int rank)
{
    if (fake.entered != NULL)
        fake.entered(rank);
}

static size_t fake_type_size(MPI_Datatype type)
{
    return type >= FAKE_FIRST_TYPE && type < 2 * FAKE_FIRST_TYPE
               ? (size_t)(type - FAKE_FIRST_TYPE)
           : type == MPI_UINT64_T || type == MPI_INT64_T ? 8
           : type == MPI_DOUBLE                          ? sizeof(double)
           : type == MPI_INT                             ? sizeof(int)
                                                         : 1;
}

static int fake_new_request(enum fake_kind kind)
{
    for (int i = 0; i < FAKE_REQUESTS_MAX; i++) {
        if (fake.request[i].kind == FAKE_FREE) {
            if (i >= fake.top)
                fake.top = i + 1;
            fake.request[i] =
                (struct fake_request){.kind = kind, .posted = fake.posted++};
            return i;
        }
    }
    fputs("the MPI of this test has no request left\n", stderr);
    abort();
}

static bool fake_matches(const struct fake_request *r,
                         const struct fake_message *m)
{
    return r->kind == FAKE_RECEIVE && !r->done && r->context == m->context &&
           r->rank == m->to &&
           (r->source == MPI_ANY_SOURCE || r->source == m->from) &&
           (r->tag == MPI_ANY_TAG || r->tag == m->tag);
}

static struct fake_request *fake_oldest_receive(const struct fake_message *m)
{
    struct fake_request *oldest = NULL;
    for (int i = 0; i < fake.top; i++) {
        struct fake_request *r = &fake.request[i];
        if (fake_matches(r, m) &&
            (oldest == NULL || r->posted < oldest->posted))
            oldest = r;
    }
    return oldest;
}

static void fake_deliver(struct fake_request *r, const struct fake_message *m)
{
    if (m->bytes > r->room) {
        fprintf(stderr, "a message of %zu bytes, tag %d, room for %zu\n",
                m->bytes, m->tag, r->room);
        abort();
    }
    if (m->bytes > 0)
        memcpy(r->data, m->data, m->bytes);
    r->got_source = m->from;
    r->got_tag = m->tag;
    r->got_bytes = m->bytes;
    r->done = true;
    if (m->request >= 0)
        fake.request[m->request].done = true;
}

/* Matches arrived messages with a rank's receives in one communicator. */
static void fake_progress(int context, int rank)
{
    bool held[FAKE_RANKS_MAX] = {false};
    struct fake_message **at = &fake.first, *before = NULL;
    while (*at != NULL) {
        struct fake_message *m = *at;
        struct fake_request *r = NULL;
        if (m->context == context && m->to == rank && !held[m->from]) {
            if (m->looks > 0)
                m->looks--;
            held[m->from] = m->looks > 0;
            r = held[m->from] ? NULL : fake_oldest_receive(m);
        }
        if (r == NULL) {
            before = m;
            at = &m->next;
            continue;
        }
        fake_deliver(r, m);
        *at = m->next;
        if (fake.last == m)
            fake.last = before;
        free(m->copy);
        free(m);
    }
}

/* How a send ends: when it was copied, or when it was received. */
enum fake_send { FAKE_COPIED, FAKE_RECEIVED, FAKE_BY_CHANCE };

static void fake_send(const void *data, int count, MPI_Datatype type, int to,
                      int tag, MPI_Comm comm, enum fake_send how,
                      MPI_Request *request)
{
    pthread_mutex_lock(&fake.lock);
    struct fake_message *m = calloc(1, sizeof(*m));
    bool waits = how == FAKE_RECEIVED ||
                 (how == FAKE_BY_CHANCE && random_next(&fake.random) % 2);
    *m = (struct fake_message){
        .context = fake_context(comm),
        .from = fake_rank(comm),
        .to = to,
        .tag = tag,
        .bytes = (size_t)count * fake_type_size(type),
        .data = data,
        .looks = (int)(random_next(&fake.random) % FAKE_LOOKS_MAX),
        .request = -1};
    if (!waits && m->bytes > 0)
        m->data = m->copy = memcpy(malloc(m->bytes), data, m->bytes);
    if (request != NULL) {
        int i = fake_new_request(FAKE_SEND);
        fake.request[i].done = !waits;
        fake.request[i].context = m->context;
        fake.request[i].rank = m->from;
        m->request = waits ? i : -1;
        *request = FAKE_FIRST_REQUEST + i;
    }
    if (fake.last != NULL)
        fake.last->next = m;
    else
        fake.first = m;
    fake.last = m;
    pthread_mutex_unlock(&fake.lock);
}

/* ---- what a library calls ---- */

int MPI_Send(const void *data, int count, MPI_Datatype type, int to, int tag,
             MPI_Comm comm)
{
    fake_send(data, count, type, to, tag, comm, FAKE_COPIED, NULL);
    return MPI_SUCCESS;
}

int MPI_Isend(const void *data, int count, MPI_Datatype type, int to, int tag,
              MPI_Comm comm, MPI_Request *request)
{
    fake_send(data, count, type, to, tag, comm, FAKE_BY_CHANCE, request);
    return MPI_SUCCESS;
}

int MPI_Issend(const void *data, int count, MPI_Datatype type, int to, int tag,
               MPI_Comm comm, MPI_Request *request)
{
    fake_send(data, count, type, to, tag, comm, FAKE_RECEIVED, request);
    return MPI_SUCCESS;
}

int MPI_Irecv(void *data, int count, MPI_Datatype type, int source, int tag,
              MPI_Comm comm, MPI_Request *request)
{
    pthread_mutex_lock(&fake.lock);
    int i = fake_new_request(FAKE_RECEIVE);
    struct fake_request *r = &fake.request[i];
    r->context = fake_context(comm);
    r->rank = fake_rank(comm);
    r->source = source;
    r->tag = tag;
    r->data = data;
    r->room = (size_t)count * fake_type_size(type);
    *request = FAKE_FIRST_REQUEST + i;
    pthread_mutex_unlock(&fake.lock);
    return MPI_SUCCESS;
}

int MPI_Test(MPI_Request *request, int *done, MPI_Status *status)
{
    *done = 1;
    if (*request == MPI_REQUEST_NULL)
        return MPI_SUCCESS;
    pthread_mutex_lock(&fake.lock);
    struct fake_request *r = &fake.request[*request - FAKE_FIRST_REQUEST];
    fake_enter_mpi(r->rank);
    /* A test of one message lets all messages of its rank progress. */
    if (r->kind == FAKE_COLLECTIVE)
        r->done = r->ready(r);
    else if (!r->done)
        fake_progress(r->context, r->rank);
    *done = r->done;
    if (r->done) {
        if (status != MPI_STATUS_IGNORE) {
            status->MPI_SOURCE = r->got_source;
            status->MPI_TAG = r->got_tag;
            status->count_lo = (int)r->got_bytes;
        }
        r->kind = FAKE_FREE;
        *request = MPI_REQUEST_NULL;
    }
    pthread_mutex_unlock(&fake.lock);
    return MPI_SUCCESS;
}

int MPI_Wait(MPI_Request *request, MPI_Status *status)
{
    for (int done = 0; !done;) {
        MPI_Test(request, &done, status);
        if (!done)
            sched_yield();
    }
    return MPI_SUCCESS;
}

int MPI_Recv(void *data, int count, MPI_Datatype type, int source, int tag,
             MPI_Comm comm, MPI_Status *status)
{
    MPI_Request request;
    MPI_Irecv(data, count, type, source, tag, comm, &request);
    return MPI_Wait(&request, status);
}

/* Finds nothing: it is called to enter MPI. */
int MPI_Iprobe(int source, int tag, MPI_Comm comm, int *found,
               MPI_Status *status)
{
    (void)source, (void)tag, (void)status;
    pthread_mutex_lock(&fake.lock);
    fake_enter_mpi(fake_rank(comm));
    pthread_mutex_unlock(&fake.lock);
    *found = 0;
    return MPI_SUCCESS;
}

int MPI_Cancel(MPI_Request *request)
{
    pthread_mutex_lock(&fake.lock);
    struct fake_request *r = &fake.request[*request - FAKE_FIRST_REQUEST];
    r->done = r->cancelled = true;
    pthread_mutex_unlock(&fake.lock);
    return MPI_SUCCESS;
}

int MPI_Get_count(const MPI_Status *status, MPI_Datatype type, int *count)
{
    *count = status->count_lo / (int)fake_type_size(type);
    return MPI_SUCCESS;
}

int MPI_Comm_rank(MPI_Comm comm, int *rank)
{
    *rank = fake_rank(comm);
    return MPI_SUCCESS;
}

/* All ranks copy in the same order, so the same number is the same copy. */
int MPI_Comm_dup(MPI_Comm comm, MPI_Comm *copy)
{
    pthread_mutex_lock(&fake.lock);
    *copy = mpi_testing_comm(++fake.copies[fake_rank(comm)], fake_rank(comm));
    pthread_mutex_unlock(&fake.lock);
    return MPI_SUCCESS;
}

int MPI_Comm_free(MPI_Comm *comm)
{
    *comm = MPI_COMM_NULL;
    return MPI_SUCCESS;
}

int MPI_Type_contiguous(int count, MPI_Datatype type, MPI_Datatype *made)
{
    *made = FAKE_FIRST_TYPE + count * (int)fake_type_size(type);
    return MPI_SUCCESS;
}

int MPI_Type_commit(MPI_Datatype *type)
{
    (void)type;
    return MPI_SUCCESS;
}

int MPI_Type_free(MPI_Datatype *type)
{
    *type = MPI_DATATYPE_NULL;
    return MPI_SUCCESS;
}

#endif
