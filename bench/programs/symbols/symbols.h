/* The function and line at an address of a program's file, from the compiler's
 * debug information, else the nearest symbol.  Read by elfutils' libdw, outside
 * the process that runs.  Without that library (without_libdw.c) a place is the
 * file's name and the offset. */
#ifndef BENCH_PROGRAMS_SYMBOLS_SYMBOLS_H
#define BENCH_PROGRAMS_SYMBOLS_SYMBOLS_H

#include <stdbool.h>
#include <stdint.h>

/* Whether this build can tell functions and lines. */
extern const bool symbols_have_lines;

struct symbols;

struct symbols_place {
    char function[256]; /* empty: not known */
    char file[256];     /* empty: there is no line */
    int line, column;
};

/* NULL: out of memory. */
struct symbols *symbols_open(void);
void symbols_close(struct symbols *symbols);

/* The place of an offset in the file at `path`. */
void symbols_find(struct symbols *symbols, const char *path, uint64_t offset,
                  struct symbols_place *place);

/* Whether the file itself defines this symbol; false also without any
 * symbols. */
bool symbols_defines(const char *path, const char *name);

/* Whether this function compares the number of its thread with 0 between two of
 * its addresses, as the code of `master` does (on x86-64; false elsewhere). */
bool symbols_has_master(struct symbols *symbols, const char *path,
                        uint64_t function, uint64_t from, uint64_t to);

#endif
