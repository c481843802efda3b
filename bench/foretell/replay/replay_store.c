#include "bench/foretell/replay/replay_store.h"

#include "harness/cell/cell_field.h"
#include "harness/record/record.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

int replay_store_begin(struct replay_store *store, const char *folder,
                       const char *launch, json_t *manifest, struct error *err)
{
    *store = (struct replay_store){.file = {.descriptor = -1}};
    snprintf(store->launch, sizeof(store->launch), "%s", launch);
    json_object_set_new(manifest, "replayed", json_true());
    int code = record_manifest(folder, store->launch, manifest, err);
    return code == 0
               ? record_open(&store->file, folder, "runs", store->launch, err)
               : code;
}

int replay_store_open(struct replay_store *store, const char *folder,
                      char *const *words, struct error *err)
{
    struct timespec now;
    char launch[STAMP_LAUNCH_SIZE];
    clock_gettime(CLOCK_REALTIME, &now);
    stamp_launch(&now, launch);
    return replay_store_begin(
        store, folder, launch,
        record_manifest_words(launch, "replay", words, true), err);
}

int replay_store_close(struct replay_store *store, struct error *err)
{
    int code = record_sync(&store->file, err);
    struct error ignored;
    int closed = record_close(&store->file, code == 0 ? err : &ignored);
    return code == 0 ? closed : code;
}

/* ---- a cell ---- */

/* In nanoseconds; omits costs of zero. */
static void name_platform(struct cell *cell, const struct replay_costs *costs)
{
    const struct {
        const char *name;
        double seconds;
    } cost[] = {{"latency", costs->latency_s}, {"near", costs->near_s},
                {"byte", costs->byte_s},       {"request", costs->request_s},
                {"count", costs->count_s},     {"counter", costs->counter_s},
                {"state", costs->state_s},     {"apart", costs->apart_s}};
    char name[SPEC_CANONICAL_MAX] = "replayed";
    size_t used = strlen(name);
    for (size_t i = 0; i < sizeof(cost) / sizeof(cost[0]); i++)
        if (cost[i].seconds > 0 && used < sizeof(name))
            used += (size_t)snprintf(name + used, sizeof(name) - used,
                                     ", %s %.6g ns", cost[i].name,
                                     1e9 * cost[i].seconds);
    cell->platform = cell_keep(cell, name);
}

struct run_line replay_store_line(const struct replay_result *result,
                                  int64_t iterations, bool all)
{
    double compute = 0, least = INFINITY, finish = 0, last = 0;
    for (int w = 0; w < result->workers; w++) {
        const struct replay_worker *worker = &result->worker[w];
        compute += worker->compute_s / result->workers;
        finish += worker->finish_s / result->workers;
        least = fmin(least, worker->compute_s);
        last = fmax(last, worker->finish_s);
    }
    return (struct run_line){.groups = RUN_REPLAY,
                             .repetition = 1,
                             .simulated = true,
                             .replayed = true,
                             .workers = result->workers,
                             .status = all ? "ok" : "unverified",
                             .iterations = iterations,
                             .chunks = result->chunks,
                             .time_s = result->time_s,
                             .bound_s = NAN,
                             .serial_s = result->serial_s,
                             .compute_mean_s = compute,
                             .overhead_mean_s = result->time_s - compute,
                             .overhead_max_s = result->time_s - least,
                             .imbalance = last / finish - 1,
                             .messages = result->messages,
                             .bytes = (int64_t)result->bytes,
                             .verified = all ? "\"handed out\"" : "false",
                             .alone_s = result->serial_s};
}

int replay_store_put(struct replay_store *store, const struct cell *cell,
                     struct run_line run, struct error *err)
{
    char started[STAMP_TIME_SIZE];
    stamp_time(time(NULL), started);
    run.started = started;
    int code =
        record_run(&store->file, cell_to_json(cell), store->launch, &run, err);
    return code != 0 ? code
                     : record_done(&store->file, cell_to_json(cell),
                                   store->launch, run.status, 1, NULL, err);
}

int replay_store_add(struct replay_store *store, struct cell *cell,
                     const struct replay_costs *costs,
                     const struct replay_result *result, int64_t iterations,
                     bool all, struct error *err)
{
    name_platform(cell, costs);
    cell_hash(cell);
    return replay_store_put(store, cell,
                            replay_store_line(result, iterations, all), err);
}
