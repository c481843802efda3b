/* Events that the kernel counts by perf_event_open, for when PAPI does not know
 * the processor, is left out, or is slower; only harness/counters uses this.
 *
 * Every thread has one pinned group: its events never take turns, so counts are
 * exact, not estimates.  An event that does not fit with the earlier ones is
 * refused with the reason.  A group is read by rdpmc from pages that the kernel
 * maps, or by one system call, because hypervisors trap rdpmc; the faster one
 * is chosen at opening. */
#ifndef HARNESS_COUNTERS_PERF_H
#define HARNESS_COUNTERS_PERF_H

#include "harness/counters/counters.h"

#include <linux/perf_event.h>

/* ---- names, perf_names.c ---- */

/* Names are perf's: cycles, cache-misses, r01c2 (a raw code of the processor),
 * and with `:u` for user mode only. */
struct perf_name {
    const char *name, *what;
    uint32_t type;
    uint64_t config;
};
extern const struct perf_name perf_names[]; /* ended by a NULL name */

/* The kernel's `default`: user mode only, like PAPI, so that the counts do not
 * depend on the right to count the kernel. */
extern const char *const perf_default[]; /* NULL ends the list */

/* Sets type, config and exclude_kernel.  False: the kernel has no event of this
 * name. */
bool perf_find(const char *name, struct perf_event_attr *attr);

/* "; did you mean ...?" or an empty text; text has NEAREST_HINT_MAX bytes. */
const char *perf_hint(const char *word, char *text);

/* For dlsbench list events. */
void perf_print(FILE *out);

/* ---- groups, perf.c ---- */

struct perf;

/* Opens the list's events with the kernel's names, for threads 0 to threads -
 * 1; *out is NULL if there are none.  Appends `:u` to a name if the kernel
 * forbids counting itself. why[i] is the reason why event i cannot be
 * counted. */
int perf_open(struct perf **out, struct counters_list *list, int threads,
              char why[][COUNTERS_WHY_SIZE], struct error *err);
void perf_close(struct perf *perf);

/* "rdpmc" or "read"; NULL if nothing is counted. */
const char *perf_reading(const struct perf *perf);

/* Before threads open: selects rdpmc or the system call. perf_open chooses the
 * faster one. */
void perf_read_by(struct perf *perf, bool rdpmc);

/* By the thread itself.  Returns a bit for each event that it counts. */
uint32_t perf_thread_open(struct perf *perf, int thread);
void perf_thread_close(struct perf *perf, int thread);

/* By the thread itself, before a loop: tries to reopen a lost group. */
void perf_begin(struct perf *perf, int thread);

/* By the thread itself: its counts since opening, in the list's order. */
void perf_read(struct perf *perf, int thread, int64_t *counts);

/* The bits of events lost since perf_begin, because other users took the
 * processor's counters.  Later counts are meaningless. */
uint32_t perf_lost(const struct perf *perf, int thread);

#endif
