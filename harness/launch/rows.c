#include "harness/launch/rows.h"

#include "harness/run/planned.h"
#include "harness/setup/cell_transport.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The summary of the workers' times in a repetition. */
struct balance {
    double compute_mean, overhead_mean, overhead_max;
    double imbalance; /* of finishing times: largest / mean - 1 */
    double cv;        /* of finishing times: deviation / mean */
};

static struct balance balance(const struct run_result *result, int workers)
{
    struct balance b = {0};
    double finish_mean = 0, finish_max = 0, square = 0;
    for (int w = 0; w < workers; w++) {
        const struct worker_result *r = &result->workers[w];
        double overhead = result->time_s - r->compute_s;
        b.compute_mean += r->compute_s / workers;
        b.overhead_mean += overhead / workers;
        b.overhead_max = fmax(b.overhead_max, overhead);
        finish_mean += r->finish_s / workers;
        finish_max = fmax(finish_max, r->finish_s);
    }
    for (int w = 0; w < workers; w++) {
        double off = result->workers[w].finish_s - finish_mean;
        square += off * off / workers;
    }
    if (finish_mean > 0) {
        b.imbalance = finish_max / finish_mean - 1;
        b.cv = sqrt(square) / finish_mean;
    }
    return b;
}

/* Negative: not known. */
static json_t *known(double value)
{
    return value < 0 ? json_null() : record_real(value);
}

static json_t *verified(const struct row_context *c,
                        const struct run_result *result)
{
    if (!result->verified)
        return json_false();
    if (engine_simulated)
        return json_string("handed out");
    return c->loop->sampled ? json_string("sample") : json_true();
}

static void identify(json_t *row, const char *type, const struct row_context *c)
{
    json_object_set_new(row, "schema", json_integer(RECORD_SCHEMA));
    json_object_set_new(row, "type", json_string(type));
    json_object_set_new(row, "launch", json_string(c->launch));
    json_object_set_new(row, "cell", json_string(c->cell->hash));
    json_object_set_new(row, "repetition", json_integer(c->repetition));
}

static json_t *count_of(int64_t count)
{
    return count < 0 ? json_null() : json_integer(count);
}

/* The real perturbations: one object for each perturbed worker and
 * perturbation, null without perturbations. */
static json_t *perturbed(const struct row_context *c,
                         const struct run_result *result)
{
    static const char *const how[] = {
        [HELD_BY_SELF] = "sleep",
        [HELD_BY_SIGNAL] = "SIGSTOP",
        [HELD_IN_TIME] = "simulated",
    };
    const struct perturbs *perturbs = run_perturbs(c->run);
    int entries = run_workers(c->run) * perturbs->count;
    if (perturbs->count == 0)
        return json_null();
    json_t *list = json_array();
    for (int i = 0; i < entries; i++) {
        const struct perturb_toll *toll = &result->tolls[i];
        if (toll->how != HELD_NOT)
            json_array_append_new(
                list,
                json_pack("{s:i,s:s,s:s,s:i,s:o,s:o}", "worker",
                          i / perturbs->count, "by",
                          perturbs->list[i % perturbs->count].kind->name, "how",
                          how[toll->how], "times", toll->times, "from_s",
                          toll->times ? record_real(toll->from_s) : json_null(),
                          "lost_s", record_real(toll->lost_s)));
    }
    return list;
}

static void add_plan(json_t *row, const struct planned *planned)
{
    if (planned == NULL)
        return;
    json_object_set_new(row, "predicted_s", json_real(planned->predicted_s));
    json_object_set_new(row, "plan_rounds", json_integer(planned->rounds));
    json_object_set_new(row, "plan_raised", json_integer(planned->raised));
}

/* The transport's facts of one worker, or of all. */
static void add_facts(json_t *row, const struct row_context *c,
                      const struct worker_result *workers, int count)
{
    const struct transport_rules *rules = cell_transport(c->cell)->rules;
    for (int f = 0; f < TRANSPORT_FACTS && rules->fact[f].name != NULL; f++) {
        json_int_t sum = 0;
        for (int w = 0; w < count; w++)
            sum += workers[w].fact[f];
        json_object_set_new(row, rules->fact[f].name, json_integer(sum));
    }
}

json_t *row_run(const struct row_context *c, const struct run_result *result)
{
    char started[32];
    struct balance b = balance(result, run_workers(c->run));
    json_t *row = cell_to_json(c->cell);
    record_time(started, sizeof(started));
    identify(row, "run", c);
    add_plan(row, run_planned(c->run));
    const char *chosen = run_chosen(c->run);
    if (chosen != NULL)
        json_object_set_new(row, cell_transport(c->cell)->rules->field,
                            json_string(chosen));
    json_t *measured = json_pack(
        "{s:s,s:b,s:i,s:I,s:s,s:I,s:I,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o,"
        "s:o,s:I,s:I,s:o,s:b}",
        "started", started, "simulated", engine_simulated, "workers",
        run_workers(c->run), "seed", (json_int_t)c->seed, "status",
        result->verified ? "ok" : "unverified", "iterations",
        (json_int_t)result->iterations, "chunks", (json_int_t)result->chunks,
        "time_s", record_real(result->time_s), "bound_s",
        known(result->bound_s), "serial_s", known(c->loop->serial_s),
        "compute_mean_s", record_real(b.compute_mean), "overhead_mean_s",
        record_real(b.overhead_mean), "overhead_max_s",
        record_real(b.overhead_max), "imbalance", record_real(b.imbalance),
        "cv", record_real(b.cv), "skew_s", known(result->skew_s), "messages",
        (json_int_t)result->messages, "bytes", (json_int_t)result->bytes,
        "verified", verified(c, result), "oversubscribed",
        run_oversubscribed(c->run));
    json_object_update_new(row, measured);
    json_object_set_new(row, "shared_masters",
                        json_integer(run_shared_masters(c->run)));
    json_object_set_new(row, "perturbed", perturbed(c, result));
    json_object_set_new(row, "reissued", count_of(result->reissued));
    json_object_set_new(row, "dropped", count_of(result->dropped));
    add_facts(row, c, result->workers, run_workers(c->run));
    if (engine_simulated) {
        json_object_set_new(row, "wall_s", record_real(result->wall_s));
        json_object_set_new(row, "alone_s", known(result->alone_s));
    }
    return row;
}

/* "0" or "0-1,4": the bits that are set. */
static json_t *node_list(uint64_t nodes)
{
    char text[256] = "";
    size_t used = 0;
    for (int i = 0; i < 64; i++) {
        int last = i;
        if ((nodes >> i & 1) == 0)
            continue;
        while (last < 63 && (nodes >> (last + 1) & 1) != 0)
            last++;
        used += (size_t)snprintf(text + used, sizeof(text) - used,
                                 last > i ? "%s%d-%d" : "%s%d",
                                 used > 0 ? "," : "", i, last);
        i = last;
    }
    return used > 0 ? json_string(text) : json_null();
}

/* A negative value is not known. */
static json_t *number(int value)
{
    return value < 0 ? json_null() : json_integer(value);
}

/* As the scheme counts with it, else V/Q. */
static json_t *available(const struct powers *powers, int worker)
{
    const double *available =
        powers->available ? powers->available : powers->share;
    return available ? json_real(available[worker]) : json_null();
}

/* Counts by name; null: this worker could not count it. */
static json_t *counts(const struct counters_list *events, uint32_t known,
                      const int64_t *count)
{
    json_t *object = json_object();
    for (int i = 0; i < events->count; i++)
        json_object_set_new(object, events->name[i],
                            known >> i & 1 ? json_integer(count[i])
                                           : json_null());
    return object;
}

static json_t *whole(const struct counters_values *values, int64_t count)
{
    return values != NULL ? json_integer(count) : json_null();
}

static json_t *real(const struct counters_values *values, double value)
{
    return values != NULL ? json_real(value) : json_null();
}

static json_t *counted(const struct counters_list *events,
                       const struct counters_values *v)
{
    static const struct counters_values none = {0};
    const struct counters_values *n = v != NULL ? v : &none;
    return json_pack(
        "{s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o}", "counters_compute",
        v ? counts(events, v->known, v->compute) : json_null(), "counters_wait",
        v ? counts(events, v->known, v->wait) : json_null(), "readings",
        whole(v, n->readings), "switches_voluntary",
        whole(v, n->switches_voluntary), "switches_involuntary",
        whole(v, n->switches_involuntary), "faults_minor",
        whole(v, n->faults_minor), "faults_major", whole(v, n->faults_major),
        "user_s", real(v, n->user_s), "system_s", real(v, n->system_s));
}

json_t *row_worker(const struct row_context *c, const struct run_result *result,
                   int worker)
{
    const struct worker_result *r = &result->workers[worker];
    json_t *row = json_object();
    const struct powers *powers = run_powers(c->run);
    identify(row, "worker", c);
    json_t *measured = json_pack(
        "{s:i,s:i,s:o,s:o,s:o,s:o,s:b,s:f,s:o,s:o,s:I,s:I,s:o,s:o,s:o,s:o,"
        "s:o,s:o,s:o}",
        "worker", worker, "rank", run_worker_rank(c->run, worker), "core",
        number(r->core), "processor", number(r->processor), "numa",
        number(r->numa), "memory_numa", node_list(r->memory), "bound", r->bound,
        "power", powers->given[worker], "queue",
        powers->queue ? json_integer(powers->queue[worker]) : json_null(),
        "available", available(powers, worker), "iterations",
        (json_int_t)r->iterations, "chunks", (json_int_t)r->chunks, "compute_s",
        record_real(r->compute_s), "wait_s", record_real(r->wait_s), "serve_s",
        record_real(r->serve_s), "sync_s", record_real(r->sync_s), "finish_s",
        record_real(r->finish_s), "overhead_s",
        record_real(result->time_s - r->compute_s), "lost_s",
        record_real(r->lost_s));
    json_object_update_new(row, measured);
    add_facts(row, c, r, 1);
    json_object_update_new(
        row,
        counted(c->events, result->counted ? &result->counted[worker] : NULL));
    return row;
}

json_t *row_chunk(const struct row_context *c, const struct run_result *result,
                  int64_t index)
{
    const struct ran *ran = &result->log[index];
    json_t *row = json_object();
    bool stamped = strcmp(c->cell->timing, "chunk") == 0;
    identify(row, "chunk", c);
    json_t *measured = json_pack(
        "{s:i,s:I,s:I,s:I,s:I,s:o,s:o}", "worker", result->log_worker[index],
        "step", (json_int_t)index, "time_step", (json_int_t)ran->time_step,
        "start", (json_int_t)ran->start, "size", (json_int_t)ran->size,
        "begin_s",
        stamped ? json_real((double)ran->begin * c->tick_s) : json_null(),
        "end_s",
        stamped ? json_real((double)ran->end * c->tick_s) : json_null());
    json_object_update_new(row, measured);
    int home = run_home(c->run, ran->start);
    if (home >= 0)
        json_object_set_new(row, "home", json_integer(home));
    return row;
}

json_t *row_done(const char *launch, const struct cell *cell,
                 const char *status, int repetitions, const char *reason)
{
    json_t *row = cell_to_json(cell);
    json_object_update_new(
        row, json_pack("{s:i,s:s,s:s,s:s,s:i,s:s?}", "schema", RECORD_SCHEMA,
                       "type", "cell_done", "launch", launch, "status", status,
                       "repetitions", repetitions, "reason", reason));
    return row;
}
