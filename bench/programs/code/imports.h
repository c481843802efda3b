/* The names of a file's functions, sorted by address or by name. */
#ifndef BENCH_PROGRAMS_CODE_IMPORTS_H
#define BENCH_PROGRAMS_CODE_IMPORTS_H

#include <stdbool.h>
#include <stdint.h>

struct import {
    uint64_t at;
    const char *name;
};

struct imports {
    struct import *one;
    int64_t count, room;
};

/* Returns 0 or -ENOMEM. */
int imports_add(struct imports *all, uint64_t at, const char *name);
void imports_sort(struct imports *all, bool by_name);

/* The import at a place; the list is sorted by place.  NULL: none. */
const char *imports_at(const struct imports *all, uint64_t at);
/* Whether an import has this name; the list is sorted by name. */
bool imports_have(const struct imports *all, const char *name);

/* For qsort: compares structs that begin with an address. */
int imports_by_place(const void *a, const void *b);

#endif
