#include "harness/repetition/planned.h"

#include "harness/process/need.h"
#include "harness/repetition/push_platform.h"

#include <stdlib.h>
#include <string.h>

static void list_chunks(struct planned *planned,
                        const struct divisible_plan *plan)
{
    int64_t start = 0;
    planned->list =
        need_zeroed((size_t)plan->chunks + 1, sizeof(*planned->list));
    for (int64_t n = 0; n < plan->chunks; n++) {
        int64_t size = (int64_t)plan->chunk[n].load;
        planned->list[n] = (struct push_chunk){.worker = plan->chunk[n].worker,
                                               .chunk = {start, size, n}};
        start += size;
    }
    planned->count = plan->chunks;
    planned->predicted_s = plan->makespan;
    planned->rounds = plan->rounds;
    planned->raised = plan->raised;
}

int planned_make(struct planned *planned, const struct divisible_choice *choice,
                 int64_t iterations, const struct divisible_platform *platform,
                 struct error *err)
{
    struct divisible_plan plan = {0};
    *planned = (struct planned){.count = 0};
    int code = divisible_check(platform, (double)iterations, err);
    if (code == 0)
        code = divisible_make(choice, platform, (double)iterations, &plan, err);
    if (code == 0)
        code = divisible_plan_whole(&plan, platform, iterations, err);
    if (code == 0)
        list_chunks(planned, &plan);
    if (code == 0 && choice->replan) {
        size_t workers = (size_t)platform->workers;
        planned->worker = need_zeroed(workers, sizeof(*planned->worker));
        memcpy(planned->worker, platform->worker,
               workers * sizeof(*planned->worker));
        planned->replan =
            (struct push_replan){.periods = divisible_periods_of(choice),
                                 .platform = *platform,
                                 .iterations = iterations};
        planned->replan.platform.worker = planned->worker;
    }
    divisible_plan_free(&plan);
    return code;
}

int planned_open(struct planned *planned, const struct setup *setup,
                 const struct loop *loop, const struct tree *tree,
                 const struct launch_context *context, struct error *err)
{
    struct push_platform platform;
    *planned = (struct planned){.count = 0};
    if (setup->protocol != PROTOCOL_PUSH)
        return 0;
    int code =
        push_platform_open(&platform, &setup->cell, loop, tree, context, err);
    if (code == 0)
        code = planned_make(planned, &setup->scheme.plan, loop->iterations,
                            &platform.platform, err);
    push_platform_close(&platform);
    return comm_agree(&context->comm, code, err);
}

void planned_free(struct planned *planned)
{
    free(planned->list);
    free(planned->worker);
    *planned = (struct planned){.count = 0};
}

/* The common part of both kinds of platforms. */
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
