#include "harness/replay/replay_internal.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

/* As harness/check/worklist.c, harness/repetition/sim/repetition_worker.c and
 * harness/transport/master/chain.c have them; a request as a cell's. */
const struct replay_costs replay_costs_usual = {.count_s = 10e-9,
                                                .state_s = 25e-9,
                                                .request_s = 0.2e-6,
                                                .slice_s = 20e-6,
                                                .lead_s = 50e-6};

/* ---- checks ---- */

static int check_kind(const struct replay_state *rs, struct error *err)
{
    const struct replay *in = rs->in;
    const struct sched_pair *scheme = in->scheme;
    bool masters = in->kind == REPLAY_MASTERS;
    if (scheme->inner != NULL && (!masters || rs->tree->count == 1))
        return error_set(err, ENOTSUP,
                         "scheme %s: two schemes need masters below the "
                         "supermaster (hierarchy)",
                         scheme->canonical);
    if (in->kind != REPLAY_WINDOW ||
        sched_has_sequence(scheme->outer, &scheme->outer_spec, &rs->loop))
        return 0;
    return error_set(err, ENOTSUP,
                     "scheme %s over an rma window needs a sequence that does "
                     "not depend on who asks",
                     scheme->canonical);
}

/* ---- opening ---- */

/* As harness/transport/master/chain.c has it. */
static int64_t ahead_of(const struct replay *in)
{
    double iteration_s = in->before[in->iterations] / (double)in->iterations;
    double ahead = in->costs.lead_s / iteration_s;
    if (ahead < 1)
        return 1;
    return ahead < (double)in->iterations ? (int64_t)ahead : in->iterations;
}

/* Two schemes: the outer one counts the masters below the supermaster. */
static int open_loop(struct replay_state *rs)
{
    const struct replay *in = rs->in;
    rs->loop =
        (struct sched_loop){.iterations = in->iterations,
                            .workers = rs->tree->workers,
                            .power = in->power,
                            .cost = in->known != NULL ? in->known : in->before};
    if (in->scheme->inner == NULL || rs->tree->count == 1)
        return 0;
    if (range_units_open(&rs->units, rs->tree, 0, in->power) != 0)
        return -ENOMEM;
    rs->loop.workers = rs->units.count;
    rs->loop.power = rs->units.power;
    return 0;
}

static int open_scheme(struct replay_state *rs, struct error *err)
{
    const struct replay *in = rs->in;
    const struct sched_ops *ops = in->scheme->outer;
    const struct spec *spec = &in->scheme->outer_spec;
    if (ops->order != NULL) {
        rs->loop.order = &rs->order;
        int code = sched_table_build(&rs->order, ops, spec, &rs->loop,
                                     in->min_chunk, err);
        if (code != 0)
            return code;
    }
    int code = sched_check(ops, spec, &rs->loop, in->min_chunk, err);
    if (code != 0)
        return code;
    rs->scheme_state = calloc(1, (sched_bytes(ops, &rs->loop) + 7) / 8 * 8);
    if (rs->scheme_state == NULL)
        return -ENOMEM;
    rs->learns = sched_pair_learns(in->scheme);
    rs->whole = (ops->flags & SCHED_WHOLE_TIME) != 0;
    rs->ticks = (ops->flags & SCHED_SECONDS) == 0;
    return sched_init(&rs->sched, rs->scheme_state, ops, spec, &rs->loop,
                      in->min_chunk, err);
}

static bool all_hosted(const struct replay_state *rs)
{
    for (int w = 0; w < rs->tree->workers; w++)
        if (!replay_hosted(rs, w))
            return false;
    return true;
}

/* Room for an event of each worker, and some more with masters. */
static int open_workers(struct replay_state *rs)
{
    size_t workers = (size_t)rs->tree->workers;
    bool masters = rs->in->kind == REPLAY_MASTERS;
    rs->result->workers = rs->tree->workers;
    rs->result->worker = calloc(workers, sizeof(*rs->result->worker));
    if (rs->learns)
        rs->learned = calloc(workers, sizeof(*rs->learned));
    rs->shares = masters && rs->in->costs.byte_s > 0;
    bool asks = rs->shares && !all_hosted(rs);
    if (asks)
        rs->coming = calloc(workers, sizeof(*rs->coming));
    bool there = rs->result->worker != NULL &&
                 (!rs->learns || rs->learned != NULL) &&
                 (!asks || rs->coming != NULL);
    return there ? list_grow(&rs->events.event, &rs->events.room,
                             (int64_t)workers, sizeof(*rs->events.event))
                 : -ENOMEM;
}

static int replay_open(struct replay_state *rs, struct error *err)
{
    const struct replay *in = rs->in;
    int code = open_loop(rs);
    if (code == 0)
        code = check_kind(rs, err);
    if (code == 0)
        code = open_scheme(rs, err);
    if (code == 0)
        code = open_workers(rs);
    if (code == 0 && in->kind == REPLAY_MASTERS)
        code = serve_open(rs, err);
    rs->ahead = ahead_of(in);
    rs->result->serial_s = in->before[in->iterations];
    return code;
}

/* ---- running ---- */

/* An event of a worker with a master in its rank.  The host's event may have
 * been postponed since. */
static void happen_here(struct replay_state *rs, const struct event *event,
                        enum what what)
{
    int worker = (int)event->who;
    struct server *server = replay_server(rs, rs->tree->worker_rank[worker]);
    bool host = server->host == worker;
    if (host &&
        event->what >> WHAT_BITS != (server->plan & (UINT32_MAX >> WHAT_BITS)))
        return;
    if (what == TAKE)
        hosted_take(rs, worker, event->at);
    else if (host)
        serve_end_segment(rs, server, event->at);
    else
        hosted_turn(rs, worker, event->at);
}

static void handle_event(struct replay_state *rs, const struct event *event)
{
    enum what what = event->what & ((1 << WHAT_BITS) - 1);
    struct server *server = &rs->server[event->who];
    switch (what) {
    case WORK:
    case FINAL:
    case REFILL_ASK:
    case MASTER_FINAL:
    case REFILL:
    case ANSWER:
        if (event->what & PASSING)
            link_enter(rs, event);
        else
            link_deliver(rs, event);
        break;
    case POLL:
        if (event->what >> WHAT_BITS ==
            (server->plan & (UINT32_MAX >> WHAT_BITS)))
            serve_polled(rs, server, event->at);
        break;
    case SERVED:
        serve_served(rs, server, event->at);
        break;
    default:
        happen_here(rs, event, what);
    }
}

static void start_worker(struct replay_state *rs, int worker)
{
    if (replay_hosted(rs, worker))
        hosted_start(rs, worker);
    else
        ask_start(rs, worker);
}

static bool starts_at_once(const struct replay_state *rs, int worker)
{
    const struct server *server =
        replay_server(rs, rs->tree->worker_rank[worker]);
    return !(rs->in->costs.apart_s > 0) ||
           (server != NULL && server->host == worker);
}

/* The workers that start next: one of each master.  Its other ones are not
 * among the events yet, which are few then.  Returns when the next wave is due;
 * INFINITY: all have started. */
static double start_wave(struct replay_state *rs, int wave)
{
    const struct tree *tree = rs->tree;
    bool more = false;
    for (int m = 0; m < tree->count; m++) {
        int worker = tree->master[m].first_worker + wave;
        if (wave >= tree->master[m].workers || tree->worker_master[worker] != m)
            continue;
        more = true;
        if (!starts_at_once(rs, worker))
            start_worker(rs, worker);
    }
    return more ? (wave + 1) * rs->in->costs.apart_s : INFINITY;
}

/* The events of links are ordered separately. */
static int run_masters(struct replay_state *rs)
{
    for (int w = 0; w < rs->tree->workers; w++)
        if (starts_at_once(rs, w))
            start_worker(rs, w);
    double wave_s = rs->in->costs.apart_s > 0 ? 0 : INFINITY;
    int wave = 0;
    while (rs->code == 0) {
        const struct event *link = link_next(rs);
        bool other =
            rs->events.count > 0 && !event_before(link, &rs->events.event[0]);
        double next_s = other ? rs->events.event[0].at : link->at;
        if (wave_s < INFINITY && wave_s <= next_s) {
            wave_s = start_wave(rs, wave++);
        } else if (other) {
            struct event event = rs->events.event[0];
            rs->hole = true;
            handle_event(rs, &event);
            if (rs->hole)
                events_take(&rs->events);
            rs->hole = false;
        } else if (link->at < INFINITY)
            link_happen(rs);
        else
            break;
    }
    return rs->code;
}

int replay_run(const struct replay *replay, struct replay_result *result,
               struct error *err)
{
    struct replay_state rs = {
        .in = replay, .tree = replay->tree, .result = result};
    *result = (struct replay_result){0};
    err->text[0] = '\0';
    int code = replay_open(&rs, err);
    if (code == 0)
        code =
            replay->kind == REPLAY_MASTERS ? run_masters(&rs) : count_run(&rs);
    serve_close(&rs);
    free(rs.learned);
    free(rs.coming);
    free(rs.events.event);
    free(rs.scheme_state);
    sched_table_free(&rs.order);
    range_units_close(&rs.units);
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
