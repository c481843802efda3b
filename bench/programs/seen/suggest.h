/* A patch that lets the static loops of a source file be seen and changed: it
 * adds schedule(runtime). */
#ifndef BENCH_PROGRAMS_SEEN_SUGGEST_H
#define BENCH_PROGRAMS_SEEN_SUGGEST_H

#include "base/error.h"

#include <stdio.h>

/* Writes the patch (unified, for patch -p0) of a file of C, C++ or Fortran, by
 * its name's end; the file is only read.  `loops` is how many directives of
 * loops without a schedule it has; 0: nothing is written.  Returns 0 or
 * -errno with a text. */
int suggest_patch(const char *path, FILE *out, int *loops, struct error *err);

#endif
