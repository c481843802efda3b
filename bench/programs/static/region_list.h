/* Lists a program's static loops, from its machine code. */
#ifndef BENCH_PROGRAMS_STATIC_REGION_LIST_H
#define BENCH_PROGRAMS_STATIC_REGION_LIST_H

#include "base/error.h"

#include <stdio.h>

/* Prints a line per region and a summary.  Returns 0 or -errno. */
int static_list(const char *path, FILE *out, int *regions, struct error *err);

#endif
