/* The common parts of the programs that test loops over ranks.  They are
 * compiled against an installed library. */
#ifndef TESTS_LIBDLS_RANKS_H
#define TESTS_LIBDLS_RANKS_H

#include <dls_mpi.h>

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* A rank that waits leaves its core to the others, of which a test may have
 * more than the machine has cores. */
static inline void rest(void)
{
    const struct timespec nap = {.tv_nsec = 50000};
    nanosleep(&nap, NULL);
}

/* Combines one number or more. */
static inline void combine(const int *mine, int *all, int count, MPI_Op op,
                           MPI_Comm comm)
{
    MPI_Request request;
    int done = 0;
    MPI_Iallreduce(mine, all, count, MPI_INT, op, comm, &request);
    while (MPI_Test(&request, &done, MPI_STATUS_IGNORE) == 0 && !done)
        rest();
}

/* Until every rank has come here.  One whose workers still ask serves the
 * others meanwhile. */
static inline void meet(dls_loop *loop, bool serves)
{
    MPI_Request request;
    int done = 0;
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    while (MPI_Test(&request, &done, MPI_STATUS_IGNORE) == 0 && !done) {
        if (serves)
            dls_poll(loop);
        rest();
    }
}

/* A loop whose iterations are counted. */
struct counted {
    dls_loop *loop;
    MPI_Comm comm;
    int64_t iterations;
    int *hits; /* of each iteration, in this rank */
    int threads;
    _Atomic int code; /* of a call that should not have failed */
};

/* This rank runs a chunk. */
static inline void hit(struct counted *counted, int64_t begin, int64_t end)
{
    for (int64_t i = begin; i < end; i++)
        __atomic_fetch_add(&counted->hits[i], 1, __ATOMIC_RELAXED);
}

struct hand {
    struct counted *counted;
    int worker;
};

static inline void *ask(void *arg)
{
    struct hand *hand = (struct hand *)arg;
    struct counted *counted = hand->counted;
    int64_t begin, end;
    int code;
    while ((code = dls_next(counted->loop, hand->worker, &begin, &end)) == 1)
        hit(counted, begin, end);
    if (code != 0)
        counted->code = code;
    return NULL;
}

/* Every worker of this rank asks until it gets 0; the caller is worker 0.  A
 * rank without workers polls. */
static inline void ask_all(struct counted *counted)
{
    struct hand hand[64];
    pthread_t thread[64];
    for (int w = 0; w < counted->threads; w++)
        hand[w] = (struct hand){counted, w};
    for (int w = 1; w < counted->threads; w++)
        pthread_create(&thread[w], NULL, ask, &hand[w]);
    if (counted->threads > 0)
        ask(&hand[0]);
    while (counted->threads == 0 && dls_poll(counted->loop) == 1)
        ;
    for (int w = 1; w < counted->threads; w++)
        pthread_join(thread[w], NULL);
}

static inline void prepare(struct counted *counted)
{
    counted->hits = (int *)calloc((size_t)counted->iterations + 1, sizeof(int));
    counted->code = 0;
}

/* Whether every iteration was run so many times, in all ranks together. */
static inline bool each_ran(const struct counted *counted, int times)
{
    bool good = counted->code == 0;
    int *all = (int *)calloc((size_t)counted->iterations + 1, sizeof(int));
    combine(counted->hits, all, (int)counted->iterations, MPI_SUM,
            counted->comm);
    for (int64_t i = 0; i < counted->iterations; i++)
        good = good && all[i] == times;
    free(all);
    return good;
}

/* The same code in every rank. */
static inline bool same_code(MPI_Comm comm, int code)
{
    int least, most;
    combine(&code, &least, 1, MPI_MIN, comm);
    combine(&code, &most, 1, MPI_MAX, comm);
    return least == most;
}

#endif
