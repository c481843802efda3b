/* PAPI's events as the counters see them; only harness/counters uses this.
 * papi.c and papi_names.c make them with PAPI; without_papi.c replaces
 * these with make PAPI=0.  The kernel's own events are those of perf.h: here
 * they are left out. */
#ifndef HARNESS_COUNTERS_PAPI_EVENTS_H
#define HARNESS_COUNTERS_PAPI_EVENTS_H

#include "harness/counters/counters.h"

/* Whether this can be the name of an event: -EINVAL if this machine knows
 * better.  0 does not mean that it can be counted here. */
int events_check(const char *name, struct error *err);

/* The meaning of `default`, NULL at the end: PAPI's presets where PAPI knows
 * this processor, else the kernel's events. */
const char *const *events_default(void);

/* The countable events of a list, in a process. */
struct events;

/* why[i] says why event i cannot be counted, or is empty. */
int events_open(struct events **out, const struct counters_list *list,
                int threads, char why[][COUNTERS_WHY_SIZE], struct error *err);
void events_close(struct events *events);
bool events_multiplexed(const struct events *events);
/* Whether PAPI counts, and with the processor's counters. */
bool events_count(const struct events *events, bool processor);

/* By the thread itself.  Returns a bit for each event that it counts. */
uint32_t events_thread_open(struct events *events, int thread);
void events_thread_close(struct events *events, int thread);

/* By the thread itself: its counts since it was opened, by the list's
 * numbers. */
void events_read(struct events *events, int thread, int64_t *counts);

/* Only where PAPI is: by a thread that is to ask it.  False: it does not
 * start. */
bool events_library_open(void);

/* For dlsbench list events. */
void events_print(FILE *out);

/* Why no thread here can count the processor's cycles; false when it can.
 * Asks the kernel itself, which knows the reason. */
bool events_no_pmu(char *why, size_t size);

/* What perf_event_open's errno means, at this perf_event_paranoid; below -1
 * that cannot be read. */
void events_refusal(int code, int paranoid, char *why, size_t size);

#endif
