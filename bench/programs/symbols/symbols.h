/* The function and line of an address in a program's file, from the compiler's
 * debug information, else the nearest symbol.  Uses elfutils' libdw, outside
 * the running process.  Without that library (without_libdw.c) a place has only
 * the file's name and the offset. */
#ifndef BENCH_PROGRAMS_SYMBOLS_SYMBOLS_H
#define BENCH_PROGRAMS_SYMBOLS_SYMBOLS_H

#include <stdbool.h>
#include <stdint.h>

/* Whether this build finds functions and lines. */
extern const bool symbols_have_lines;

struct symbols;

struct symbols_place {
    char function[256]; /* empty: not known */
    char file[256];     /* empty: no line known */
    int line, column;
};

/* NULL: out of memory. */
struct symbols *symbols_open(void);
void symbols_close(struct symbols *symbols);

/* The place of an offset in the file at `path`. */
void symbols_find(struct symbols *symbols, const char *path, uint64_t offset,
                  struct symbols_place *place);

/* Whether the file defines this symbol; false without symbols. */
bool symbols_defines(const char *path, const char *name);

/* Whether the code between two addresses of a function compares the thread's
 * number with 0, as for `master` (on x86-64; false elsewhere). */
bool symbols_has_master(struct symbols *symbols, const char *path,
                        uint64_t function, uint64_t from, uint64_t to);

#endif
