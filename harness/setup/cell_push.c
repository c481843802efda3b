/* Plans and input data: protocol push and data sent. */
#include "harness/setup/cell_checks.h"

#include "base/nearest.h"
#include "harness/setup/choice.h"
#include "harness/transport/openmp/openmp_schedule.h"
#include "kernels/kernel.h"
#include "sched/divisible/algorithm.h"
#include "sched/schemes/registry.h"

#include <errno.h>
#include <string.h>

static bool is(const char *a, const char *b)
{
    return strcmp(a, b) == 0;
}

/* ---- specs ---- */

bool cell_is_plan(const struct cell *cell)
{
    return divisible_named(cell->scheme);
}

static bool known_scheme(const char *name)
{
    for (int i = 0; sched_schemes[i] != NULL; i++)
        if (is(name, sched_schemes[i]->name) ||
            (sched_schemes[i]->alias && is(name, sched_schemes[i]->alias)))
            return true;
    return false;
}

static int parse_plan(const char *text, struct sched_pair *pair,
                      struct error *err)
{
    struct divisible_choice choice;
    *pair = (struct sched_pair){.outer = NULL};
    int code = divisible_parse(text, &choice, &pair->outer_spec, err);
    if (code == 0)
        memcpy(pair->canonical, pair->outer_spec.canonical,
               sizeof(pair->canonical));
    return code;
}

static const char *near_schedule(const char *name)
{
    static const char *const names[] = {"dynamic", "guided", "runtime", NULL};
    return nearest_name(name, names);
}

static int parse_schedule(const char *text, struct sched_pair *pair,
                          struct error *err)
{
    struct openmp_schedule schedule;
    *pair = (struct sched_pair){.outer = NULL};
    return openmp_schedule_parse(text, false, NULL, &schedule, pair->canonical,
                                 err);
}

/* What stands for a scheme but is none: it has a whole cell to itself. */
static const char *not_a_half(const char *half)
{
    return choice_named(half)            ? "a choice among schemes"
           : divisible_named(half)       ? "a plan of the whole loop"
           : known_scheme(half)          ? NULL
           : openmp_schedule_named(half) ? "a schedule of OpenMP"
                                         : NULL;
}

/* Of a text that is not two schemes: says so where a half could be a scheme of
 * its own. */
static int refuse_two(const char *text, const struct error *why, int code,
                      struct error *err)
{
    const char *slash = strchr(text, '/');
    char outer[SPEC_CANONICAL_MAX];
    snprintf(outer, sizeof(outer), "%.*s", (int)(slash - text), text);
    const char *half[] = {outer, slash + 1};
    for (int i = 0; i < 2; i++)
        if (not_a_half(half[i]) != NULL)
            return error_set(err, -code,
                             "scheme %.200s: %.200s is %s and cannot be one of "
                             "two schemes, which are written outer/inner, as "
                             "in gss/static",
                             text, half[i], not_a_half(half[i]));
    return error_set(err, -code, "%s", why->text);
}

int cell_scheme_parse(const char *text, struct sched_pair *pair,
                      struct error *err)
{
    char name[SPEC_NAME_MAX];
    struct error why;
    if (divisible_named(text))
        return parse_plan(text, pair, err);
    if (choice_named(text)) {
        struct choice_rule rule;
        *pair = (struct sched_pair){.outer = NULL};
        return choice_parse(text, &rule, pair->canonical, err);
    }
    int code = sched_pair_parse(text, pair, &why);
    if (code == 0)
        return 0;
    if (openmp_schedule_named(text))
        return parse_schedule(text, pair, err);
    if (strchr(text, '/') != NULL)
        return refuse_two(text, &why, code, err);
    if (spec_name("scheme", text, name, NULL) != 0 || known_scheme(name))
        return error_set(err, -code, "%s", why.text);
    const char *near = nearest_name(name, divisible_names);
    if (near == NULL)
        near = near_schedule(name);
    return error_set(err, -code,
                     "%.440s; plans: single-round, lp-fixed, lp-sqrt, "
                     "lp-adaptive, multi-installment; of OpenMP: dynamic, "
                     "guided, runtime%s%s%s",
                     why.text, near ? "; did you mean '" : "", near ? near : "",
                     near ? "'?" : "");
}

bool cell_is_schedule(const struct cell *cell)
{
    struct sched_pair pair;
    return openmp_schedule_named(cell->scheme) &&
           sched_pair_parse(cell->scheme, &pair, NULL) != 0;
}

/* ---- what goes together ---- */

static int check_way(const struct cell *cell, const char *what,
                     struct error *err)
{
    if (!is(cell->transport, "master"))
        return error_set(err, ENOTSUP,
                         "%s: a master sends it by message, not transport %s: "
                         "use two ranks or more and transport master",
                         what, cell->transport);
    if (cell->threads > 1)
        return error_set(err, ENOTSUP,
                         "%s: it is sent to ranks of one thread, not of %d",
                         what, cell->threads);
    if (!is(cell->hierarchy, "flat"))
        return error_set(err, ENOTSUP,
                         "%s: there is one master with one port, not hierarchy "
                         "%s: use flat",
                         what, cell->hierarchy);
    return 0;
}

static int check_plan(const struct cell *cell, struct error *err)
{
    struct divisible_choice choice;
    struct spec spec;
    int code = check_way(cell, "protocol push", err);
    if (code == 0)
        code = divisible_parse(cell->scheme, &choice, &spec, err);
    if (code != 0)
        return code;
    if (choice.algorithm == DIVISIBLE_MULTI_INSTALLMENT && cell->prefetch)
        return error_set(err, ENOTSUP,
                         "scheme multi-installment is for workers without "
                         "overlap of communication and computation: use "
                         "prefetch off");
    if (cell->min_chunk > 1)
        return error_set(err, ENOTSUP,
                         "min_chunk: the chunks of a plan are what they are, "
                         "use 1");
    if (cell_workers(cell) > DIVISIBLE_WORKERS_MAX)
        return error_set(err, ENOTSUP,
                         "protocol push: plans are for at most %d workers",
                         DIVISIBLE_WORKERS_MAX);
    return 0;
}

static int check_kernel(struct cell *cell, const struct kernel_ops *kernel,
                        struct error *err)
{
    bool push = is(cell->protocol, "push"), has = kernel->input != NULL;
    if (is(cell->data, "auto"))
        strcpy(cell->data, push && has ? "sent" : "none");
    bool sent = is(cell->data, "sent");
    if (sent && !has)
        return error_set(err, ENOTSUP,
                         "data sent: kernel %s has no input data, its "
                         "iterations are made from numbers alone",
                         kernel->name);
    if (push && has && !sent)
        return error_set(err, ENOTSUP,
                         "data none: under protocol push the input data of "
                         "kernel %s are sent",
                         kernel->name);
    return 0;
}

int cell_push_check(struct cell *cell, struct error *err)
{
    const struct kernel_ops *kernel;
    struct spec spec;
    int code = kernel_parse(cell->kernel, &kernel, &spec, err);
    if (code == 0)
        code = check_kernel(cell, kernel, err);
    if (code == 0 && is(cell->protocol, "push"))
        code = check_plan(cell, err);
    if (code == 0 && is(cell->data, "sent"))
        code = check_way(cell, "data sent", err);
    return code;
}
