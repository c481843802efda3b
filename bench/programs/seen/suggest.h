/* A patch that lets the static loops of a source file be seen and changed: it
 * adds schedule(runtime). */
#ifndef BENCH_PROGRAMS_SEEN_SUGGEST_H
#define BENCH_PROGRAMS_SEEN_SUGGEST_H

#include "base/error.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>

/* Writes the patch (unified, for patch -p0) of a file of C, C++ or Fortran, by
 * its name's end; the file is only read.  `loops` is how many directives of
 * loops without a schedule it has; 0: nothing is written.  Returns 0 or
 * -errno with a text. */
int suggest_patch(const char *path, FILE *out, int *loops, struct error *err);

/* The file's name in the patch: patch accepts only names below its folder.  For
 * a file outside of it the name is from the root, and true is returned: then
 * the command is patch -p0 -d /. */
bool suggest_name(const char *path, char name[PATH_MAX]);

/* A loop's line, as a compiler has it, and its new clause. */
struct suggest_loop {
    const char *file;
    int line;
    const char *clause; /* in the brackets of schedule() */
};

/* Writes the patch that gives each loop, which has a schedule() there, its
 * clause.  Returns how many it found, and all are those that are in files that
 * can be read, and are known by their lines; 0: nothing is written. */
int suggest_clauses(const struct suggest_loop *loop, int count, FILE *out);

#endif
