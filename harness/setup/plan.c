#include "harness/setup/plan.h"

#include "base/file.h"
#include "base/text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

json_t *policy_to_json(const struct policy *p)
{
    return json_pack("{s:i,s:i,s:f,s:f,s:f,s:f,s:s,s:b,s:b,s:b}", "repetitions",
                     p->repetitions, "repetitions_max", p->repetitions_max,
                     "ci", p->ci, "cell_seconds", p->cell_seconds,
                     "verify_limit", p->verify_limit, "cell_timeout",
                     p->cell_timeout, "events", p->events, "trace", p->trace,
                     "save", p->save, "oversubscribe", p->oversubscribe);
}

static int policy_from_json(json_t *object, struct policy *p)
{
    int trace, save, oversubscribe;
    const char *events;
    int code = json_unpack(
        object, "{s:i,s:i,s:F,s:F,s:F,s:F,s:s,s:b,s:b,s:b}", "repetitions",
        &p->repetitions, "repetitions_max", &p->repetitions_max, "ci", &p->ci,
        "cell_seconds", &p->cell_seconds, "verify_limit", &p->verify_limit,
        "cell_timeout", &p->cell_timeout, "events", &events, "trace", &trace,
        "save", &save, "oversubscribe", &oversubscribe);
    if (code == 0)
        snprintf(p->events, sizeof(p->events), "%s", events);
    p->trace = trace;
    p->save = save;
    p->oversubscribe = oversubscribe;
    return code;
}

/* As measured on the machine of the README with make bench-overhead: a counter
 * shared by two threads, a scheme's state under its lock, a steal, a
 * synchronization between two threads.  A piece of one's own range costs 3.5 ns
 * with threads and 34 with ranks; a thief's question is a request. */
void plan_simulation_fill(struct plan_simulation *simulation,
                          const struct cell *cell)
{
    *simulation =
        (struct plan_simulation){.operation_s = cell->cp,
                                 .request_s = cell->request_cost,
                                 .result_bytes = cell->result_bytes,
                                 .boundary_bytes = cell->boundary_bytes,
                                 .count_s = 10e-9,
                                 .state_s = 25e-9,
                                 .own_s = 10e-9,
                                 .steal_s = 250e-9,
                                 .answer_s = cell->request_cost,
                                 .handover_s = 88e-9};
    snprintf(simulation->platform, sizeof(simulation->platform), "%s",
             cell->platform);
}

static json_t *simulation_to_json(const struct plan_simulation *s)
{
    return json_pack("{s:s,s:s,s:f,s:f,s:f,s:f,s:f,s:f,s:f,s:f,s:f,s:f,s:f}",
                     "platform", s->platform, "calibration", s->calibration,
                     "operation_s", s->operation_s, "request_s", s->request_s,
                     "result_bytes", s->result_bytes, "boundary_bytes",
                     s->boundary_bytes, "count_s", s->count_s, "state_s",
                     s->state_s, "own_s", s->own_s, "steal_s", s->steal_s,
                     "answer_s", s->answer_s, "handover_s", s->handover_s,
                     "handover_byte_s", s->handover_byte_s);
}

static int simulation_from_json(json_t *object, struct plan_simulation *s)
{
    const char *platform, *calibration;
    if (json_unpack(
            object, "{s:s,s:s,s:F,s:F,s:F,s:F,s:F,s:F,s:F,s:F,s:F,s:F,s:F}",
            "platform", &platform, "calibration", &calibration, "operation_s",
            &s->operation_s, "request_s", &s->request_s, "result_bytes",
            &s->result_bytes, "boundary_bytes", &s->boundary_bytes, "count_s",
            &s->count_s, "state_s", &s->state_s, "own_s", &s->own_s, "steal_s",
            &s->steal_s, "answer_s", &s->answer_s, "handover_s", &s->handover_s,
            "handover_byte_s", &s->handover_byte_s) != 0)
        return -1;
    snprintf(s->platform, sizeof(s->platform), "%s", platform);
    snprintf(s->calibration, sizeof(s->calibration), "%s", calibration);
    return 0;
}

/* Paths, which are not checked with the cells. */
static int check_texts(const struct plan *plan, struct error *err)
{
    const char *const text[] = {plan->out, plan->simulation.platform,
                                plan->simulation.calibration};
    for (size_t i = 0; i < sizeof(text) / sizeof(text[0]); i++)
        if (text_wrong_byte(text[i]) >= 0)
            return error_set(err, EINVAL,
                             "%s: the path must be UTF-8 without control "
                             "characters",
                             text[i]);
    return 0;
}

int plan_save(const struct plan *plan, const char *path, struct error *err)
{
    int code = check_texts(plan, err);
    if (code != 0)
        return code;
    json_t *cells = json_array();
    for (int i = 0; i < plan->count; i++)
        json_array_append_new(cells, cell_to_json(&plan->cells[i]));
    json_t *root = json_pack(
        "{s:s,s:s,s:s,s:s,s:s,s:I,s:i,s:i,s:i,s:o,s:o,s:o}", "out", plan->out,
        "launch", plan->launch, "campaign", plan->campaign, "shard",
        plan->shard, "command", plan->command, "seed", (json_int_t)plan->seed,
        "gained", plan->gained, "ranks", plan->ranks, "threads", plan->threads,
        "policy", policy_to_json(&plan->policy), "simulation",
        simulation_to_json(&plan->simulation), "cells", cells);
    errno = 0;
    code = root ? json_dump_file(root, path, JSON_INDENT(1)) : -1;
    json_decref(root);
    if (code != 0)
        return error_set(err, errno ? errno : EIO, "%s: cannot write: %s", path,
                         strerror(errno ? errno : EIO));
    return 0;
}

char *plan_read(const char *path, struct error *err)
{
    const char *why;
    FILE *file = file_open(path, &why);
    char *text = NULL;
    size_t room = 0;
    if (file == NULL) {
        error_set(err, errno, "%s: cannot read: %s", path, why);
        return NULL;
    }
    ssize_t length = getdelim(&text, &room, '\0', file);
    fclose(file);
    if (length < 0) {
        free(text);
        error_set(err, EINVAL, "%s: the plan is empty", path);
        return NULL;
    }
    return text;
}

static int parse_cells(json_t *array, struct plan *plan, struct error *err)
{
    if (!json_is_array(array))
        return error_set(err, EINVAL, "the plan's cells are not a list");
    plan->count = (int)json_array_size(array);
    plan->cells = calloc((size_t)plan->count + 1, sizeof(*plan->cells));
    if (plan->cells == NULL)
        return error_set(err, ENOMEM, "out of memory");
    for (int i = 0; i < plan->count; i++) {
        int code =
            cell_read(json_array_get(array, (size_t)i), &plan->cells[i], err);
        if (code != 0)
            return code;
        if (plan->cells[i].ranks != plan->ranks ||
            plan->cells[i].threads != plan->threads)
            return error_set(err, EINVAL,
                             "cell %s does not have the plan's "
                             "shape",
                             plan->cells[i].hash);
    }
    return 0;
}

#define COPY(field) snprintf(plan->field, sizeof(plan->field), "%s", field)

int plan_parse(const char *text, struct plan *plan, struct error *err)
{
    json_error_t where;
    json_t *root = json_loads(text, 0, &where), *policy, *simulation, *cells;
    const char *out, *launch, *campaign, *shard, *command;
    json_int_t seed;
    *plan = (struct plan){0};
    if (root == NULL ||
        json_unpack_ex(root, &where, 0,
                       "{s:s,s:s,s:s,s:s,s:s,s:I,s?i,s:i,s:i,"
                       "s:o,s:o,s:o}",
                       "out", &out, "launch", &launch, "campaign", &campaign,
                       "shard", &shard, "command", &command, "seed", &seed,
                       "gained", &plan->gained, "ranks", &plan->ranks,
                       "threads", &plan->threads, "policy", &policy,
                       "simulation", &simulation, "cells", &cells) != 0) {
        json_decref(root);
        return error_set(err, EINVAL, "the plan is not one: %s", where.text);
    }
    COPY(out);
    COPY(launch);
    COPY(campaign);
    COPY(shard);
    COPY(command);
    plan->seed = (uint64_t)seed;
    int code = 0;
    if (policy_from_json(policy, &plan->policy) != 0)
        code = error_set(err, EINVAL, "the plan's policy is incomplete");
    else if (simulation_from_json(simulation, &plan->simulation) != 0)
        code = error_set(err, EINVAL, "the plan's simulation is incomplete");
    if (code == 0)
        code = parse_cells(cells, plan, err);
    json_decref(root);
    if (code != 0)
        plan_free(plan);
    return code;
}

void plan_free(struct plan *plan)
{
    free(plan->cells);
    plan->cells = NULL;
    plan->count = 0;
}
