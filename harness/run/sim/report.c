/* The result of a simulated repetition: rank 0 has everything in its memory. */
#include "harness/run/sim/run_parts.h"

#include "base/stats.h"
#include "harness/engine/sim/world.h"
#include "harness/transport/reissue/reissue.h"

#include <errno.h>
#include <stdlib.h>

void run_report_free(struct run *run)
{
    free(run->last.result);
    free(run->last.ran);
    free(run->last.ran_worker);
    run->last.result = NULL;
    run->last.ran = NULL;
    run->last.ran_worker = NULL;
}

static int compare_handed(const void *a, const void *b)
{
    const struct handed *x = a, *y = b;
    return (x->ran.start > y->ran.start) - (x->ran.start < y->ran.start);
}

/* Sorted by start: every iteration must have been handed out exactly once. */
static void check_handed(const struct run *run, struct run_result *result)
{
    int64_t expected = 0;
    for (int64_t i = 0; i < run->handed_count; i++) {
        const struct ran *ran = &run->handed[i].ran;
        if (ran->start != expected || ran->size < 1)
            break;
        expected += ran->size;
    }
    result->verified = expected == run->loop->iterations &&
                       result->iterations == run->loop->iterations;
    result->wrong_iteration = result->verified ? -1 : expected;
    if (run->dependent.dmps != NULL && run->dependent.early >= 0) {
        result->verified = false;
        result->wrong_iteration = run->dependent.early;
    }
}

static void sum_ranks(const struct run *run, struct run_result *result)
{
    double first = run->part[0].start_s, last = first;
    result->messages = run->traffic.messages + run->dependent.migrate.messages;
    result->bytes = run->traffic.bytes + run->dependent.migrate.moved_bytes;
    for (int rank = 0; rank < run->context->comm.ranks; rank++) {
        const struct part *part = &run->part[rank];
        double time = part->end_s - part->start_s;
        result->time_s = time > result->time_s ? time : result->time_s;
        first = part->start_s < first ? part->start_s : first;
        last = part->start_s > last ? part->start_s : last;
    }
    result->skew_s = last - first;
}

static void fill_workers(struct run *run, struct run_result *result)
{
    const struct world *world = world_here();
    for (int w = 0; w < run->tree.workers; w++) {
        const struct seat *seat = &run->seat[w];
        int rank = run->tree.worker_rank[w];
        int thread = w - run->tree.rank_worker[rank];
        int place = rank * run->context->threads + thread;
        run->last.result[w] = (struct worker_result){
            .chunks = seat->worker.chunks,
            .iterations = seat->worker.iterations,
            .finish_s = seat->worker.end_s - run->part[rank].start_s,
            .compute_s = seat->compute_s,
            .wait_s = seat->wait_s,
            .serve_s = seat->source.serve_s,
            .sync_s = seat->sync_s,
            .core = -1,
            .processor = -1,
            .numa = -1,
            .bound = true,
            .host = (uintptr_t)world->place[place].host,
            .recent = recent_since(&seat->recent, run->part[rank].start_s)};
        end_facts(&run->part[rank].end, thread, run->last.result[w].fact);
        for (int k = 0; seat->hit != 0 && k < run->setup->perturbs.count; k++)
            run->last.result[w].lost_s += seat->toll[k].lost_s;
        run->last.result[w].held_apart_s = run->last.result[w].lost_s;
        result->chunks += seat->worker.chunks;
        result->iterations += seat->worker.iterations;
        if (run->dependent.dmps != NULL) {
            result->messages += run->dependent.dmps[w].links.messages;
            result->bytes += run->dependent.dmps[w].links.bytes;
        }
    }
    result->workers = run->last.result;
    result->tolls = run->toll;
}

/* The serial time is that of power 1, the slowest place.  Powers that the cell
 * gives are the schemes' beliefs, not properties of the machine. */
static double time_alone(const struct run *run)
{
    const struct world *world = world_here();
    double fastest = 0;
    for (int w = 0; w < run->tree.workers; w++) {
        int rank = run->tree.worker_rank[w];
        int thread = w - run->tree.rank_worker[rank];
        const struct world_place *place =
            &world->place[rank * run->context->threads + thread];
        double speed = place->power * place->speed / world->speed;
        fastest = speed > fastest ? speed : fastest;
    }
    bool known = fastest > 0 && run->loop->serial_s >= 0;
    return known ? run->loop->serial_s / fastest : -1;
}

static bool equal_speeds(const struct world *world)
{
    for (int i = 0; i < world->places; i++)
        if (world->place[i].speed != world->speed)
            return false;
    return true;
}

/* In the order in which the chunks were handed out by their scheme.  A
 * pipeline is not bound by its chunks alone. */
static double bound_time(const struct run *run)
{
    const double *before = run->loop->cost_before;
    double *cost = calloc((size_t)run->handed_count + 1, sizeof(*cost));
    if (cost == NULL || before[run->loop->iterations] == 0 ||
        run->dependent.dmps != NULL || !equal_speeds(world_here())) {
        free(cost);
        return -1;
    }
    for (int64_t i = 0; i < run->handed_count; i++) {
        const struct ran *ran = &run->handed[i].ran;
        cost[i] = before[ran->start + ran->size] - before[ran->start];
    }
    bool unordered = run->transport.ops->rules->unordered;
    double (*least)(const double *, int64_t, int) =
        unordered ? stats_least_time : stats_list_schedule;
    double time = least(cost, run->handed_count, run->tree.workers);
    free(cost);
    return time;
}

static void split_handed(struct run *run, struct run_result *result)
{
    uint64_t start =
        (uint64_t)(run->part[0].start_s / run->context->tick_s + 0.5);
    for (int64_t i = 0; i < run->handed_count; i++) {
        const struct handed *handed = &run->handed[i];
        run->last.ran[i] = handed->ran;
        run->last.ran[i].begin -= start;
        run->last.ran[i].end -= start;
        run->last.ran_worker[i] = handed->worker;
    }
    result->log = run->last.ran;
    result->log_worker = run->last.ran_worker;
    result->logged = run->handed_count;
}

/* Chunks computed in vain do not belong to the loop. */
static void drop_late(struct run *run, struct run_result *result)
{
    const struct reissue *book = transport_book(&run->transport);
    int64_t kept = 0;
    if (book == NULL)
        return;
    for (int64_t i = 0; i < run->handed_count; i++)
        if (reissue_winner(book, run->handed[i].ran.start) ==
            run->handed[i].worker)
            run->handed[kept++] = run->handed[i];
    run->handed_count = kept;
    result->time_s = book->over_s - run->part[0].start_s;
    result->reissued = book->again;
    result->dropped = book->dropped;
    result->chunks = book->count;
    result->iterations = book->placed;
    for (int w = 0; w < run->tree.workers; w++)
        run_end_with_loop(&run->last.result[w], run->seat[w].toll,
                          run->seat[w].hit ? run->setup->perturbs.count : 0,
                          result->time_s);
}

static int report_handed(struct run *run, struct run_result *result,
                         struct error *err)
{
    size_t chunks = (size_t)run->handed_count + 1;
    run->last.ran = calloc(chunks, sizeof(*run->last.ran));
    run->last.ran_worker = calloc(chunks, sizeof(*run->last.ran_worker));
    if (!run->last.ran || !run->last.ran_worker)
        return error_set(err, ENOMEM, "out of memory for the report");
    qsort(run->handed, (size_t)run->handed_count, sizeof(*run->handed),
          compare_handed);
    drop_late(run, result);
    check_handed(run, result);
    result->bound_s = bound_time(run);
    split_handed(run, result);
    return 0;
}

int run_report(struct run *run, struct run_result *result, struct error *err)
{
    *result = (struct run_result){
        .wrong_iteration = -1, .reissued = -1, .dropped = -1, .bound_s = -1};
    run->last.result =
        calloc((size_t)run->tree.workers + 1, sizeof(*run->last.result));
    if (run->last.result == NULL)
        return error_set(err, ENOMEM, "out of memory for the report");
    sum_ranks(run, result);
    fill_workers(run, result);
    result->alone_s = time_alone(run);
    return run->dependent.log == NULL ? report_handed(run, result, err)
                                      : dependent_report(run, result, err);
}
