#include "harness/loop/loop.h"

#include "harness/engine/engine.h"
#include "harness/loop/fit.h"
#include "harness/loop/loop_costs.h"
#include "harness/loop/loop_input.h"
#include "harness/loop/loop_shared.h"
#include "harness/loop/reference.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <xxhash.h>

enum {
    COSTS_MAX = 1 << 20, /* iterations whose costs are measured one by one */
    SERIAL_PASSES = 3,
    COST_PASSES = 2,
};
/* A serial pass longer than this is not repeated. */
#define LONG_PASS_S 3.0

uint64_t loop_checksum(const struct loop *loop, const char *memory,
                       int64_t iteration)
{
    return XXH3_64bits(memory + (size_t)iteration * loop->output_bytes,
                       loop->output_bytes);
}

/* Pages that are never written cost no memory: every rank has room for the
 * whole output and fills its own part. */
static int map_memory(const struct loop *loop, const char *what,
                      unsigned __int128 bytes, char **out, struct error *err)
{
    if (bytes == 0)
        return 0;
    void *memory = MAP_FAILED;
    if (bytes < ((unsigned __int128)1 << 47))
        memory = mmap(NULL, (size_t)bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED)
        return error_set(err, ENOMEM, "kernel %s: no room for %.3g GiB of %s",
                         loop->name, (double)bytes / (1 << 30), what);
    *out = memory;
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

/* Nothing is allocated on any rank before all know that it fits. */
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

/* ---- serial cost, rank 0 ---- */

static void compute_chunk(struct loop *loop, void *scratch, int64_t start,
                          int64_t size)
{
    char *output = loop->output + (size_t)start * loop->output_bytes;
    if (loop_steps(loop) > 1)
        loop->kernel->steps->run(loop->instance, loop->state, start, size,
                                 output, NULL);
    else if (loop->fed)
        loop->kernel->input->run(loop->instance, scratch, start, size,
                                 loop->input.store + loop->input.before[start],
                                 output, NULL);
    else
        loop->kernel->run(loop->instance, scratch, start, size, output, NULL);
}

/* The whole loop, and of it the time between its steps. */
struct pass {
    double took_s, between_s;
};

static struct pass time_pass(struct loop *loop, void *scratch)
{
    const struct kernel_steps *steps = loop->kernel->steps;
    int count = loop_steps(loop);
    struct pass pass = {0, 0};
    if (count > 1)
        steps->begin(loop->instance, loop->state);
    double start = engine_now();
    for (int step = 0; step < count; step++) {
        compute_chunk(loop, scratch, 0, loop->iterations);
        if (step + 1 == count)
            break;
        double ended = engine_now();
        steps->advance(loop->instance, loop->state, loop->output);
        pass.between_s += engine_now() - ended;
    }
    pass.took_s = engine_now() - start;
    return pass;
}

static void take_pass(struct loop *loop, const struct pass *pass)
{
    int steps = loop_steps(loop);
    loop->serial_s = pass->took_s;
    loop->extra.advance_s = steps > 1 ? pass->between_s / (steps - 1) : 0;
}

/* The first pass warms up and counts only when it is long. */
static void measure_serial(struct loop *loop, void *scratch)
{
    struct pass pass[SERIAL_PASSES], first = time_pass(loop, scratch);
    take_pass(loop, &first);
    if (loop->serial_s > LONG_PASS_S)
        return;
    for (int i = 0; i < SERIAL_PASSES; i++)
        pass[i] = time_pass(loop, scratch);
    for (int i = 1; i < SERIAL_PASSES; i++)
        for (int j = i; j > 0 && pass[j].took_s < pass[j - 1].took_s; j--) {
            struct pass swap = pass[j];
            pass[j] = pass[j - 1];
            pass[j - 1] = swap;
        }
    take_pass(loop, &pass[SERIAL_PASSES / 2]);
}

/* The least of two passes keeps interruptions out. */
static double measure_step(struct loop *loop, void *scratch, double *cost)
{
    int64_t n = loop->iterations;
    int passes = loop->serial_s > LONG_PASS_S ? 1 : COST_PASSES;
    for (int p = 0; p < passes; p++) {
        double last = engine_now();
        for (int64_t i = 0; i < n; i++) {
            compute_chunk(loop, scratch, i, 1);
            double now = engine_now(), took = now - last;
            if (p == 0 || took < cost[i + 1])
                cost[i + 1] = took;
            last = now;
        }
    }
    for (int64_t i = 0; i < n; i++)
        cost[i + 1] += cost[i];
    return cost[n];
}

/* Scaled to the serial time of the iterations, so that calls one by one do not
 * count as work. */
static int measure_costs(struct loop *loop, void *scratch)
{
    const struct kernel_steps *steps = loop->kernel->steps;
    size_t n = (size_t)loop->iterations + 1;
    int all = loop_steps(loop), count = loop->drifts ? all : 1;
    double sum = 0, *cost = calloc(n * (size_t)count, sizeof(*cost));
    loop->cost_before = cost;
    if (cost == NULL)
        return -ENOMEM;
    if (all > 1)
        steps->begin(loop->instance, loop->state);
    for (int step = 0; step < count; step++) {
        sum += measure_step(loop, scratch, cost + n * (size_t)step);
        if (step + 1 < count)
            steps->advance(loop->instance, loop->state, loop->output);
    }
    double work = loop->serial_s - loop_advances_s(loop);
    double scale = sum > 0 ? work * count / (sum * all) : 1;
    for (size_t i = 0; i < n * (size_t)count; i++)
        cost[i] *= scale;
    return 0;
}

static int measure(struct loop *loop, struct error *err)
{
    void *scratch = NULL;
    if (posix_memalign(&scratch, 64, loop->scratch_bytes + 64) != 0)
        return error_set(err, ENOMEM, "kernel %s: no memory for one worker",
                         loop->name);
    memset(scratch, 0, loop->scratch_bytes + 64);
    int code = 0;
    measure_serial(loop, scratch);
    /* A pipeline is not bound by its chunks alone. */
    if (loop->iterations <= COSTS_MAX && loop->kernel->dependence == NULL)
        code = measure_costs(loop, scratch);
    free(scratch);
    /* Right values must not remain for a run that forgets some iterations. */
    memset(loop->output, LOOP_POISON,
           (size_t)loop->iterations * loop->output_bytes);
    if (code != 0)
        return error_set(err, ENOMEM, "kernel %s: no memory for its costs",
                         loop->name);
    return 0;
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

int loop_open(struct loop *loop, const struct kernel_ops *kernel,
              const struct spec *spec, bool fed, const struct comm *comm,
              double verify_limit, uint64_t seed, struct error *err)
{
    *loop = (struct loop){
        .kernel = kernel, .serial_s = -1, .reference_s = -1, .fed = fed};
    snprintf(loop->name, sizeof(loop->name), "%s", spec->canonical);
    int code = open_instance(loop, spec, comm, err);
    if (code == 0)
        code = comm_agree(comm, open_memory(loop, err), err);
    if (code == 0)
        code = loop_input_open(loop, comm, err);
    if (code == 0 && comm->rank == 0) {
        /* A loop without output (null) has no serial time to speak of. */
        if (loop->output_bytes > 0)
            code = reference_make(loop, spec, verify_limit, seed, err);
        if (code == 0 && loop->output_bytes > 0)
            code = measure(loop, err);
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
    if (loop->output != NULL)
        munmap(loop->output, (size_t)loop->iterations * loop->output_bytes);
    if (loop->state != NULL)
        munmap(loop->state, loop->grid.state_bytes);
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
