/* Keeps the rules of a file, and which of them matched a loop.  The library
 * applies the rules itself; this list serves the report and the names that are
 * looked up. */
#include "bench/programs/seen/scheme_rules.h"

#include "base/text.h"
#include "bench/programs/seen/source_lines.h"
#include "dls/strategy.h"
#include "harness/process/need.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The line of file:line:column. */
static int line_of(const char *where)
{
    const char *at = where + strlen(where);
    for (int colons = 0; at > where && colons < 2;)
        colons += *--at == ':';
    return atoi(at + 1);
}

/* module:build+0xoffset (dls/omp/omp_counters.h). */
static bool is_build(const char *name)
{
    enum { DIGITS = 16 };
    const char *plus = strstr(name, "+0x");
    return plus != NULL && plus - name > DIGITS + 1 &&
           plus[-DIGITS - 1] == ':' &&
           strspn(plus - DIGITS, "0123456789abcdef") == DIGITS;
}

static int add_rule(void *arg, const char *name, const char *where,
                    struct error *err)
{
    struct rules *rules = arg;
    for (int i = 0; i < rules->count; i++)
        if (strcmp(rules->rule[i].name, name) == 0)
            return error_set(err, EINVAL, "%s: '%s' has a line already, at %s",
                             where, name, rules->rule[i].where);
    need_room(&rules->rule, &rules->room, rules->count + 1,
              sizeof(*rules->rule));
    struct rules_rule *rule = &rules->rule[rules->count++];
    *rule = (struct rules_rule){.name = strdup(name),
                                .where = strdup(where),
                                .line = line_of(where),
                                .build = is_build(name),
                                .used = strcmp(name, "*") == 0};
    return rule->name != NULL && rule->where != NULL
               ? 0
               : error_set(err, ENOMEM, "omp: out of memory");
}

int rules_read(struct rules *rules, const char *path, struct error *err)
{
    *rules = (struct rules){0};
    return strategy_check_rules(path, add_rule, rules, err);
}

void rules_free(struct rules *rules)
{
    for (int i = 0; i < rules->count; i++) {
        free(rules->rule[i].name);
        free(rules->rule[i].where);
    }
    free(rules->rule);
    *rules = (struct rules){0};
}

static struct rules_rule *find_name(const struct rules *rules, const char *name)
{
    for (int i = 0; i < rules->count; i++)
        if (strcmp(rules->rule[i].name, name) == 0)
            return &rules->rule[i];
    return NULL;
}

const char *rules_find(const struct rules *rules, const char *function)
{
    char name[NAMES_SIZE];
    for (int i = 0; i < NAMES_ALIASES; i++) {
        const struct rules_rule *rule =
            find_name(rules, names_alias(function, i, name));
        if (rule != NULL)
            return rule->name;
    }
    return NULL;
}

static void mark_used(const struct rules *rules, const char *name)
{
    struct rules_rule *rule = find_name(rules, name);
    if (rule != NULL)
        rule->used = true;
}

void rules_use(struct rules *rules, const struct symbols_place *place,
               const char *build)
{
    char name[512];
    mark_used(rules, build);
    snprintf(name, sizeof(name), "%s:%d", place->file, place->line);
    mark_used(rules, name);
    mark_used(rules, path_last(name));
    for (int i = 0; i < NAMES_ALIASES; i++)
        mark_used(rules, names_alias(place->function, i, name));
}

/* Whether rules i and i + 1 may name one loop. */
static bool go_on(const struct rules *rules, int i)
{
    const struct rules_rule *rule = rules->rule;
    return i + 1 < rules->count && rule[i].build &&
           rule[i + 1].line == rule[i].line + 1;
}

/* A loop's rules are adjacent lines: those by build, then one by line.  If one
 * of them was used, none of them is idle. */
bool rules_is_idle(const struct rules *rules, int i)
{
    while (i > 0 && go_on(rules, i - 1))
        i--;
    while (!rules->rule[i].used && go_on(rules, i))
        i++;
    return !rules->rule[i].used;
}
