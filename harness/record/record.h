/* The files of a launch in its result directory (results/README.md). */
#ifndef HARNESS_RECORD_RECORD_H
#define HARNESS_RECORD_RECORD_H

#include "base/error.h"
#include "harness/record/line/run_line.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* An open file of JSON lines.  Each line is appended as a whole. */
struct record_file {
    char path[4608];
    int descriptor; /* -1: not open */
};

/* Opens <directory>/<kind>-<launch>.jsonl for appending. */
int record_open(struct record_file *file, const char *directory,
                const char *kind, const char *launch, struct error *err);
int record_close(struct record_file *file, struct error *err);

/* Appends lines and frees `text`; NULL: memory ran out. */
int record_text(struct record_file *file, char *text, size_t length,
                struct error *err);

/* Appends one line and releases `object`.  An error names the file and the
 * cause (such as a full disk). */
int record_line(struct record_file *file, json_t *object, struct error *err);

/* Makes appended lines survive a crash of the machine. */
int record_sync(struct record_file *file, struct error *err);

/* Replaces a file by rename, so that readers never see a part of it; releases
 * `object`. */
int record_whole(const char *path, json_t *object, struct error *err);

/* Replaces <directory>/manifest-<launch>.json; releases `object`. */
int record_manifest(const char *directory, const char *launch, json_t *object,
                    struct error *err);

/* A real for JSON; NAN or a negative "not known" becomes null. */
json_t *record_real(double value);

/* For all makers of result directories: launches of run and sim, omp, replay,
 * and the driver for launches that died (results/README.md). libdls writes the
 * same format with harness/record/line, without jansson. */

/* Append a repetition of a cell, or its last line; they release `cell`, which
 * has the cell's fields.  Return as record_line. */
int record_run(struct record_file *file, json_t *cell, const char *launch,
               const struct run_line *run, struct error *err);
int record_done(struct record_file *file, json_t *cell, const char *launch,
                const char *status, int repetitions, const char *reason,
                struct error *err);

/* The first members of a manifest, with this build and the time; shard NULL:
 * none. */
json_t *record_manifest_head(const char *launch, const char *campaign,
                             const char *shard, const char *command,
                             bool simulated);

/* record_manifest_head for a command in words, ended by NULL. */
json_t *record_manifest_words(const char *launch, const char *campaign,
                              char *const *words, bool simulated);

/* The lines of a result file, each a JSON object. */

struct rows {
    const char *path; /* for messages; stays the caller's */
    FILE *file;
    char *line; /* the last line read */
    size_t room;
};

/* Returns 0 or -errno with a text. */
int rows_open(struct rows *rows, const char *path, struct error *err);

/* Reads the next line.  Returns 1 and *row, which the caller releases; it is
 * NULL if the line is torn or no object. 0: end of file. -EIO or -ENOMEM with a
 * text: a line that does not fit into memory is not torn. */
int rows_next(struct rows *rows, json_t **row, struct error *err);

void rows_close(struct rows *rows);

/* Whether jansson failed for lack of memory, which it sometimes reports as a
 * wrong text.  Set errno to 0 before its call. */
bool rows_lack_memory(const json_t *read, const json_error_t *why);

#endif
