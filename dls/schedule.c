/* DLS_SCHEDULE: another scheme for a loop, without recompiling.
 *
 *     DLS_SCHEDULE=fss        for every loop
 *     DLS_SCHEDULE=@rules     lines `name = scheme`; `# ...` is a comment and
 *                             `* = scheme` is for all other loops */
#include "dls/dls_internal.h"
#include "dls/strategy.h"

#include "base/file.h"
#include "base/text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct rules {
    const char *path, *name;
    long line;
    /* Lines found so far: one with the exact name, one for all others. */
    bool exact, others;
    const char *begin;      /* of the line, for its check */
    strategy_rule_fn *take; /* parse every scheme; NULL: only the one in use */
    void *arg;
};

/* `at`: the place in the line. */
static int bad_line(const struct rules *rules, const char *at, const char *what,
                    struct error *err)
{
    if (rules->take != NULL)
        return error_set(err, EINVAL, "%s:%ld:%ld: %s, allowed: name = scheme",
                         rules->path, rules->line,
                         (long)(at - rules->begin) + 1, what);
    return error_set(err, EINVAL,
                     "DLS_SCHEDULE: %s:%ld: %s, allowed: name = scheme",
                     rules->path, rules->line, what);
}

/* Whether the line is one for this loop: the very name wins over `*`. */
static int match_name(struct rules *rules, const char *name, bool *mine,
                      struct error *err)
{
    bool exact = strcmp(name, rules->name) == 0;
    bool others = strcmp(name, "*") == 0;
    *mine = false;
    if ((exact && rules->exact) || (others && rules->others))
        return bad_line(rules, name, "this name has a line already", err);
    *mine = exact || (others && !rules->exact);
    rules->exact = rules->exact || exact;
    rules->others = rules->others || others;
    return 0;
}

static int check_rule(const struct rules *rules, const char *name,
                      const char *scheme, struct error *err)
{
    struct strategy strategy;
    char where[256];
    int code = strategy_parse(scheme, &strategy, err);
    if (code != 0)
        return error_prefix(err, code, "%s:%ld:%ld", rules->path, rules->line,
                            (long)(scheme - rules->begin) + 1);
    snprintf(where, sizeof(where), "%.200s:%ld:%ld", rules->path, rules->line,
             (long)(name - rules->begin) + 1);
    return rules->take(rules->arg, name, where, err);
}

static int read_rule(struct rules *rules, char *line, struct schedule *schedule,
                     struct error *err)
{
    bool mine;
    rules->begin = line;
    line[strcspn(line, "#")] = '\0';
    line = text_trim(line);
    if (*line == '\0')
        return 0;
    char *equals = strchr(line, '=');
    if (equals == NULL)
        return bad_line(rules, line, "there is no '='", err);
    *equals = '\0';
    const char *name = text_trim(line), *scheme = text_trim(equals + 1);
    if (*name == '\0' || *scheme == '\0')
        return bad_line(rules, name, "the name or the scheme is missing", err);
    if (strlen(scheme) >= sizeof(schedule->scheme))
        return bad_line(rules, scheme, "the scheme is too long", err);
    if (rules->take != NULL)
        return check_rule(rules, name, scheme, err);
    int code = match_name(rules, name, &mine, err);
    if (code != 0 || !mine)
        return code;
    snprintf(schedule->scheme, sizeof(schedule->scheme), "%s", scheme);
    snprintf(schedule->from, sizeof(schedule->from), "DLS_SCHEDULE: %s:%ld",
             rules->path, rules->line);
    schedule->named = rules->exact;
    return 0;
}

static int read_rules(struct rules *rules, FILE *file,
                      struct schedule *schedule, struct error *err)
{
    struct file_lines lines = {.file = file};
    int code;
    while ((code = file_next_line(&lines, err)) > 0) {
        rules->line = lines.number;
        code = read_rule(rules, lines.text, schedule, err);
        if (code != 0)
            break;
    }
    if (code < 0 && lines.number > rules->line)
        error_prefix(err, code, "%s%s:%ld",
                     rules->take == NULL ? "DLS_SCHEDULE: " : "", rules->path,
                     lines.number);
    file_free_lines(&lines);
    return code;
}

static int read_file(struct rules *rules, struct schedule *schedule,
                     struct error *err)
{
    const char *why;
    FILE *file = file_open(rules->path, &why);
    if (file == NULL)
        return error_set(err, errno, "%s%s: %s",
                         rules->take == NULL ? "DLS_SCHEDULE: " : "",
                         rules->path, why);
    int code = read_rules(rules, file, schedule, err);
    fclose(file);
    return code;
}

int strategy_check_rules(const char *path, strategy_rule_fn *take, void *arg,
                         struct error *err)
{
    struct rules rules = {.path = path, .name = "", .take = take, .arg = arg};
    struct schedule none;
    return read_file(&rules, &none, err);
}

int schedule_resolve(const char *name, const char *given,
                     struct schedule *schedule, struct error *err)
{
    char asked[SPEC_CANONICAL_MAX];
    const char *environment = getenv("DLS_SCHEDULE");
    if (environment == NULL)
        environment = "";
    if (strlen(given) >= sizeof(schedule->scheme) ||
        (environment[0] != '@' && strlen(environment) >= sizeof(asked)))
        return error_set(err, EINVAL, "scheme: the text is too long");
    *schedule = (struct schedule){0};
    snprintf(schedule->scheme, sizeof(schedule->scheme), "%s", given);
    if (environment[0] == '@') {
        struct rules rules = {.path = environment + 1, .name = name};
        return read_file(&rules, schedule, err);
    }
    snprintf(asked, sizeof(asked), "%s", environment);
    const char *scheme = text_trim(asked);
    if (*scheme == '\0')
        return 0;
    snprintf(schedule->scheme, sizeof(schedule->scheme), "%s", scheme);
    snprintf(schedule->from, sizeof(schedule->from), "DLS_SCHEDULE");
    return 0;
}
