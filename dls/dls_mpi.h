/* libdls over ranks: the workers of a loop are threads of several processes.
 *
 * A loop is opened on a communicator, by all of its ranks; then each rank's
 * workers ask as in dls.h, numbered from 0 in each rank:
 *
 *     dls_loop *loop;
 *     if (dls_mpi_open(&loop, comm, "fss", n, threads, NULL, NULL) != 0)
 *         fprintf(stderr, "%s\n", dls_error(loop));
 *     // in each thread of this rank, worker = 0 .. threads-1:
 *     while (dls_next(loop, worker, &begin, &end) == 1)
 *         for (int64_t i = begin; i < end; i++)
 *             work(i);
 *     dls_close(loop, NULL);
 *
 * dls_mpi_open, dls_collect, dls_again and dls_close are collective, and all
 * ranks return the same code.  The communicator is duplicated: no message of
 * the program meets one of the library.  The library calls neither MPI_Init nor
 * MPI_Finalize, and has no use for MPI_COMM_WORLD.
 *
 * What differs from dls.h:
 * - 0 is not a barrier, with two exceptions.  A rank that serves others, with a
 *   master or with the counter of an rma window, gives its last worker 0 when
 *   the others have asked for the last time.  Under work stealing everybody
 *   gets 0 when nothing is left anywhere.
 *   dls_leave may wait for the others in the same way, for the last worker of
 *   such a rank.  Two loops that wait like this must not be asked in turn, one
 *   inside the other: each rank would wait for another's loop.
 * - dls_again and dls_collect return -EBUSY at once, in this rank alone, while
 *   one of its workers has not got 0 and other ranks may wait for it in
 *   dls_next: let it ask, or leave, and call again.  (With window=shared they
 *   return it in all ranks.)
 * - 0 is final, but in memory that all ranks share (see dls_next).
 * - dls_unfinished is known from a dls_again that returned -EBUSY, and from
 *   dls_close.  Before it is the number of all iterations.
 * - dls_statistics is about the workers of this rank.  With DLS_REPORT, which
 *   is set in all ranks or in none, each rank writes of its workers, and rank 0
 *   of all.
 * - dls_leave returns -EBUSY, and the worker must continue, where it is the
 * last of its rank and only this rank can run what is left for it: under work
 *   stealing, with a pool in each rank, and with a chunk kept for it in an rma
 *   window.
 * - dls_again refuses another number of iterations with -ENOTSUP under schemes
 *   that learn.
 * - options.costs are given in all ranks, the same; dls_costs is for loops in
 *   one process.
 * - A scheme of the program (options.context) is registered in every rank
 *   in the same way, and may be one of two.  Any rank may call its functions on
 * a state that all share: it holds no pointers.  transport=steal refuses such a
 *   scheme, and so does window=rma but as the second of two.
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
 *                              (the others wait for ever if it does neither)
 *
 * With window=shared, the default on one host, and on a communicator of one
 * rank, only the collective functions call MPI.
 *
 * Errors of MPI are -EIO with MPI's text, where the error handler of the
 * program's communicator does not end the program before.  After -EIO other
 * ranks may wait for this one for ever: there is nothing left but MPI_Abort.
 *
 * Every loop is closed before MPI_Finalize.  A rank that calls MPI_Finalize, or
 * exit(), before its workers have got 0 or have left says so on stderr and
 * calls MPI_Abort: others would wait for it for ever, or the launcher would
 * report success.  It also reports MPI_Finalize with a loop that has ended and
 * was not closed.  A rank that ends by _exit() or a signal cannot say anything.
 *
 * Under SimGrid (smpicc, smpirun) a rank has one worker, and the time of
 * SimGrid is the time of schemes that learn and of dls_statistics.  What the
 * program computes takes as long as SMPI measures (smpi/simulate-computation,
 * SMPI_SAMPLE), as smpi_execute says, or as charge=costs says.  Handing out
 * takes what cells of the suite take for it.  The library keeps what its ranks
 * share in SimGrid's user data of hosts.  A thread of another kind than SMPI's
 * ranks must not call it.
 *
 * Link with -ldls-mpich or -ldls-openmpi (pkg-config libdls-mpich,
 * libdls-openmpi), or, alone, -ldls-smpi (libdls-smpi), the one that fits the
 * program's MPI. */
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

/* ---- data ---- */

/* Input or results of a loop's iterations: `bytes` of each, one after the other
 * in memory; or, with bytes 0, of any size, packed by functions.  The functions
 * are called by the thread that is in a collective function of the loop.  The
 * struct is copied; memory and arg must outlive the loop. */
typedef struct dls_data {
    size_t size;  /* sizeof(dls_data) */
    size_t bytes; /* of an iteration; 0: packed */
    void *memory; /* of the whole loop, iteration 0 first; packed: not used */
    /* Packed: the bytes of an iteration; writes them to `to`; takes them from
     * `from`.  Input needs the first two in rank 0, output all of them in all
     * ranks.  Data lie without gaps: sizes that are multiples of 8 keep them
     * aligned to 8. */
    size_t (*measure)(void *arg, int64_t iteration);
    void (*pack)(void *arg, int64_t iteration, void *to);
    void (*unpack)(void *arg, int64_t iteration, const void *from,
                   size_t bytes);
    void *arg;
} dls_data;

/* Choices other than those of every loop.  Set `size` and leave every member
 * that you do not need 0. */
typedef struct dls_mpi_options {
    size_t size;      /* sizeof(dls_mpi_options) */
    dls_mutex *mutex; /* outlives the loop; NULL: none */
    /* Given in all ranks or in none, with the same bytes.  Input: rank 0's
     * memory or functions are read, in dls_mpi_open and in each dls_again;
     * output: in dls_collect, in every rank, with room for the whole loop.
     * NULL: no such data. */
    const dls_data *input, *output;
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
 *       auto: shared memory where all ranks are on one host; otherwise remote
 *       memory access, and hierarchy=node if no hierarchy is given; rma: one
 *       counter for all ranks, if no hierarchy is given
 *   hierarchy=flat|node|16|4x16|4xnode
 *       the levels of masters; node: one pool for the workers of a rank
 *   master=computing|dedicated
 *       dedicated masters are ranks with 0 workers, the first of their groups:
 *       they call dls_poll
 *   victim=random|near
 *   input=auto|shared|rma
 *       auto: shared where all ranks are on one host
 *   charge=none|costs
 *       costs: where time is simulated, options.costs are seconds on the
 *       slowest host of its ranks, and dls_next lets those of the worker's
 *       chunk pass; dls_again then has as many iterations, or none
 *
 * Transports with their own clock or their own threads are not here: openmp,
 * push, and the keys prefetch and reissue.
 *
 * Returns, in all ranks, 0 or what dls_open returns; -EINVAL also when the
 * ranks pass different arguments, when this is the library of another MPI, and
 * outside MPI_Init and MPI_Finalize; -ENOTSUP for a combination that is
 * refused, with the reason; -EIO.  *loop is a handle in both cases, as with
 * dls_open. */
int dls_mpi_open(dls_loop **loop, MPI_Comm comm, const char *scheme,
                 int64_t iterations, int workers, const dls_options *options,
                 const dls_mpi_options *mpi);

/* The same for Fortran, whose communicators are integers of this type. */
int dls_mpi_open_f(dls_loop **loop, MPI_Fint comm, const char *scheme,
                   int64_t iterations, int workers, const dls_options *options,
                   const dls_mpi_options *mpi);

/* Serves other ranks, as dls_next also does: for a rank whose chunks take long
 * compared with the others', to be called now and then while it computes, and
 * for a rank without workers, until it returns 0.  By any thread that may call
 * MPI.  Returns 1 while the loop may need it; 0 when no rank will ask this one
 * any more; or a negative errno.  In a rank without workers, and in one whose
 * workers have all got 0, it waits until then. */
int dls_poll(dls_loop *loop);

/* The input of this worker's chunk: *pointer is at that of iteration *first,
 * the chunk's begin, and the others follow.  Read only; valid until this
 * worker's next dls_next or dls_leave.
 *
 * It does not depend on the transport:
 *
 *     input=shared  all ranks are on one host, and see a copy in shared memory;
 *                   rank 0 makes it in dls_mpi_open and dls_again
 *     input=rma     the worker gets it from rank 0 by MPI_Get, in this call;
 *                   rank 0 lets that progress in dls_next and dls_poll, and
 *                   its last worker gets 0 when the others have ended.  Refused
 *                   with several workers in a rank under MPI_THREAD_FUNNELED
 *
 * Returns 0; -EINVAL for a worker without a chunk; -ENOTSUP for a loop without
 * input; -EPERM for a thread that may not call MPI; -ENOMEM or -EIO. */
int dls_input(dls_loop *loop, int worker, const void **pointer, int64_t *first);

/* In dls_collect: all ranks get the results. */
#define DLS_EVERYWHERE (-1)

/* Collective, when all workers have got 0 or have left: the results of chunks
 * that other ranks ran come to rank `root` of the communicator, to their places
 * in its output's memory, or to unpack.  Each rank has put the results of its
 * own chunks into its own memory before; those stay.  Every transport has it.
 * It may be called more than once, before dls_again begins the next step.
 *
 * Returns, in all ranks, 0; -EBUSY when iterations were not run, with
 * dls_unfinished; -EINVAL when ranks pass different roots or one that does not
 * exist; -ENOTSUP for a loop without output; -ENOMEM or -EIO. */
int dls_collect(dls_loop *loop, int root);

#ifdef __cplusplus
}
#endif

#endif
