/* The first line has the launch, its policy and a simulation's charges.  Each
 * further line is a cell, which is checked again when it is read. */
#include "harness/check/worklist.h"

#include "base/file.h"
#include "base/text.h"
#include "harness/engine/usual_costs.h"
#include "harness/process/need.h"
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

#define SIMULATION(member) RECORD_AT(struct worklist_simulation, member)
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

#define WORKLIST(member) RECORD_AT(struct worklist, member)
static const struct record_field worklist_fields[] = {
    {"out", RECORD_TEXT, WORKLIST(out)},
    {"launch", RECORD_TEXT, WORKLIST(launch)},
    {"campaign", RECORD_TEXT, WORKLIST(campaign)},
    {"shard", RECORD_TEXT, WORKLIST(shard)},
    {"command", RECORD_TEXT, WORKLIST(command)},
    {"seed", RECORD_LONG, WORKLIST(seed), .least = (double)INT64_MIN},
    {"gained", RECORD_COUNT, WORKLIST(gained)},
    {"ranks", RECORD_COUNT, WORKLIST(ranks), .least = 1},
    {"threads", RECORD_COUNT, WORKLIST(threads), .least = 1},
    {"cells", RECORD_COUNT, WORKLIST(count)},
    {.name = NULL}};

json_t *policy_to_json(const struct policy *policy)
{
    return record_object(policy, policy_fields);
}

void worklist_simulation_fill(struct worklist_simulation *simulation,
                              const struct cell *cell)
{
    *simulation =
        (struct worklist_simulation){.operation_s = cell->cp,
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
static int check_texts(const struct worklist *work, struct error *err)
{
    const char *const text[] = {work->out, work->simulation.platform,
                                work->simulation.calibration};
    for (size_t i = 0; i < sizeof(text) / sizeof(text[0]); i++)
        if (text_wrong_byte(text[i]) >= 0)
            return error_set(err, EINVAL,
                             "%s: the path must be UTF-8 without control "
                             "characters",
                             text[i]);
    return 0;
}

/* Writes the object, which ends here, as a line. */
static bool write_line(FILE *file, json_t *object)
{
    bool written = file != NULL && json_dumpf(object, file, JSON_COMPACT) == 0;
    json_decref(object);
    return written && fputc('\n', file) != EOF;
}

/* The JSON of one cell at a time is in memory. */
int worklist_save(const struct worklist *work, const char *path,
                  struct error *err)
{
    int code = check_texts(work, err);
    if (code != 0)
        return code;
    errno = 0;
    FILE *file = fopen(path, "w");
    json_t *head = record_object(work, worklist_fields);
    json_object_set_new(head, "policy", policy_to_json(&work->policy));
    json_object_set_new(head, "simulation",
                        record_object(&work->simulation, simulation_fields));
    bool written = write_line(file, head);
    for (int i = 0; i < work->count && written; i++)
        written = write_line(file, cell_to_json(&work->cells[i]));
    if (file != NULL && fclose(file) == 0 && written)
        return 0;
    return error_set(err, errno ? errno : EIO, "%s: cannot write: %s", path,
                     strerror(errno ? errno : EIO));
}

char *worklist_read(const char *path, struct error *err)
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
        error_set(err, EINVAL, "%s: the worklist is empty", path);
        return NULL;
    }
    return text;
}

/* The next line's object; sets *text to the text after it; NULL: none. */
static json_t *next_object(const char **text, struct error *err)
{
    json_error_t where;
    json_t *object = json_loads(*text, JSON_DISABLE_EOF_CHECK, &where);
    if (object == NULL)
        error_set(err, EINVAL, "this is no worklist: %s", where.text);
    else
        *text += where.position;
    return object;
}

/* Makes room for the cells that are there, not for those that are promised. */
static int parse_cells(const char *text, struct worklist *work,
                       struct error *err)
{
    int64_t room = 0;
    int code = 0;
    for (int i = 0; i < work->count && code == 0; i++) {
        need_room(&work->cells, &room, i + 1, sizeof(*work->cells));
        struct cell *cell = &work->cells[i];
        json_t *object = next_object(&text, err);
        code = object == NULL ? -EINVAL
                              : cell_read(object, work->texts, cell, err);
        json_decref(object);
        if (code == 0 &&
            (cell->ranks != work->ranks || cell->threads != work->threads))
            code =
                error_set(err, EINVAL, "cell %s has another shape", cell->hash);
    }
    if (code == 0 && text[strspn(text, "\n")] != '\0')
        code = error_set(err, EINVAL, "this is no worklist: more cells");
    return code;
}

static int read_part(const json_t *root, const char *key, void *to,
                     const struct record_field *fields, struct error *err)
{
    int code = record_take(json_object_get(root, key), to, fields, err);
    return code == 0
               ? 0
               : error_prefix(err, code,
                              "this is no worklist: its %s is incomplete", key);
}

int worklist_parse(const char *text, struct worklist *work, struct error *err)
{
    *work = (struct worklist){0};
    json_t *head = next_object(&text, err);
    if (head == NULL)
        return -EINVAL;
    work->texts = cell_texts();
    int code = record_take(head, work, worklist_fields, err);
    if (code != 0)
        error_prefix(err, code, "this is no worklist");
    if (code == 0)
        code = read_part(head, "policy", &work->policy, policy_fields, err);
    if (code == 0)
        code = read_part(head, "simulation", &work->simulation,
                         simulation_fields, err);
    json_decref(head);
    if (code == 0)
        code = parse_cells(text, work, err);
    if (code != 0)
        worklist_free(work);
    return code;
}

void worklist_free(struct worklist *work)
{
    free(work->cells);
    json_decref(work->texts);
    *work = (struct worklist){.count = 0};
}
