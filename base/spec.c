/* spec_parse reads a copy of the text: its pairs in order, then the defaults,
 * then the canonical form.  It sets `out` only if all three succeed. */
#include "base/spec.h"

#include "base/nearest.h"
#include "base/text.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int spec_integer(const char *text, int64_t *value)
{
    char *end;
    if (*text == '\0' || strchr(" \t\n", *text) != NULL)
        return -EINVAL;
    errno = 0;
    long long number = strtoll(text, &end, 10);
    if (errno == ERANGE)
        return -ERANGE;
    if (end == text || *end != '\0')
        return -EINVAL;
    *value = number;
    return 0;
}

int spec_real(const char *text, double *value)
{
    char *end;
    if (*text == '\0' || strchr(" \t\n", *text) != NULL)
        return -EINVAL;
    double number = text_real(text, &end);
    if (end == text)
        return -EINVAL;
    if (*end == '/') {
        const char *below = end + 1;
        double divisor = text_real(below, &end);
        if (end == below)
            return -EINVAL;
        number /= divisor;
    }
    if (*end != '\0')
        return -EINVAL;
    if (!isfinite(number))
        return -ERANGE;
    *value = number;
    return 0;
}

int spec_name(const char *what, const char *text, char name[SPEC_NAME_MAX],
              struct error *err)
{
    size_t length = strcspn(text, ":");
    if (length == 0)
        return error_set(err, EINVAL, "%s: the name is missing in '%s'", what,
                         text);
    if (length >= SPEC_NAME_MAX)
        return error_set(err, EINVAL, "%s: the name in '%s' is too long", what,
                         text);
    memcpy(name, text, length);
    name[length] = '\0';
    return 0;
}

static int parse_number(const char *what, const char *name,
                        const struct spec_param *p, const char *text,
                        struct spec_value *value, struct error *err)
{
    bool whole = p->type == SPEC_INTEGER;
    int code;
    if (whole) {
        code = spec_integer(text, &value->integer);
        value->real = (double)value->integer;
    } else {
        code = spec_real(text, &value->real);
    }
    if (code == -EINVAL)
        return error_set(err, EINVAL, "%s %s: %s=%s is not %s number", what,
                         name, p->key, text, whole ? "a whole" : "a");
    if (code != 0 || value->real < p->min || value->real > p->max)
        return error_set(err, EINVAL,
                         "%s %s: %s=%s is out of range, allowed is %.17g to "
                         "%.17g",
                         what, name, p->key, text, p->min, p->max);
    return 0;
}

static int parse_choice(const char *what, const char *name,
                        const struct spec_param *p, const char *text,
                        struct error *err)
{
    size_t length = strlen(text);
    for (const char *c = p->choices; *c != '\0';) {
        size_t n = strcspn(c, "|");
        if (n == length && memcmp(c, text, n) == 0)
            return 0;
        c += n + (c[n] == '|');
    }
    return error_set(err, EINVAL, "%s %s: %s=%s is unknown, allowed is %s",
                     what, name, p->key, text, p->choices);
}

static int parse_value(const char *what, const char *name,
                       const struct spec_param *p, const char *text,
                       struct spec_value *value, struct error *err)
{
    if (*text == '\0')
        return error_set(err, EINVAL, "%s %s: %s= has no value", what, name,
                         p->key);
    if (strlen(text) >= sizeof(value->text))
        return error_set(err, EINVAL, "%s %s: the value of %s is too long",
                         what, name, p->key);
    snprintf(value->text, sizeof(value->text), "%s", text);
    value->given = true;
    switch (p->type) {
    case SPEC_INTEGER:
    case SPEC_REAL:
        return parse_number(what, name, p, text, value, err);
    case SPEC_CHOICE:
        return parse_choice(what, name, p, text, err);
    case SPEC_TEXT:
    case SPEC_LIST:
        return 0;
    }
    return -EINVAL;
}

/* ---- quotes ---- */

/* The length of key=value, or of a word without '='.  A value with its quotes
 * goes up to an unquoted comma or the end. */
static size_t pair_length(const char *text)
{
    size_t length = strcspn(text, "=,");
    length += text[length] == '=';
    if (text[length] == '"') {
        const char *at = text + length + 1;
        while (*at != '\0' && (*at != '"' || at[1] == '"'))
            at += *at == '"' ? 2 : 1;
        length = (size_t)(at - text);
    }
    return length + strcspn(text + length, ",");
}

size_t spec_length(const char *list)
{
    size_t length = strcspn(list, ":,");
    length += list[length] == ':';
    length += pair_length(list + length);
    while (list[length] == ',') {
        const char *next = list + length + 1;
        if (next[strcspn(next, "=:,/")] != '=')
            break;
        length += 1 + pair_length(next);
    }
    return length;
}

bool spec_append(char *text, size_t size, const char *key, const char *value)
{
    size_t used = strlen(text);
    bool quoted = value[0] == '"' || strchr(value, ',') != NULL;
    int length =
        snprintf(text + used, size - used, "%s=%s", key, quoted ? "\"" : value);
    if (length < 0 || (size_t)length >= size - used)
        return false;
    used += (size_t)length;
    for (; quoted && *value != '\0'; value++) {
        if (used + 4 > size)
            return false;
        text[used++] = *value;
        if (*value == '"')
            text[used++] = '"';
    }
    if (quoted && used + 2 > size)
        return false;
    if (quoted)
        text[used++] = '"';
    text[used] = '\0';
    return true;
}

/* Removes the quotes in place; false: they do not end, or not at the end. */
static bool unquote_value(char *value)
{
    char *to = value, *from = value + 1;
    if (value[0] != '"')
        return true;
    while (*from != '\0' && (*from != '"' || from[1] == '"')) {
        from += *from == '"';
        *to++ = *from++;
    }
    bool good = from[0] == '"' && from[1] == '\0';
    *to = '\0';
    return good;
}

/* ---- pairs ---- */

/* before: the key of the preceding text, which may contain the comma; NULL:
 * none. */
static int unknown_key(const char *what, const char *name, const char *key,
                       const char *before, const struct spec_param *params,
                       struct error *err)
{
    const char *names[SPEC_VALUES_MAX + 1] = {NULL};
    for (int i = 0; params[i].key != NULL; i++)
        names[i] = params[i].key;
    if (names[0] == NULL)
        return error_set(err, EINVAL, "%s %s: unknown key '%s', %s takes none",
                         what, name, key, name);
    if (before != NULL && nearest_name(key, names) == NULL)
        return error_set(err, EINVAL,
                         "%s %s: unknown key '%s'; a value that has a comma is "
                         "written in quotes, as %s=\"a,b\"",
                         what, name, key, before);
    return nearest_unknown(err, key, names, "", "%s %s: unknown key '%s'", what,
                           name, key);
}

/* The last text that was given; NULL: none. */
static const char *text_key(const struct spec_param *params, const bool seen[])
{
    const char *key = NULL;
    for (int i = 0; params[i].key != NULL; i++)
        if (params[i].type == SPEC_TEXT && seen[i])
            key = params[i].key;
    return key;
}

static int parse_pair(const char *what, char *pair,
                      const struct spec_param *params, struct spec *out,
                      bool seen[], struct error *err)
{
    char *equals = strchr(pair, '=');
    if (equals != NULL)
        *equals = '\0';
    int i = 0;
    while (params[i].key != NULL && strcmp(params[i].key, pair) != 0)
        i++;
    if (params[i].key == NULL)
        return unknown_key(what, out->name, pair, text_key(params, seen),
                           params, err);
    if (equals == NULL)
        return error_set(err, EINVAL, "%s %s: '%s' must be written %s=value",
                         what, out->name, pair, pair);
    if (seen[i])
        return error_set(err, EINVAL, "%s %s: %s is given twice", what,
                         out->name, pair);
    seen[i] = true;
    if (!unquote_value(equals + 1))
        return error_set(err, EINVAL,
                         "%s %s: the value of %s must begin and end with a "
                         "quote; one inside is doubled",
                         what, out->name, pair);
    return parse_value(what, out->name, &params[i], equals + 1, &out->value[i],
                       err);
}

/* Numbers are written as numbers, so that chunk=07 and chunk=7 are one cell. */
static void canonical_value(const struct spec_param *p,
                            const struct spec_value *v, char *text, size_t size)
{
    if (p->type == SPEC_INTEGER)
        snprintf(text, size, "%" PRId64, v->integer);
    else if (p->type == SPEC_REAL)
        snprintf(text, size, "%.17g", v->real);
    else
        snprintf(text, size, "%s", v->text);
    if (p->type != SPEC_REAL)
        return;
    char shorter[SPEC_TEXT_MAX];
    for (int digits = 6; digits < 17; digits++) {
        snprintf(shorter, sizeof(shorter), "%.*g", digits, v->real);
        if (strtod(shorter, NULL) == v->real) {
            snprintf(text, size, "%s", shorter);
            return;
        }
    }
}

static int write_canonical(const char *what, const struct spec_param *params,
                           struct spec *out, struct error *err)
{
    size_t size = sizeof(out->canonical);
    const char *mark = ":";
    snprintf(out->canonical, size, "%s", out->name);
    for (int i = 0; params[i].key != NULL; i++) {
        if (!out->value[i].given)
            continue;
        char text[SPEC_TEXT_MAX];
        canonical_value(&params[i], &out->value[i], text, sizeof(text));
        if (params[i].quiet && strcmp(text, params[i].fallback) == 0)
            continue;
        size_t used = strlen(out->canonical);
        if (used + 1 < size)
            strcpy(out->canonical + used, mark);
        if (used + 1 >= size ||
            !spec_append(out->canonical, size, params[i].key, text))
            return error_set(err, EINVAL, "%s %s: the spec is too long", what,
                             out->name);
        mark = ",";
    }
    return 0;
}

static int fill_defaults(const char *what, const struct spec_param *params,
                         struct spec *out, const bool seen[], struct error *err)
{
    for (int i = 0; params[i].key != NULL; i++) {
        if (seen[i])
            continue;
        if (params[i].required)
            return error_set(err, EINVAL, "%s %s: %s= is missing (%s)", what,
                             out->name, params[i].key, params[i].help);
        if (params[i].fallback == NULL)
            continue;
        int code = parse_value(what, out->name, &params[i], params[i].fallback,
                               &out->value[i], err);
        if (code != 0)
            return code;
    }
    return 0;
}

int spec_parse(const char *what, const char *text, const char *name,
               const struct spec_param *params, struct spec *out,
               struct error *err)
{
    struct spec spec = {0};
    bool seen[SPEC_VALUES_MAX] = {false};
    char copy[SPEC_CANONICAL_MAX];
    snprintf(spec.name, sizeof(spec.name), "%s", name);
    if (strlen(text) >= sizeof(copy))
        return error_set(err, EINVAL, "%s %s: the spec is too long", what,
                         name);
    const char *colon = strchr(text, ':');
    snprintf(copy, sizeof(copy), "%s", colon ? colon + 1 : "");
    if (colon != NULL && copy[0] == '\0')
        return error_set(err, EINVAL,
                         "%s %s: '%s' ends in ':', key=value must follow", what,
                         name, text);
    for (char *pair = copy; colon != NULL && pair != NULL;) {
        size_t length = pair_length(pair);
        char *comma = pair[length] == ',' ? pair + length : NULL;
        pair[length] = '\0';
        int code = parse_pair(what, pair, params, &spec, seen, err);
        if (code != 0)
            return code;
        pair = comma ? comma + 1 : NULL;
    }
    int code = fill_defaults(what, params, &spec, seen, err);
    if (code == 0)
        code = write_canonical(what, params, &spec, err);
    if (code == 0)
        *out = spec;
    return code;
}
