#include "harness/launch/launch_rows.h"

#include "base/stamp.h"
#include "harness/check/cell_transport.h"
#include "harness/record/fields.h"
#include "harness/record/record_lines.h"
#include "harness/repetition/planned.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* The summary of the workers' times in a repetition. */
struct balance {
    double compute_mean, overhead_mean, overhead_max;
    double imbalance; /* of finishing times: largest / mean - 1 */
    double cv;        /* of finishing times: deviation / mean */
};

static struct balance measure_balance(const struct run_result *result,
                                      int workers)
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

#define BALANCE(member) RECORD_AT(struct balance, member)
static const struct record_field balance_fields[] = {
    {"compute_mean_s", RECORD_KNOWN, BALANCE(compute_mean)},
    {"overhead_mean_s", RECORD_KNOWN, BALANCE(overhead_mean)},
    {"overhead_max_s", RECORD_KNOWN, BALANCE(overhead_max)},
    {"imbalance", RECORD_KNOWN, BALANCE(imbalance)},
    {"cv", RECORD_KNOWN, BALANCE(cv)},
    {.name = NULL}};

#define RUN(member) RECORD_AT(struct run_result, member)
static const struct record_field result_fields[] = {
    {"iterations", RECORD_LONG, RUN(iterations)},
    {"chunks", RECORD_LONG, RUN(chunks)},
    {"time_s", RECORD_KNOWN, RUN(time_s)},
    {"bound_s", RECORD_TIME, RUN(bound_s)},
    {.name = NULL}};

static const struct record_field message_fields[] = {
    {"skew_s", RECORD_TIME, RUN(skew_s)},
    {"messages", RECORD_LONG, RUN(messages)},
    {"bytes", RECORD_LONG, RUN(bytes)},
    {.name = NULL}};

static const struct record_field reissue_fields[] = {
    {"reissued", RECORD_TALLY, RUN(reissued)},
    {"dropped", RECORD_TALLY, RUN(dropped)},
    {.name = NULL}};

static const struct record_field step_fields[] = {
    {"exchange_s", RECORD_TIME, RUN(exchange_s)},
    {"between_s", RECORD_TIME, RUN(between_s)},
    {"advance_s", RECORD_TIME, RUN(advance_s)},
    {.name = NULL}};

static const struct record_field power_fields[] = {
    {"power_s", RECORD_TIME, RECORD_AT(struct powers, measured_s)},
    {.name = NULL}};

static const struct record_field alone_fields[] = {
    {"alone_s", RECORD_TIME, RUN(alone_s)}, {.name = NULL}};

static const struct record_field handover_fields[] = {
    {"handover_before_s", RECORD_TIME,
     RECORD_AT(struct row_context, handover_s[0])},
    {"handover_after_s", RECORD_TIME,
     RECORD_AT(struct row_context, handover_s[1])},
    {.name = NULL}};

#define WORKER(member) RECORD_AT(struct worker_result, member)
static const struct record_field place_fields[] = {
    {"core", RECORD_INDEX, WORKER(core)},
    {"processor", RECORD_INDEX, WORKER(processor)},
    {"numa", RECORD_INDEX, WORKER(numa)},
    {.name = NULL}};

static const struct record_field work_fields[] = {
    {"iterations", RECORD_LONG, WORKER(iterations)},
    {"chunks", RECORD_LONG, WORKER(chunks)},
    {"compute_s", RECORD_KNOWN, WORKER(compute_s)},
    {"wait_s", RECORD_KNOWN, WORKER(wait_s)},
    {"serve_s", RECORD_KNOWN, WORKER(serve_s)},
    {"sync_s", RECORD_KNOWN, WORKER(sync_s)},
    {"finish_s", RECORD_KNOWN, WORKER(finish_s)},
    {.name = NULL}};

#define COUNTED(member) RECORD_AT(struct counters_values, member)
static const struct record_field counted_fields[] = {
    {"readings", RECORD_LONG, COUNTED(readings)},
    {"switches_voluntary", RECORD_LONG, COUNTED(switches_voluntary)},
    {"switches_involuntary", RECORD_LONG, COUNTED(switches_involuntary)},
    {"faults_minor", RECORD_LONG, COUNTED(faults_minor)},
    {"faults_major", RECORD_LONG, COUNTED(faults_major)},
    {"user_s", RECORD_KNOWN, COUNTED(user_s)},
    {"system_s", RECORD_KNOWN, COUNTED(system_s)},
    {.name = NULL}};

#define RAN(member) RECORD_AT(struct ran, member)
static const struct record_field chunk_fields[] = {
    {"time_step", RECORD_LONG, RAN(time_step)},
    {"start", RECORD_LONG, RAN(start)},
    {"size", RECORD_LONG, RAN(size)},
    {.name = NULL}};

static json_t *verified_value(const struct row_context *c,
                              const struct run_result *result)
{
    if (!result->verified)
        return json_false();
    if (engine_simulated)
        return json_string("handed out");
    return c->loop->sampled ? json_string("sample") : json_true();
}

static void add_identity(json_t *row, const char *type,
                         const struct row_context *c)
{
    record_head(row, type, c->launch);
    json_object_set_new(row, "cell", json_string(c->cell->hash));
    json_object_set_new(row, "repetition", json_integer(c->repetition));
}

/* The real perturbations: one object for each perturbed worker and
 * perturbation, null without perturbations. */
static json_t *perturbed_list(const struct row_context *c,
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

/* Rates of a kernel whose work is counted.  A simulation charges operations,
 * and no memory bandwidth: it says so. */
static void add_rates(json_t *row, const struct loop *loop, double time_s)
{
    double flops, bytes;
    if (loop->kernel->work == NULL || !(time_s > 0))
        return;
    loop->kernel->work(loop->instance, &flops, &bytes);
    json_object_set_new(row, "gflop_per_s", json_real(1e-9 * flops / time_s));
    if (engine_simulated)
        json_object_set_new(row, "bandwidth", json_string("not simulated"));
    else
        json_object_set_new(row, "gbyte_per_s",
                            json_real(1e-9 * bytes / time_s));
}

json_t *row_run(const struct row_context *c, const struct run_result *result)
{
    char started[32];
    struct balance b = measure_balance(result, run_workers(c->run));
    json_t *row = cell_to_json(c->cell);
    stamp_time(time(NULL), started);
    add_identity(row, "run", c);
    add_plan(row, run_planned(c->run));
    const char *chosen = run_chosen(c->run);
    if (chosen != NULL)
        json_object_set_new(row, cell_transport(c->cell)->rules->field,
                            json_string(chosen));
    json_object_update_new(
        row, json_pack("{s:s,s:b,s:i,s:I,s:s}", "started", started, "simulated",
                       engine_simulated, "workers", run_workers(c->run), "seed",
                       (json_int_t)c->seed, "status",
                       result->verified ? "ok" : "unverified"));
    record_put(row, result, result_fields);
    rows_add_serial(row, c->loop);
    add_rates(row, c->loop, result->time_s);
    record_put(row, &b, balance_fields);
    rows_add_others(row, c->run, result);
    record_put(row, result, message_fields);
    if (!isnan(c->handover_s[0]))
        record_put(row, c, handover_fields);
    if (result->exchange_s >= 0)
        record_put(row, result, step_fields);
    if (run_powers(c->run)->measured_s >= 0)
        record_put(row, run_powers(c->run), power_fields);
    json_object_update_new(
        row, json_pack("{s:o,s:b,s:i}", "verified", verified_value(c, result),
                       "oversubscribed", run_oversubscribed(c->run),
                       "shared_masters", run_shared_masters(c->run)));
    json_object_set_new(row, "perturbed", perturbed_list(c, result));
    record_put(row, result, reissue_fields);
    add_facts(row, c, result->workers, run_workers(c->run));
    if (engine_simulated) {
        json_object_set_new(row, "wall_s", record_real(result->wall_s));
        record_put(row, result, alone_fields);
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

/* As the scheme counts with it, else V/Q. */
static json_t *available_value(const struct powers *powers, int worker)
{
    const double *available =
        powers->available ? powers->available : powers->share;
    return available ? json_real(available[worker]) : json_null();
}

/* Counts by name; null: this worker could not count it. */
static json_t *counts_object(const struct counters_list *events, uint32_t known,
                             const int64_t *count)
{
    json_t *object = json_object();
    for (int i = 0; i < events->count; i++)
        json_object_set_new(object, events->name[i],
                            known >> i & 1 ? json_integer(count[i])
                                           : json_null());
    return object;
}

/* All null where nothing was counted. */
static void add_counted(json_t *row, const struct counters_list *events,
                        const struct counters_values *v)
{
    json_object_set_new(row, "counters_compute",
                        v ? counts_object(events, v->known, v->compute)
                          : json_null());
    json_object_set_new(row, "counters_wait",
                        v ? counts_object(events, v->known, v->wait)
                          : json_null());
    record_put(row, v, counted_fields);
}

json_t *row_worker(const struct row_context *c, const struct run_result *result,
                   int worker)
{
    const struct worker_result *r = &result->workers[worker];
    json_t *row = json_object();
    const struct powers *powers = run_powers(c->run);
    add_identity(row, "worker", c);
    json_object_update_new(row, json_pack("{s:i,s:i}", "worker", worker, "rank",
                                          run_worker_rank(c->run, worker)));
    record_put(row, r, place_fields);
    json_object_update_new(
        row,
        json_pack("{s:o,s:b,s:f,s:o,s:o}", "memory_numa", node_list(r->memory),
                  "bound", r->bound, "power", powers->given[worker], "queue",
                  powers->queue ? json_integer(powers->queue[worker])
                                : json_null(),
                  "available", available_value(powers, worker)));
    record_put(row, r, work_fields);
    json_object_set_new(row, "overhead_s",
                        record_real(result->time_s - r->compute_s));
    json_object_set_new(row, "lost_s", record_real(r->lost_s));
    add_facts(row, c, r, 1);
    add_counted(row, c->events,
                result->counted ? &result->counted[worker] : NULL);
    rows_add_share(row, &r->share);
    return row;
}

json_t *row_chunk(const struct row_context *c, const struct run_result *result,
                  int64_t index)
{
    const struct ran *ran = &result->log[index];
    json_t *row = json_object();
    bool stamped = strcmp(c->cell->timing, "chunk") == 0;
    add_identity(row, "chunk", c);
    json_object_set_new(row, "worker", json_integer(result->log_worker[index]));
    json_object_set_new(row, "step", json_integer(index));
    record_put(row, ran, chunk_fields);
    json_object_set_new(row, "begin_s",
                        stamped ? json_real((double)ran->begin * c->tick_s)
                                : json_null());
    json_object_set_new(row, "end_s",
                        stamped ? json_real((double)ran->end * c->tick_s)
                                : json_null());
    int home = run_home(c->run, ran->start);
    if (home >= 0)
        json_object_set_new(row, "home", json_integer(home));
    return row;
}
