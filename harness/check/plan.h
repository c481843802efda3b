/* A plan: the work of one launch (one mpiexec or srun).  Written by the driver
 * as a JSON file, read by rank 0 of the launch. */
#ifndef HARNESS_CHECK_PLAN_H
#define HARNESS_CHECK_PLAN_H

#include "base/error.h"
#include "harness/check/setup.h"

#include <stdint.h>

/* How cells are simulated; an empty platform: they are not. */
struct plan_simulation {
    char platform[4096];    /* SimGrid's XML file */
    double operation_s;     /* c_p: seconds of one operation of the kernel at
                               power 1, that of the slowest host; 0: its flops
                               over the host's flop/s */
    double request_s;       /* a master takes in a request and answers it */
    double result_bytes;    /* of an iteration; 0: as many as the kernel has */
    double boundary_bytes;  /* of a column; 0: as many as the kernel has */
    char calibration[4096]; /* of this machine: what its workers and kernels
                               cost; empty: by operation_s or flop/s */
    double count_s;         /* a step from a counter in shared memory */
    double state_s;         /* a chunk from a scheme's state or a pool */
    double own_s;           /* work stealing: a piece of one's own range */
    double steal_s;         /* from another thread, once found */
    double answer_s;        /* a rank takes in a thief's question and answers */
    double handover_s;      /* a boundary between two threads */
    double handover_byte_s; /* and for each of its bytes */
};

/* The settings of these cells, and their defaults. */
void plan_simulation_fill(struct plan_simulation *simulation,
                          const struct cell *cell);

struct plan {
    char out[4096];     /* result directory, exists */
    char launch[256];   /* id: UTC-host-pid-shard, unique in `out` */
    char campaign[128]; /* name */
    char shard[32];     /* i/n */
    char command[2048]; /* command line of the driver, for the manifest */
    uint64_t seed;      /* of the order of cells and repetitions */
    int gained;         /* cells that the campaign gained, for the manifest */
    int ranks, threads; /* the shape; every cell has it */
    struct policy policy;
    struct plan_simulation simulation;
    int count;
    struct cell *cells; /* owned */
};

int plan_save(const struct plan *plan, const char *path, struct error *err);
/* As text in memory, for the broadcast to the other ranks; free() it. */
char *plan_read(const char *path, struct error *err);
int plan_parse(const char *text, struct plan *plan, struct error *err);
void plan_free(struct plan *plan);

/* A policy as in plans and manifests. */
json_t *policy_to_json(const struct policy *policy);

#endif
