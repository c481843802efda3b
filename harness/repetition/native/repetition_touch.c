/* Workers touch a loop's data first.  In the first repetition of a loop's first
 * run, a worker moves a chunk's data to its NUMA node before it runs the chunk.
 * That repetition warms up and is not timed. */
#include "harness/repetition/native/repetition_impl.h"

#include "harness/process/need.h"

#include <stdlib.h>
#include <string.h>

/* One worker's. */
struct touch {
    const struct run *run;
    int worker;
    const struct kernel_ops *kernel; /* the worker's real kernel, */
    const void *instance;            /* and its instance */
};

/* Errors are ignored: an impossible place was refused when the run was opened,
 * and data that stay where they were are still right. */
static void give_up_pages(void *arg, void *memory, size_t bytes)
{
    const struct touch *touch = arg;
    const struct run *run = touch->run;
    struct error err;
    topo_place_memory(run->context->place.topo, memory, bytes,
                      run->setup->binds_memory,
                      run->impl->places.processor[touch->worker], &err);
}

static void touch_run(const void *instance, void *scratch, int64_t start,
                      int64_t size, void *output,
                      const struct kernel_poll *poll)
{
    const struct touch *touch = instance;
    const struct loop *loop = touch->run->loop;
    const struct kernel_pages pages = {give_up_pages, (void *)touch};
    if (touch->run->steps.step == 0)
        loop->kernel->touch(loop->instance, start, size, &pages);
    kernel_poll(poll);
    touch->kernel->run(touch->instance, scratch, start, size, output, poll);
}

static const struct kernel_ops touch_kernel = {.name = "touch",
                                               .run = touch_run};

void run_touch_first(struct run *run)
{
    /* A reissued chunk may run twice at the same time. */
    if (run->loop->kernel->touch == NULL || run->loop->placed ||
        run->setup->cell.reissue > 0)
        return;
    run->impl->touch =
        need_zeroed((size_t)run->workers + 1, sizeof(*run->impl->touch));
    for (int i = 0; i < run->workers; i++) {
        struct worker *worker = &run->worker[i];
        run->impl->touch[i] =
            (struct touch){run, i, worker->kernel, worker->instance};
        worker->kernel = &touch_kernel;
        worker->instance = &run->impl->touch[i];
    }
}

void run_end_touch(struct run *run)
{
    struct touch *touch = run->impl->touch;
    for (int i = 0; touch != NULL && i < run->workers; i++) {
        run->worker[i].kernel = touch[i].kernel;
        run->worker[i].instance = touch[i].instance;
    }
    free(touch);
    run->impl->touch = NULL;
}
