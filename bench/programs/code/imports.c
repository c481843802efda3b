/* A growing list, sorted once before it is searched. */
#include "bench/programs/code/imports.h"

#include "base/list.h"

#include <stdlib.h>
#include <string.h>

int imports_by_place(const void *a, const void *b)
{
    uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;
    return (left > right) - (left < right);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct import *)a)->name,
                  ((const struct import *)b)->name);
}

int imports_add(struct imports *all, uint64_t at, const char *name)
{
    int code =
        list_grow(&all->one, &all->room, all->count + 1, sizeof(*all->one));
    if (code == 0)
        all->one[all->count++] = (struct import){at, name};
    return code;
}

void imports_sort(struct imports *all, bool names)
{
    if (all->count > 0)
        qsort(all->one, (size_t)all->count, sizeof(*all->one),
              names ? by_name : imports_by_place);
}

static const struct import *
find_import(const struct imports *all, const struct import *wanted,
            int (*order)(const void *, const void *))
{
    return all->count > 0 ? bsearch(wanted, all->one, (size_t)all->count,
                                    sizeof(*all->one), order)
                          : NULL;
}

const char *imports_at(const struct imports *all, uint64_t at)
{
    const struct import *found =
        find_import(all, &(struct import){.at = at}, imports_by_place);
    return found != NULL ? found->name : NULL;
}

bool imports_have(const struct imports *all, const char *name)
{
    return find_import(all, &(struct import){.name = name}, by_name) != NULL;
}
