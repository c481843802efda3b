/* Finds the parallel regions of a file that can run in smaller blocks: those in
 * which the thread's number only chooses the block of a static loop. */
#ifndef BENCH_PROGRAMS_STATIC_CODE_READER_H
#define BENCH_PROGRAMS_STATIC_CODE_READER_H

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

enum { READER_CALLS = 64 };

struct reader_region {
    uint64_t at;                 /* address of its function */
    char class;                  /* A, B, C, or '-': it is not cut */
    const char *word;            /* why it is not A or B, in one word */
    int calls;                   /* calls that return its smaller block's
                                    number */
    uint64_t call[READER_CALLS]; /* their return addresses */
};

struct reader_file {
    char build_id[17];
    struct reader_region *region;
    int64_t regions, room;
};

/* Whether this build can read machine code. */
bool reader_can(void);

/* Reads a file.  A file of another machine gives no regions.  Returns 0 or
 * -errno with a text. */
int reader_read(const char *path, struct reader_file *out, struct error *err);
void reader_free(struct reader_file *file);

#endif
