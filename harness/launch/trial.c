#include "harness/launch/launch_internal.h"

#include "harness/process/need.h"
#include "harness/record/record.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int open_runs(struct trial *trial, struct loop *loop,
                     struct launch_context *context, bool oversubscribe,
                     struct error *err)
{
    for (int i = 0; i < trial->count; i++) {
        const struct cell *next = &trial->candidates[i];
        int code = setup_resolve(&trial->setup[i], next, err);
        code = comm_agree(&context->comm, code, err);
        if (code == 0)
            code = run_open(&trial->run[i], &trial->setup[i], loop, context,
                            oversubscribe, err);
        if (code != 0) {
            trial->run[i] = NULL;
            return error_prefix(err, code, "candidate %s, %s", next->scheme,
                                next->hierarchy);
        }
    }
    return 0;
}

int trial_open(struct trial **out, const struct setup *setup, struct loop *loop,
               struct launch_context *context, const struct policy *policy,
               struct error *err)
{
    struct trial *trial = need_zeroed(1, sizeof(*trial));
    trial->cell = setup->cell;
    int code = choice_candidates(setup, &trial->candidates, &trial->count, err);
    if (code == 0) {
        choice_trials(&setup->scheme.rule, trial->count, policy->repetitions,
                      &trial->rule);
        size_t n = (size_t)trial->count;
        trial->setup = need_zeroed(n, sizeof(*trial->setup));
        trial->run = need_zeroed(n, sizeof(*trial->run));
        code = open_runs(trial, loop, context, policy->oversubscribe, err);
    }
    if (code != 0) {
        trial_close(trial);
        return code;
    }
    select_open(&trial->select, &trial->rule);
    trial->current = select_current(&trial->select);
    choice_make(&trial->cell, &trial->candidates[trial->current]);
    *out = trial;
    return 0;
}

void trial_close(struct trial *trial)
{
    for (int i = 0; trial->run != NULL && i < trial->count; i++)
        if (trial->run[i] != NULL)
            run_close(trial->run[i]);
    for (int i = 0; trial->setup != NULL && i < trial->count; i++)
        setup_free(&trial->setup[i]);
    free(trial->setup);
    free(trial->run);
    free(trial->candidates);
    free(trial);
}

bool trial_trying(const struct trial *trial)
{
    return select_trying(&trial->select);
}

enum select_event trial_add(struct trial *trial, const struct comm *comm,
                            double time_s)
{
    enum select_event event = SELECT_NOTHING;
    int next = 0;
    if (comm->rank == 0) {
        trial->seen[trial->current]++;
        trial->spent_s[trial->current] += time_s;
        event = select_report(&trial->select, time_s);
        next = select_current(&trial->select);
    }
    trial->current = comm_max_int(comm, next);
    choice_make(&trial->cell, &trial->candidates[trial->current]);
    return event;
}

/* ---- lines ---- */

static json_t *make_line(const char *type, const struct trial *trial,
                         const char *launch, int candidate)
{
    const struct cell *c = &trial->candidates[candidate];
    return json_pack(
        "{s:i,s:s,s:s,s:s,s:s,s:s,s:s,s:s,s:o}", "schema", RECORD_SCHEMA,
        "type", type, "launch", launch, "cell", trial->cell.hash, "by", "trial",
        "candidate", c->hash, "scheme", c->scheme, "hierarchy", c->hierarchy,
        "sync_interval",
        c->sync_interval > 0 ? json_integer(c->sync_interval) : json_null());
}

static const char *const event_names[] = {
    [SELECT_NOTHING] = "nothing", [SELECT_ELIMINATED] = "eliminated",
    [SELECT_CHOSEN] = "chosen",   [SELECT_SWITCHED] = "switched",
    [SELECT_CHANGED] = "changed", [SELECT_KEPT_CHANGED] = "changed, kept"};

/* Names of the remaining candidates, with the knowledge about them. */
static json_t *list_standing(const struct trial *trial)
{
    json_t *list = json_array();
    for (int i = 0; i < trial->count; i++)
        json_array_append_new(
            list,
            json_pack("{s:s,s:b,s:i,s:o,s:o}", "candidate",
                      trial->candidates[i].hash, "out",
                      trial->select.candidate[i].out, "times",
                      trial->select.candidate[i].times, "median_s",
                      record_real(select_median(&trial->select, i)), "bound",
                      record_real(select_bound(&trial->select, i))));
    return list;
}

json_t *trial_row_decision(const struct trial *trial, const char *launch,
                           int repetition, enum select_event event)
{
    if (event == SELECT_NOTHING)
        return NULL;
    json_t *row = make_line("decision", trial, launch, trial->current);
    json_object_update_new(
        row, json_pack("{s:i,s:s,s:o}", "repetition", repetition, "decision",
                       event_names[event], "candidates", list_standing(trial)));
    return row;
}

json_t *trial_row_candidate(const struct trial *trial, const char *launch,
                            int candidate)
{
    json_t *row = make_line("candidate", trial, launch, candidate);
    int n = trial->seen[candidate];
    json_object_update_new(
        row,
        json_pack(
            "{s:b,s:b,s:i,s:o,s:o,s:o}", "chosen", candidate == trial->current,
            "out", trial->select.candidate[candidate].out, "repetitions", n,
            "median_s", record_real(select_median(&trial->select, candidate)),
            "mean_s",
            n > 0 ? json_real(trial->spent_s[candidate] / n) : json_null(),
            "predicted_s", json_null()));
    return row;
}
