/* The native part of struct run.  A process is one rank. */
#ifndef HARNESS_REPETITION_NATIVE_REPETITION_IMPL_H
#define HARNESS_REPETITION_NATIVE_REPETITION_IMPL_H

#include "harness/disturb/hold.h"
#include "harness/disturb/load.h"
#include "harness/disturb/stopper.h"
#include "harness/problem/verify.h"
#include "harness/repetition/native/looks.h"
#include "harness/repetition/repetition_internal.h"

/* Perturbations, and competing load. */
struct run_disturb {
    struct load load;       /* on the cores of this rank's workers */
    struct hold *hold;      /* one per worker; NULL: none */
    uint8_t stops;          /* perturbations that stop this rank by signals */
    struct stopper stopper; /* of this rank; pid 0: none */
};

/* The places of the workers. */
struct run_places {
    int domain;     /* of this rank */
    int *processor; /* of this rank's threads; -1: any of the domain */
    bool crowded, oversubscribed;
    int shared_masters;        /* only known at rank 0 */
    struct place_report *seen; /* of this rank's workers, or of a master without
                                  workers, during opening */
};

/* One for each worker of this rank. */
struct run_memory {
    void **scratch;
    size_t log_bytes, scratch_bytes;
};

/* The parts of the saved picture that this rank has. */
struct run_picture {
    const char *path; /* NULL: not saved */
    struct extent *extent;
    int64_t count, room;
};

/* Runs a kernel on the input data that the worker's source has for its current
 * chunk (data: sent).  The instance of feed_kernel. */
struct feed {
    const struct loop *loop;
    const struct transport_end *end;
    int worker; /* its number in this rank */
};

struct touch; /* native/repetition_touch.c */

struct run_impl {
    struct run_disturb disturb;
    struct run_places places;
    struct run_memory memory;
    struct run_picture picture;
    struct recent_source *recent; /* before each source; NULL: no reissue */
    struct feed feed;             /* for a fed loop: one worker in each rank */
    struct touch *touch; /* of each worker, until a loop's first repetition in
                            its first run is over; else NULL */
    struct kernel_poll poll;
    const struct reissue *ledger; /* checked by the poll; NULL: none */
    struct looks looks;           /* times of the poll's looks */
    uint64_t start_ticks;
    struct engine_share_mark *mark; /* one per worker, set before the start */
};

/* Binds thread `thread` of this rank to its core.  Returns 0 or -errno. */
int run_bind_thread(struct run *run, int thread, struct error *err);

/* Collective: binds all workers, records their places, and refuses (-EBUSY)
 * shared cores. */
int run_check_places(struct run *run, bool oversubscribe, struct error *err);

/* By the worker's bound thread: places its memory on its NUMA node, and the
 * rank's shared memory as the cell's `memory` says. */
int run_place_memory(struct run *run, int thread, struct error *err);

/* When the workers are open: those of a loop's first run will touch its data in
 * their first repetition; then, or when the run closes, run_end_touch. */
void run_touch_first(struct run *run);
void run_end_touch(struct run *run);

/* By the worker's thread, after its loop: asks the system where the thread and
 * its data are. */
void run_observe(struct run *run, int thread);

/* Perturbations: closing; during a repetition; a worker's source and poll. */
void run_perturb_close(struct run *run);
void run_perturb_poll(struct run *run, int i);
struct source *run_perturb_source(struct run *run, int i,
                                  struct source *source);
void run_perturb_begin(struct run *run);
void run_perturb_end(struct run *run);

/* Collective: writes the picture from all ranks to its path, at rank 0. */
int run_save_output(struct run *run, struct error *err);

#endif
