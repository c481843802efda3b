#include "harness/repetition/logged.h"

#include <stdlib.h>

static int compare_logged(const void *a, const void *b)
{
    const struct logged *x = a, *y = b;
    int64_t later = x->ran.time_step - y->ran.time_step;
    if (later == 0)
        later = x->ran.start - y->ran.start;
    return (later > 0) - (later < 0);
}

void logged_sort(struct logged *list, int64_t count)
{
    qsort(list, (size_t)count, sizeof(*list), compare_logged);
}
