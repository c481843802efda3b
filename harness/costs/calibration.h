/* A calibration has the costs of this machine's workers, boundaries and chunks.
 * `dlsbench calibrate` measures it, `predict` and `run` read it.  The file is
 * JSON; results/README.md describes it.
 *
 * Costs are those of the model in sched/interval/interval.h:
 *     c_d, c_c   one boundary from one worker to another, round trip / 2 as in
 *                Andronikos et al., section 2.1; c_c for each byte
 *     c_p        one iteration; for kernels with dependences one grid point
 *     c_b        our addition: the start of one row of a block
 *     c_sch      one chunk from its source
 *     g, G       one message of input data from the rank of worker 0 to
 *                another (Beaumont et al., section 2); G for each byte */
#ifndef HARNESS_COSTS_CALIBRATION_H
#define HARNESS_COSTS_CALIBRATION_H

#include "base/error.h"
#include "base/spec.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

/* 3: adds transfers, and measures c_p on input data if the kernel has any. */
enum { CALIBRATION_SCHEMA = 3, CALIBRATION_SIZES = 7 };

/* The version of the kernels' data layout, visiting order, and synchronization
 * through memory.  Raise it whenever the cost of iterations, rows, blocks or
 * boundaries changes; calibrations of another version are refused. */
enum { CALIBRATION_LAYOUT = 5 };

/* The two kinds of neighbours: threads of one process, MPI ranks. */
enum calibration_which {
    CALIBRATION_THREADS,
    CALIBRATION_RANKS,
    CALIBRATION_KINDS
};
extern const char *const calibration_names[CALIBRATION_KINDS];

struct calibration_worker {
    char host[64];
    int core;     /* lowest processor number; -1: not known */
    double power; /* geometric mean over all kernels, slowest = 1 */
};

/* The one-way time of a message of `bytes` bytes. */
struct calibration_size {
    double bytes, one_way; /* one_way: s */
};

/* A boundary between two workers. */
struct calibration_pair {
    int worker[2];
    double c_d, c_c, r2; /* s, s per byte */
    struct calibration_size size[CALIBRATION_SIZES];
};

/* Input data from the rank of worker 0 to another rank. */
struct calibration_transfer {
    int worker;
    double g, G, r2; /* s, s per byte */
    struct calibration_size size[CALIBRATION_SIZES];
};

/* A kernel's cost on one worker, while all others also run it. */
struct calibration_cost {
    double c_p, c_b; /* s; c_b is 0 for loops without dependences */
    double r2;       /* of the fit for these two, or the two below */
    /* Costs in the units of the kernel's cost model (kernels/kernel.h), for
     * simulation: s for an operation, and to start an iteration (or each of its
     * `starts`) or a row of a block.  Both 0: no cost model. */
    double operation, start;
    double power; /* slowest = 1 */
};

/* Blocks of h columns. c_p and c_b are a line over h, but measured costs are a
 * table, because kernels run some widths faster than others. */
enum { CALIBRATION_BLOCKS = 32 };
struct calibration_block {
    int64_t h;
    double row;    /* s for each row of a block without neighbours */
    double shared; /* extra s of a block if another worker has the chunk above,
                      under DMPS */
    double wait;   /* s that a worker then waits for a block's boundary; NAN:
                      none had to wait */
};

struct calibration_kernel {
    char spec[SPEC_CANONICAL_MAX];
    bool grid;                     /* rows that depend on each other */
    int64_t rows, columns;         /* of the grid, else iterations and 1 */
    struct calibration_cost *cost; /* one per worker */
    int64_t chunk;                 /* rows of the chunks with these blocks */
    int blocks;                    /* sorted by h; 0: not measured */
    struct calibration_block block[CALIBRATION_BLOCKS];
};

/* The costs charged for the blocks of one loop. */
struct calibration_charged {
    double factor; /* relative to c_p and c_b */
    double shared; /* a + b h, s: see calibration_block */
    double wait;   /* likewise; NAN: unknown */
};

struct calibration_dispatch {
    char transport[16]; /* shared | master | window */
    double c_sch;       /* s that a worker spends on a chunk if all ask */
};

/* Further charges of simulations; NAN: not measured (as between threads). */
struct calibration_charge {
    double state;   /* s that a worker spends on a chunk from a scheme's state
                       in shared memory, if all ask */
    double send;    /* s that a request keeps its sender busy ... */
    double receive; /* ... and its receiver, with a posted receive */
    double one_way; /* half of a round trip, both included */
    double round;   /* s per chunk of a dedicated master if all ask; with one
                       worker a round trip and the master's work */
    double steal;   /* s until a thief has its loot: from another thread in
                       memory, from another rank by message */
};

/* The part of a message's (c_d, c_c) in which its sender and receiver are busy.
 * Simulated platforms set it (bench/foretell/sync_interval/platform_costs.h),
 * measured ones do not. */
struct calibration_ends {
    bool known;
    double start, byte; /* s, s per byte; sender plus receiver */
    int flight; /* most messages of a boundary on their way; 0: any number */
};

/* The rate at which rank 0 receives when all others send to it. */
struct calibration_rate {
    double bytes;
    double messages; /* per second; NAN: not measured */
};

/* How the system shares a core between a worker and one busy process. */
enum { CALIBRATION_STARTS = 15 };
struct calibration_slices {
    double run; /* s that the worker has the core at a time; 0: not measured, or
                   no slices */
    double gap; /* s that the other process has it */
    double start[CALIBRATION_STARTS]; /* the rest of the worker's first slice at
                                         a loop's start, ascending */
};

struct calibration_kind {
    int workers; /* 0: not measured */
    struct calibration_worker *worker;
    int pairs;
    struct calibration_pair *pair;
    int kernels;
    struct calibration_kernel *kernel;
    int transfers; /* one for each other worker, ranks only */
    struct calibration_transfer *transfer;
    int dispatches;
    struct calibration_dispatch dispatch[4];
    struct calibration_charge charge;
    struct calibration_ends ends; /* not in files */
    struct calibration_rate rate[CALIBRATION_SIZES];
    struct calibration_slices slices;
};

struct calibration {
    char host[64], processor[128], cpuset[256], mpi[128], version[64];
    char started[32]; /* UTC */
    double took_s;
    int layout; /* CALIBRATION_LAYOUT of its kernels */
    struct calibration_kind kind[CALIBRATION_KINDS];
};

/* Allocates a kind; calibration_kind_free frees it.  Returns 0 or -ENOMEM. */
int calibration_kind_open(struct calibration_kind *kind, int workers, int pairs,
                          int kernels, int transfers, struct error *err);
void calibration_kind_free(struct calibration_kind *kind);
void calibration_free(struct calibration *calibration);

/* From `visits` (odd) separate measurements of one kernel by `workers` workers,
 * sets the first to the middle one, by the sum over workers in blocks of 100
 * columns.  Its blocks become the medians of all visits.  Returns the slowest
 * visit's time over the fastest one's. */
double calibration_keep_middle(struct calibration_kernel *visit, int visits,
                               int workers);

/* Computes powers from costs: for each kernel, and over all. */
void calibration_set_powers(struct calibration_kind *kind);

/* Whether its workers are equally fast: differences below 10 % are noise. */
bool calibration_is_alike(const struct calibration_kind *kind);

/* One kind, as a launch passes it to the driver. */
json_t *calibration_kind_to_json(const struct calibration_kind *kind);
int calibration_kind_from_json(const json_t *object,
                               struct calibration_kind *kind,
                               struct error *err);

/* A kernel's blocks as a list; -EINVAL: invalid.  From NULL, which earlier
 * versions wrote: no blocks. */
json_t *calibration_blocks_to_json(const struct calibration_kernel *kernel);
int calibration_blocks_from_json(const json_t *list,
                                 struct calibration_kernel *kernel,
                                 struct error *err);

/* Slices as JSON, null if there are none; incomplete ones return -1. */
json_t *calibration_slices_to_json(const struct calibration_slices *slices);
int calibration_slices_from_json(const json_t *object,
                                 struct calibration_slices *slices);

/* The first slice's rest for a repetition.  Uses the measured starts in turn,
 * so that a few repetitions already cover short and long ones. */
double calibration_start(const struct calibration_slices *slices,
                         int64_t repetition);

/* The whole file.  Saving replaces it by rename: no reader sees a part of it.
 * Loading: -ENOENT if it is missing; with a text that names file and reason,
 * -ESTALE for an earlier schema or layout, -EINVAL for a later one or a damaged
 * file. */
int calibration_save(const struct calibration *calibration, const char *path,
                     struct error *err);
int calibration_load(const char *path, struct calibration *calibration,
                     struct error *err);

/* The default path: dlsbench/calibration-<host>.json in the user's cache folder
 * ($XDG_CACHE_HOME or ~/.cache), because it can be measured again at any time.
 * -ENOENT: there is no such folder. */
int calibration_default_path(char *path, size_t size, struct error *err);

/* Fills in host, processor, cpuset, version and time of this machine and
 * program. */
int calibration_describe_here(struct calibration *calibration,
                              struct error *err);

/* A warning for the user if the calibration is from another machine or program
 * version; otherwise an empty text. */
void calibration_doubts(const struct calibration *calibration, char *text,
                        size_t size);

/* The kernel with this spec, else with this name, whose measured number of
 * points is nearest to `points` (in ratio); NULL: none. */
const struct calibration_kernel *
calibration_kernel_near(const struct calibration_kind *kind, const char *spec,
                        double points);

/* The kernel measured with exactly this spec; NULL: none. */
const struct calibration_kernel *
calibration_kernel_of(const struct calibration_kind *kind, const char *spec);

/* The charges for blocks of h columns: as measured for that width; for others
 * interpolated from the factors of adjacent widths and from lines over h. */
struct calibration_charged
calibration_charged(const struct calibration_kernel *kernel, int workers,
                    int64_t h);

/* calibration_charged for a simulation or forecast that also counts boundaries:
 * excludes the busy time of a message's sender and receiver between ranks
 * (`ends`, of the kind; NULL: between threads).  No value is unknown or below
 * 0; a kernel without measured blocks has factor 1 and zeros. */
struct calibration_charged
calibration_charged_beside(const struct calibration_kernel *kernel, int workers,
                           const struct calibration_charge *ends, int64_t h);

/* The measured rank that represents rank `rank` for messages from rank 0: ranks
 * beyond the measured ones repeat them in turn.  There are two or more. */
int calibration_like(const struct calibration_kind *kind, int rank);

/* Medians over the pairs of the first `workers` workers (over all if none of
 * these was measured).  False: there are no pairs. */
bool calibration_exchange(const struct calibration_kind *kind, int workers,
                          double *c_d, double *c_c);

/* c_sch of a transport; NAN: not measured. */
double calibration_c_sch(const struct calibration_kind *kind,
                         const char *transport);

#endif
