/* DLS_SCHEDULE: another scheme for a loop, without recompiling.
 *
 *     DLS_SCHEDULE=fss        for every loop
 *     DLS_SCHEDULE=@rules     lines `name = scheme`; `# ...` is a comment and
 *                             `* = scheme` is for all other loops */
#include "dls/parts.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RULES_LINE_MAX = 1024 };

struct rules {
    const char *path, *name;
    long line;
    bool exact; /* a line with the very name has been found */
    bool found;
};

/* The text without blanks at both ends; cuts it. */
static char *trim(char *text)
{
    while (isspace((unsigned char)*text))
        text++;
    size_t length = strlen(text);
    while (length > 0 && isspace((unsigned char)text[length - 1]))
        text[--length] = '\0';
    return text;
}

static int bad_line(const struct rules *rules, const char *what,
                    struct error *err)
{
    return error_set(err, EINVAL,
                     "DLS_SCHEDULE: %s:%ld: %s, allowed: name = scheme",
                     rules->path, rules->line, what);
}

/* One line; the scheme of the very name wins over that of all others. */
static int read_rule(struct rules *rules, char *line, char *text,
                     struct error *err)
{
    line[strcspn(line, "#")] = '\0';
    line = trim(line);
    if (*line == '\0')
        return 0;
    char *equals = strchr(line, '=');
    if (equals == NULL)
        return bad_line(rules, "there is no '='", err);
    *equals = '\0';
    const char *name = trim(line), *scheme = trim(equals + 1);
    if (*name == '\0' || *scheme == '\0')
        return bad_line(rules, "the name or the scheme is missing", err);
    if (strlen(scheme) >= SPEC_CANONICAL_MAX)
        return bad_line(rules, "the scheme is too long", err);
    bool exact = strcmp(name, rules->name) == 0;
    if (exact && rules->exact)
        return bad_line(rules, "this loop has a line already", err);
    if (!exact && (strcmp(name, "*") != 0 || rules->exact))
        return 0;
    rules->exact = exact;
    rules->found = true;
    snprintf(text, SPEC_CANONICAL_MAX, "%s", scheme);
    return 0;
}

static int read_rules(struct rules *rules, FILE *file, char *text,
                      struct error *err)
{
    char line[RULES_LINE_MAX];
    int code = 0;
    while (code == 0 && fgets(line, sizeof(line), file) != NULL) {
        rules->line++;
        if (strchr(line, '\n') == NULL && !feof(file))
            return bad_line(rules, "the line is too long", err);
        code = read_rule(rules, line, text, err);
    }
    if (code == 0 && ferror(file))
        return error_set(err, EIO, "DLS_SCHEDULE: %s: cannot be read",
                         rules->path);
    return code;
}

static int resolve_by_file(const char *path, const char *name,
                           const char *given, char *text, struct error *err)
{
    struct rules rules = {.path = path, .name = name};
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return error_set(err, errno, "DLS_SCHEDULE: %s: %s", path,
                         strerror(errno));
    snprintf(text, SPEC_CANONICAL_MAX, "%s", given);
    int code = read_rules(&rules, file, text, err);
    fclose(file);
    return code;
}

int schedule_resolve(const char *name, const char *given, char *text,
                     struct error *err)
{
    const char *asked = getenv("DLS_SCHEDULE");
    if (asked != NULL && asked[0] == '@')
        return resolve_by_file(asked + 1, name, given, text, err);
    if (asked != NULL && asked[0] != '\0')
        given = asked;
    if (strlen(given) >= SPEC_CANONICAL_MAX)
        return error_set(err, EINVAL, "scheme: the text is too long");
    snprintf(text, SPEC_CANONICAL_MAX, "%s", given);
    return 0;
}
