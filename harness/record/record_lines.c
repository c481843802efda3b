#include "harness/record/record_lines.h"

#include "base/stamp.h"
#include "base/text.h"
#include "harness/record/build.h"
#include "harness/record/record.h"

#include <stdio.h>
#include <time.h>

json_t *record_head(json_t *fields, const char *type, const char *launch)
{
    json_object_set_new(fields, "schema", json_integer(RECORD_SCHEMA));
    json_object_set_new(fields, "type", json_string(type));
    json_object_set_new(fields, "launch", json_string(launch));
    return fields;
}

json_t *record_done(json_t *fields, const char *launch, const char *status,
                    int repetitions, const char *reason)
{
    char line[4096];
    if (reason != NULL)
        text_line(line, sizeof(line), reason);
    record_head(fields, "cell_done", launch);
    json_object_update_new(
        fields, json_pack("{s:s,s:i,s:s?}", "status", status, "repetitions",
                          repetitions, "reason", reason != NULL ? line : NULL));
    return fields;
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
