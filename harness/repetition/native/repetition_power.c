/* The powers with which workers register.  To measure them at the start, all
 * workers run the same iterations of the cell's kernel at the same time, under
 * the cell's load and its permanent perturbations.  The slowest has power 1. */
#include "harness/repetition/native/repetition_impl.h"

#include "base/pages.h"
#include "harness/process/need.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The time of a sample, and of repeating it: several periods (100 ms) of a CPU
 * quota, and many time slices of competing processes. */
#define SAMPLE_S 0.005
#define MEASURE_S 0.5

/* Polls in a sample, one about every 20 us. */
enum { POLLS = 250 };

/* Steps of about the golden ratio spread any number of iterations evenly. */
#define GOLDEN 0.6180339887498949

struct meter {
    struct run *run;
    int64_t count;  /* iterations of the sample */
    uint8_t *hit;   /* of all workers: the perturbations that slow them */
    double start_s; /* begin of measuring, on this rank */
    double rate[];  /* for each worker of this rank, samples per second */
};

static int64_t sample_iteration(const struct loop *loop, int64_t j)
{
    double at = fmod((double)j * GOLDEN, 1) * (double)loop->iterations;
    return (int64_t)at < loop->iterations ? (int64_t)at : loop->iterations - 1;
}

/* Dependent rows run in order from the first one.  In its poll (NULL: none) a
 * slowed worker is held. */
static void run_sample(const struct loop *loop, int64_t count, char *scratch,
                       char *output, const struct kernel_poll *poll)
{
    if (loop->kernel->dependence != NULL) {
        loop->kernel->run(loop->instance, scratch, 0, count, output, poll);
        return;
    }
    for (int64_t j = 0; j < count; j++) {
        if (poll != NULL && j % (count / POLLS + 1) == 0)
            kernel_poll(poll);
        loop->kernel->run(loop->instance, scratch, sample_iteration(loop, j), 1,
                          output, poll);
    }
}

/* ---- memory of one worker; untouched pages are not allocated ---- */

static size_t scratch_room(const struct loop *loop)
{
    return (loop->scratch_bytes + 4095) / 4096 * 4096;
}

static size_t output_room(const struct loop *loop)
{
    size_t rows =
        loop->kernel->dependence != NULL ? (size_t)loop->iterations : 1;
    return scratch_room(loop) + rows * loop->output_bytes + 4096;
}

/* ---- measuring ---- */

/* The number of iterations that fit into a sample on the first worker. */
static int64_t choose_count(const struct loop *loop)
{
    char *memory = pages_map(output_room(loop));
    int64_t count = 1;
    double took = 0;
    while (memory != NULL && took < SAMPLE_S && count < loop->iterations) {
        double start = engine_now();
        run_sample(loop, count, memory, memory + scratch_room(loop), NULL);
        took = engine_now() - start;
        if (took < SAMPLE_S)
            count *= 2;
    }
    pages_unmap(memory, output_room(loop));
    return count < loop->iterations ? count : loop->iterations;
}

/* Every worker until the time is over; rate 0: out of memory. */
static void meter_body(int thread, void *arg)
{
    struct meter *meter = arg;
    const struct run *run = meter->run;
    const struct loop *loop = run->loop;
    bool works = thread < run->workers;
    char *memory = works ? pages_map(output_room(loop)) : NULL;
    struct perturb_toll toll[PERTURBS_MAX] = {{0}};
    struct hold hold = {.source.worker = run->first + thread,
                        .perturbs = &run->setup->perturbs,
                        .hit = works ? meter->hit[run->first + thread] : 0,
                        .start_s = &meter->start_s,
                        .toll = toll};
    const struct kernel_poll *poll =
        hold.hit != 0 ? hold_poll(&hold, NULL) : NULL;
    if (memory != NULL)
        run_sample(loop, 1, memory, memory + scratch_room(loop), NULL);
    const struct engine_patience patience = {0, ENGINE_SHORT_NAP_NS};
    engine_team_barrier(meter->run->context->team, &patience);
    if (thread == 0)
        comm_quiet_barrier(&meter->run->context->comm);
    engine_team_barrier(meter->run->context->team, &patience);
    double start = engine_now(), now = start;
    int64_t passes = 0;
    while (memory != NULL && now - start < MEASURE_S) {
        run_sample(loop, meter->count, memory, memory + scratch_room(loop),
                   poll);
        passes++;
        now = engine_now();
    }
    if (works)
        meter->rate[thread] = passes > 0 ? (double)passes / (now - start) : 0;
    pages_unmap(memory, output_room(loop));
}

/* Rates to powers with three digits: more would be noise. */
static int normalise_powers(double *power, int workers, struct error *err)
{
    double slowest = power[0];
    for (int w = 1; w < workers; w++)
        slowest = fmin(slowest, power[w]);
    if (!(slowest > 0))
        return error_set(err, ENOMEM,
                         "power measured: a worker could not run its sample");
    for (int w = 0; w < workers; w++) {
        double scale = pow(10, 2 - floor(log10(power[w] / slowest)));
        power[w] = round(power[w] / slowest * scale) / scale;
    }
    return 0;
}

/* The perturbations that slow each worker all the time. */
static uint8_t *pick_steady(const struct run *run)
{
    uint8_t *hit = need_zeroed((size_t)run->tree.workers, sizeof(*hit));
    setup_pick_perturbed(run->setup, hit);
    for (int k = 0; k < run->setup->perturbs.count; k++)
        for (int w = 0; w < run->tree.workers; w++)
            if (!perturb_slows(&run->setup->perturbs.list[k]))
                hit[w] &= (uint8_t) ~(1 << k);
    return hit;
}

static int measure_powers(struct run *run, double *power, struct error *err)
{
    const struct comm *comm = &run->context->comm;
    size_t own = (size_t)run->workers * sizeof(double), bytes;
    struct meter *meter = need_zeroed(1, sizeof(*meter) + own + sizeof(double));
    void *all = NULL;
    meter->run = run;
    meter->hit = pick_steady(run);
    meter->count = comm->rank == 0 ? choose_count(run->loop) : 0;
    comm_broadcast(comm, &meter->count, sizeof(meter->count));
    meter->start_s = engine_now();
    engine_team_run(run->context->team, meter_body, meter);
    free(meter->hit);
    int code = comm_gather_any(comm, meter->rate, own, &all, &bytes);
    free(meter);
    if (code != 0)
        code = error_set(err, ENOMEM, "out of memory");
    if (code == 0 && comm->rank == 0) {
        memcpy(power, all, (size_t)run->tree.workers * sizeof(*power));
        code = normalise_powers(power, run->tree.workers, err);
    }
    free(all);
    code = comm_agree(comm, code, err);
    if (code == 0)
        comm_broadcast(comm, power, (size_t)run->tree.workers * sizeof(*power));
    return code;
}

static int put_measured(struct run *run, struct error *err)
{
    size_t bytes = (size_t)run->tree.workers * sizeof(double);
    /* Once for a loop under the same conditions, so that all its schemes cut by
     * the same powers. */
    struct loop_powers *known = run->loop->powers;
    const struct cell *cell = &run->setup->cell;
    while (known != NULL && (strcmp(known->load, cell->load) != 0 ||
                             strcmp(known->perturb, cell->perturb) != 0))
        known = known->next;
    if (known == NULL) {
        known = need_zeroed(1, sizeof(*known) + bytes);
        double begin_s = engine_now();
        int code = measure_powers(run, known->power, err);
        if (code != 0) {
            free(known);
            return code;
        }
        known->took_s = engine_now() - begin_s;
        known->load = cell->load;
        known->perturb = cell->perturb;
        known->next = run->loop->powers;
        run->loop->powers = known;
    }
    memcpy(run->powers.given, known->power, bytes);
    run->powers.measured_s = known->took_s;
    return 0;
}

/* Starts the competing processes, and lets the workers register under that
 * load. */
static int open_powers(struct run *run, struct error *err)
{
    const struct launch_context *context = run->context;
    const struct comm *comm = &context->comm;
    const int *load = run->setup->load;
    struct load *own = &run->impl->disturb.load;
    int code = load_open(own, load ? load + run->first : NULL, run->workers,
                         context->team, err);
    code = comm_agree(comm, code, err);
    if (code != 0)
        return code;
    load_resume(own);
    comm_quiet_barrier(comm);
    code = powers_open(&run->powers, run->setup, &run->tree, &context->place,
                       comm, run->impl->places.seen, err);
    if (code == 0 && run->setup->measures_power) {
        code = put_measured(run, err);
        powers_share(&run->powers, run->setup);
    }
    load_pause(own);
    return code;
}

/* Waiters on crowded cores never keep a busy neighbour from its core. */
int run_open_places(struct run *run, bool oversubscribe, struct error *err)
{
    const struct comm *comm = &run->context->comm;
    int code = run_check_places(run, oversubscribe, err);
    if (code == 0)
        code = open_powers(run, err);
    if (code != 0)
        return code;
    bool crowded =
        comm_max_int(comm, place_crowded(&run->context->place, &run->tree,
                                         run->setup->binding.smt)) != 0;
    run->impl->places.crowded = crowded;
    run->patience.spin_s = crowded ? 0 : comm->patience.spin_s;
    run->patience.nap_ns = crowded ? 0 : ENGINE_SHORT_NAP_NS;
    return 0;
}
