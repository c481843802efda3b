/* The lines of a result file, each a JSON object. */
#ifndef HARNESS_RECORD_ROW_READER_H
#define HARNESS_RECORD_ROW_READER_H

#include "base/error.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

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
