/* Each line is appended by one write, so that a killed program leaves at most
 * its last line torn. */
#include "harness/record/record.h"

#include "base/file.h"
#include "base/stamp.h"
#include "base/system/whole.h"
#include "base/text.h"
#include "harness/record/build.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

int record_open(struct record_file *file, const char *directory,
                const char *kind, const char *launch, struct error *err)
{
    snprintf(file->path, sizeof(file->path), "%s/%s-%s.jsonl", directory, kind,
             launch);
    int descriptor = file_open_to_append(file->path, err);
    file->descriptor = descriptor < 0 ? -1 : descriptor;
    return descriptor < 0 ? descriptor : 0;
}

int record_close(struct record_file *file, struct error *err)
{
    int code = file->descriptor >= 0 ? close(file->descriptor) : 0;
    file->descriptor = -1;
    if (code != 0)
        return error_set(err, errno, "%s: %s", file->path, strerror(errno));
    return 0;
}

int record_text(struct record_file *file, char *text, size_t length,
                struct error *err)
{
    int code =
        text == NULL
            ? error_set(err, ENOMEM, "%s: out of memory for a line", file->path)
            : file_append(file->descriptor, file->path, text, length, err);
    free(text);
    return code;
}

int record_line(struct record_file *file, json_t *object, struct error *err)
{
    char *text = json_dumps(object, JSON_COMPACT | JSON_REAL_PRECISION(12));
    json_decref(object);
    size_t length = text != NULL ? strlen(text) : 0;
    if (text != NULL)
        text[length] = '\n'; /* in place of the end: one write for the line */
    return record_text(file, text, length + 1, err);
}

int record_sync(struct record_file *file, struct error *err)
{
    if (fdatasync(file->descriptor) != 0 && errno != EINVAL)
        return error_set(err, errno, "%s: cannot sync: %s", file->path,
                         strerror(errno));
    return 0;
}

int record_whole(const char *path, json_t *object, struct error *err)
{
    char *text = json_dumps(object, JSON_INDENT(1));
    json_decref(object);
    if (text == NULL)
        return error_set(err, ENOMEM, "%s: out of memory", path);
    int code = file_whole(path, text, strlen(text), err);
    free(text);
    return code;
}

int record_manifest(const char *directory, const char *launch, json_t *object,
                    struct error *err)
{
    char path[4608];
    snprintf(path, sizeof(path), "%s/manifest-%s.json", directory, launch);
    return record_whole(path, object, err);
}

json_t *record_real(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

/* The cell as members of a line; out of memory the line also fails. */
static char *members_of(json_t *cell, struct line *line)
{
    char *text =
        json_dumps(cell, JSON_COMPACT | JSON_EMBED | JSON_REAL_PRECISION(12));
    json_decref(cell);
    line->failed = text == NULL;
    return text;
}

static int append_line(struct record_file *file, char *cell, struct line *line,
                       struct error *err)
{
    free(cell);
    if (line->failed) {
        free(line->text);
        line->text = NULL;
    }
    return record_text(file, line->text, line->used, err);
}

int record_run(struct record_file *file, json_t *cell, const char *launch,
               const struct run_line *run, struct error *err)
{
    struct line line = {0};
    char *members = members_of(cell, &line);
    run_line_add(&line, members, launch, run);
    return append_line(file, members, &line, err);
}

int record_done(struct record_file *file, json_t *cell, const char *launch,
                const char *status, int repetitions, const char *reason,
                struct error *err)
{
    struct line line = {0};
    char *members = members_of(cell, &line);
    run_line_done(&line, members, launch, status, repetitions, reason);
    return append_line(file, members, &line, err);
}

json_t *record_manifest_head(const char *launch, const char *campaign,
                             const char *shard, const char *command,
                             bool simulated)
{
    char started[STAMP_TIME_SIZE];
    stamp_time(time(NULL), started);
    json_t *manifest = json_pack("{s:i,s:s,s:s}", "schema", RECORD_SCHEMA,
                                 "launch", launch, "campaign", campaign);
    if (shard != NULL)
        json_object_set_new(manifest, "shard", json_string(shard));
    json_object_update_new(
        manifest,
        json_pack("{s:s,s:s,s:b,s:s,s:s,s:s}", "command", command, "started",
                  started, "simulated", simulated, "version", build_version,
                  "compiler", build_compiler, "flags", build_flags));
    return manifest;
}

json_t *record_manifest_words(const char *launch, const char *campaign,
                              char *const *words, bool simulated)
{
    char command[4096] = "", line[4096];
    size_t used = 0;
    for (int i = 0; words[i] != NULL && used < sizeof(command); i++)
        used += (size_t)snprintf(command + used, sizeof(command) - used, "%s%s",
                                 i > 0 ? " " : "", words[i]);
    text_line(line, sizeof(line), command);
    return record_manifest_head(launch, campaign, NULL, line, simulated);
}

int rows_open(struct rows *rows, const char *path, struct error *err)
{
    const char *why;
    *rows = (struct rows){.path = path, .file = file_open(path, &why)};
    return rows->file != NULL
               ? 0
               : error_set(err, errno, "%s: cannot read: %s", path, why);
}

bool rows_lack_memory(const json_t *read, const json_error_t *why)
{
    return read == NULL && (errno == ENOMEM ||
                            json_error_code(why) == json_error_out_of_memory);
}

int rows_next(struct rows *rows, json_t **row, struct error *err)
{
    json_error_t why;
    *row = NULL;
    errno = 0;
    ssize_t length = getline(&rows->line, &rows->room, rows->file);
    if (length < 0 && ferror(rows->file))
        return error_set(err, EIO, "%s: cannot read", rows->path);
    if (length < 0 && feof(rows->file))
        return 0;
    if (length >= 0)
        *row = json_loadb(rows->line, (size_t)length, 0, &why);
    if (length < 0 || rows_lack_memory(*row, &why))
        return error_set(err, ENOMEM, "%s: out of memory", rows->path);
    if (json_is_object(*row))
        return 1;
    json_decref(*row);
    *row = NULL;
    return 1;
}

void rows_close(struct rows *rows)
{
    free(rows->line);
    if (rows->file != NULL)
        fclose(rows->file);
}
