/* The list of a program's static loops, by its machine code. */
#ifndef BENCH_PROGRAMS_STATIC_REGION_LIST_H
#define BENCH_PROGRAMS_STATIC_REGION_LIST_H

#include "base/error.h"

#include <stdio.h>

/* A line for each parallel region, and one for all.  Returns 0 or -errno. */
int static_list(const char *path, FILE *out, int *regions, struct error *err);

#endif
