/* Protocol push: the master of transport master sends load by a plan. */
#include "harness/transport/transport.h"

#include "base/cache_line.h"
#include "harness/transport/push/push.h"

#include <errno.h>
#include <stdlib.h>

static const struct transport_rules push_rules = {
    .name = "push",
    .of = "master",
    .summary = "a master sends load to its workers by a plan",
    .refuses = {[TRANSPORT_ONE_RANK] = "needs two ranks or more",
                [TRANSPORT_THREADS] = "sends to ranks of one thread",
                [TRANSPORT_INDEPENDENT] = "sends by plan only",
                [TRANSPORT_DEPENDENT] = "sends by plan only",
                [TRANSPORT_NODE] = "has one master with one port",
                [TRANSPORT_MASTERS] = "has one master with one port",
                [TRANSPORT_SCHEME] = "sends by plan",
                [TRANSPORT_TWO] = "sends by plan",
                [TRANSPORT_RESERVING] = "sends by plan",
                [TRANSPORT_LEARNING] = "sends by plan",
                [TRANSPORT_COSTS] = "sends by plan",
                [TRANSPORT_SCHEDULE] = "sends by plan",
                [TRANSPORT_MIN_CHUNK] =
                    "sends the chunks of a plan as they are",
                [TRANSPORT_REISSUE] = "sends each chunk of the plan once"},
    .fields = {"master", "prefetch", "collect"},
    .tree = TRANSPORT_BY_RANK,
};

/* One worker's end, on separate cache lines. */
union push_line {
    struct push_source source;
    _Alignas(128) char line[128];
};

struct push_end {
    struct push push;
    int first_worker, workers; /* of this rank */
    union push_line *line;     /* one for each of them */
};

static int push_end_open(const struct transport *transport,
                         const struct comm *comm, void **out, struct error *err)
{
    const struct transport_setup *setup = &transport->setup;
    const struct push_setup push = {.comm = comm,
                                    .tree = setup->tree,
                                    .input = setup->input,
                                    .list = setup->plan.list,
                                    .count = setup->plan.count,
                                    .replan = setup->plan.replan,
                                    .overlap = setup->prefetch,
                                    .collect = setup->collect,
                                    .patience = setup->patience,
                                    .output = setup->output,
                                    .inbox = setup->inbox,
                                    .output_bytes = setup->output_bytes};
    const int *first = &setup->tree->rank_worker[comm->rank];
    size_t workers = (size_t)(first[1] - first[0]);
    struct push_end *end = lines_zeroed(sizeof(*end));
    union push_line *line = lines_zeroed((workers + 1) * sizeof(*line));
    int code =
        end != NULL && line != NULL
            ? push_open(&end->push, &push, err)
            : error_set(err, ENOMEM, "out of memory for %zu workers", workers);
    if (code != 0) {
        free(line);
        free(end);
        return code;
    }
    end->first_worker = first[0];
    end->workers = first[1] - first[0];
    end->line = line;
    *out = end;
    return 0;
}

static void push_end_close(void *own)
{
    struct push_end *end = own;
    push_close(&end->push);
    free(end->line);
    free(end);
}

static void push_end_reset(void *own, bool further_step)
{
    struct push_end *end = own;
    (void)further_step;
    push_reset(&end->push);
    for (int i = 0; i < end->workers; i++)
        push_source_open(&end->line[i].source, &end->push,
                         end->first_worker + i);
}

static void push_end_listen(void *own)
{
    push_listen(&((struct push_end *)own)->push);
}

static struct source *push_end_source(void *own, int i)
{
    return &((struct push_end *)own)->line[i].source.base;
}

static bool push_end_polls(const void *own)
{
    return push_polls(&((const struct push_end *)own)->push);
}

static bool push_end_poll(void *own)
{
    return push_poll(&((struct push_end *)own)->push);
}

static void push_end_finish(void *own)
{
    push_finish(&((struct push_end *)own)->push);
}

static struct transport_traffic push_traffic(const void *own)
{
    const struct push *push = &((const struct push_end *)own)->push;
    return (struct transport_traffic){push->box.messages, push->box.bytes};
}

static bool push_keeps(const void *own, int worker)
{
    const struct push_setup *setup =
        &((const struct push_end *)own)->push.setup;
    const struct tree *tree = setup->tree;
    return !setup->collect ||
           tree->master[tree->worker_master[worker]].rank == setup->comm->rank;
}

static bool push_collected(const void *own, int64_t *cursor, int64_t *start,
                           int64_t *size)
{
    const struct push *push = &((const struct push_end *)own)->push;
    while (push->setup.comm->rank == 0 && *cursor < push->count) {
        const struct push_chunk *c = &push->list[(*cursor)++];
        if (!push_collects(push, c))
            continue;
        *start = c->chunk.start;
        *size = c->chunk.size;
        return true;
    }
    return false;
}

static const char *push_data(const void *own, int i, int64_t *first)
{
    const struct push_source *source =
        &((const struct push_end *)own)->line[i].source;
    *first = source->current.start;
    return source->data;
}

/* A worker's chunks were planned before the loop. */
static enum engine_cost push_cost(const void *own, int i)
{
    (void)own;
    (void)i;
    return ENGINE_COSTS;
}

const struct transport_ops transport_push_ops = {
    .rules = &push_rules,
    .open = push_end_open,
    .close = push_end_close,
    .reset = push_end_reset,
    .listen = push_end_listen,
    .source = push_end_source,
    .polls = push_end_polls,
    .poll = push_end_poll,
    .finish = push_end_finish,
    .traffic = push_traffic,
    .keeps = push_keeps,
    .collected = push_collected,
    .data = push_data,
    .cost = push_cost,
};
