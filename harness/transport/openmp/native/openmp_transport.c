/* Transport openmp: the OpenMP runtime that has a rank's threads hands out the
 * rank's static share of the loop. */
#include "harness/transport/openmp/openmp_internal.h"

#include <errno.h>
#include <stdlib.h>

struct openmp_end {
    const struct openmp *openmp;
    struct openmp_loop share; /* this rank's */
    int first_worker;
    struct source_openmp source[];
};

static int team_open(void **team, const char *choice, int threads,
                     struct error *err)
{
    struct openmp *openmp;
    int code = openmp_open(&openmp, choice, err);
    if (code != 0)
        return code;
    code = openmp_check_team(openmp, threads, err);
    if (code != 0)
        openmp_close(openmp);
    else
        *team = openmp;
    return code;
}

static void team_close(void *team)
{
    openmp_close(team);
}

static int team_identify(const char *choice,
                         void (*tell)(void *arg, const char *name,
                                      const char *text),
                         void *arg, struct error *err)
{
    struct openmp_identity who;
    struct openmp *openmp;
    int code = openmp_open(&openmp, choice, err);
    if (code != 0)
        return code;
    openmp_identify(openmp, &who);
    openmp_close(openmp);
    tell(arg, "file", who.file);
    tell(arg, "build_id", who.build_id);
    tell(arg, "version", who.version);
    tell(arg, "waiting", who.waiting);
    return 0;
}

static const struct transport_team openmp_team = {
    .open = team_open,
    .close = team_close,
    .fork = openmp_fork,
    .identify = team_identify,
};

/* Each rank's share of the loop is by its workers, before OpenMP divides it. */
static struct openmp_loop share_of(const struct transport_setup *setup,
                                   int64_t low, int64_t high)
{
    int64_t workers = setup->tree->workers;
    int64_t each = setup->iterations / workers;
    int64_t more = setup->iterations % workers;
    return (struct openmp_loop){.first = low * each + (low < more ? low : more),
                                .last =
                                    high * each + (high < more ? high : more),
                                .threads = (int)(high - low)};
}

static int openmp_end_open(const struct transport *transport,
                           const struct comm *comm, void **out,
                           struct error *err)
{
    const struct transport_setup *setup = &transport->setup;
    const int *first = &setup->tree->rank_worker[comm->rank];
    size_t workers = (size_t)(first[1] - first[0]);
    struct openmp_end *end =
        calloc(1, sizeof(*end) + workers * sizeof(end->source[0]));
    if (end == NULL)
        return error_set(err, ENOMEM, "out of memory for %zu workers", workers);
    end->openmp = setup->team;
    end->share = share_of(setup, first[0], first[1]);
    end->first_worker = first[0];
    end->share.schedule = *setup->schedule;
    *out = end;
    return 0;
}

static void openmp_end_close(void *own)
{
    free(own);
}

static void openmp_end_reset(void *own, bool further_step)
{
    struct openmp_end *end = own;
    (void)further_step;
    openmp_loop_prepare(end->openmp, &end->share);
    for (int i = 0; i < end->share.threads; i++)
        source_openmp_open(&end->source[i], end->first_worker + i, i,
                           end->openmp, &end->share);
}

static struct source *openmp_end_source(void *own, int i)
{
    return &((struct openmp_end *)own)->source[i].base;
}

const struct transport_ops transport_openmp_ops = {
    .rules = &openmp_rules,
    .team = &openmp_team,
    .open = openmp_end_open,
    .close = openmp_end_close,
    .reset = openmp_end_reset,
    .source = openmp_end_source,
};
