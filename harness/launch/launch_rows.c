/* The columns of runs- and workers- files: means, imbalance, overhead. */
#include "harness/launch/launch_internal.h"

#include "base/stamp.h"
#include "harness/check/cell_transport.h"
#include "harness/record/fields.h"
#include "harness/record/record.h"
#include "harness/repetition/planned.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

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

#define SHARE(member) RECORD_AT(struct engine_share, member)
static const struct record_field share_fields[] = {
    {"span_s", RECORD_KNOWN, SHARE(span_s)},
    {"cpu_s", RECORD_KNOWN, SHARE(cpu_s)},
    {"others_s", RECORD_KNOWN, SHARE(others_s)},
    {"displaced", RECORD_LONG, SHARE(displaced)},
    {.name = NULL}};

#define RAN(member) RECORD_AT(struct ran, member)
static const struct record_field chunk_fields[] = {
    {"time_step", RECORD_LONG, RAN(time_step)},
    {"start", RECORD_LONG, RAN(start)},
    {"size", RECORD_LONG, RAN(size)},
    {.name = NULL}};

static json_t *identity_object(const char *type, const struct row_context *c)
{
    return json_pack("{s:i,s:s,s:s,s:s,s:i}", "schema", RECORD_SCHEMA, "type",
                     type, "launch", c->launch, "cell", c->cell->hash,
                     "repetition", c->repetition);
}

/* ---- runs ---- */

/* The workers' times in a repetition. */
static void set_balance(struct run_line *run, const struct run_result *result)
{
    int workers = (int)run->workers;
    double finish_mean = 0, finish_max = 0, square = 0;
    for (int w = 0; w < workers; w++) {
        const struct worker_result *r = &result->workers[w];
        double overhead = result->time_s - r->compute_s;
        run->compute_mean_s += r->compute_s / workers;
        run->overhead_mean_s += overhead / workers;
        run->overhead_max_s = fmax(run->overhead_max_s, overhead);
        finish_mean += r->finish_s / workers;
        finish_max = fmax(finish_max, r->finish_s);
    }
    for (int w = 0; w < workers; w++) {
        double off = result->workers[w].finish_s - finish_mean;
        square += off * off / workers;
    }
    if (finish_mean > 0) {
        run->imbalance = finish_max / finish_mean - 1;
        run->cv = sqrt(square) / finish_mean;
    }
}

/* If threads of the launch share cores, they count as others here. */
static void set_others(struct run_line *run, const struct run_result *result)
{
    double others_s = 0, span_s = 0, max_s = 0;
    for (int w = 0; w < run->workers; w++) {
        const struct engine_share *share = &result->workers[w].share;
        run->core_probe_s =
            fmax(run->core_probe_s, result->workers[w].core_probe_s);
        others_s += share->others_s;
        span_s += share->span_s;
        max_s = fmax(max_s, share->others_s);
    }
    bool known = !run->oversubscribed && run->shared_masters == 0 &&
                 !isnan(others_s / span_s);
    run->others = known ? others_s / span_s : NAN;
    run->others_max_s = known ? max_s : NAN;
}

/* Natively the latest pass; a simulation knows the time without one. */
static void set_serial(struct run_line *run, const struct loop *loop)
{
    int passes = loop->serial.passes;
    const struct loop_pass none = {NAN, NAN, NAN};
    const struct loop_pass *last = passes > 0 ? &loop->serial.last : &none;
    run->serial_s = engine_simulated ? loop->serial_s : last->took_s;
    run->serial_others = last->others;
    run->serial_pass = passes > 0 ? passes : -1;
}

/* Rates of a kernel with countable work.  A simulation charges operations but
 * no memory bandwidth, so it reports only the first. */
static void set_work(struct run_line *run, const struct loop *loop)
{
    double flops, bytes;
    if (loop->kernel->work == NULL || !(run->time_s > 0))
        return;
    loop->kernel->work(loop->instance, &flops, &bytes);
    run->groups |=
        RUN_WORK | (engine_simulated ? RUN_WORK_ALONE : RUN_WORK_BYTES);
    run->gflop_per_s = 1e-9 * flops / run->time_s;
    run->gbyte_per_s = 1e-9 * bytes / run->time_s;
    run->bandwidth = "not simulated";
}

/* The real perturbations: one object for each perturbed worker and
 * perturbation. */
static void list_perturbed(struct line *list, const struct perturbs *perturbs,
                           const struct run_result *result, int workers)
{
    static const char *const how[] = {[HELD_BY_SELF] = "sleep",
                                      [HELD_BY_SIGNAL] = "SIGSTOP",
                                      [HELD_IN_TIME] = "simulated"};
    line_open(list, NULL, '[');
    for (int i = 0; i < workers * perturbs->count; i++) {
        const struct perturb_toll *toll = &result->tolls[i];
        if (toll->how == HELD_NOT)
            continue;
        line_open(list, NULL, '{');
        line_whole(list, "worker", i / perturbs->count);
        line_text(list, "by", perturbs->list[i % perturbs->count].kind->name);
        line_text(list, "how", how[toll->how]);
        line_whole(list, "times", toll->times);
        line_real(list, "from_s", toll->times ? toll->from_s : NAN);
        line_real(list, "lost_s", toll->lost_s);
        line_close(list, '}');
    }
    line_close(list, ']');
}

static const char *verified_value(const struct row_context *c,
                                  const struct run_result *result)
{
    return !result->verified  ? "false"
           : engine_simulated ? "\"handed out\""
           : c->loop->sampled ? "\"sample\""
                              : "true";
}

/* The parts of a line, from the kind of run. */
static int groups_of(const struct row_context *c,
                     const struct run_result *result)
{
    return RUN_LAUNCH | (engine_simulated ? RUN_SIMULATED : RUN_NATIVE) |
           (run_planned(c->run) != NULL ? RUN_PLAN : 0) |
           (isnan(c->handover_s[0]) ? 0 : RUN_HANDOVER) |
           (result->exchange_s >= 0 ? RUN_STEPS : 0) |
           (run_powers(c->run)->measured_s >= 0 ? RUN_POWERS : 0) |
           (c->trial != NULL ? RUN_TRIAL : 0);
}

static struct run_line run_of(const struct row_context *c,
                              const struct run_result *result)
{
    const struct planned *planned = run_planned(c->run);
    struct run_line run = {.groups = groups_of(c, result),
                           .repetition = c->repetition,
                           .plan_rounds = planned != NULL ? planned->rounds : 0,
                           .plan_raised = planned != NULL ? planned->raised : 0,
                           .simulated = engine_simulated,
                           .workers = run_workers(c->run),
                           .seed = (int64_t)c->seed,
                           .status = result->verified ? "ok" : "unverified",
                           .iterations = result->iterations,
                           .chunks = result->chunks,
                           .time_s = result->time_s,
                           .bound_s = result->bound_s,
                           .skew_s = result->skew_s,
                           .messages = result->messages,
                           .bytes = result->bytes,
                           .handover_before_s = c->handover_s[0],
                           .handover_after_s = c->handover_s[1],
                           .exchange_s = result->exchange_s,
                           .between_s = result->between_s,
                           .advance_s = result->advance_s,
                           .power_s = run_powers(c->run)->measured_s,
                           .verified = verified_value(c, result),
                           .oversubscribed = run_oversubscribed(c->run),
                           .shared_masters = run_shared_masters(c->run),
                           .reissued = result->reissued,
                           .dropped = result->dropped,
                           .wall_s = result->wall_s,
                           .alone_s = result->alone_s,
                           .trial = c->trial != NULL && trial_trying(c->trial)};
    set_serial(&run, c->loop);
    set_work(&run, c->loop);
    set_balance(&run, result);
    set_others(&run, result);
    return run;
}

/* The cell as it ran: with its plan's time and the transport's choice. */
static json_t *cell_of(const struct row_context *c)
{
    json_t *cell = cell_to_json(c->cell);
    const struct planned *planned = run_planned(c->run);
    const char *chosen = run_chosen(c->run);
    if (planned != NULL)
        json_object_set_new(cell, "predicted_s",
                            json_real(planned->predicted_s));
    if (chosen != NULL)
        json_object_set_new(cell, cell_transport(c->cell)->rules->field,
                            json_string(chosen));
    return cell;
}

int row_run(const struct row_context *c, const struct run_result *result,
            struct record_file *file, struct error *err)
{
    char started[STAMP_TIME_SIZE];
    struct line facts = {0}, perturbed = {0};
    const struct perturbs *perturbs = run_perturbs(c->run);
    struct run_line run = run_of(c, result);
    stamp_time(time(NULL), started);
    /* The transport's facts, of all workers together. */
    const struct transport_rules *rules = cell_transport(c->cell)->rules;
    for (int f = 0; f < TRANSPORT_FACTS && rules->fact[f].name != NULL; f++) {
        int64_t sum = 0;
        for (int w = 0; w < run_workers(c->run); w++)
            sum += result->workers[w].fact[f];
        line_whole(&facts, rules->fact[f].name, sum);
    }
    if (perturbs->count > 0)
        list_perturbed(&perturbed, perturbs, result, run_workers(c->run));
    run.started = started;
    run.facts = facts.text;
    run.perturbed = perturbed.text;
    int code = record_run(file, cell_of(c), c->launch, &run, err);
    free(facts.text);
    free(perturbed.text);
    return code;
}

/* ---- workers and chunks ---- */

/* "0" or "0-1,4": the set bits. */
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

/* All null if nothing was counted. */
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
    json_t *row = identity_object("worker", c);
    const struct powers *powers = run_powers(c->run);
    /* A as the scheme uses it, otherwise V/Q. */
    const double *available =
        powers->available ? powers->available : powers->share;
    json_object_update_new(row, json_pack("{s:i,s:i}", "worker", worker, "rank",
                                          run_worker_rank(c->run, worker)));
    record_put(row, r, place_fields);
    json_object_update_new(
        row,
        json_pack("{s:o,s:b,s:f,s:o,s:o}", "memory_numa", node_list(r->memory),
                  "bound", r->bound, "power", powers->given[worker], "queue",
                  powers->queue ? json_integer(powers->queue[worker])
                                : json_null(),
                  "available",
                  available ? json_real(available[worker]) : json_null()));
    record_put(row, r, work_fields);
    json_object_set_new(row, "overhead_s",
                        record_real(result->time_s - r->compute_s));
    json_object_set_new(row, "lost_s", record_real(r->lost_s));
    const struct transport_rules *rules = cell_transport(c->cell)->rules;
    for (int f = 0; f < TRANSPORT_FACTS && rules->fact[f].name != NULL; f++)
        json_object_set_new(row, rules->fact[f].name, json_integer(r->fact[f]));
    add_counted(row, c->events,
                result->counted ? &result->counted[worker] : NULL);
    if (!engine_simulated) {
        record_put(row, &r->share, share_fields);
        json_object_set_new(row, "core_probe_s", record_real(r->core_probe_s));
    }
    return row;
}

json_t *row_chunk(const struct row_context *c, const struct run_result *result,
                  int64_t index)
{
    const struct ran *ran = &result->log[index];
    json_t *row = identity_object("chunk", c);
    bool stamped = strcmp(c->cell->timing, "chunk") == 0;
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
