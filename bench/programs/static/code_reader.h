/* Which parallel regions of a file may be run in smaller blocks: those where
 * the thread's number only chooses the block of a static loop. */
#ifndef BENCH_PROGRAMS_STATIC_CODE_READER_H
#define BENCH_PROGRAMS_STATIC_CODE_READER_H

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

enum { READER_CALLS = 64 };

struct reader_region {
    uint64_t at;                 /* its function */
    char class;                  /* A, B, C, or '-': it is left alone */
    const char *word;            /* why it is no A or B, in one word */
    int calls;                   /* that get the number of a smaller block */
    uint64_t call[READER_CALLS]; /* where they return to */
};

struct reader_file {
    char build_id[17];
    struct reader_region *region;
    int64_t regions, room;
};

/* Whether this build reads machine code. */
bool reader_can(void);

/* Reads a file.  A file of another machine gives no regions.  Returns 0 or
 * -errno with a text. */
int reader_read(const char *path, struct reader_file *out, struct error *err);
void reader_free(struct reader_file *file);

#endif
