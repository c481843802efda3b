#include "harness/replay/replay_parts.h"

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

static int check_kind(const struct play *play, struct error *err)
{
    const struct replay *in = play->in;
    const struct sched_pair *scheme = in->scheme;
    bool masters = in->kind == REPLAY_MASTERS;
    if (scheme->inner != NULL && (!masters || play->tree->count == 1))
        return error_set(err, ENOTSUP,
                         "scheme %s: two schemes need masters below the "
                         "supermaster (hierarchy)",
                         scheme->canonical);
    if (in->kind != REPLAY_WINDOW ||
        sched_has_sequence(scheme->outer, &scheme->outer_spec, &play->loop))
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
static int open_loop(struct play *play)
{
    const struct replay *in = play->in;
    play->loop =
        (struct sched_loop){.iterations = in->iterations,
                            .workers = play->tree->workers,
                            .power = in->power,
                            .cost = in->known != NULL ? in->known : in->before};
    if (in->scheme->inner == NULL || play->tree->count == 1)
        return 0;
    if (range_units_open(&play->units, play->tree, 0, in->power) != 0)
        return -ENOMEM;
    play->loop.workers = play->units.count;
    play->loop.power = play->units.power;
    return 0;
}

static int open_scheme(struct play *play, struct error *err)
{
    const struct replay *in = play->in;
    const struct sched_ops *ops = in->scheme->outer;
    const struct spec *spec = &in->scheme->outer_spec;
    if (ops->order != NULL) {
        play->loop.order = &play->order;
        int code = sched_table_build(&play->order, ops, spec, &play->loop,
                                     in->min_chunk, err);
        if (code != 0)
            return code;
    }
    int code = sched_check(ops, spec, &play->loop, in->min_chunk, err);
    if (code != 0)
        return code;
    play->state = calloc(1, (sched_bytes(ops, &play->loop) + 7) / 8 * 8);
    if (play->state == NULL)
        return -ENOMEM;
    play->learns = sched_pair_learns(in->scheme);
    play->whole = (ops->flags & SCHED_WHOLE_TIME) != 0;
    play->ticks = (ops->flags & SCHED_SECONDS) == 0;
    return sched_init(&play->sched, play->state, ops, spec, &play->loop,
                      in->min_chunk, err);
}

static bool all_hosted(const struct play *play)
{
    for (int w = 0; w < play->tree->workers; w++)
        if (!play_hosted(play, w))
            return false;
    return true;
}

/* Room for an event of each worker, and some more with masters. */
static int open_workers(struct play *play)
{
    size_t workers = (size_t)play->tree->workers;
    bool masters = play->in->kind == REPLAY_MASTERS;
    play->result->workers = play->tree->workers;
    play->result->worker = calloc(workers, sizeof(*play->result->worker));
    if (play->learns)
        play->learned = calloc(workers, sizeof(*play->learned));
    play->shares = masters && play->in->costs.byte_s > 0;
    bool asks = play->shares && !all_hosted(play);
    if (asks)
        play->coming = calloc(workers, sizeof(*play->coming));
    bool there = play->result->worker != NULL &&
                 (!play->learns || play->learned != NULL) &&
                 (!asks || play->coming != NULL);
    return there ? list_grow(&play->events.event, &play->events.room,
                             (int64_t)workers, sizeof(*play->events.event))
                 : -ENOMEM;
}

static int play_open(struct play *play, struct error *err)
{
    const struct replay *in = play->in;
    int code = open_loop(play);
    if (code == 0)
        code = check_kind(play, err);
    if (code == 0)
        code = open_scheme(play, err);
    if (code == 0)
        code = open_workers(play);
    if (code == 0 && in->kind == REPLAY_MASTERS)
        code = serve_open(play, err);
    play->ahead = ahead_of(in);
    play->result->serial_s = in->before[in->iterations];
    return code;
}

/* ---- running ---- */

/* An event of a worker with a master in its rank.  The host's event may have
 * been postponed since. */
static void happen_here(struct play *play, const struct event *event,
                        enum what what)
{
    int worker = (int)event->who;
    struct server *server = play_server(play, play->tree->worker_rank[worker]);
    bool host = server->host == worker;
    if (host &&
        event->what >> WHAT_BITS != (server->plan & (UINT32_MAX >> WHAT_BITS)))
        return;
    if (what == TAKE)
        hosted_take(play, worker, event->at);
    else if (host)
        serve_end_segment(play, server, event->at);
    else
        hosted_turn(play, worker, event->at);
}

static void handle_event(struct play *play, const struct event *event)
{
    enum what what = event->what & ((1 << WHAT_BITS) - 1);
    struct server *server = &play->server[event->who];
    switch (what) {
    case WORK:
    case FINAL:
    case REFILL_ASK:
    case MASTER_FINAL:
    case REFILL:
    case ANSWER:
        if (event->what & PASSING)
            link_enter(play, event);
        else
            link_deliver(play, event);
        break;
    case POLL:
        if (event->what >> WHAT_BITS ==
            (server->plan & (UINT32_MAX >> WHAT_BITS)))
            serve_polled(play, server, event->at);
        break;
    case SERVED:
        serve_served(play, server, event->at);
        break;
    default:
        happen_here(play, event, what);
    }
}

static void start_worker(struct play *play, int worker)
{
    if (play_hosted(play, worker))
        hosted_start(play, worker);
    else
        ask_start(play, worker);
}

static bool starts_at_once(const struct play *play, int worker)
{
    const struct server *server =
        play_server(play, play->tree->worker_rank[worker]);
    return !(play->in->costs.apart_s > 0) ||
           (server != NULL && server->host == worker);
}

/* The workers that start next: one of each master.  Its other ones are not
 * among the events yet, which are few then.  Returns when the next wave is due;
 * INFINITY: all have started. */
static double start_wave(struct play *play, int wave)
{
    const struct tree *tree = play->tree;
    bool more = false;
    for (int m = 0; m < tree->count; m++) {
        int worker = tree->master[m].first_worker + wave;
        if (wave >= tree->master[m].workers || tree->worker_master[worker] != m)
            continue;
        more = true;
        if (!starts_at_once(play, worker))
            start_worker(play, worker);
    }
    return more ? (wave + 1) * play->in->costs.apart_s : INFINITY;
}

/* The events of links are ordered separately. */
static int run_masters(struct play *play)
{
    for (int w = 0; w < play->tree->workers; w++)
        if (starts_at_once(play, w))
            start_worker(play, w);
    double wave_s = play->in->costs.apart_s > 0 ? 0 : INFINITY;
    int wave = 0;
    while (play->code == 0) {
        const struct event *link = link_next(play);
        bool other = play->events.count > 0 &&
                     !event_before(link, &play->events.event[0]);
        double next_s = other ? play->events.event[0].at : link->at;
        if (wave_s < INFINITY && wave_s <= next_s) {
            wave_s = start_wave(play, wave++);
        } else if (other) {
            struct event event = play->events.event[0];
            play->hole = true;
            handle_event(play, &event);
            if (play->hole)
                events_take(&play->events);
            play->hole = false;
        } else if (link->at < INFINITY)
            link_happen(play);
        else
            break;
    }
    return play->code;
}

int replay_run(const struct replay *replay, struct replay_result *result,
               struct error *err)
{
    struct play play = {.in = replay, .tree = replay->tree, .result = result};
    *result = (struct replay_result){0};
    err->text[0] = '\0';
    int code = play_open(&play, err);
    if (code == 0)
        code = replay->kind == REPLAY_MASTERS ? run_masters(&play)
                                              : count_run(&play);
    serve_close(&play);
    free(play.learned);
    free(play.coming);
    free(play.events.event);
    free(play.state);
    sched_table_free(&play.order);
    range_units_close(&play.units);
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
