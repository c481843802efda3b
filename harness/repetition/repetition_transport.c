#include "harness/repetition/repetition_transport.h"

#include "harness/check/cell_transport.h"
#include "harness/problem/loop_costs.h"
#include "harness/problem/loop_shared.h"

/* The serial time covers all time steps and the time between them. */
static double iteration_s(const struct loop *loop)
{
    double steps = loop->grid.steps > 1 ? loop->grid.steps : 1;
    double work = loop->serial_s - loop_advances_s(loop);
    return work > 0 ? work / steps / (double)loop->iterations : 0;
}

/* For early requests to a counter, which are disabled with perturbations. */
static struct source_took took_of(const struct setup *setup,
                                  const struct loop *loop)
{
    if (setup->perturbs.count > 0)
        return (struct source_took){false};
    return (struct source_took){.nothing = loop->serial_s < 0,
                                .before = loop->cost_before,
                                .steps = loop->drifts ? loop_steps(loop) : 1};
}

int run_transport_open(struct transport *transport,
                       const struct run_transport *of, struct error *err)
{
    const struct setup *setup = of->setup;
    const struct cell *cell = &setup->cell;
    const struct scheme *scheme = &setup->scheme;
    struct loop *loop = of->loop;
    bool data = setup->sent || of->planned->list != NULL;
    const double *cost = NULL;
    bool shared =
        loop->shared != NULL && setup->results == TRANSPORT_RESULTS_SHARED;
    char *room = shared ? loop->shared->window.memory : NULL;
    if (scheme_needs_costs(scheme)) {
        int code =
            loop_costs(loop, cell->costs, &of->context->comm, &cost, err);
        if (code != 0)
            return code;
    }
    const struct transport_setup made = {
        .comm = &of->context->comm,
        .tree = of->tree,
        .patience = *of->patience,
        .iterations = loop->iterations,
        .min_chunk = cell->min_chunk,
        .scheme = scheme->kind == SCHEME_PAIR ? &scheme->pair : NULL,
        .schedule = scheme->kind == SCHEME_SCHEDULE ? &scheme->schedule : NULL,
        .plan = {of->planned->list, of->planned->count,
                 of->planned->worker != NULL ? &of->planned->replan : NULL},
        .choice = cell_transport_choice(cell),
        .power = powers_of_scheme(of->powers),
        .cost = {cost, setup->recosts, took_of(setup, loop)},
        .available = of->powers->available,
        .site = of->site,
        .seed = of->context->seed,
        .iteration_s = iteration_s(loop),
        .tick_s = of->context->tick_s,
        .keeps = !setup->replan,
        .prefetch = cell->prefetch,
        .collect = setup->results,
        .reissue = cell->reissue,
        .output = room != NULL ? room : loop->output,
        .inbox = room != NULL ? room : loop->inbox,
        .output_bytes = loop->output_bytes,
        .input = data ? &loop->input : NULL,
        .team = of->context->kept};
    return transport_open(transport, setup->transport, &made, err);
}
