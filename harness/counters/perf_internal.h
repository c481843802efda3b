/* Private parts of the kernel's events, shared by perf.c and perf_set.c. */
#ifndef HARNESS_COUNTERS_PERF_INTERNAL_H
#define HARNESS_COUNTERS_PERF_INTERNAL_H

#include "harness/counters/counters.h"

#include <linux/perf_event.h>

/* The events of every thread; the first is the leader. */
struct perf_group {
    int count;
    int place[COUNTERS_MAX]; /* in the list */
    struct perf_event_attr attr[COUNTERS_MAX];
};

/* A thread's group. */
struct perf_set {
    _Alignas(128) int count; /* 0: it is not open */
    int file[COUNTERS_MAX];
    struct perf_event_mmap_page *page[COUNTERS_MAX]; /* all or none */
    bool lost;
};

/* As the kernel fills it by read(). */
struct perf_reading {
    uint64_t count, enabled, running, value[COUNTERS_MAX];
};

/* It counts from here on, for the calling thread; 0 or -errno. */
int perf_open_group(struct perf_set *set, const struct perf_group *group);
void perf_close_group(struct perf_set *set);

/* The pages that rdpmc needs; without them read() serves. */
void perf_map_group(struct perf_set *set);

/* False: the group does not count, because others have taken the counters.
 * The kernel answers with nothing then, or with a time of 0. */
bool perf_by_call(const struct perf_set *set, struct perf_reading *reading);

/* False: some event is on no counter, or its page is not there. */
bool perf_by_rdpmc(const struct perf_set *set, struct perf_reading *reading);

#endif
