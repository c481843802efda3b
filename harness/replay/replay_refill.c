/* Refills on their way.  All masters may wait for one at the same time, so
 * consecutive tasks are stored as one. */
#include "harness/replay/replay_internal.h"

#include <stdlib.h>

static bool continues_task(const struct task *task, const struct task *before)
{
    return task->chunk.size == before->chunk.size &&
           task->chunk.step == before->chunk.step + 1 &&
           task->chunk.start == before->chunk.start + before->chunk.size &&
           task->worker == before->worker + 1 &&
           task->reserved == before->reserved;
}

bool refill_pack(struct replay_master *below, const struct task *tasks,
                 int count)
{
    int runs = 0;
    for (int i = 0; i < count; i++)
        runs += i == 0 || !continues_task(&tasks[i], &tasks[i - 1]);
    below->runs = malloc((size_t)runs * sizeof(*below->runs) + 1);
    if (below->runs == NULL)
        return false;
    struct series *run = below->runs - 1;
    for (int i = 0; i < count; i++)
        if (i == 0 || !continues_task(&tasks[i], &tasks[i - 1]))
            *++run = (struct series){tasks[i], 1};
        else
            run->count++;
    below->count = count;
    return true;
}

void refill_unpack(struct replay_master *below, struct task *tasks)
{
    struct task *to = tasks;
    for (const struct series *run = below->runs; to < tasks + below->count;
         run++)
        for (int i = 0; i < run->count; i++) {
            *to = run->first;
            to->chunk.step += i;
            to->chunk.start += i * run->first.chunk.size;
            (to++)->worker += i;
        }
    free(below->runs);
    below->runs = NULL;
}
