/* Transport steal: idle workers steal. */
#include "harness/transport/transport.h"

#include "base/cache_line.h"
#include "harness/transport/steal/steal.h"
#include "sched/schemes/pair.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A worker cuts its range alone: sizes must not depend on the asking worker, on
 * others' knowledge, or on blocks reserved for others. */
#define CUTS                                                                   \
    "begins with each worker's static share, by the powers, and the scheme "   \
    "only cuts it into pieces"

static const struct transport_rules steal_rules = {
    .name = "steal",
    .summary = "workers begin with static shares, idle ones steal",
    .refuses = {[TRANSPORT_DEPENDENT] =
                    "takes iterations from the ends of ranges, "
                    "where rows have an order",
                [TRANSPORT_NODE] =
                    "has no masters (threads steal from their rank "
                    "first, and victim near from near ones)",
                [TRANSPORT_MASTERS] =
                    "has no masters (threads steal from their rank "
                    "first, and victim near from near ones)",
                [TRANSPORT_RESERVING] = CUTS,
                [TRANSPORT_LEARNING] = CUTS,
                [TRANSPORT_COSTS] = CUTS,
                [TRANSPORT_TWO] = CUTS,
                TRANSPORT_NO_SCHEDULES,
                TRANSPORT_SENDS_NOTHING,
                [TRANSPORT_REISSUE] = "has no master that knows what is out"},
    .field = "victim",
    .choice = {{.name = "random"}, {.name = "near"}},
    .fact = {[STEAL_TAKEN] = {"steals", "count",
                              "ranges taken from another worker"},
             [STEAL_FAILED] = {"steals_failed", "count",
                               "victims that had nothing"},
             [STEAL_ITERATIONS] = {"stolen", "iterations",
                                   "iterations taken, each time again"}},
    .tree = TRANSPORT_NO_MASTER,
    .iterations_max = STEAL_ITERATIONS_MAX,
    .unordered = true,
    .all_poll = true,
    .sites = true,
};

/* One worker's end, on separate cache lines. */
union steal_line {
    struct steal_source source;
    _Alignas(128) char line[128];
};

struct steal_end {
    struct steal steal;
    union steal_line *line; /* one for each worker of this rank */
};

static int steal_share(const struct transport_setup *setup, void **shared,
                       struct error *err)
{
    const struct sched_loop all = {.iterations = setup->iterations,
                                   .workers = setup->tree->workers,
                                   .power = setup->power};
    const struct steal_choice choice = {
        .scheme = setup->scheme->outer,
        .spec = &setup->scheme->outer_spec,
        .min_chunk = setup->min_chunk,
        .seed = setup->seed,
        .near = strcmp(setup->choice, "near") == 0,
        .site = setup->site,
        .one_process = setup->comm->one_process};
    struct steal_loop *loop = malloc(sizeof(*loop));
    if (loop == NULL)
        return error_set(err, ENOMEM, "out of memory for the scheme");
    int code = steal_loop_open(loop, &all, setup->tree, &choice, err);
    if (code == 0)
        *shared = loop;
    else
        free(loop);
    return code;
}

static void steal_unshare(void *loop)
{
    steal_loop_close(loop);
    free(loop);
}

static int steal_end_open(const struct transport *transport,
                          const struct comm *comm, void **out,
                          struct error *err)
{
    const struct transport_setup *setup = &transport->setup;
    const int *first = &setup->tree->rank_worker[comm->rank];
    size_t workers = (size_t)(first[1] - first[0]);
    struct steal_end *end = lines_zeroed(sizeof(*end));
    union steal_line *line = lines_zeroed((workers + 1) * sizeof(*line));
    int code =
        end != NULL && line != NULL
            ? steal_open(&end->steal, transport->shared, comm, setup->tree,
                         &setup->patience, err)
            : error_set(err, ENOMEM, "out of memory for %zu workers", workers);
    if (code != 0) {
        free(line);
        free(end);
        return code;
    }
    end->line = line;
    *out = end;
    return 0;
}

static void steal_end_close(void *own)
{
    struct steal_end *end = own;
    steal_close(&end->steal);
    free(end->line);
    free(end);
}

static void steal_end_reset(void *own, bool further_step)
{
    struct steal_end *end = own;
    (void)further_step;
    steal_reset(&end->steal);
    for (int i = 0; i < end->steal.workers; i++)
        steal_source_open(&end->line[i].source, &end->steal,
                          end->steal.first_worker + i);
}

static void steal_end_listen(void *own)
{
    steal_listen(&((struct steal_end *)own)->steal);
}

static struct source *steal_end_source(void *own, int i)
{
    return &((struct steal_end *)own)->line[i].source.base;
}

static bool steal_end_polls(const void *own)
{
    return steal_polls(&((const struct steal_end *)own)->steal);
}

static bool steal_end_poll(void *own)
{
    return steal_poll(&((struct steal_end *)own)->steal);
}

static void steal_end_leave(void *own)
{
    steal_leave(&((struct steal_end *)own)->steal);
}

static void steal_end_finish(void *own)
{
    steal_finish(&((struct steal_end *)own)->steal);
}

static bool steal_end_is_over(void *own)
{
    return atomic_load(&((struct steal_end *)own)->steal.ended);
}

static struct transport_traffic steal_traffic(const void *own)
{
    const struct steal *steal = &((const struct steal_end *)own)->steal;
    return (struct transport_traffic){steal->ranks.box.messages,
                                      steal->ranks.box.bytes};
}

static void steal_facts(const void *own, int i, int64_t value[TRANSPORT_FACTS])
{
    const struct steal *steal = &((const struct steal_end *)own)->steal;
    struct steal_tally tally = steal_tally(steal, steal->first_worker + i);
    value[STEAL_TAKEN] = tally.steals;
    value[STEAL_FAILED] = tally.failed;
    value[STEAL_ITERATIONS] = tally.iterations;
}

static int steal_home_of(const void *loop, int64_t iteration)
{
    return steal_home(loop, iteration);
}

const struct transport_ops transport_steal_ops = {
    .rules = &steal_rules,
    .share = steal_share,
    .unshare = steal_unshare,
    .open = steal_end_open,
    .close = steal_end_close,
    .reset = steal_end_reset,
    .listen = steal_end_listen,
    .source = steal_end_source,
    .polls = steal_end_polls,
    .poll = steal_end_poll,
    .leave = steal_end_leave,
    .finish = steal_end_finish,
    .is_over = steal_end_is_over,
    .traffic = steal_traffic,
    .facts = steal_facts,
    .home = steal_home_of,
};
