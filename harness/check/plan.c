#include "harness/check/plan.h"

#include "base/file.h"
#include "base/text.h"
#include "harness/engine/usual_costs.h"
#include "harness/program/need.h"
#include "harness/record/fields.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define POLICY(member) RECORD_AT(struct policy, member)
static const struct record_field policy_fields[] = {
    {"repetitions", RECORD_COUNT, POLICY(repetitions)},
    {"repetitions_max", RECORD_COUNT, POLICY(repetitions_max)},
    {"ci", RECORD_REAL, POLICY(ci)},
    {"cell_seconds", RECORD_REAL, POLICY(cell_seconds)},
    {"verify_limit", RECORD_REAL, POLICY(verify_limit)},
    {"cell_timeout", RECORD_REAL, POLICY(cell_timeout)},
    {"events", RECORD_TEXT, POLICY(events)},
    {"trace", RECORD_SWITCH, POLICY(trace)},
    {"save", RECORD_SWITCH, POLICY(save)},
    {"oversubscribe", RECORD_SWITCH, POLICY(oversubscribe)},
    {.name = NULL}};

#define SIMULATION(member) RECORD_AT(struct plan_simulation, member)
static const struct record_field simulation_fields[] = {
    {"platform", RECORD_TEXT, SIMULATION(platform)},
    {"calibration", RECORD_TEXT, SIMULATION(calibration)},
    {"operation_s", RECORD_REAL, SIMULATION(operation_s)},
    {"request_s", RECORD_REAL, SIMULATION(request_s)},
    {"result_bytes", RECORD_REAL, SIMULATION(result_bytes)},
    {"boundary_bytes", RECORD_REAL, SIMULATION(boundary_bytes)},
    {"count_s", RECORD_REAL, SIMULATION(count_s)},
    {"state_s", RECORD_REAL, SIMULATION(state_s)},
    {"own_s", RECORD_REAL, SIMULATION(own_s)},
    {"steal_s", RECORD_REAL, SIMULATION(steal_s)},
    {"answer_s", RECORD_REAL, SIMULATION(answer_s)},
    {"handover_s", RECORD_REAL, SIMULATION(handover_s)},
    {"handover_byte_s", RECORD_REAL, SIMULATION(handover_byte_s)},
    {.name = NULL}};

#define PLAN(member) RECORD_AT(struct plan, member)
static const struct record_field plan_fields[] = {
    {"out", RECORD_TEXT, PLAN(out)},
    {"launch", RECORD_TEXT, PLAN(launch)},
    {"campaign", RECORD_TEXT, PLAN(campaign)},
    {"shard", RECORD_TEXT, PLAN(shard)},
    {"command", RECORD_TEXT, PLAN(command)},
    {"seed", RECORD_LONG, PLAN(seed), .least = (double)INT64_MIN},
    {"gained", RECORD_INDEX, PLAN(gained), .later = true},
    {"ranks", RECORD_COUNT, PLAN(ranks), .least = 1},
    {"threads", RECORD_COUNT, PLAN(threads), .least = 1},
    {.name = NULL}};

json_t *policy_to_json(const struct policy *policy)
{
    return record_object(policy, policy_fields);
}

void plan_simulation_fill(struct plan_simulation *simulation,
                          const struct cell *cell)
{
    *simulation =
        (struct plan_simulation){.operation_s = cell->cp,
                                 .request_s = cell->request_cost,
                                 .result_bytes = cell->result_bytes,
                                 .boundary_bytes = cell->boundary_bytes,
                                 .count_s = ENGINE_COUNT_USUAL_S,
                                 .state_s = ENGINE_STATE_USUAL_S,
                                 .own_s = ENGINE_OWN_USUAL_S,
                                 .steal_s = ENGINE_STEAL_USUAL_S,
                                 .answer_s = cell->request_cost,
                                 .handover_s = ENGINE_HANDOVER_USUAL_S};
    snprintf(simulation->platform, sizeof(simulation->platform), "%s",
             cell->platform);
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
    json_t *root = record_object(plan, plan_fields), *cells = json_array();
    for (int i = 0; i < plan->count; i++)
        json_array_append_new(cells, cell_to_json(&plan->cells[i]));
    json_object_set_new(root, "policy", policy_to_json(&plan->policy));
    json_object_set_new(root, "simulation",
                        record_object(&plan->simulation, simulation_fields));
    json_object_set_new(root, "cells", cells);
    errno = 0;
    code = json_dump_file(root, path, JSON_INDENT(1));
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
        return error_set(err, EINVAL,
                         "the plan is not one: its cells are not a list");
    plan->count = (int)json_array_size(array);
    plan->cells = need_zeroed((size_t)plan->count, sizeof(*plan->cells));
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

static int read_part(const json_t *root, const char *key, void *to,
                     const struct record_field *fields, struct error *err)
{
    const json_t *part = json_object_get(root, key);
    if (part == NULL)
        return error_set(err, EINVAL, "the plan is not one: it has no %s", key);
    int code = record_take(part, to, fields, err);
    return code == 0
               ? 0
               : error_prefix(err, code, "the plan's %s is incomplete", key);
}

int plan_parse(const char *text, struct plan *plan, struct error *err)
{
    json_error_t where;
    json_t *root = json_loads(text, 0, &where);
    *plan = (struct plan){0};
    if (root == NULL)
        return error_set(err, EINVAL, "the plan is not one: %s", where.text);
    int code = record_take(root, plan, plan_fields, err);
    if (code != 0)
        error_prefix(err, code, "the plan is not one");
    if (plan->gained < 0) /* of an earlier version */
        plan->gained = 0;
    if (code == 0)
        code = read_part(root, "policy", &plan->policy, policy_fields, err);
    if (code == 0)
        code = read_part(root, "simulation", &plan->simulation,
                         simulation_fields, err);
    if (code == 0)
        code = parse_cells(json_object_get(root, "cells"), plan, err);
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
