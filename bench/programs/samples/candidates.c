/* Reads the list of --try.  Commas separate the parts of the list, and also the
 * parameters of one scheme: find_end tells them apart. */
#include "bench/programs/samples/candidates.h"

#include "base/nearest.h"
#include "base/text.h"
#include "bench/options/command.h"
#include "bench/programs/seen/start.h"
#include "dls/strategy.h"
#include "harness/process/need.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const factor_names[FACTORS] = {
    [FACTOR_SCHEDULE] = "schemes", [FACTOR_THREADS] = "threads",
    [FACTOR_PLACES] = "places",    [FACTOR_WAITING] = "waiting",
    [FACTOR_OTHER] = "settings",
};

const char *candidates_clause(const char *scheme, char text[CANDIDATES_CLAUSE])
{
    int64_t chunk;
    if (text_is(scheme, "static") || text_is(scheme, "gss:min=1"))
        return scheme[0] == 's' ? "static" : "guided";
    if (text_is(scheme, "ss"))
        return "dynamic, 1";
    if (sscanf(scheme, "css:chunk=%" SCNd64, &chunk) != 1)
        return NULL;
    snprintf(text, CANDIDATES_CLAUSE, "dynamic, %" PRId64, chunk);
    return text;
}

int candidates_find(const struct candidates *candidates, const char *name)
{
    for (int i = 0; i < candidates->count; i++)
        if (text_is(candidates->name[i], name))
            return i;
    return -1;
}

static char *copy_text(const char *text)
{
    return text != NULL ? need_copy(text) : NULL;
}

int candidates_add(struct candidates *candidates, enum factor factor,
                   const char *name, const char *scheme, const char *setting)
{
    int i = candidates_find(candidates, name);
    if (i >= 0)
        return i;
    if (candidates->count == CANDIDATES_MAX)
        return -1;
    i = candidates->count++;
    candidates->name[i] = need_copy(name);
    candidates->scheme[i] = copy_text(scheme);
    candidates->setting[i] = copy_text(setting);
    candidates->factor[i] = factor;
    return i;
}

bool candidates_have_settings(const struct candidates *candidates)
{
    for (int i = 0; i < candidates->count; i++)
        if (candidates->setting[i] != NULL)
            return true;
    return false;
}

static int refuse_room(struct error *err)
{
    return error_set(err, EINVAL, "omp: --try: more than %d choices",
                     CANDIDATES_MAX - 1);
}

/* ---- one part of the list ---- */

static int add_scheme(struct candidates *candidates, const char *text,
                      struct error *err)
{
    struct strategy strategy;
    if (strncmp(text, "auto", 4) == 0 && strchr(":", text[4]) != NULL)
        return error_set(
            err, EINVAL,
            "omp: --try: 'auto' chooses for whole runs of dlsbench "
            "run; allowed: all, or schemes");
    int code = strategy_parse(text, &strategy, err);
    if (code != 0)
        return error_prefix(err, code, "omp: --try");
    return candidates_add(candidates, FACTOR_SCHEDULE, strategy.text,
                          strategy.text, NULL) < 0
               ? refuse_room(err)
               : 0;
}

/* Without rnd (it is for faults) and schemes that need a parameter. */
static void add_schemes(struct candidates *candidates, bool cuts)
{
    struct error ignored;
    for (int i = 0; sched_schemes[i] != NULL; i++)
        if (strcmp(sched_schemes[i]->name, "rnd") != 0)
            add_scheme(candidates, sched_schemes[i]->name, &ignored);
    add_scheme(candidates, "steal", &ignored);
    if (cuts)
        add_scheme(candidates, "last-first", &ignored);
}

static enum factor factor_of(const char *setting)
{
    return strchr(setting, ' ') != NULL &&
                   strncmp(setting, "OMP_PROC_BIND=", 14) != 0
               ? FACTOR_OTHER
           : strncmp(setting, "OMP_NUM_THREADS=", 16) == 0 ? FACTOR_THREADS
           : strncmp(setting, "OMP_PROC_BIND=", 14) == 0 ||
                   strncmp(setting, "OMP_PLACES=", 11) == 0
               ? FACTOR_PLACES
           : strncmp(setting, "OMP_WAIT_POLICY=", 16) == 0 ? FACTOR_WAITING
                                                           : FACTOR_OTHER;
}

static int add_part(struct candidates *candidates, const char *text, bool cuts,
                    struct error *err)
{
    bool all = text_is(text, "all"), known = all;
    if (command_is_variable(text))
        return candidates_add(candidates, factor_of(text), text, NULL, text) < 0
                   ? refuse_room(err)
                   : 0;
    if (all || text_is(text, factor_names[FACTOR_SCHEDULE])) {
        add_schemes(candidates, cuts);
        known = true;
    }
    for (enum factor f = FACTOR_THREADS; f < FACTOR_OTHER; f++)
        if (all || text_is(text, factor_names[f])) {
            candidates_add_usual(candidates, f);
            known = true;
        }
    return known ? 0 : add_scheme(candidates, text, err);
}

/* A word that is no scheme may be a misspelt word of the list. */
static int hint_at_words(const char *text, int code, struct error *err)
{
    const char *words[FACTORS + 1] = {"all"};
    struct strategy strategy;
    struct error why = {""};
    char hint[NEAREST_HINT_MAX];
    memcpy(words + 1, factor_names, FACTOR_OTHER * sizeof(*words));
    nearest_hint(text, words, hint);
    if (hint[0] == '\0' || strategy_parse(text, &strategy, &why) == 0 ||
        strstr(why.text, "did you mean") != NULL)
        return code;
    return error_set(err, EINVAL, "omp: --try: '%s' is unknown%s", text, hint);
}

/* ---- the list ---- */

/* The comma that ends what begins here, outside of braces; or the end. */
static char *find_comma(char *text)
{
    int depth = 0;
    for (; *text != '\0' && (*text != ',' || depth > 0); text++)
        depth += (*text == '{') - (*text == '}');
    return text;
}

/* The end of the part that begins here.  A word with '=' continues the scheme
 * before it, unless it sets a variable of the environment. */
static char *find_end(char *text)
{
    char *end = find_comma(text);
    while (*end == ',') {
        const char *next = end + 1;
        size_t name = strcspn(next, ":=,");
        if (next[name] != '=' || command_is_variable(next))
            break;
        end = find_comma(end + 1);
    }
    return end;
}

int candidates_read(struct candidates *candidates, const char *list,
                    const char *loops, struct error *err)
{
    char *text = need_copy(list);
    bool last = false;
    int code = 0;
    *candidates = (struct candidates){.count = 0};
    candidates_add(candidates, FACTOR_NONE, "as it is", NULL, NULL);
    for (char *at = text; code == 0 && !last;) {
        char *end = find_end(at);
        last = *end == '\0';
        *end = '\0';
        code = add_part(candidates, text_trim(at), start_cuts(loops), err);
        if (code != 0)
            code = hint_at_words(text_trim(at), code, err);
        at = end + 1;
    }
    free(text);
    return code;
}

void candidates_free(struct candidates *candidates)
{
    for (int i = 0; i < candidates->count; i++) {
        free(candidates->name[i]);
        free(candidates->scheme[i]);
        free(candidates->setting[i]);
    }
    candidates->count = 0;
}
