/* A calibration: what this machine's workers, boundaries and chunks cost, as
 * `dlsbench calibrate` measures it and `predict` and `run` read it.  The file
 * is JSON; results/README.md describes it.
 *
 * Costs are those of the model in sched/interval/interval.h:
 *     c_d, c_c   one boundary from one worker to another, round trip / 2 as in
 *                Andronikos et al., section 2.1; c_c for each byte
 *     c_p        one iteration; for kernels with dependences one grid point
 *     c_b        ours: to start one row of a block (sched/interval/interval.h)
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

/* 3: transfers, and c_p of kernels with input data on such data. */
enum { CALIBRATION_SCHEMA = 3, CALIBRATION_SIZES = 7 };

/* The layout of the kernels' data and the order in which they visit it, and
 * the memory by which threads synchronize.  Raise it whenever the cost of
 * iterations, rows, blocks or boundaries changes; calibrations of another
 * layout are refused. */
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
    double power; /* over all kernels (geometric mean), slowest = 1 */
};

/* A message of so many bytes, one way. */
struct calibration_size {
    double bytes, one_way; /* s */
};

/* A boundary between two workers. */
struct calibration_pair {
    int worker[2];
    double c_d, c_c, r2; /* s, s for each byte */
    struct calibration_size size[CALIBRATION_SIZES];
};

/* Input data from the rank of worker 0 to that of another one. */
struct calibration_transfer {
    int worker;
    double g, G, r2; /* s, s for each byte */
    struct calibration_size size[CALIBRATION_SIZES];
};

/* A kernel on one worker, while all others run it too. */
struct calibration_cost {
    double c_p, c_b; /* s; c_b is 0 for loops without dependences */
    double r2;       /* of the fit that gives both, or the two below */
    /* The same as the cost model of the kernel counts (kernels/kernel.h), for
     * simulation: s for an operation, and to start an iteration (or each of
     * its `starts`) or a row of a block.  Both 0: no cost model. */
    double operation, start;
    double power; /* slowest = 1 */
};

/* Blocks of h columns.  c_p and c_b are a line over h; real costs are a table,
 * as a kernel takes widths of some numbers faster than others. */
enum { CALIBRATION_BLOCKS = 32 };
struct calibration_block {
    int64_t h;
    double row;    /* s for each row of a block without neighbours */
    double shared; /* s that a block takes longer when the chunk above it is
                      another worker's, under DMPS */
    double wait;   /* s that a worker waits there for the boundary of a block;
                      NAN: no worker had to */
};

struct calibration_kernel {
    char spec[SPEC_CANONICAL_MAX];
    bool grid;                     /* rows that depend on each other */
    int64_t rows, columns;         /* of the grid, else iterations and 1 */
    struct calibration_cost *cost; /* one for each worker */
    int64_t chunk;                 /* rows of the chunks that blocks were of */
    int blocks;                    /* by ascending h; 0: not measured */
    struct calibration_block block[CALIBRATION_BLOCKS];
};

/* The charges for the blocks of one loop. */
struct calibration_charged {
    double factor; /* of what c_p and c_b say */
    double shared; /* a + b h, s: see calibration_block */
    double wait;   /* the same; NAN: not known */
};

struct calibration_dispatch {
    char transport[16]; /* shared | master | window */
    double c_sch;       /* s that a worker spends on a chunk when all ask */
};

/* Further charges of simulations; NAN: not measured (threads send nothing). */
struct calibration_charge {
    double state;   /* s that a worker spends on a chunk from a scheme's state
                       in shared memory, when all ask */
    double send;    /* s that a request keeps its sender ... */
    double receive; /* ... and its receiver, which has posted the receive */
    double one_way; /* half of a round trip, both included */
    double round;   /* s for a chunk of a dedicated master when all ask: with
                       one worker a round trip and the master's work */
    double steal;   /* s that a thief waits for its loot: from another thread
                       through memory, from another rank by message */
};

/* The part of a message's (c_d, c_c) that keeps its two ends busy.  Simulated
 * platforms give it (bench/foretell/sync_interval/platform_costs.h); measured
 * ones do not. */
struct calibration_ends {
    bool known;
    double start, byte; /* s, s for each byte; of both ends together */
    int flight; /* messages of a boundary on their way at most; 0: any number */
};

/* The rate at which rank 0 receives when all others send to it. */
struct calibration_rate {
    double bytes;
    double messages; /* a second; NAN: not measured */
};

/* A worker and one busy process on its core, as the system shares the core. */
enum { CALIBRATION_STARTS = 15 };
struct calibration_slices {
    double run; /* s that it has the core at a time; 0: not measured, or not
                   shared in slices */
    double gap; /* and the other */
    double start[CALIBRATION_STARTS]; /* the rest of its first slice when a loop
                                         starts, ascending */
};

struct calibration_kind {
    int workers; /* 0: not measured */
    struct calibration_worker *worker;
    int pairs;
    struct calibration_pair *pair;
    int kernels;
    struct calibration_kernel *kernel;
    int transfers; /* one to each other worker, of ranks only */
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
    int layout; /* of the kernels: CALIBRATION_LAYOUT */
    struct calibration_kind kind[CALIBRATION_KINDS];
};

/* Room for a kind; freed by calibration_kind_free.  Returns 0 or -ENOMEM. */
int calibration_kind_open(struct calibration_kind *kind, int workers, int pairs,
                          int kernels, int transfers, struct error *err);
void calibration_kind_free(struct calibration_kind *kind);
void calibration_free(struct calibration *calibration);

/* `visits` (odd) measurements of one kernel by `workers` workers, apart in
 * time: the first becomes the middle one, over all workers and in blocks of 100
 * columns, with the medians of all for its blocks.  Returns how many times as
 * long the slowest took as the fastest. */
double calibration_keep_middle(struct calibration_kernel *visit, int visits,
                               int workers);

/* Powers from the costs: of each kernel, and over all. */
void calibration_set_powers(struct calibration_kind *kind);

/* Whether its workers are as fast as one another: powers that differ by less
 * than 10 % are noise. */
bool calibration_is_alike(const struct calibration_kind *kind);

/* One kind, as a launch hands it to the driver. */
json_t *calibration_kind_to_json(const struct calibration_kind *kind);
int calibration_kind_from_json(const json_t *object,
                               struct calibration_kind *kind,
                               struct error *err);

/* A kernel's blocks as a list; -EINVAL: it cannot be one.  Of NULL, as earlier
 * versions wrote it, there are none. */
json_t *calibration_blocks_to_json(const struct calibration_kernel *kernel);
int calibration_blocks_from_json(const json_t *list,
                                 struct calibration_kernel *kernel,
                                 struct error *err);

/* Slices as JSON, null when there are none; incomplete slices return -1. */
json_t *calibration_slices_to_json(const struct calibration_slices *slices);
int calibration_slices_from_json(const json_t *object,
                                 struct calibration_slices *slices);

/* The start of a repetition.  Takes the measured starts in turn, so that a few
 * repetitions already cover short and long ones. */
double calibration_start(const struct calibration_slices *slices,
                         int64_t repetition);

/* The whole file.  Writing is by rename: no reader sees half a file.  Reading:
 * -ENOENT when there is none; with a text that names the file and the reason,
 * -ESTALE when it is of an earlier schema or layout, -EINVAL when it is of a
 * later one or broken. */
int calibration_save(const struct calibration *calibration, const char *path,
                     struct error *err);
int calibration_load(const char *path, struct calibration *calibration,
                     struct error *err);

/* Its default path: dlsbench/calibration-<host>.json in the cache folder of the
 * user ($XDG_CACHE_HOME or ~/.cache): it can be measured again at any time.
 * -ENOENT: there is no such folder. */
int calibration_default_path(char *path, size_t size, struct error *err);

/* Fills host, processor, cpuset, version and the time with those of this
 * machine, program and moment. */
int calibration_describe_here(struct calibration *calibration,
                              struct error *err);

/* Doubts for the user: a text when the calibration is of another machine or
 * another version of the program than this one, else an empty text. */
void calibration_doubts(const struct calibration *calibration, char *text,
                        size_t size);

/* The kernel of this spec, else of this name, measured with the number of
 * points nearest to `points` (in ratio); NULL: none. */
const struct calibration_kernel *
calibration_kernel_near(const struct calibration_kind *kind, const char *spec,
                        double points);

/* The kernel that was measured with this very spec; NULL: none. */
const struct calibration_kernel *
calibration_kernel_of(const struct calibration_kind *kind, const char *spec);

/* For blocks of h columns: of a measured width its own numbers; of others what
 * lies between the factors of those beside it, and lines over h. */
struct calibration_charged
calibration_charged(const struct calibration_kernel *kernel, int workers,
                    int64_t h);

/* The same for whoever counts boundaries as well, a simulation or a forecast:
 * without what both ends of a message take, where they are between ranks
 * (`ends`, of the kind; NULL: between threads).  Nothing is unknown or below
 * 0; a kernel without measured blocks has the factor 1 alone. */
struct calibration_charged
calibration_charged_beside(const struct calibration_kernel *kernel, int workers,
                           const struct calibration_charge *ends, int64_t h);

/* The measured rank that rank `rank` is like, where messages come from rank 0:
 * ranks beyond the measured ones repeat them in turn.  There are two or
 * more. */
int calibration_like(const struct calibration_kind *kind, int rank);

/* Medians over the pairs of the first `workers` workers (all when none of
 * these were measured).  False: there are no pairs. */
bool calibration_exchange(const struct calibration_kind *kind, int workers,
                          double *c_d, double *c_c);

/* c_sch of a transport; NAN: not measured. */
double calibration_c_sch(const struct calibration_kind *kind,
                         const char *transport);

#endif
