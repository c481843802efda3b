/* PAPI's events for the counters; only harness/counters uses this. papi.c and
 * papi_names.c implement it with PAPI; with make PAPI=0 without_papi.c replaces
 * them.  The kernel's own events are in perf.h, not here. */
#ifndef HARNESS_COUNTERS_PAPI_EVENTS_H
#define HARNESS_COUNTERS_PAPI_EVENTS_H

#include "harness/counters/counters.h"

/* Whether this may be the name of an event: -EINVAL if this machine knows that
 * it is not. 0 does not mean that it can be counted here. */
int events_check(const char *name, struct error *err);

/* The events of `default`, ended by NULL: PAPI's presets if PAPI knows this
 * processor, else the kernel's events. */
const char *const *events_default(void);

/* The countable events of a list, in one process. */
struct papi_events;

/* why[i] is the reason why event i cannot be counted, or empty. */
int events_open(struct papi_events **out, const struct counters_list *list,
                int threads, char why[][COUNTERS_WHY_SIZE], struct error *err);
void events_close(struct papi_events *events);
bool events_multiplexed(const struct papi_events *events);
/* Whether PAPI counts events; `processor`: with the processor's counters. */
bool events_count(const struct papi_events *events, bool processor);

/* By the thread itself.  Returns a bit for each event that it counts. */
uint32_t events_thread_open(struct papi_events *events, int thread);
void events_thread_close(struct papi_events *events, int thread);

/* By the thread itself: its counts since opening, in the list's order. */
void events_read(struct papi_events *events, int thread, int64_t *counts);

/* Only with PAPI: by a thread before it calls PAPI.  False: PAPI does not
 * start. */
bool events_library_open(void);

/* For dlsbench list events. */
void events_print(FILE *out);

/* Why no thread here can count the processor's cycles; false if one can.  Asks
 * the kernel itself for the reason. */
bool events_no_pmu(char *why, size_t size);

/* The meaning of perf_event_open's errno at this perf_event_paranoid; a value
 * below -1: unreadable. */
void events_refusal(int code, int paranoid, char *why, size_t size);

#endif
