/* The files of a launch in its result directory (results/README.md). */
#ifndef HARNESS_RECORD_RECORD_H
#define HARNESS_RECORD_RECORD_H

#include "base/error.h"
#include "harness/record/line/run_line.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

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

#endif
