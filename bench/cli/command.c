#include "bench/cli/command.h"

#include "base/nearest.h"
#include "base/text.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OPTIONS_MAX = 80 };

enum value {
    NEVER,
    MAYBE, /* only behind a '=' */
    ALWAYS
};

/* The long options of a parser, with those that argp adds itself. */
struct options {
    const char *name[OPTIONS_MAX + 1];
    enum value value[OPTIONS_MAX];
    int count;
};

static void options_add(struct options *o, const char *name, enum value value)
{
    if (o->count == OPTIONS_MAX)
        abort(); /* a command was given more: OPTIONS_MAX must grow */
    o->name[o->count] = name;
    o->value[o->count++] = value;
}

static void options_collect(const struct argp *argp, struct options *o)
{
    const struct argp_option *a = argp->options;
    for (; a != NULL && (a->name != NULL || a->key != 0 || a->doc != NULL); a++)
        if (a->name != NULL)
            options_add(o, a->name,
                        a->arg == NULL                   ? NEVER
                        : a->flags & OPTION_ARG_OPTIONAL ? MAYBE
                                                         : ALWAYS);
    options_add(o, "help", NEVER);
    options_add(o, "usage", NEVER);
    options_add(o, "version", NEVER);
}

/* The option that `name` names in full or by a unique beginning; -1: none,
 * -2: several. */
static int options_find(const struct options *o, const char *name)
{
    int found = -1;
    for (int i = 0; i < o->count; i++) {
        if (strcmp(o->name[i], name) == 0)
            return i;
        if (strncmp(o->name[i], name, strlen(name)) == 0)
            found = found == -1 ? i : -2;
    }
    return found;
}

static int unknown_option(const struct options *o, const char *command,
                          const char *name, struct error *err)
{
    const char *near = nearest_name(name, o->name);
    if (near != NULL)
        return error_set(err, EINVAL, "unknown option --%s; did you mean --%s?",
                         name, near);
    return error_set(err, EINVAL,
                     "unknown option --%s; '%s --help' lists what there is",
                     name, command);
}

/* on, off or a number: meant for the option before it, where a word that
 * follows would be taken for a campaign. */
static bool is_stray_value(const char *word)
{
    char *end;
    if (word == NULL || word[0] == '\0')
        return false;
    strtod(word, &end);
    return *end == '\0' || strcmp(word, "on") == 0 || strcmp(word, "off") == 0;
}

/* Checks one word; *skip says that the next one is its value. */
static int check_word(const struct options *o, char **argv, int i, bool *skip,
                      struct error *err)
{
    char name[64];
    snprintf(name, sizeof(name), "%s", argv[i] + 2);
    char *equals = strchr(name, '=');
    bool inside = strchr(argv[i], '=') != NULL;
    if (equals != NULL)
        *equals = '\0';
    int found = options_find(o, name);
    if (found == -1)
        return unknown_option(o, argv[0], name, err);
    if (found == -2)
        return error_set(err, EINVAL,
                         "option --%s is the beginning of several, write it "
                         "in full",
                         name);
    if (inside && o->value[found] == NEVER)
        return error_set(err, EINVAL, "option --%s takes no value",
                         o->name[found]);
    if (!inside && o->value[found] == MAYBE && is_stray_value(argv[i + 1]))
        return error_set(err, EINVAL,
                         "option --%s: its value stands behind a '=': "
                         "--%s=%s",
                         o->name[found], o->name[found], argv[i + 1]);
    *skip = o->value[found] == ALWAYS && !inside;
    if (*skip && argv[i + 1] == NULL)
        return error_set(err, EINVAL, "option --%s needs a value",
                         o->name[found]);
    return 0;
}

/* Before argp sees them, because its own messages take two lines and do not
 * name the nearest option. */
static int check_options(const struct argp *argp, char **argv,
                         struct error *err)
{
    struct options options = {.count = 0};
    options_collect(argp, &options);
    for (int i = 1; argv[i] != NULL && strcmp(argv[i], "--") != 0; i++) {
        bool skip = false;
        if (argv[i][0] != '-' || argv[i][1] == '\0')
            continue;
        if (strcmp(argv[i], "-?") == 0 || strcmp(argv[i], "-V") == 0)
            continue;
        if (argv[i][1] != '-')
            return error_set(err, EINVAL,
                             "unknown option %s; options begin with --",
                             argv[i]);
        int code = check_word(&options, argv, i, &skip, err);
        if (code != 0)
            return code;
        i += skip;
    }
    return 0;
}

int command_parse(const struct argp *argp, int argc, char **argv, void *input,
                  struct error *err)
{
    int code = check_options(argp, argv, err);
    if (code != 0)
        return code;
    return argp_parse(argp, argc, argv, 0, NULL, input) == 0 ? 0 : -EINVAL;
}

void command_say(const char *format, ...)
{
    char said[2048], line[2 * sizeof(said)];
    va_list args;
    va_start(args, format);
    vsnprintf(said, sizeof(said), format, args);
    va_end(args);
    text_line(line, sizeof(line), said);
    fprintf(stderr, "dlsbench: %s\n", line);
}

int command_fail(int code, const struct error *err)
{
    fflush(stdout);
    command_say("%s", err->text);
    return code;
}
