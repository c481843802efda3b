/* What all makers of a result directory write alike: launches of run and sim,
 * omp, replay, and the driver for launches that died (results/README.md).
 * libdls writes the same by dls/json_line.h, without jansson. */
#ifndef HARNESS_RECORD_RECORD_LINES_H
#define HARNESS_RECORD_RECORD_LINES_H

#include <jansson.h>
#include <stdbool.h>

/* The fields of a cell as a line of this type; takes over and returns `fields`
 * (json_object() for a line without them). */
json_t *record_head(json_t *fields, const char *type, const char *launch);

/* The last line of a cell; reason NULL: null.  A reason of several lines
 * becomes one. */
json_t *record_done(json_t *fields, const char *launch, const char *status,
                    int repetitions, const char *reason);

/* The first members of a manifest, with this build and the time of day; shard
 * NULL: it has none. */
json_t *record_manifest_head(const char *launch, const char *campaign,
                             const char *shard, const char *command,
                             bool simulated);

/* The same for a command in words, which NULL ends. */
json_t *record_manifest_words(const char *launch, const char *campaign,
                              char *const *words, bool simulated);

#endif
