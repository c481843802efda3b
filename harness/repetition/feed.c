#include "harness/repetition/feed.h"

/* A chunk may be run in parts: its data begin with those of the chunk's first
 * iteration. */
static void feed_run(const void *instance, void *scratch, int64_t start,
                     int64_t size, void *output, const struct kernel_poll *poll)
{
    const struct feed *feed = instance;
    const struct loop *loop = feed->loop;
    const int64_t *before = loop->input.before;
    int64_t first;
    const char *data = end_data(feed->end, feed->worker, &first);
    loop->kernel->input->run(loop->instance, scratch, start, size,
                             data + (before[start] - before[first]), output,
                             poll);
}

const struct kernel_ops feed_kernel = {.name = "feed", .run = feed_run};
