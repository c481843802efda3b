/* Time steps of a loop with independent iterations: each is handed out again
 * (replan), or by the chunks of the first step (sticky). Between two steps the
 * ranks exchange their results. */
#include "harness/repetition/repetition_internal.h"

#include "harness/problem/loop_costs.h"
#include "harness/process/need.h"

#include <stdlib.h>

/* Natively in place of the loop's kernel. */
static void step_run(const void *instance, void *scratch, int64_t start,
                     int64_t size, void *output, const struct kernel_poll *poll)
{
    const struct loop *loop = instance;
    (void)scratch;
    loop->kernel->steps->run(loop->instance, loop->state, start, size, output,
                             poll);
}

const struct kernel_ops run_step_kernel = {.name = "step", .run = step_run};

int run_open_steps(struct run *run, struct error *err)
{
    const struct loop *loop = run->loop;
    run->steps.count = loop->grid.steps;
    if (run->setup->replan)
        run->passes = run->steps.count;
    run->steps.between_s =
        need_zeroed((size_t)run->steps.count, sizeof(*run->steps.between_s));
    return exchange_open(&run->steps.exchange, &run->context->comm,
                         loop->output, loop->output_bytes, loop->iterations,
                         run->setup->recosts, err);
}

void run_close_steps(struct run *run)
{
    exchange_close(&run->steps.exchange);
    free(run->steps.between_s);
}

void run_reset_steps(struct run *run)
{
    struct run_steps *steps = &run->steps;
    const struct loop *loop = run->loop;
    steps->step = 0;
    steps->exchange_s = steps->slowest_s = 0;
    steps->exchange.messages = steps->exchange.bytes = 0;
    steps->exchange.count = 0;
    if (steps->count > 1 && loop->state != NULL)
        loop->kernel->steps->begin(loop->instance, loop->state);
}

/* A pass of the protocol; appends its chunks to those of earlier passes. */
static void run_handed_out(const struct run *run, struct worker *worker)
{
    struct worker pass = *worker;
    pass.log = worker->log + worker->logged;
    parallel_run(&pass);
    for (int64_t i = 0; i < pass.logged; i++)
        pass.log[i].time_step = run->steps.step;
    worker->logged += pass.logged;
    worker->chunks += pass.chunks;
    worker->iterations += pass.iterations;
    worker->compute_ticks += pass.stamp ? pass.compute_ticks : 0;
}

/* The chunks of the first step. */
static void run_kept(struct worker *worker)
{
    uint64_t begin = engine_ticks();
    for (int64_t i = 0; i < worker->logged; i++) {
        const struct ran *ran = &worker->log[i];
        char *to = worker->output + (size_t)ran->start * worker->output_bytes;
        worker->kernel->run(worker->instance, worker->scratch, ran->start,
                            ran->size, to, NULL);
        worker->iterations += ran->size;
    }
    worker->chunks += worker->logged;
    worker->compute_ticks += engine_ticks() - begin;
}

/* The time between a worker's last chunk of a step and its first of the next is
 * waiting for the others. */
void run_step(struct run *run, struct worker *worker, double *sync_s)
{
    double now = engine_now();
    if (run->steps.step == 0)
        worker->begin_s = now;
    else
        *sync_s += now - worker->end_s;
    if (run_hands_out(run))
        run_handed_out(run, worker);
    else
        run_kept(worker);
    worker->end_s = engine_now();
}

/* Chunks without a stamp took no time. */
static struct exchange_range range_of(const struct run *run, int i,
                                      const struct ran *ran)
{
    const double *power = powers_of_scheme(&run->powers);
    double ticks = (double)(ran->end - ran->begin);
    return (struct exchange_range){
        .start = ran->start,
        .size = ran->size,
        .took_s = ticks * run->context->tick_s *
                  (power != NULL ? power[run->first + i] : 1)};
}

/* The chunks that these workers ran in the step that ended. */
static struct exchange_range *own_ranges(const struct run *run, int first,
                                         int workers, int64_t *count)
{
    int64_t n = 0, room = 1;
    int64_t step = run->setup->replan ? run->steps.step : 0;
    for (int i = first; i < first + workers; i++)
        room += run->worker[i].logged;
    struct exchange_range *own = need_zeroed((size_t)room, sizeof(*own));
    for (int i = first; i < first + workers; i++) {
        const struct worker *w = &run->worker[i];
        for (int64_t c = w->logged; c-- > 0 && w->log[c].time_step == step;)
            own[n++] = range_of(run, i, &w->log[c]);
    }
    *count = n;
    return own;
}

void run_exchange(struct run *run, int first, int workers)
{
    struct run_steps *steps = &run->steps;
    int64_t count;
    if (steps->count <= 1 || run->context->comm.ranks == 1)
        return;
    double begin_s = engine_now();
    struct exchange_range *own = own_ranges(run, first, workers, &count);
    exchange_all(&steps->exchange, own, count);
    free(own);
    double took_s = engine_now() - begin_s;
    if (took_s > steps->slowest_s)
        steps->slowest_s = took_s;
}

/* Uses the costs of all ranks if they exchanged them, otherwise those of this
 * process, which are complete. */
static void recost_loop(struct run *run)
{
    struct exchange *exchange = &run->steps.exchange;
    struct exchange_range *own = NULL, *all = exchange->gathered;
    int64_t count = exchange->count;
    if (all == NULL)
        all = own = own_ranges(run, 0, run->workers, &count);
    struct loop_took *took = need_zeroed((size_t)count + 1, sizeof(*took));
    for (int64_t i = 0; i < count; i++)
        took[i] = (struct loop_took){all[i].start, all[i].size, all[i].took_s};
    loop_costs_step(run->loop, took, count);
    exchange->count = 0;
    free(took);
    free(own);
}

void run_advance(struct run *run)
{
    struct run_steps *steps = &run->steps;
    const struct loop *loop = run->loop;
    if (steps->count <= 1)
        return;
    if (run->setup->recosts)
        recost_loop(run);
    if (loop->state != NULL)
        loop->kernel->steps->advance(loop->instance, loop->state, loop->output);
    steps->exchange_s += steps->slowest_s;
    steps->slowest_s = 0;
    steps->step++;
}

void run_between(struct run *run, int pass, double begin_s)
{
    if (run->steps.count > 1)
        run->steps.between_s[pass - 1] = engine_now() - begin_s;
}
