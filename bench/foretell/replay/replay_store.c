#include "bench/foretell/replay/replay_store.h"

#include "harness/cell/cell_field.h"
#include "harness/record/record_lines.h"

#include <math.h>
#include <stdio.h>

int replay_store_open(struct replay_store *store, const char *folder,
                      char *const *words, struct error *err)
{
    struct timespec now;
    *store = (struct replay_store){.file = {.descriptor = -1}};
    clock_gettime(CLOCK_REALTIME, &now);
    stamp_launch(&now, store->launch);
    json_t *manifest =
        record_manifest_words(store->launch, "replay", words, true);
    json_object_set_new(manifest, "replayed", json_true());
    int code = record_manifest(folder, store->launch, manifest, err);
    return code == 0
               ? record_open(&store->file, folder, "runs", store->launch, err)
               : code;
}

int replay_store_close(struct replay_store *store, struct error *err)
{
    int code = record_sync(&store->file, err);
    struct error ignored;
    int closed = record_close(&store->file, code == 0 ? err : &ignored);
    return code == 0 ? closed : code;
}

/* ---- a cell ---- */

/* In nanoseconds; what takes no time is not there. */
static void name_platform(struct cell *cell, const struct replay_costs *costs)
{
    const struct {
        const char *name;
        double seconds;
    } cost[] = {{"latency", costs->latency_s}, {"near", costs->near_s},
                {"byte", costs->byte_s},       {"request", costs->request_s},
                {"count", costs->count_s},     {"counter", costs->counter_s},
                {"state", costs->state_s},     {"apart", costs->apart_s}};
    size_t used =
        (size_t)snprintf(cell->platform, sizeof(cell->platform), "replayed");
    for (size_t i = 0; i < sizeof(cost) / sizeof(cost[0]); i++)
        if (cost[i].seconds > 0 && used < sizeof(cell->platform))
            used += (size_t)snprintf(
                cell->platform + used, sizeof(cell->platform) - used,
                ", %s %.6g ns", cost[i].name, 1e9 * cost[i].seconds);
}

static json_t *run_row(const struct replay_store *store,
                       const struct cell *cell,
                       const struct replay_result *result, int64_t iterations,
                       bool all)
{
    double compute = 0, least = INFINITY, finish = 0, last = 0;
    char started[STAMP_TIME_SIZE];
    for (int w = 0; w < result->workers; w++) {
        const struct replay_worker *worker = &result->worker[w];
        compute += worker->compute_s / result->workers;
        finish += worker->finish_s / result->workers;
        least = fmin(least, worker->compute_s);
        last = fmax(last, worker->finish_s);
    }
    stamp_time(time(NULL), started);
    json_t *row = record_head(cell_to_json(cell), "run", store->launch);
    json_object_update_new(
        row,
        json_pack(
            "{s:i,s:s,s:b,s:b,s:i,s:s,s:I,s:I,s:o,s:n,s:o,s:o,s:o,s:o,"
            "s:o,s:I,s:o,s:o,s:b,s:i,s:o}",
            "repetition", 1, "started", started, "simulated", 1, "replayed", 1,
            "workers", result->workers, "status", all ? "ok" : "unverified",
            "iterations", (json_int_t)iterations, "chunks",
            (json_int_t)result->chunks, "time_s", record_real(result->time_s),
            "bound_s", "serial_s", record_real(result->serial_s),
            "compute_mean_s", record_real(compute), "overhead_mean_s",
            record_real(result->time_s - compute), "overhead_max_s",
            record_real(result->time_s - least), "imbalance",
            record_real(last / finish - 1), "messages",
            (json_int_t)result->messages, "bytes", record_real(result->bytes),
            "verified", all ? json_string("handed out") : json_false(),
            "oversubscribed", 0, "shared_masters", 0, "alone_s",
            record_real(result->serial_s)));
    return row;
}

int replay_store_add(struct replay_store *store, struct cell *cell,
                     const struct replay_costs *costs,
                     const struct replay_result *result, int64_t iterations,
                     bool all, struct error *err)
{
    name_platform(cell, costs);
    cell_hash(cell);
    int code = record_line(&store->file,
                           run_row(store, cell, result, iterations, all), err);
    if (code != 0)
        return code;
    return record_line(&store->file,
                       record_done(cell_to_json(cell), store->launch,
                                   all ? "ok" : "unverified", 1, NULL),
                       err);
}
