/* Rank 0 reads calibration.json of the result directory, and sends the workers'
 * costs to the others.  A worker costs what the calibrated rank like its own
 * does. */
#include "harness/repetition/push_platform.h"

#include "harness/costs/calibration.h"

#include <errno.h>
#include <stdio.h>

static int refuse_lack(const struct cell *cell, const char *what,
                       struct error *err)
{
    return error_set(err, EINVAL,
                     "scheme %s: the calibration has no %s: measure with "
                     "dlsbench calibrate --kernel '%s'",
                     cell->scheme, what, cell->kernel);
}

static int fill_workers(struct push_platform *out, const struct cell *cell,
                        const struct loop *loop, const struct tree *tree,
                        const struct calibration_kind *kind, struct error *err)
{
    const struct calibration_kernel *cost =
        calibration_kernel_of(kind, cell->kernel);
    if (kind->workers < 2 || kind->transfers != kind->workers - 1)
        return refuse_lack(cell, "messages of input data between ranks", err);
    if (cost == NULL)
        return refuse_lack(cell, "cost of this kernel between ranks", err);
    for (int w = 0; w < tree->workers; w++) {
        int rank = calibration_like(kind, tree->worker_rank[w]);
        struct divisible_worker *worker = &out->worker[w];
        worker->w = cost->cost[rank].c_p;
        if (tree->worker_rank[w] == 0)
            continue;
        worker->g = kind->transfer[rank - 1].g;
        worker->G = kind->transfer[rank - 1].G * push_platform_bytes(loop);
    }
    return 0;
}

static int read_calibration(struct push_platform *out, const struct cell *cell,
                            const struct loop *loop, const struct tree *tree,
                            const struct launch_context *context,
                            struct error *err)
{
    char path[4200];
    struct calibration calibration;
    snprintf(path, sizeof(path), "%s/calibration.json", context->out);
    int code = calibration_load(path, &calibration, err);
    if (code != 0)
        return code;
    code = fill_workers(out, cell, loop, tree,
                        &calibration.kind[CALIBRATION_RANKS], err);
    calibration_free(&calibration);
    return code;
}

int push_platform_open(struct push_platform *out, const struct cell *cell,
                       const struct loop *loop, const struct tree *tree,
                       const struct launch_context *context, struct error *err)
{
    const struct comm *comm = &context->comm;
    int code = 0;
    push_platform_room(out, cell, tree);
    if (comm->rank == 0)
        code = read_calibration(out, cell, loop, tree, context, err);
    code = comm_agree(comm, code, err);
    if (code == 0)
        comm_broadcast(comm, out->worker,
                       (size_t)tree->workers * sizeof(*out->worker));
    return code;
}
