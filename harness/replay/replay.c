#include "harness/replay/replay_internal.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

/* As in harness/check/worklist.c, harness/repetition/sim/repetition_worker.c
 * and harness/transport/master/chain.c; a request as in cells. */
const struct replay_costs replay_costs_usual = {.count_s = 10e-9,
                                                .state_s = 25e-9,
                                                .request_s = 0.2e-6,
                                                .slice_s = 20e-6,
                                                .lead_s = 50e-6};

/* ---- checks ---- */

static int check_kind(const struct replayer *rp, struct error *err)
{
    const struct replay *in = rp->in;
    const struct sched_pair *scheme = in->scheme;
    bool masters = in->kind == REPLAY_MASTERS;
    if (scheme->inner != NULL && (!masters || rp->tree->count == 1))
        return error_set(err, ENOTSUP,
                         "scheme %s: two schemes need masters below the "
                         "supermaster (hierarchy)",
                         scheme->canonical);
    if (in->kind != REPLAY_WINDOW ||
        sched_has_sequence(scheme->outer, &scheme->outer_spec, &rp->loop))
        return 0;
    return error_set(err, ENOTSUP,
                     "scheme %s over an rma window needs a sequence that does "
                     "not depend on who asks",
                     scheme->canonical);
}

/* ---- opening ---- */

/* The same rule as in harness/transport/master/chain.c. */
static int64_t ahead_of(const struct replay *in)
{
    double iteration_s = in->before[in->iterations] / (double)in->iterations;
    double ahead = in->costs.lead_s / iteration_s;
    if (ahead < 1)
        return 1;
    return ahead < (double)in->iterations ? (int64_t)ahead : in->iterations;
}

/* Two schemes: the outer one counts the masters below the supermaster. */
static int open_loop(struct replayer *rp)
{
    const struct replay *in = rp->in;
    rp->loop =
        (struct sched_loop){.iterations = in->iterations,
                            .workers = rp->tree->workers,
                            .power = in->power,
                            .cost = in->known != NULL ? in->known : in->before};
    if (in->scheme->inner == NULL || rp->tree->count == 1)
        return 0;
    if (range_units_open(&rp->units, rp->tree, 0, in->power) != 0)
        return -ENOMEM;
    rp->loop.workers = rp->units.count;
    rp->loop.power = rp->units.power;
    return 0;
}

static int open_scheme(struct replayer *rp, struct error *err)
{
    const struct replay *in = rp->in;
    const struct sched_ops *ops = in->scheme->outer;
    const struct spec *spec = &in->scheme->outer_spec;
    if (ops->order != NULL) {
        rp->loop.order = &rp->order;
        int code = sched_table_build(&rp->order, ops, spec, &rp->loop,
                                     in->min_chunk, err);
        if (code != 0)
            return code;
    }
    int code = sched_check(ops, spec, &rp->loop, in->min_chunk, err);
    if (code != 0)
        return code;
    rp->scheme_state = calloc(1, (sched_bytes(ops, &rp->loop) + 7) / 8 * 8);
    if (rp->scheme_state == NULL)
        return -ENOMEM;
    rp->learns = sched_pair_learns(in->scheme);
    rp->whole = (ops->flags & SCHED_WHOLE_TIME) != 0;
    rp->ticks = (ops->flags & SCHED_SECONDS) == 0;
    return sched_init(&rp->sched, rp->scheme_state, ops, spec, &rp->loop,
                      in->min_chunk, err);
}

/* Room for an event of each worker, and some more with masters. */
static int open_workers(struct replayer *rp)
{
    size_t workers = (size_t)rp->tree->workers;
    bool masters = rp->in->kind == REPLAY_MASTERS;
    rp->result->workers = rp->tree->workers;
    rp->result->worker = calloc(workers, sizeof(*rp->result->worker));
    if (rp->learns)
        rp->learned = calloc(workers, sizeof(*rp->learned));
    rp->shares = masters && rp->in->costs.byte_s > 0;
    bool asks = false;
    for (int w = 0; rp->shares && w < rp->tree->workers; w++)
        asks = asks || !replay_hosted(rp, w);
    if (asks)
        rp->coming = calloc(workers, sizeof(*rp->coming));
    bool there = rp->result->worker != NULL &&
                 (!rp->learns || rp->learned != NULL) &&
                 (!asks || rp->coming != NULL);
    return there ? list_grow(&rp->events.event, &rp->events.room,
                             (int64_t)workers, sizeof(*rp->events.event))
                 : -ENOMEM;
}

static int replay_open(struct replayer *rp, struct error *err)
{
    const struct replay *in = rp->in;
    int code = open_loop(rp);
    if (code == 0)
        code = check_kind(rp, err);
    if (code == 0)
        code = open_scheme(rp, err);
    if (code == 0)
        code = open_workers(rp);
    if (code == 0 && in->kind == REPLAY_MASTERS)
        code = serve_open(rp, err);
    rp->ahead = ahead_of(in);
    rp->result->serial_s = in->before[in->iterations];
    return code;
}

/* ---- running ---- */

/* An event of a worker with a master in its rank.  The host's event may have
 * been postponed since. */
static void happen_here(struct replayer *rp, const struct event *event,
                        enum what what)
{
    int worker = (int)event->who;
    struct server *server = replay_server(rp, rp->tree->worker_rank[worker]);
    bool host = server->host == worker;
    if (host &&
        event->what >> WHAT_BITS != (server->plan & (UINT32_MAX >> WHAT_BITS)))
        return;
    if (what == TAKE)
        hosted_take(rp, worker, event->at);
    else if (host)
        serve_end_segment(rp, server, event->at);
    else
        hosted_turn(rp, worker, event->at);
}

static void handle_event(struct replayer *rp, const struct event *event)
{
    enum what what = event->what & ((1 << WHAT_BITS) - 1);
    struct server *server = &rp->server[event->who];
    switch (what) {
    case WORK:
    case FINAL:
    case REFILL_ASK:
    case MASTER_FINAL:
    case REFILL:
    case ANSWER:
        if (event->what & PASSING)
            link_enter(rp, event);
        else
            link_deliver(rp, event);
        break;
    case POLL:
        if (event->what >> WHAT_BITS ==
            (server->plan & (UINT32_MAX >> WHAT_BITS)))
            serve_polled(rp, server, event->at);
        break;
    case SERVED:
        serve_served(rp, server, event->at);
        break;
    default:
        happen_here(rp, event, what);
    }
}

static void start_worker(struct replayer *rp, int worker)
{
    if (replay_hosted(rp, worker))
        hosted_start(rp, worker);
    else
        ask_start(rp, worker);
}

static bool starts_at_once(const struct replayer *rp, int worker)
{
    const struct server *server =
        replay_server(rp, rp->tree->worker_rank[worker]);
    return !(rp->in->costs.apart_s > 0) ||
           (server != NULL && server->host == worker);
}

/* Starts the next wave of workers: one of each master.  Its later workers are
 * not in the list of events yet, which stays short.  Returns when the next wave
 * is due; INFINITY: all have started. */
static double start_wave(struct replayer *rp, int wave)
{
    const struct tree *tree = rp->tree;
    bool more = false;
    for (int m = 0; m < tree->count; m++) {
        int worker = tree->master[m].first_worker + wave;
        if (wave >= tree->master[m].workers || tree->worker_master[worker] != m)
            continue;
        more = true;
        if (!starts_at_once(rp, worker))
            start_worker(rp, worker);
    }
    return more ? (wave + 1) * rp->in->costs.apart_s : INFINITY;
}

/* The events of links are ordered separately. */
static int run_masters(struct replayer *rp)
{
    for (int w = 0; w < rp->tree->workers; w++)
        if (starts_at_once(rp, w))
            start_worker(rp, w);
    double wave_s = rp->in->costs.apart_s > 0 ? 0 : INFINITY;
    int wave = 0;
    while (rp->code == 0) {
        const struct event *link = link_next(rp);
        bool other =
            rp->events.count > 0 && !event_before(link, &rp->events.event[0]);
        double next_s = other ? rp->events.event[0].at : link->at;
        if (wave_s < INFINITY && wave_s <= next_s) {
            wave_s = start_wave(rp, wave++);
        } else if (other) {
            struct event event = rp->events.event[0];
            rp->hole = true;
            handle_event(rp, &event);
            if (rp->hole)
                events_take(&rp->events);
            rp->hole = false;
        } else if (link->at < INFINITY)
            link_happen(rp);
        else
            break;
    }
    return rp->code;
}

int replay_run(const struct replay *replay, struct replay_result *result,
               struct error *err)
{
    struct replayer rp = {.in = replay, .tree = replay->tree, .result = result};
    *result = (struct replay_result){0};
    err->text[0] = '\0';
    int code = replay_open(&rp, err);
    if (code == 0)
        code =
            replay->kind == REPLAY_MASTERS ? run_masters(&rp) : count_run(&rp);
    serve_close(&rp);
    free(rp.learned);
    free(rp.coming);
    free(rp.events.event);
    free(rp.scheme_state);
    sched_table_free(&rp.order);
    range_units_close(&rp.units);
    if (code == 0) {
        for (int w = 0; w < result->workers; w++)
            result->chunks += result->worker[w].chunks;
        return 0;
    }
    replay_free(result);
    return err->text[0] != '\0'
               ? code
               : error_set(err, ENOMEM, "out of memory for the replay");
}

void replay_free(struct replay_result *result)
{
    free(result->worker);
    *result = (struct replay_result){0};
}

int replay_threads(const char *scheme, int threads, int64_t iterations,
                   const double *before, const struct replay_costs *costs,
                   struct replay_result *result, struct error *err)
{
    const struct tree_shape shape = {
        .ranks = 1, .threads = threads, .by_thread = true};
    struct sched_pair pair;
    struct tree tree;
    int code = sched_pair_parse(scheme, &pair, err);
    if (code == 0)
        code = tree_build(&tree, &shape, err);
    if (code != 0)
        return code;
    const struct replay replay = {.kind = REPLAY_COUNTER,
                                  .tree = &tree,
                                  .scheme = &pair,
                                  .iterations = iterations,
                                  .min_chunk = 1,
                                  .before = before,
                                  .costs = *costs};
    code = replay_run(&replay, result, err);
    tree_free(&tree);
    return code;
}
