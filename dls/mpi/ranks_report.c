/* DLS_REPORT over ranks: rank 0 writes the lines of runs, for all ranks
 * together, and each rank those of its workers. */
#include "dls/loop_report.h"
#include "dls/mpi/ranks_internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char *choice_of(const struct ranks *ranks, const char *field)
{
    const struct transport_rules *rules = ranks->ops->rules;
    return rules->field != NULL && strcmp(rules->field, field) == 0
               ? ranks->choice
               : NULL;
}

static struct report_form form_of(const struct ranks *ranks)
{
    struct report_form form = {.transport = ranks->ops->rules->name,
                               .hierarchy = ranks_hierarchy(ranks),
                               .master = ranks_master(ranks),
                               .window = choice_of(ranks, "window"),
                               .victim = choice_of(ranks, "victim"),
                               .power = ranks->power,
                               .ranks = ranks->comm.ranks,
                               .workers = ranks->tree.workers};
    for (int r = 0; r < ranks->comm.ranks; r++)
        form.threads =
            ranks->count[r] > form.threads ? ranks->count[r] : form.threads;
    return form;
}

int ranks_report_open(struct ranks *ranks, const char *name)
{
    dls_loop *loop = &ranks->loop;
    const struct comm *comm = &ranks->comm;
    const struct report_form form = form_of(ranks);
    char launch[PROCESS_NAME_MAX];
    if (!report_is_asked())
        return 0;
    process_name(launch);
    comm_broadcast(comm, launch, sizeof(launch));
    int code = report_ask(loop, name != NULL ? name : "loop");
    if (code == 0)
        code = report_open(loop, &form, comm->rank == 0, launch);
    if (code == 0) {
        struct loop_report *report = ranks->loop.report;
        size_t count = ranks->comm.rank == 0 ? (size_t)ranks->comm.ranks : 1;
        report->times = calloc(count, sizeof(*report->times));
        code = report->times != NULL ? 0
                                     : error_set(&ranks->loop.error, ENOMEM,
                                                 "dls: out of memory");
    }
    return comm_agree(comm, code, &loop->error);
}

/* Rank 0 sums the times and writes the run.  The others need its number and
 * time, because their lines of workers refer to it. */
int ranks_report_step(struct ranks *ranks)
{
    dls_loop *loop = &ranks->loop;
    const struct comm *comm = &ranks->comm;
    struct loop_report *report = loop->report;
    struct report_times times;
    if (report == NULL || loop->iterations == 0)
        return 0;
    report_times(loop, &times);
    if (ranks->patience.nap_ns == 0 || engine_simulated)
        times.oversubscribed = !engine_simulated; /* too many on their host */
    comm_gather(comm, &times, report->times, sizeof(times));
    int code = 0;
    if (comm->rank == 0) { /* writes the run of all ranks */
        for (int r = 1; r < comm->ranks; r++)
            report_add(report->times, &report->times[r]);
        code = report_run(loop, report->times);
    }
    code = comm_agree(comm, code, &loop->error);
    if (code != 0)
        return code;
    comm_broadcast(comm, &report->repetition, sizeof(report->repetition));
    comm_broadcast(comm, &report->time_s, sizeof(report->time_s));
    code =
        report_workers(loop, ranks->tree.rank_worker[comm->rank], comm->rank);
    code = comm_agree(comm, code, &loop->error);
    return comm_failed(comm) ? ranks_failed(ranks) : code;
}

int ranks_report_done(struct ranks *ranks)
{
    dls_loop *loop = &ranks->loop;
    int code =
        ranks->comm.rank == 0 && loop->report != NULL ? report_done(loop) : 0;
    return loop->report != NULL ? comm_agree(&ranks->comm, code, &loop->error)
                                : 0;
}
