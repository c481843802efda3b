#include "bench/tried/marks.h"

#include "base/file.h"
#include "base/folder.h"
#include "base/text.h"
#include "harness/guard/need.h"

#include <errno.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct marks {
    const char *choice, *status, *reason;
    json_t *cells; /* of a launch, as names */
    bool changed;
};

static const char *text_of(const json_t *row, const char *name)
{
    const char *text = json_string_value(json_object_get(row, name));
    return text != NULL ? text : "";
}

/* A loop that the scheme did not take ran under its own clause. */
static void take_run(struct marks *marks, const json_t *row)
{
    if (text_is(text_of(row, "type"), "run") &&
        text_is(text_of(row, "tried"), marks->choice) &&
        !text_is(text_of(row, "scheme"), text_of(row, "clause")))
        json_object_set_new(marks->cells, text_of(row, "cell"), json_true());
}

/* Returns the line as it is to be, or NULL: it stays. */
static char *change_end(const struct marks *marks, json_t *row)
{
    if (!text_is(text_of(row, "type"), "cell_done") ||
        !text_is(text_of(row, "status"), "ok") ||
        json_object_get(marks->cells, text_of(row, "cell")) == NULL)
        return NULL;
    json_object_set_new(row, "status", json_string(marks->status));
    json_object_set_new(row, "reason", json_string(marks->reason));
    return json_dumps(row, JSON_COMPACT | JSON_REAL_PRECISION(12));
}

/* Runs come before the ends of their cells. */
static void copy_lines(struct marks *marks, FILE *from, FILE *to)
{
    char *line = NULL;
    size_t room = 0;
    while (getline(&line, &room, from) > 0) {
        json_t *row = json_loads(line, 0, NULL);
        take_run(marks, row);
        char *changed = change_end(marks, row);
        if (changed != NULL)
            fprintf(to, "%s\n", changed);
        else
            fputs(line, to);
        marks->changed = marks->changed || changed != NULL;
        free(changed);
        json_decref(row);
    }
    free(line);
}

static int write_file(const char *path, const char *text, size_t size,
                      struct error *err)
{
    char *half = need_text("%s.part", path);
    FILE *file = fopen(half, "w");
    bool whole = file != NULL && fwrite(text, 1, size, file) == size &&
                 fflush(file) == 0 && fdatasync(fileno(file)) == 0;
    if (file != NULL)
        whole = fclose(file) == 0 && whole;
    int code = 0;
    if (!whole || rename(half, path) != 0) {
        code = error_set(err, errno, "omp: %s: %s", path, strerror(errno));
        file_discard(half);
    }
    free(half);
    return code;
}

static int change_file(struct marks *marks, const char *path, struct error *err)
{
    const char *why;
    char *text;
    size_t size;
    FILE *from = file_open(path, &why);
    if (from == NULL)
        return error_set(err, errno, "omp: %s: %s", path, why);
    FILE *to = need_stream(&text, &size);
    marks->cells = json_object();
    marks->changed = false;
    copy_lines(marks, from, to);
    bool whole = !ferror(from);
    fclose(from);
    fclose(to);
    json_decref(marks->cells);
    int code = 0;
    if (marks->changed && whole)
        code = write_file(path, text, size, err);
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
