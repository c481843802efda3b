#include "harness/check/cell_transport.h"

#include "base/text.h"
#include "harness/cell/cell_field.h"
#include "harness/check/cell_checks.h"

#include <errno.h>
#include <string.h>

const struct transport_ops *cell_transport(const struct cell *cell)
{
    enum transport_ask protocol =
        text_is(cell->protocol, "push")       ? TRANSPORT_PLAN
        : text_is(cell->protocol, "parallel") ? TRANSPORT_INDEPENDENT
                                              : TRANSPORT_DEPENDENT;
    return transport_for(cell->transport, protocol);
}

/* The field that this transport alone has. */
static const char **own_field(struct cell *cell,
                              const struct transport_ops *ops)
{
    const char *name = ops->rules->field;
    const struct cell_field *field = name ? cell_field_find(name) : NULL;
    return field != NULL ? cell_field_at(cell, field->offset) : NULL;
}

const char *cell_transport_choice(const struct cell *cell)
{
    const char *const *own =
        own_field((struct cell *)cell, cell_transport(cell));
    return own != NULL ? *own : NULL;
}

bool cell_has_masters(const struct cell *cell)
{
    const struct transport_ops *ops = cell_transport(cell);
    return ops != NULL && transport_has_field(ops, "master");
}

static int build_tree(const struct cell *cell,
                      const struct hierarchy *hierarchy, struct tree *tree,
                      struct error *err)
{
    const struct transport_rules *rules = cell_transport(cell)->rules;
    const struct tree_shape shape = {
        .ranks = cell->ranks,
        .threads = cell->threads,
        .hierarchy = *hierarchy,
        .by_thread = rules->tree == TRANSPORT_BY_THREAD,
        .no_master = rules->tree == TRANSPORT_NO_MASTER,
        .dedicated =
            cell_has_masters(cell) && text_is(cell->master, "dedicated")};
    return tree_build(tree, &shape, err);
}

int setup_build_tree(const struct setup *setup, struct tree *tree,
                     struct error *err)
{
    return build_tree(&setup->cell, &setup->hierarchy, tree, err);
}

int cell_tree_build(const struct cell *cell, struct tree *tree,
                    struct error *err)
{
    struct hierarchy hierarchy;
    int code = hierarchy_parse(cell->hierarchy, &hierarchy, err);
    return code == 0 ? build_tree(cell, &hierarchy, tree, err) : code;
}

/* ---- auto, and what does not apply ---- */

/* The first that has the cell's ranks and its kind of scheme. */
static const char *first_fitting(const struct cell *cell, bool schedule)
{
    enum transport_ask ranks =
        cell->ranks == 1 ? TRANSPORT_ONE_RANK : TRANSPORT_RANKS;
    enum transport_ask kind = schedule ? TRANSPORT_SCHEDULE : TRANSPORT_SCHEME;
    for (int i = 0; transport_list[i] != NULL; i++) {
        const struct transport_rules *rules = transport_list[i]->rules;
        if (rules->of == NULL && rules->refuses[ranks] == NULL &&
            rules->refuses[kind] == NULL)
            return rules->name;
    }
    return cell->transport;
}

int cell_dedicated_ranks(const struct cell *cell, const struct hierarchy *h,
                         bool schedule)
{
    struct cell settled = *cell;
    if (text_is(cell->transport, "auto") || schedule)
        settled.transport = first_fitting(cell, schedule);
    return cell_has_masters(&settled) && text_is(cell->master, "dedicated")
               ? (int)hierarchy_masters(h)
               : 0;
}

/* The fields that one transport alone has. */
static void settle_own(struct cell *cell)
{
    for (int i = 0; transport_list[i] != NULL; i++) {
        const struct transport_ops *ops = transport_list[i];
        const char **value = own_field(cell, ops);
        if (value != NULL && ops != cell_transport(cell))
            *value = "auto";
        else if (value != NULL && text_is(*value, "auto"))
            *value = ops->rules->choice[0].name;
    }
}

/* Why results cannot be written where the master has them; NULL: they can. */
static const char *not_in_place(const struct setup *setup)
{
    if (setup->kernel->dependence != NULL)
        return "neighbours still read the rows";
    if (setup->scheme.kind == SCHEME_PLAN)
        return "a plan says when results travel";
    if (setup->cell.reissue > 0)
        return "chunks that are handed out again have two writers";
    return NULL;
}

/* Resolves collect auto: results stay where no master collects, are written in
 * place where that is possible, and otherwise travel to the master. */
static int settle_collect(struct setup *setup, struct error *err)
{
    struct cell *cell = &setup->cell;
    const char *why = not_in_place(setup);
    bool serves = transport_has_field(setup->transport, "collect");
    if (text_is(cell->collect, "auto") && !serves)
        cell->collect = "local";
    else if (text_is(cell->collect, "auto"))
        cell->collect = why != NULL || cell_as_printed(cell) ||
                                text_is(cell->answer, "collected")
                            ? "master"
                            : "shared";
    else if (text_is(cell->collect, "shared") && serves && why != NULL)
        return error_set(err, ENOTSUP, "collect shared: %s, use master", why);
    return 0;
}

int setup_settle_transport(struct setup *setup, struct error *err)
{
    struct cell *cell = &setup->cell;
    bool schedule = setup->scheme.kind == SCHEME_SCHEDULE;
    if (text_is(cell->transport, "auto"))
        cell->transport = first_fitting(cell, schedule);
    const struct transport_ops *ops = cell_transport(cell);
    setup->transport = ops;
    int code = settle_collect(setup, err);
    if (!transport_has_field(ops, "master"))
        cell->master = "computing";
    if (!transport_has_field(ops, "prefetch"))
        cell->prefetch = false;
    if (!transport_has_field(ops, "answer"))
        cell->answer = "early";
    settle_own(cell);
    return code;
}

enum transport_results cell_results(const struct cell *cell)
{
    if (text_is(cell->collect, "shared"))
        return TRANSPORT_RESULTS_SHARED;
    if (!text_is(cell->collect, "master"))
        return TRANSPORT_RESULTS_STAY;
    return text_is(cell->answer, "collected") ? TRANSPORT_RESULTS_FIRST
                                              : TRANSPORT_RESULTS_TRAVEL;
}
