#include "bench/try/candidates.h"

#include "base/text.h"
#include "dls/way.h"
#include "harness/guard/need.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int candidates_find(const struct candidates *candidates, const char *name)
{
    for (int i = 0; i < candidates->count; i++)
        if (text_is(candidates->name[i], name))
            return i;
    return -1;
}

static void add(struct candidates *candidates, const char *name)
{
    if (candidates_find(candidates, name) < 0)
        candidates->name[candidates->count++] = need_copy(name);
}

static int add_scheme(struct candidates *candidates, const char *text,
                      struct error *err)
{
    struct way way;
    if (text_is(text, "all"))
        return error_set(err, EINVAL,
                         "omp: --try: 'all' stands alone, without "
                         "other schemes");
    if (strncmp(text, "auto", 4) == 0 && strchr(":", text[4]) != NULL)
        return error_set(
            err, EINVAL,
            "omp: --try: 'auto' chooses for whole runs of dlsbench "
            "run; allowed: all, or schemes");
    int code = way_parse(text, &way, err);
    if (code != 0)
        return error_prefix(err, code, "omp: --try");
    if (candidates->count == CANDIDATES_MAX)
        return error_set(err, EINVAL, "omp: --try: more than %d schemes",
                         CANDIDATES_MAX - 1);
    add(candidates, way.text);
    return 0;
}

/* Random chunks are for faults; those that need a parameter are for a list. */
static void add_all(struct candidates *candidates)
{
    struct error ignored;
    for (int i = 0; sched_schemes[i] != NULL; i++)
        if (strcmp(sched_schemes[i]->name, "rnd") != 0)
            add_scheme(candidates, sched_schemes[i]->name, &ignored);
    add_scheme(candidates, "steal", &ignored);
}

/* The end of the scheme that begins here. */
static char *find_end(char *text)
{
    char *end = text + strcspn(text, ",");
    while (*end == ',') {
        const char *next = end + 1;
        size_t name = strcspn(next, ":=,");
        if (next[name] != '=')
            break;
        end += 1 + strcspn(next, ",");
    }
    return end;
}

int candidates_read(struct candidates *candidates, const char *list,
                    struct error *err)
{
    char *text = need_copy(list);
    bool last = false;
    int code = 0;
    *candidates = (struct candidates){.count = 0};
    add(candidates, "as it is");
    if (text_is(list, "all")) {
        add_all(candidates);
        last = true;
    }
    for (char *at = text; code == 0 && !last;) {
        char *end = find_end(at);
        last = *end == '\0';
        *end = '\0';
        code = add_scheme(candidates, text_trim(at), err);
        at = end + 1;
    }
    free(text);
    return code;
}

void candidates_free(struct candidates *candidates)
{
    for (int i = 0; i < candidates->count; i++)
        free(candidates->name[i]);
    candidates->count = 0;
}
