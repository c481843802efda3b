/* libdls over ranks: the workers of a loop are threads of several processes.
 *
 * All ranks of a communicator open the loop.  Then each rank's workers ask as
 * in dls.h; each rank numbers its workers from 0:
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
 * dls_mpi_open, dls_collect, dls_again and dls_close are collective, and return
 * the same code in all ranks.  The library duplicates the communicator, so its
 * messages never meet those of the program.  It calls neither MPI_Init nor
 * MPI_Finalize, and does not use MPI_COMM_WORLD.
 *
 * Differences from dls.h:
 * - 0 is not a barrier, with two exceptions.  In a rank that serves others, by
 *   a master or the counter of an rma window, the last worker gets 0 after the
 *   last request of the others; its dls_leave may wait in the same way.  Under
 *   work stealing all workers get 0 when nothing is left anywhere.  Never ask
 *   two such loops in turn, one inside the other: each rank would wait for
 *   another's loop.
 * - dls_again and dls_collect return -EBUSY at once, in this rank only (with
 *   window=shared in all ranks), while a worker of the rank has not got 0 and
 *   other ranks may wait for it.  Let it ask or leave, and call again.
 * - 0 is final, except in memory that all ranks share (see dls_next).
 * - dls_unfinished knows the number after a dls_again that returned -EBUSY, and
 *   after dls_close.  Before, it returns the number of all iterations.
 * - dls_statistics covers the workers of this rank.  Set DLS_REPORT in all
 *   ranks or in none: each rank reports its workers, and rank 0 the whole loop.
 * - dls_leave returns -EBUSY if only this rank can run the remaining work, and
 *   the worker is its last.  Then the worker must continue.  This occurs under
 *   work stealing, with a pool in each rank, and with a chunk reserved for the
 *   worker in an rma window.
 * - dls_again refuses another number of iterations with -ENOTSUP under schemes
 *   that learn.
 * - All ranks give the same options.costs; dls_costs is for loops in one
 *   process.
 * - Every rank registers a scheme of the program (options.context) in the same
 *   way; it may be one of two.  Any rank may call its functions on a shared
 *   state, which must hold no pointers.  transport=steal refuses such a scheme;
 *   window=rma accepts it only as the second of two.
 *
 * Threads.  The transport decides which calls use MPI:
 *
 *     level of MPI             transports
 *     MPI_THREAD_MULTIPLE      all
 *     MPI_THREAD_SERIALIZED    all; with dls_mpi_options.mutex if a rank has
 *                              two workers or more, or if the program calls
 *                              MPI while the loop runs
 *     MPI_THREAD_FUNNELED,     with one worker in each rank, the main thread:
 *     MPI_THREAD_SINGLE        all; with more: window=shared, and
 *                              transport=master,hierarchy=node, where the main
 *                              thread fetches for all in dls_next or dls_poll
 *                              (the others wait for ever if it does neither)
 *
 * With window=shared, the default on one host, and on a communicator of one
 * rank, only the collective functions call MPI.
 *
 * MPI errors.  Functions return -EIO and give MPI's text, unless the error
 * handler of the program's communicator ends the program before.  After -EIO
 * other ranks may wait for this one for ever: call MPI_Abort.
 *
 * Close every loop before MPI_Finalize.  A rank may call MPI_Finalize or exit()
 * before each of its workers has got 0 or left.  Then it reports this on stderr
 * and calls MPI_Abort, because other ranks would wait for ever, or the launcher
 * would report success.  It also reports a finished loop that is still open in
 * MPI_Finalize.  A rank that ends by _exit() or a signal cannot report
 * anything.
 *
 * Under SimGrid (smpicc, smpirun) a rank has one worker.  Schemes that learn
 * and dls_statistics use simulated time.  The program's computation takes as
 * long as SMPI measures (smpi/simulate-computation, SMPI_SAMPLE), or as
 * smpi_execute or charge=costs specifies.  Scheduling takes as long as in cells
 * of the suite.  The library keeps data shared by its ranks in SimGrid's user
 * data of hosts.  Only SMPI's own ranks may call it, no other threads.
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
/* The program holds it around its own calls of MPI while a loop runs.  It must
 * not hold it while it waits for another rank, which may wait for the loop. */
void dls_mutex_lock(dls_mutex *mutex);
void dls_mutex_unlock(dls_mutex *mutex);
/* Frees a lock that no loop uses any more.  NULL is allowed. */
void dls_mutex_close(dls_mutex *mutex);

/* ---- data ---- */

/* Input or results of a loop's iterations: `bytes` of each, contiguous in
 * memory; or, with bytes 0, of any size, packed by functions.  The thread in a
 * collective function of the loop calls these functions.  The struct is copied;
 * memory and arg must outlive the loop. */
typedef struct dls_data {
    size_t size;  /* sizeof(dls_data) */
    size_t bytes; /* per iteration; 0: packed */
    void *memory; /* of the whole loop, iteration 0 first; packed: not used */
    /* Packed data: `measure` returns the bytes of an iteration, `pack` writes
     * them to `to`, `unpack` takes them from `from`.  Input needs the first two
     * in rank 0; output needs all three in all ranks.  Data has no gaps: sizes
     * in multiples of 8 keep it aligned to 8. */
    size_t (*measure)(void *arg, int64_t iteration);
    void (*pack)(void *arg, int64_t iteration, void *to);
    void (*unpack)(void *arg, int64_t iteration, const void *from,
                   size_t bytes);
    void *arg;
} dls_data;

/* Options of loops over ranks.  Set `size` and leave every member that you do
 * not need 0. */
typedef struct dls_mpi_options {
    size_t size;      /* sizeof(dls_mpi_options) */
    dls_mutex *mutex; /* outlives the loop; NULL: none */
    /* Give them in all ranks or in none, with the same bytes; NULL: no such
     * data.  dls_mpi_open and each dls_again read the input, from rank 0's
     * memory or functions.  dls_collect handles the output, in every rank, with
     * room for the whole loop. */
    const dls_data *input, *output;
} dls_mpi_options;

/* Opens a loop over the ranks of a communicator.  scheme, iterations: as in
 * dls_open, the same in all ranks; `outer/inner` are two schemes, one for the
 * masters and one below them.  workers: of this rank, 0 or more, and at least
 * one in all ranks together.  options: all ranks give the same text.  Their
 * powers are those of this rank's workers, given in all ranks or in none.  The
 * text has these keys besides those of dls_open:
 *
 *   transport=auto|shared|window|master|steal
 *       auto: shared in one rank, otherwise window.  window: the ranks advance
 *       a counter; master: they ask a rank by message; steal: they begin with
 *       equal shares, and idle ones steal
 *   window=auto|shared|rma
 *       auto: shared memory if all ranks are on one host; otherwise remote
 *       memory access, and hierarchy=node if no hierarchy is given; rma: one
 *       counter for all ranks, if no hierarchy is given
 *   hierarchy=flat|node|16|4x16|4xnode
 *       the levels of masters; node: one pool for the workers of a rank
 *   master=computing|dedicated
 *       dedicated masters are ranks with 0 workers, the first of their groups:
 *       they call dls_poll
 *   victim=random|near
 *   input=auto|shared|rma
 *       auto: shared if all ranks are on one host
 *   charge=none|costs
 *       costs: in simulation, dls_next advances the time by options.costs of
 *       the worker's chunk, in seconds on the slowest host of the loop's ranks;
 *       dls_again then needs as many iterations, or none
 *
 * Not available: transports with their own clock or their own threads (openmp,
 * push), and the keys prefetch and reissue.
 *
 * Returns, in all ranks, 0 or what dls_open returns.  -EINVAL also if the ranks
 * pass different arguments, if the library is for another MPI, and outside
 * MPI_Init and MPI_Finalize; -ENOTSUP, with the reason, for a combination that
 * it refuses; -EIO.  *loop is a handle in both cases, as with dls_open. */
int dls_mpi_open(dls_loop **loop, MPI_Comm comm, const char *scheme,
                 int64_t iterations, int workers, const dls_options *options,
                 const dls_mpi_options *mpi);

/* The same for Fortran, where communicators are integers of this type. */
int dls_mpi_open_f(dls_loop **loop, MPI_Fint comm, const char *scheme,
                   int64_t iterations, int workers, const dls_options *options,
                   const dls_mpi_options *mpi);

/* Serves other ranks, as dls_next also does.  Call it now and then while a rank
 * computes a chunk that takes long compared with the others'.  A rank without
 * workers calls it until it returns 0.  Any thread that may call MPI may call
 * it.  Returns 1 while the loop may need it; 0 when no rank will ask this one
 * any more; or a negative errno.  If the rank has no workers, or all of them
 * have got 0, the call waits until no rank will ask. */
int dls_poll(dls_loop *loop);

/* The input of this worker's chunk: *pointer is at that of iteration *first,
 * the chunk's begin, and the others follow.  Read only; valid until this
 * worker's next dls_next or dls_leave.
 *
 * The key `input`, not the transport, decides where it comes from:
 *
 *     input=shared  all ranks are on one host and see a copy in shared memory,
 *                   which rank 0 makes in dls_mpi_open and dls_again
 *     input=rma     the worker gets it from rank 0 by MPI_Get, in this call.
 *                   Rank 0 serves the call in dls_next and dls_poll; its last
 *                   worker gets 0 when the others have ended.  Refused with
 *                   several workers in a rank under MPI_THREAD_FUNNELED
 *
 * Returns 0; -EINVAL for a worker without a chunk; -ENOTSUP for a loop without
 * input; -EPERM for a thread that may not call MPI; -ENOMEM or -EIO. */
int dls_input(dls_loop *loop, int worker, const void **pointer, int64_t *first);

/* As the root of dls_collect: all ranks get the results. */
#define DLS_EVERYWHERE (-1)

/* Collective, when all workers have got 0 or left: brings the results that
 * other ranks computed to rank `root` of the communicator.  They go to their
 * places in its output memory, or to unpack.  Before, each rank has stored the
 * results of its own chunks in its own memory; they stay there.  Every
 * transport supports it.  You may call it again until dls_again begins the next
 * step.
 *
 * Returns, in all ranks: 0; -EBUSY if iterations are unfinished (see
 * dls_unfinished); -EINVAL if ranks pass different roots or no valid root;
 * -ENOTSUP for a loop without output; -ENOMEM or -EIO. */
int dls_collect(dls_loop *loop, int root);

#ifdef __cplusplus
}
#endif

#endif
