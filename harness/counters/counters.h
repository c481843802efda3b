/* Counters of worker threads: events, and facts, which the operating system
 * records for every thread.  An event is a preset of PAPI (PAPI_TOT_CYC), a
 * native one of any PAPI component (perf::PAGE-FAULTS), or one that the kernel
 * counts without PAPI (cycles:u).  Only this room knows PAPI.
 *
 * Computing and waiting are counted separately: a thread reads its events at
 * the start of a loop, at both ends of each wait, and at the end.  Without
 * events nothing is read. */
#ifndef HARNESS_COUNTERS_COUNTERS_H
#define HARNESS_COUNTERS_COUNTERS_H

#include "base/error.h"
#include "harness/engine/engine.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum {
    COUNTERS_MAX = 16,       /* events of a run */
    COUNTERS_NAME_SIZE = 96, /* of an event */
    COUNTERS_TEXT_SIZE = 1024,
    COUNTERS_WHY_SIZE = 240,
};

/* The value of `events`: "none" (not even facts), or a comma list of events and
 * `default`, which counters_open expands. */
struct counters_list {
    bool any; /* not none */
    int count;
    char name[COUNTERS_MAX][COUNTERS_NAME_SIZE];
};

/* Reads such a list, each event once.  An unknown name is an error with the
 * nearest name.  A known event that cannot be counted here is no error.
 * Returns 0 or -EINVAL. */
int counters_parse(const char *text, struct counters_list *list,
                   struct error *err);

/* The counts of a worker in one loop. */
struct counters_values {
    uint32_t known; /* bit i: event i was counted */
    int64_t compute[COUNTERS_MAX], wait[COUNTERS_MAX];
    int64_t readings;
    /* The facts, for the whole loop. */
    int64_t switches_voluntary, switches_involuntary;
    int64_t faults_minor, faults_major;
    double user_s, system_s;
};

/* The counters of a process. */
struct counters;

/* Opens the countable events of a list, for threads 0 to threads - 1; *out is
 * NULL if the list is empty.  Returns 0 or -errno. */
int counters_open(struct counters **out, const struct counters_list *list,
                  int threads, struct error *err);
void counters_close(struct counters *counters);

/* By the thread itself: begins and ends counting. */
void counters_thread_open(struct counters *counters, int thread);
void counters_thread_close(struct counters *counters, int thread);

/* By the thread itself, around a loop: begin; pause after its last chunk (of
 * this pass), when it begins to wait; resume when all have arrived; take after
 * the last pass.  NULL: does nothing. */
void counters_begin(struct counters *counters, int thread);
void counters_pause(struct counters *counters, int thread);
void counters_resume(struct counters *counters, int thread);
void counters_take(struct counters *counters, int thread,
                   struct counters_values *values);

/* The watch to call around the thread's waits; NULL if no event is counted. */
struct engine_watch *counters_watch(struct counters *counters, int thread);

/* The events for the manifest: the list with `default` expanded, and with `:u`
 * if only user mode can be counted. */
const struct counters_list *counters_asked(const struct counters *counters);
/* Why event i is not counted; NULL if it is. */
const char *counters_why(const struct counters *counters, int i);
/* A bit for each counted event.  A worker with fewer (its `known`) could not
 * open or keep the others. */
uint32_t counters_counted(const struct counters *counters);
/* The library that reads the processor's counters: "papi", "perf", or NULL. */
const char *counters_by(const struct counters *counters);
/* How the kernel's events are read: "rdpmc" or "read"; NULL: none. */
const char *counters_reading(const struct counters *counters);
/* Whether events take turns, so that counts are estimates. */
bool counters_multiplexed(const struct counters *counters);
/* By a counting thread: seconds for one reading of its events and one of its
 * facts; 0: nothing is read. */
void counters_cost(struct counters *counters, int thread, double *reading_s,
                   double *facts_s);

/* One line for the manifest: whether this machine has processor counters, or
 * why not. */
void counters_describe(char *text, size_t size);

/* Lists the events that a user can name, and why others are missing. */
void counters_print(FILE *out);

#endif
