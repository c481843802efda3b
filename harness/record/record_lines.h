/* Common to all makers of result directories: launches of run and sim, omp,
 * replay, and the driver for launches that died (results/README.md).  libdls
 * writes the same format by harness/record/line, without jansson. */
#ifndef HARNESS_RECORD_RECORD_LINES_H
#define HARNESS_RECORD_RECORD_LINES_H

#include "harness/record/record.h"

#include <jansson.h>
#include <stdbool.h>

/* Appends a repetition of a cell, and the last line of a cell; they take over
 * `cell`, which has its fields.  Return as record_line. */
int record_run(struct record_file *file, json_t *cell, const char *launch,
               const struct run_line *run, struct error *err);
int record_done(struct record_file *file, json_t *cell, const char *launch,
                const char *status, int repetitions, const char *reason,
                struct error *err);

/* The first members of a manifest, with this build and the time of day; shard
 * NULL: it has none. */
json_t *record_manifest_head(const char *launch, const char *campaign,
                             const char *shard, const char *command,
                             bool simulated);

/* The same for a command in words, which NULL ends. */
json_t *record_manifest_words(const char *launch, const char *campaign,
                              char *const *words, bool simulated);

#endif
