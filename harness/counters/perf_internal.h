/* Private declarations of the kernel's events: perf.c and perf_set.c. */
#ifndef HARNESS_COUNTERS_PERF_INTERNAL_H
#define HARNESS_COUNTERS_PERF_INTERNAL_H

#include "harness/counters/counters.h"

#include <linux/perf_event.h>

/* The events of every thread; the first is the leader. */
struct perf_group {
    int count;
    int place[COUNTERS_MAX]; /* numbers in the list */
    struct perf_event_attr attr[COUNTERS_MAX];
};

/* A thread's group. */
struct perf_set {
    _Alignas(128) int count; /* 0: not open */
    int file[COUNTERS_MAX];
    struct perf_event_mmap_page *page[COUNTERS_MAX]; /* all or none */
    bool lost;
};

/* The layout in which read() returns a group. */
struct perf_reading {
    uint64_t count, enabled, running, value[COUNTERS_MAX];
};

/* Starts counting for the calling thread. Returns 0 or -errno. */
int perf_open_group(struct perf_set *set, const struct perf_group *group);
void perf_close_group(struct perf_set *set);

/* Maps the pages for rdpmc; without them read() is used. */
void perf_map_group(struct perf_set *set);

/* False: the group does not count, because other users took the counters. The
 * kernel then returns nothing, or a time of 0. */
bool perf_by_call(const struct perf_set *set, struct perf_reading *reading);

/* False: an event is on no counter, or its page is not mapped. */
bool perf_by_rdpmc(const struct perf_set *set, struct perf_reading *reading);

#endif
