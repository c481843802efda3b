/* Changes the status in the lines that end a failed choice's cells.  All other
 * lines are copied byte by byte, even those that were cut off. */
#include "bench/programs/samples/marks.h"

#include "base/folder.h"
#include "base/system/whole.h"
#include "base/text.h"
#include "harness/process/need.h"
#include "harness/record/record.h"

#include <errno.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct marks {
    const char *choice, *status, *reason;
    json_t *cells; /* the cells of a launch, by name */
    bool changed;
};

static const char *text_of(const json_t *row, const char *name)
{
    const char *text = json_string_value(json_object_get(row, name));
    return text != NULL ? text : "";
}

/* Collects a cell in which the scheme handed out the chunks; other loops ran
 * under their clause.  Returns 0 or -ENOMEM. */
static int take_run(struct marks *marks, const json_t *row)
{
    bool taken = text_is(text_of(row, "type"), "run") &&
                 text_is(text_of(row, "tried"), marks->choice) &&
                 !text_is(text_of(row, "scheme"), text_of(row, "clause"));
    if (!taken)
        return 0;
    return json_object_set_new(marks->cells, text_of(row, "cell"),
                               json_true()) == 0
               ? 0
               : -ENOMEM;
}

/* The changed line; NULL: the line stays.  Returns 0 or -ENOMEM. */
static int change_end(const struct marks *marks, json_t *row, char **changed)
{
    *changed = NULL;
    if (!text_is(text_of(row, "type"), "cell_done") ||
        !text_is(text_of(row, "status"), "ok") ||
        json_object_get(marks->cells, text_of(row, "cell")) == NULL)
        return 0;
    if (json_object_set_new(row, "status", json_string(marks->status)) == 0 &&
        json_object_set_new(row, "reason", json_string(marks->reason)) == 0)
        *changed = json_dumps(row, JSON_COMPACT | JSON_REAL_PRECISION(12));
    return *changed != NULL ? 0 : -ENOMEM;
}

static int copy_line(struct marks *marks, const char *line, json_t *row,
                     FILE *to)
{
    char *changed;
    int code = take_run(marks, row);
    if (code == 0)
        code = change_end(marks, row, &changed);
    if (code != 0)
        return code;
    if (changed != NULL)
        fprintf(to, "%s\n", changed);
    else
        fputs(line, to);
    marks->changed = marks->changed || changed != NULL;
    free(changed);
    return ferror(to) ? -ENOMEM : 0;
}

/* Lines of runs come before the ends of their cells. */
static int copy_lines(struct marks *marks, struct rows *rows, FILE *to,
                      struct error *err)
{
    json_t *row;
    int code;
    while ((code = rows_next(rows, &row, err)) > 0) {
        code = copy_line(marks, rows->line, row, to);
        json_decref(row);
        if (code != 0)
            return error_set(err, -code, "%s: out of memory", rows->path);
    }
    return code;
}

static int change_file(struct marks *marks, const char *path, struct error *err)
{
    char *text;
    size_t size;
    struct rows rows;
    int code = rows_open(&rows, path, err);
    if (code != 0)
        return error_prefix(err, code, "omp");
    FILE *to = need_stream(&text, &size);
    marks->cells = json_object();
    marks->changed = false;
    code = copy_lines(marks, &rows, to, err);
    rows_close(&rows);
    if (fclose(to) != 0 && code == 0)
        code = error_set(err, ENOMEM, "%s: out of memory", path);
    json_decref(marks->cells);
    if (code == 0 && marks->changed)
        code = file_whole(path, text, size, err);
    free(text);
    return code;
}

int marks_fail(const char *folder, const char *choice, const char *status,
               const char *reason, struct error *err)
{
    char line[600];
    struct folder files;
    text_line(line, sizeof(line), reason);
    struct marks marks = {.choice = choice, .status = status, .reason = line};
    int code = folder_find(folder, "runs-", ".jsonl", &files, err);
    if (code != 0)
        return code;
    for (int i = 0; i < files.count && code == 0; i++)
        code = change_file(&marks, files.path[i], err);
    folder_free(&files);
    return code;
}
