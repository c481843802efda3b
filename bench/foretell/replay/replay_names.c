#include "bench/foretell/replay/replay_names.h"

#include "base/text.h"
#include "harness/process/need.h"
#include "sched/schemes/scheme_registry.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct names {
    char **name;
    int64_t room;
    int count;
};

static void add_name(struct names *names, const char *text, size_t length)
{
    need_room(&names->name, &names->room, names->count + 1,
              sizeof(*names->name));
    names->name[names->count++] = need_text("%.*s", (int)length, text);
}

/* Adds all schemes, except those that need a key. */
static void add_all(struct names *names)
{
    for (int i = 0; sched_schemes[i] != NULL; i++) {
        const struct sched_ops *ops;
        struct spec spec;
        struct error err;
        const char *name = sched_schemes[i]->name;
        if (sched_parse(name, &ops, &spec, &err) == 0)
            add_name(names, name, strlen(name));
    }
}

int replay_names(const char *text, char ***out, int *count, struct error *err)
{
    struct names names = {.count = 0};
    const char *at = text;
    bool all = text_is(text, "all");
    if (all)
        add_all(&names);
    while (!all) {
        size_t length = spec_length(at);
        if (length == 0)
            return error_set(err, EINVAL,
                             "--scheme: '%s' has an empty name, it is a list "
                             "as ss,gss,css:chunk=16, or all",
                             text);
        if (length == 3 && strncmp(at, "all", 3) == 0)
            return error_set(err, EINVAL,
                             "--scheme: '%s': give all alone, it has every "
                             "scheme already",
                             text);
        add_name(&names, at, length);
        if (at[length] == '\0')
            break;
        at += length + 1;
    }
    *out = names.name;
    *count = names.count;
    return 0;
}
