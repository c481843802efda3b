/* Without PAPI there are no events but the kernel's. */
#include "harness/counters/papi_events.h"
#include "harness/counters/perf.h"

#include "base/nearest.h"

#include <errno.h>

#define WITHOUT "this dlsbench was built without PAPI"

int events_check(const char *name, struct error *err)
{
    char hint[NEAREST_HINT_MAX];
    return error_set(err, EINVAL,
                     "events: '%s': " WITHOUT
                     "; allowed: none, default, and the kernel's (dlsbench "
                     "list events)%s",
                     name, perf_hint(name, hint));
}

const char *const *events_default(void)
{
    return perf_default;
}

int events_open(struct papi_events **out, const struct counters_list *list,
                int threads, char why[][COUNTERS_WHY_SIZE], struct error *err)
{
    (void)threads, (void)err;
    struct perf_event_attr attr;
    for (int i = 0; i < list->count; i++)
        if (!perf_find(list->name[i], &attr))
            snprintf(why[i], COUNTERS_WHY_SIZE, "%s", WITHOUT);
    *out = NULL;
    return 0;
}

void events_close(struct papi_events *events)
{
    (void)events;
}

bool events_multiplexed(const struct papi_events *events)
{
    (void)events;
    return false;
}

bool events_count(const struct papi_events *events, bool processor)
{
    (void)events, (void)processor;
    return false;
}

uint32_t events_thread_open(struct papi_events *events, int thread)
{
    (void)events, (void)thread;
    return 0;
}

void events_thread_close(struct papi_events *events, int thread)
{
    (void)events, (void)thread;
}

void events_read(struct papi_events *events, int thread, int64_t *counts)
{
    (void)events, (void)thread, (void)counts;
}

void events_print(FILE *out)
{
    fprintf(out, "PAPI's events: none, " WITHOUT "\n");
}
