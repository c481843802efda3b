#include "harness/problem/loop.h"

#include "base/pages.h"
#include "harness/problem/fit.h"
#include "harness/problem/loop_costs.h"
#include "harness/problem/loop_input.h"
#include "harness/problem/loop_shared.h"
#include "harness/problem/reference.h"
#include "harness/problem/serial.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <xxhash.h>

uint64_t loop_checksum(const struct loop *loop, const char *memory,
                       int64_t iteration)
{
    return XXH3_64bits(memory + (size_t)iteration * loop->output_bytes,
                       loop->output_bytes);
}

/* Unwritten pages use no memory: every rank maps the whole output and fills its
 * part. */
static int map_memory(const struct loop *loop, const char *what,
                      unsigned __int128 bytes, char **out, struct error *err)
{
    if (bytes == 0)
        return 0;
    bool fits = bytes < ((unsigned __int128)1 << 47);
    *out = fits ? pages_map((size_t)bytes) : NULL;
    if (*out == NULL)
        return error_set(err, ENOMEM, "kernel %s: no room for %.3g GiB of %s",
                         loop->name, (double)bytes / (1 << 30), what);
    return 0;
}

static int map_grid(struct loop *loop, struct error *err)
{
    unsigned __int128 bytes =
        (unsigned __int128)loop->iterations * loop->output_bytes;
    int code = map_memory(loop, "output", bytes, &loop->output, err);
    loop->inbox = loop->output;
    if (code == 0 && loop->kernel->steps != NULL) {
        loop_open_steps(loop);
        return map_memory(loop, "state", loop->grid.state_bytes, &loop->state,
                          err);
    }
    if (code != 0 || loop->kernel->dependence == NULL)
        return code;
    code = map_memory(loop, "collected output", bytes, &loop->inbox, err);
    if (code != 0)
        return code;
    loop->kernel->dependence->grid(loop->instance, &loop->grid);
    return map_memory(loop, "state", loop->grid.state_bytes, &loop->state, err);
}

/* Allocates nothing on any rank before all know that it fits. */
static int open_instance(struct loop *loop, const struct spec *spec,
                         const struct comm *comm, struct error *err)
{
    int code = fit_spec(loop->kernel, spec, comm, err);
    if (code != 0)
        return code;
    code = loop->kernel->create(spec, &loop->instance, err);
    code = comm_agree(comm, code, err);
    if (code == 0)
        code = fit_output(loop->name, loop->kernel, loop->instance, comm, err);
    return code;
}

static int open_memory(struct loop *loop, struct error *err)
{
    loop->iterations = loop->kernel->iterations(loop->instance);
    loop->output_bytes = loop->kernel->output_bytes(loop->instance);
    if (loop->kernel->scratch_bytes != NULL)
        loop->scratch_bytes = loop->kernel->scratch_bytes(loop->instance);
    int code = map_grid(loop, err);
    if (code == 0 && loop->output_bytes > 0) {
        size_t n = (size_t)loop->iterations;
        loop->checksum = calloc(n, sizeof(*loop->checksum));
        loop->known = calloc(n, 1);
        if (loop->checksum == NULL || loop->known == NULL)
            code = error_set(err, ENOMEM,
                             "kernel %s: no memory for the checksums of %zu "
                             "iterations",
                             loop->name, n);
    }
    return code;
}

/* Rank 0 alone has measured. */
bool loop_measured(const struct loop *loop, const struct comm *comm,
                   double *before)
{
    size_t bytes = ((size_t)loop->iterations + 1) * sizeof(*before);
    int there = loop->cost_before != NULL;
    comm_broadcast(comm, &there, sizeof(there));
    if (loop->cost_before != NULL)
        memcpy(before, loop->cost_before, bytes);
    if (there)
        comm_broadcast(comm, before, bytes);
    return there != 0;
}

/* Rank 0 computes the reference and times the serial loop.  Meanwhile the
 * others wait in comm_agree, without using their cores. */
int loop_open(struct loop *loop, const struct kernel_ops *kernel,
              const struct spec *spec, bool fed, const struct comm *comm,
              double verify_limit, uint64_t seed, struct error *err)
{
    *loop = (struct loop){.kernel = kernel, .serial_s = -1, .fed = fed};
    snprintf(loop->name, sizeof(loop->name), "%s", spec->canonical);
    int code = open_instance(loop, spec, comm, err);
    if (code == 0)
        code = comm_agree(comm, open_memory(loop, err), err);
    if (code == 0)
        code = loop_input_open(loop, comm, err);
    if (code == 0 && comm->rank == 0) {
        /* A loop without output (null) has a serial time of practically 0. */
        double took_s;
        if (loop->output_bytes > 0)
            code = reference_make(loop, spec, verify_limit, seed, &took_s, err);
        if (code == 0 && loop->output_bytes > 0)
            code = serial_open(loop, err);
    }
    code = comm_agree(comm, code, err);
    if (code == 0 && loop->output_bytes > 0) {
        size_t n = (size_t)loop->iterations;
        comm_broadcast(comm, loop->checksum, n * sizeof(*loop->checksum));
        comm_broadcast(comm, loop->known, n);
        comm_broadcast(comm, &loop->sampled, sizeof(loop->sampled));
    }
    if (code == 0) {
        comm_broadcast(comm, &loop->serial_s, sizeof(loop->serial_s));
        comm_broadcast(comm, &loop->extra, sizeof(loop->extra));
    }
    if (code != 0)
        loop_close(loop);
    return code;
}

void loop_close(struct loop *loop)
{
    if (loop->instance != NULL)
        loop->kernel->destroy(loop->instance);
    loop_unshare(loop);
    if (loop->inbox != NULL && loop->inbox != loop->output)
        munmap(loop->inbox, (size_t)loop->iterations * loop->output_bytes);
    pages_unmap(loop->output, (size_t)loop->iterations * loop->output_bytes);
    pages_unmap(loop->state, loop->grid.state_bytes);
    loop_input_close(loop);
    for (struct loop_powers *p = loop->powers; p != NULL; p = loop->powers) {
        loop->powers = p->next;
        free(p);
    }
    free(loop->checksum);
    free(loop->known);
    free(loop->cost_before);
    loop_costs_close(loop);
    *loop = (struct loop){0};
}
