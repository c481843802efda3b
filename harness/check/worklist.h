/* A worklist: the cells of one launch (one mpiexec or srun). The driver writes
 * it as JSON lines, a head and the cells; rank 0 of the launch reads it. */
#ifndef HARNESS_CHECK_WORKLIST_H
#define HARNESS_CHECK_WORKLIST_H

#include "base/error.h"
#include "harness/check/setup.h"

#include <stdint.h>

/* How cells are simulated; an empty platform: not simulated. */
struct worklist_simulation {
    char platform[4096];    /* SimGrid's XML file */
    double operation_s;     /* c_p: seconds per operation of the kernel at power
                               1, that of the slowest host; 0: from its flops
                               and the host's flop/s */
    double request_s;       /* a master receives and answers a request */
    double result_bytes;    /* of an iteration; 0: the kernel's */
    double boundary_bytes;  /* of a column; 0: the kernel's */
    char calibration[4096]; /* this machine's, with the costs of workers and
                               kernels; empty: by operation_s or flop/s */
    double count_s;         /* a step from a counter in shared memory */
    double state_s;         /* a chunk from a scheme's state or a pool */
    double own_s;           /* work stealing: a piece of the own range */
    double steal_s;         /* a steal from another thread, once found */
    double answer_s;        /* a rank receives and answers a thief's request */
    double handover_s;      /* a boundary between two threads */
    double handover_byte_s; /* per byte of the boundary */
};

/* The settings of these cells, with defaults filled in. */
void worklist_simulation_fill(struct worklist_simulation *simulation,
                              const struct cell *cell);

struct worklist {
    char out[4096];     /* result directory, must exist */
    char launch[256];   /* id: UTC-host-pid-shard, unique in `out` */
    char campaign[128]; /* name */
    char shard[32];     /* i/n */
    char command[2048]; /* command line of the driver, for the manifest */
    uint64_t seed;      /* of the order of cells and repetitions */
    int gained;         /* cells added to the campaign, for the manifest */
    int ranks, threads; /* the shape of every cell */
    struct policy policy;
    struct worklist_simulation simulation;
    int count;
    struct cell *cells; /* owned, */
    json_t *texts;      /* and their texts, after reading */
};

int worklist_save(const struct worklist *, const char *path, struct error *);
/* The text in memory, for the broadcast to the other ranks; free() it. */
char *worklist_read(const char *path, struct error *);
int worklist_parse(const char *text, struct worklist *, struct error *);
void worklist_free(struct worklist *work);

/* A policy as in worklists and manifests. */
json_t *policy_to_json(const struct policy *policy);

#endif
