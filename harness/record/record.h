/* The files of a launch in its result directory (results/README.md). */
#ifndef HARNESS_RECORD_RECORD_H
#define HARNESS_RECORD_RECORD_H

#include "base/error.h"
#include "harness/record/line/run_line.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* An open file of JSON lines.  Lines are appended whole. */
struct record_file {
    char path[4608];
    int descriptor; /* -1: not open */
};

/* Opens <directory>/<kind>-<launch>.jsonl for appending. */
int record_open(struct record_file *file, const char *directory,
                const char *kind, const char *launch, struct error *err);
int record_close(struct record_file *file, struct error *err);

/* Appends lines; takes over `text`, NULL: there was no memory for it. */
int record_text(struct record_file *file, char *text, size_t length,
                struct error *err);

/* Appends one line; takes over `object`.  Says which file and why when it
 * cannot (a full disk, say). */
int record_line(struct record_file *file, json_t *object, struct error *err);

/* Makes sure that appended lines survive a crash of the machine. */
int record_sync(struct record_file *file, struct error *err);

/* Writes a file whole, by rename, so that no reader sees half of it; takes over
 * `object`. */
int record_whole(const char *path, json_t *object, struct error *err);

/* Writes <directory>/manifest-<launch>.json whole; takes over
 * `object`. */
int record_manifest(const char *directory, const char *launch, json_t *object,
                    struct error *err);

/* A real for JSON; not a number or negative "not known" becomes null. */
json_t *record_real(double value);

/* Common to all makers of result directories: launches of run and sim, omp,
 * replay, and the driver for launches that died (results/README.md).  libdls
 * writes the same format by harness/record/line, without jansson. */

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

/* The lines of a result file, each a JSON object. */

struct rows {
    const char *path; /* the caller's, for messages */
    FILE *file;
    char *line; /* the last one, with its end */
    size_t room;
};

/* Returns 0 or -errno with a text. */
int rows_open(struct rows *rows, const char *path, struct error *err);

/* Reads the next line.  Returns 1 with *row to be released, NULL where the line
 * is torn or no object; 0 at the end; -EIO or -ENOMEM with a text: a line that
 * there is no memory for is not torn. */
int rows_next(struct rows *rows, json_t **row, struct error *err);

void rows_close(struct rows *rows);

/* What jansson could not read for want of memory, which it calls a wrong text
 * in places.  Set errno to 0 before the call. */
bool rows_lack_memory(const json_t *read, const json_error_t *why);

#endif
