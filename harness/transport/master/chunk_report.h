/* Reports carry the times of chunks from workers to a scheme that learns.  A
 * master that passes chunks on also passes on every report, with its next
 * request.  A master that cuts ranges by its own scheme is itself a worker of
 * the scheme above: it reports the sum of the work below it and the mean of its
 * workers' times.
 *
 * Bookkeeping of one master, under that master's lock. */
#ifndef HARNESS_TRANSPORT_MASTER_CHUNK_REPORT_H
#define HARNESS_TRANSPORT_MASTER_CHUNK_REPORT_H

#include "harness/transport/master/range.h"
#include "sched/sched.h"

#include <stdbool.h>
#include <stdint.h>

struct report {
    int32_t worker;  /* the worker, or the first one below a master */
    int32_t workers; /* number of workers in it */
    int64_t size;
    double ran_s;   /* from getting the chunk to the next request, without time
                       spent waiting for other workers */
    double whole_s; /* from one request to the next (SCHED_WHOLE_TIME) */
};

/* Reports to a master, not yet passed on. */
struct reports {
    struct report *list; /* NULL: no reports are passed on */
    int count, room;
    struct report sum; /* `sums`: of all, times by the number of workers */
    bool sums;
};

/* The most reports that reports_take returns for a master with this number of
 * workers below it: the chunks held at its last request, the new chunks, and
 * the running chunks. */
int reports_most(int workers, bool sums);

/* For a master with workers `first` to `first` + `workers` - 1.  Returns 0 or
 * -ENOMEM. */
int reports_open(struct reports *reports, int first, int workers, bool sums);
void reports_close(struct reports *reports);
void reports_drop(struct reports *reports);

void reports_add(struct reports *reports, const struct report *report);

/* Moves all reports to `to`; returns their number. */
int reports_take(struct reports *reports, struct report *to);

/* Passes a report to a scheme that learns. units: its workers, NULL: single. */
void report_feed(const struct sched *scheme, const struct range_units *units,
                 const struct report *report);

#endif
