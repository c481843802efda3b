/* The common part of both kinds of platforms. */
#include "harness/repetition/push_platform.h"

#include "harness/program/need.h"

#include <stdlib.h>

void push_platform_room(struct push_platform *out, const struct cell *cell,
                        const struct tree *tree)
{
    struct divisible_worker *worker =
        need_zeroed((size_t)tree->workers, sizeof(*worker));
    *out =
        (struct push_platform){.worker = worker,
                               .platform = {.workers = tree->workers,
                                            .worker = worker,
                                            .overlap = cell->prefetch,
                                            .own = tree->worker_rank[0] == 0}};
}

double push_platform_bytes(const struct loop *loop)
{
    if (!loop->fed)
        return 0;
    return (double)loop->input.before[loop->iterations] /
           (double)loop->iterations;
}

void push_platform_close(struct push_platform *platform)
{
    free(platform->worker);
    *platform = (struct push_platform){.worker = NULL};
}
