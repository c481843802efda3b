/* A patch that adds schedule(runtime) to the static loops of a source file, so
 * that they can be measured and changed. */
#ifndef BENCH_PROGRAMS_SEEN_SUGGEST_H
#define BENCH_PROGRAMS_SEEN_SUGGEST_H

#include "base/error.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>

/* Writes the patch (unified, for patch -p0) of a C, C++ or Fortran file, by its
 * suffix; only reads the file.  Sets `loops` to its number of loop directives
 * without a schedule; 0: writes nothing.  Returns 0 or -errno with a text. */
int suggest_patch(const char *path, FILE *out, int *loops, struct error *err);

/* The file's name in the patch: patch accepts only names below its folder.
 * Returns true for a file outside: then the name starts at the root, and the
 * command is patch -p0 -d /. */
bool suggest_name(const char *path, char name[PATH_MAX]);

/* A loop's line in the compiler's debug information, and its new clause. */
struct suggest_loop {
    const char *file;
    int line;
    const char *clause; /* in the brackets of schedule() */
};

/* Writes a patch that gives each loop with a schedule() its new clause.
 * Returns how many loops it found; 0: writes nothing.  Loops without a known
 * line or in unreadable files are skipped. */
int suggest_clauses(const struct suggest_loop *loop, int count, FILE *out);

#endif
