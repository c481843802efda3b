#include "harness/record/record_lines.h"

#include "base/stamp.h"
#include "base/text.h"
#include "harness/record/build.h"
#include "harness/record/record.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

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
