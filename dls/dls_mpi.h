/* libdls over ranks: the workers of a loop are threads of several processes.
 *
 * A loop is opened on a communicator, by all of its ranks; then each rank's
 * workers ask as in dls.h, with numbers of their own from 0:
 *
 *     dls_loop *loop;
 *     if (dls_mpi_open(&loop, comm, "fss", iterations, threads, NULL, NULL) !=
 * 0) fprintf(stderr, "%s\n", dls_error(loop));
 *     // in each thread of this rank, worker = 0 .. threads-1:
 *     while (dls_next(loop, worker, &begin, &end) == 1)
 *         for (int64_t i = begin; i < end; i++)
 *             work(i);
 *     dls_close(loop, NULL);
 *
 * dls_mpi_open, dls_again and dls_close are collective, and all ranks return
 * the same code.  The communicator is duplicated: no message of the program
 * meets one of the library.  The library calls neither MPI_Init nor
 * MPI_Finalize, and has no use for MPI_COMM_WORLD.
 *
 * What differs from dls.h:
 * - 0 is not a barrier, with two exceptions.  A rank that serves others, with a
 *   master or with the counter of an rma window, gives its last worker 0 when
 *   the others have asked for the last time.  Under work stealing everybody
 *   gets 0 when nothing is left anywhere.
 * - 0 is final, but in memory that all ranks share (see dls_next).
 * - dls_unfinished is known from a dls_again that returned -EBUSY, and from
 *   dls_close.  Before it is the number of all iterations.
 * - dls_statistics is about the workers of this rank.
 * - dls_leave returns -EBUSY, and the worker must go on, where it is the last
 *   of its rank and only this rank can run what is left for it: under work
 *   stealing, with a pool in each rank, and with a chunk of its own in an rma
 *   window.
 * - dls_again refuses another number of iterations with -ENOTSUP under schemes
 *   that learn.
 * - options.costs are given in all ranks, the same; dls_costs is for loops in
 *   one process.
 * - Schemes of the program (dls_context) are for loops in one process.
 *
 * Threads.  Which calls use MPI depends on the transport:
 *
 *     level of MPI             transports
 *     MPI_THREAD_MULTIPLE      all
 *     MPI_THREAD_SERIALIZED    all; with two workers or more in a rank, or when
 *                              the program calls MPI while the loop runs, with
 *                              dls_mpi_options.mutex
 *     MPI_THREAD_FUNNELED,     with one worker in each rank, which is the main
 *     MPI_THREAD_SINGLE        thread: all; with more: window=shared, and
 *                              transport=master,hierarchy=node, where the main
 *                              thread fetches for all in dls_next or dls_poll
 *
 * With window=shared, the default on one host, and on a communicator of one
 * rank, only the collective functions call MPI.
 *
 * Errors of MPI are -EIO with MPI's text, where the error handler of the
 * program's communicator does not end the program before.  After -EIO other
 * ranks may wait for this one for ever: there is nothing left but MPI_Abort.
 *
 * Link with -ldls-mpich or -ldls-openmpi (pkg-config libdls-mpich,
 * libdls-openmpi), the one that fits the program's MPI. */
#ifndef DLS_MPI_H
#define DLS_MPI_H

#include "dls.h"

#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A lock around all calls of MPI, for MPI_THREAD_SERIALIZED. */
typedef struct dls_mutex dls_mutex;

/* Returns 0 or -ENOMEM. */
int dls_mutex_open(dls_mutex **mutex);
/* The program holds it around its own calls of MPI while a loop runs, and not
 * while it waits for another rank: the other may wait for the loop. */
void dls_mutex_lock(dls_mutex *mutex);
void dls_mutex_unlock(dls_mutex *mutex);
/* No loop may use it any more.  NULL is allowed. */
void dls_mutex_close(dls_mutex *mutex);

/* Choices other than those of every loop.  Set `size` and leave every member
 * that you do not need 0. */
typedef struct dls_mpi_options {
    size_t size;      /* sizeof(dls_mpi_options) */
    dls_mutex *mutex; /* outlives the loop; NULL: none */
} dls_mpi_options;

/* Opens a loop over the ranks of a communicator.  scheme, iterations: as in
 * dls_open, the same in all ranks; `outer/inner` are two schemes, one for the
 * masters and one below them.  workers: of this rank, 0 or more, and at least
 * one in all ranks together.  options: with their text the same in all ranks;
 * power: of this rank's workers, given in all ranks or in none.  Its keys
 * besides those of dls_open:
 *
 *   transport=auto|shared|window|master|steal
 *       auto: shared in one rank, otherwise window.  window: the ranks advance
 *       a counter; master: they ask a rank by message; steal: they begin with
 *       equal shares, and idle ones steal
 *   window=auto|shared|rma
 *       auto: shared memory where all ranks are on one host, otherwise remote
 *       memory access, then with hierarchy=node by default
 *   hierarchy=flat|node|16|4x16|4xnode
 *       the levels of masters; node: one pool for the workers of a rank
 *   master=computing|dedicated
 *       dedicated masters have ranks of their own, the first of their groups,
 *       with 0 workers: they call dls_poll
 *   victim=random|near
 *
 * Transports that hand out by a clock of their own, or by threads of their own,
 * are not here: openmp, push, and the keys prefetch and reissue.
 *
 * Returns, in all ranks, 0 or what dls_open returns; -EINVAL also when the
 * ranks pass different arguments, when this is the library of another MPI, and
 * outside MPI_Init and MPI_Finalize; -ENOTSUP for a combination that is
 * refused, with the reason; -EIO.  *loop is a handle in both cases, as with
 * dls_open. */
int dls_mpi_open(dls_loop **loop, MPI_Comm comm, const char *scheme,
                 int64_t iterations, int workers, const dls_options *options,
                 const dls_mpi_options *mpi);

/* Serves other ranks, as dls_next does, too: for a rank whose chunks take long
 * compared with the others', to be called now and then while it computes, and
 * for a rank without workers, until it returns 0.  By any thread that may call
 * MPI.  Returns 1 while the loop may need it; 0 when no rank will ask this one
 * any more; or a negative errno.  In a rank without workers, and in one whose
 * workers have all got 0, it waits until then. */
int dls_poll(dls_loop *loop);

#ifdef __cplusplus
}
#endif

#endif
