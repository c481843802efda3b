/* The list of the owners of rows. */
#include "harness/protocol/pipeline/migrate.h"

#include "base/invariant.h"

#include <stdlib.h>

static int compare_rows(const void *a, const void *b)
{
    const struct migrate_rows *x = a, *y = b;
    return (x->start > y->start) - (x->start < y->start);
}

void migrate_sort(struct migrate *m)
{
    qsort(m->owner, (size_t)m->owners, sizeof(*m->owner), compare_rows);
}

const struct migrate_rows *migrate_owner(const struct migrate *m, int64_t row)
{
    int64_t low = 0, high = m->owners;
    while (high - low > 1) {
        int64_t middle = low + (high - low) / 2;
        if (m->owner[middle].start <= row)
            low = middle;
        else
            high = middle;
    }
    invariant(m->owner[low].start <= row &&
              row < m->owner[low].start + m->owner[low].size);
    return &m->owner[low];
}
