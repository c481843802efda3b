/* Reads and checks the spec of auto. choice_list.c makes the candidates and
 * records the choice. */
#include "harness/check/setup.h"

#include "base/text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    BY,
    SCHEMES,
    HIERARCHIES,
    INTERVALS,
    SHARE,
    REPETITIONS,
    CHANGE,
    TRIES_LEAST = 2 /* of every candidate */
};

const struct spec_param choice_params[] = {
    PARAM_WORD("by", "simulation", "simulation|trial",
               "before the run on the calibrated machine, or while it runs"),
    PARAM_TEXT("schemes", NULL, "a+b+..., all or usual (few)"),
    PARAM_TEXT("hierarchies", NULL, "a+b+..., all or given"),
    PARAM_TEXT("intervals", NULL,
               "of loops with dependences: a+b+..., all, usual or given"),
    PARAM_REAL("share", NULL, 0.01, 1,
               "trial: share of the repetitions that may be trials (0.4)"),
    PARAM_WHOLE("repetitions", NULL, 2, 1000000,
                "trial: the loop runs so many times (50)"),
    PARAM_REAL("change", NULL, 0.01, 10,
               "trial: a running median that is off by this share is a change "
               "(0.1)"),
    {.key = NULL},
};

bool choice_named(const char *scheme)
{
    return strncmp(scheme, "auto", 4) == 0 && strchr(":", scheme[4]) != NULL;
}

/* ---- the spec ---- */

static void take_text(const struct spec_value *value, const char *fallback,
                      char text[SPEC_TEXT_MAX])
{
    snprintf(text, SPEC_TEXT_MAX, "%s", value->given ? value->text : fallback);
}

static int refuse_keys_of_trials(const struct spec *spec, struct error *err)
{
    for (int i = SHARE; i <= CHANGE; i++)
        if (spec->value[i].given)
            return error_set(err, EINVAL,
                             "scheme auto: %s goes with by=trial, a simulation "
                             "is made once before the run",
                             choice_params[i].key);
    return 0;
}

static int write_rule(const struct choice_rule *rule,
                      char canonical[SPEC_CANONICAL_MAX], struct error *err)
{
    bool trial = rule->by == CHOICE_TRIAL;
    char more[96] = "";
    if (trial)
        snprintf(more, sizeof(more), ",share=%.6g,repetitions=%d,change=%.6g",
                 rule->share, rule->repetitions, rule->change);
    int length = snprintf(canonical, SPEC_CANONICAL_MAX,
                          "auto:by=%s,schemes=%s,hierarchies=%s,intervals=%s%s",
                          trial ? "trial" : "simulation", rule->schemes,
                          rule->hierarchies, rule->intervals, more);
    return length < SPEC_CANONICAL_MAX
               ? 0
               : error_set(err, EINVAL, "scheme auto: the spec is too long");
}

/* Each entry must be a scheme, and not auto. */
static int check_schemes(const char *list, struct error *err)
{
    char copy[SPEC_TEXT_MAX], *rest = copy, *entry;
    struct scheme scheme;
    int code = 0;
    if (text_is(list, "all") || text_is(list, "usual"))
        return 0;
    snprintf(copy, sizeof(copy), "%s", list);
    while (code == 0 && (entry = strsep(&rest, "+")) != NULL) {
        if (choice_named(entry))
            return error_set(err, EINVAL,
                             "scheme auto: schemes=%s: auto cannot be one of "
                             "its own candidates",
                             list);
        code = scheme_parse(entry, &scheme, err);
        if (code == 0 && scheme.kind == SCHEME_PLAN)
            code = error_set(err, EINVAL,
                             "%s is a plan, which is made for one master and "
                             "not chosen",
                             entry);
    }
    return code == 0 ? 0 : error_prefix(err, code, "scheme auto");
}

static int check_list(const char *key, const char *field, const char *list,
                      struct error *err)
{
    char copy[SPEC_TEXT_MAX], *rest = copy, *entry;
    struct cell scratch;
    struct hierarchy levels;
    int code = 0;
    if (text_is(list, "all") || text_is(list, "given") ||
        (text_is(list, "usual") && text_is(key, "intervals")))
        return 0;
    int entries = 1; /* one more than the list has '+' */
    for (const char *at = list; *at != '\0'; at++)
        entries += *at == '+';
    if (entries > CHOICE_ENTRIES_MAX)
        return error_set(err, EINVAL,
                         "scheme auto: %s: at most %d are possible", key,
                         CHOICE_ENTRIES_MAX);
    snprintf(copy, sizeof(copy), "%s", list);
    cell_defaults(&scratch, NULL);
    while (code == 0 && (entry = strsep(&rest, "+")) != NULL) {
        code = text_is(field, "hierarchy")
                   ? hierarchy_parse(entry, &levels, err)
                   : cell_set(&scratch, field, entry, err);
        if (code == 0 && !text_is(scratch.sync_choice, "given"))
            code = error_set(err, EINVAL,
                             "%s: auto chooses among numbers, as in "
                             "intervals=100+200",
                             entry);
        if (code != 0)
            error_prefix(err, code, "scheme auto: %s", key);
    }
    return code;
}

int choice_parse(const char *text, struct choice_rule *rule,
                 char canonical[SPEC_CANONICAL_MAX], struct error *err)
{
    struct choice_rule read = {.by = CHOICE_SIMULATION};
    struct spec spec;
    int code = spec_parse("scheme", text, "auto", choice_params, &spec, err);
    if (code != 0)
        return code;
    bool trial = text_is(spec.value[BY].text, "trial");
    if (trial) {
        read.by = CHOICE_TRIAL;
        read.share = spec.value[SHARE].given ? spec.value[SHARE].real : 0.4;
        read.change = spec.value[CHANGE].given ? spec.value[CHANGE].real : 0.1;
        read.repetitions = spec.value[REPETITIONS].given
                               ? (int)spec.value[REPETITIONS].integer
                               : 50;
    } else {
        code = refuse_keys_of_trials(&spec, err);
    }
    take_text(&spec.value[SCHEMES], trial ? "usual" : "all", read.schemes);
    take_text(&spec.value[HIERARCHIES], trial ? "given" : "all",
              read.hierarchies);
    take_text(&spec.value[INTERVALS], trial ? "usual" : "all", read.intervals);
    if (code == 0)
        code = check_schemes(read.schemes, err);
    if (code == 0)
        code = check_list("hierarchies", "hierarchy", read.hierarchies, err);
    if (code == 0)
        code = check_list("intervals", "sync_interval", read.intervals, err);
    if (code == 0)
        code = write_rule(&read, canonical, err);
    if (code == 0)
        *rule = read;
    return code;
}

enum choice_by choice_by(const struct cell *cell)
{
    struct choice_rule rule = {.by = CHOICE_NONE};
    char canonical[SPEC_CANONICAL_MAX];
    if (choice_named(cell->scheme))
        choice_parse(cell->scheme, &rule, canonical, NULL);
    return rule.by;
}

/* ---- in cell_check ---- */

int choice_settle(struct setup *setup, struct error *err)
{
    struct cell *cell = &setup->cell;
    struct choice_rule *rule = &setup->scheme.rule;
    bool dependences = setup->kernel->dependence != NULL;
    if (setup->scheme.kind != SCHEME_AUTO)
        return 0;
    if (!text_is(cell->sync_choice, "given") && dependences)
        return error_set(err, ENOTSUP,
                         "scheme auto: sync_interval %s is for a given scheme; "
                         "auto chooses among numbers (intervals=100+200)",
                         cell->sync_choice);
    if (text_is(rule->hierarchies, "all") && !text_is(cell->hierarchy, "flat"))
        strcpy(rule->hierarchies, "given");
    if (!dependences ||
        (cell->sync_interval > 0 && (text_is(rule->intervals, "all") ||
                                     text_is(rule->intervals, "usual"))))
        strcpy(rule->intervals, "given");
    int code = write_rule(rule, setup->scheme.pair.canonical, err);
    if (code != 0)
        return code;
    cell->scheme = cell_keep(cell, setup->scheme.pair.canonical);
    /* Fields without `given` are chosen by the scheme, so the cell leaves them
     * out. */
    if (!text_is(rule->hierarchies, "given")) {
        cell->hierarchy = "flat";
        setup->hierarchy = (struct hierarchy){.levels = 0};
    }
    if (!text_is(rule->intervals, "given"))
        cell->sync_interval = 0;
    return 0;
}

bool choice_of_interval(const struct setup *setup)
{
    return setup->scheme.kind == SCHEME_AUTO &&
           !text_is(setup->scheme.rule.intervals, "given");
}

static int check_trials(int candidates, int repetitions, double share,
                        struct error *err)
{
    int trials = select_trials(repetitions, share);
    if (candidates > SELECT_MAX)
        return error_set(err, ENOTSUP,
                         "scheme auto: %d candidates are more than trials can "
                         "tell apart (%d): name fewer schemes",
                         candidates, SELECT_MAX);
    if (trials >= TRIES_LEAST * candidates)
        return 0;
    return error_set(err, ENOTSUP,
                     "scheme auto: %d repetitions with share=%g leave %d "
                     "trials, too few to try %d candidates twice: give "
                     "repetitions=%d, a larger share or fewer schemes",
                     repetitions, share, trials, candidates,
                     (int)(TRIES_LEAST * candidates / share + 0.999));
}

int choice_check(struct setup *setup, struct error *err)
{
    const struct choice_rule *rule = &setup->scheme.rule;
    struct cell *list;
    int count;
    if (setup->cell.platform[0] != '\0' && rule->by == CHOICE_SIMULATION)
        return error_set(err, ENOTSUP,
                         "scheme auto by=simulation chooses for cells that "
                         "really run: simulate the schemes themselves, or "
                         "by=trial");
    int code = choice_candidates(setup, &list, &count, err);
    if (code != 0)
        return code;
    free(list);
    return rule->by == CHOICE_TRIAL
               ? check_trials(count, rule->repetitions, rule->share, err)
               : 0;
}

void choice_trials(const struct choice_rule *choice, int candidates,
                   int repetitions, struct select_rule *rule)
{
    if (choice->repetitions > repetitions)
        repetitions = choice->repetitions;
    *rule = (struct select_rule){.candidates = candidates,
                                 .repetitions = repetitions,
                                 .share = choice->share,
                                 .change = choice->change};
}
