/* A native run: what it has besides struct run.  Its process is one rank. */
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
    struct load load;  /* on the cores of this rank's workers */
    struct hold *hold; /* one per worker; NULL: no perturbations */
    uint8_t stops;     /* the perturbations that stop this rank by signals */
    struct stopper stopper; /* of this rank; pid 0: none */
};

/* Where the workers are. */
struct run_places {
    int domain;     /* of this rank */
    int *processor; /* of this rank's threads; -1: any of the domain */
    bool crowded, oversubscribed;
    int shared_masters;        /* known to rank 0 */
    struct place_report *seen; /* of this rank's workers, or of a master
                                  without any, while opening */
};

/* One for each worker of this rank. */
struct run_memory {
    void **scratch;
    size_t log_bytes, scratch_bytes;
};

/* This repetition as a picture: what this rank holds of it. */
struct run_picture {
    const char *path; /* NULL: there is none */
    struct extent *extent;
    int64_t count, room;
};

/* Feeding a kernel: it runs on the input data that its worker's source has for
 * the current chunk (data: sent).  The instance of feed_kernel. */
struct feed {
    const struct loop *loop;
    const struct transport_end *end;
    int worker; /* counted in this rank */
};

struct touch; /* native/repetition_touch.c */

struct run_impl {
    struct run_disturb disturb;
    struct run_places places;
    struct run_memory memory;
    struct run_picture picture;
    struct recent_source *recent; /* in front of each; NULL: no reissue */
    struct feed feed;             /* of a fed loop: one worker in each rank */
    struct touch *touch; /* of each worker, until the first repetition of the
                            first run of a loop is over; else NULL */
    struct kernel_poll poll;
    const struct reissue *ledger; /* that the poll looks at; NULL: none */
    struct looks looks;           /* of the poll */
    uint64_t start_ticks;
    struct engine_share_mark *mark; /* of each worker, before the start */
};

/* Binds thread `thread` of this rank to its core.  Returns 0 or -errno. */
int run_bind_thread(struct run *run, int thread, struct error *err);

/* Collective: binds all workers, looks where they are, and refuses (-EBUSY)
 * shared cores. */
int run_check_places(struct run *run, bool oversubscribe, struct error *err);

/* By its thread, which is bound: memory of a worker on its own NUMA node, and
 * the rank's shared memory, as the cell's `memory` says. */
int run_place_memory(struct run *run, int thread, struct error *err);

/* When the workers are open: those of the first run of a loop touch its data in
 * its first repetition; and when that is over, or the run closes. */
void run_touch_first(struct run *run);
void run_end_touch(struct run *run);

/* By its thread, after its loop: reads its place and that of its data from the
 * system. */
void run_observe(struct run *run, int thread);

/* Perturbations: closing; in a repetition; a worker's source and poll. */
void run_perturb_close(struct run *run);
void run_perturb_poll(struct run *run, int i);
struct source *run_perturb_source(struct run *run, int i,
                                  struct source *source);
void run_perturb_begin(struct run *run);
void run_perturb_end(struct run *run);

/* Collective: writes what all ranks hold to the picture's path, at rank 0. */
int run_save_output(struct run *run, struct error *err);

#endif
