#include "harness/transport/master/chunk_report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int reports_most(int workers, bool sums)
{
    return sums ? 1 : 4 * workers;
}

int reports_open(struct reports *reports, int first, int workers, bool sums)
{
    int room = reports_most(workers, sums);
    *reports =
        (struct reports){.list = calloc((size_t)room, sizeof(*reports->list)),
                         .room = room,
                         .sum = {.worker = first, .workers = workers},
                         .sums = sums};
    return reports->list != NULL ? 0 : -ENOMEM;
}

void reports_close(struct reports *reports)
{
    free(reports->list);
    *reports = (struct reports){0};
}

void reports_drop(struct reports *reports)
{
    reports->count = 0;
    reports->sum.size = 0;
    reports->sum.ran_s = reports->sum.whole_s = 0;
}

void reports_add(struct reports *reports, const struct report *report)
{
    if (reports->list == NULL)
        return;
    if (!reports->sums) {
        /* More reports than chunks may exist: no scheme needs all. */
        if (reports->count < reports->room)
            reports->list[reports->count++] = *report;
        return;
    }
    reports->sum.size += report->size;
    reports->sum.ran_s += report->ran_s * report->workers;
    reports->sum.whole_s += report->whole_s * report->workers;
}

int reports_take(struct reports *reports, struct report *to)
{
    int count = reports->count;
    if (count > 0)
        memmove(to, reports->list, (size_t)count * sizeof(*to));
    if (reports->sum.size > 0) {
        to[count] = reports->sum;
        to[count].ran_s /= reports->sum.workers;
        to[count++].whole_s /= reports->sum.workers;
    }
    reports_drop(reports);
    return count;
}

void report_feed(const struct sched *scheme, const struct range_units *units,
                 const struct report *report)
{
    const struct sched_ops *ops = scheme->ops;
    int worker =
        units != NULL ? range_unit(units, report->worker) : report->worker;
    if (ops->feedback != NULL)
        sched_feedback(scheme, worker, report->size,
                       ops->flags & SCHED_WHOLE_TIME ? report->whole_s
                                                     : report->ran_s);
}
