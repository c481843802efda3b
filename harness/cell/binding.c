#include "harness/cell/binding.h"

#include "base/nearest.h"
#include "base/spec.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PROCESSOR_MAX = 65535, KINDS_MAX = 100 };

/* fast is the default by another name. */
static const char *const bind_names[] = {"compact", "fast", "all",
                                         "scatter", "none", NULL};
static const enum topo_bind bind_values[] = {TOPO_COMPACT, TOPO_COMPACT,
                                             TOPO_ALL, TOPO_SCATTER, TOPO_NONE};
static const char *const domain_names[] = {"node", "socket", "numa", NULL};

static int find_name(const char *const *names, const char *text)
{
    for (int i = 0; names[i] != NULL; i++)
        if (strcmp(names[i], text) == 0)
            return i;
    return -1;
}

/* ---- lists of processors ---- */

/* "7", "0-3" or "0-6:2" -> first, last, step. */
static bool parse_range(char *word, int64_t *first, int64_t *last,
                        int64_t *step)
{
    char *colon = strchr(word, ':'), *dash = strchr(word, '-');
    *step = 1;
    if (colon != NULL && (dash == NULL || colon < dash))
        return false;
    if (colon != NULL)
        *colon = '\0';
    if (dash != NULL)
        *dash = '\0';
    return spec_integer(word, first) == 0 &&
           spec_integer(dash ? dash + 1 : word, last) == 0 &&
           (colon == NULL || spec_integer(colon + 1, step) == 0) &&
           *first >= 0 && *last >= *first && *last <= PROCESSOR_MAX &&
           *step >= 1;
}

static int parse_list(struct topo_binding *binding, const char *bind,
                      struct error *err)
{
    char copy[CELL_BIND_MAX], *rest = copy, *word;
    int64_t first, last, step;
    binding->count = 0;
    snprintf(copy, sizeof(copy), "%s", bind);
    while ((word = strsep(&rest, ",")) != NULL) {
        char whole[sizeof(copy)];
        snprintf(whole, sizeof(whole), "%s", word);
        if (!parse_range(word, &first, &last, &step))
            return error_set(err, EINVAL,
                             "bind: '%s' must be processors, as in 0,2,4 or "
                             "0-3 or 0-62:2",
                             whole);
        if (binding->count + (last - first) / step + 1 > TOPO_LIST_MAX)
            return error_set(err, EINVAL,
                             "bind: the list names more than %d processors",
                             TOPO_LIST_MAX);
        for (; first <= last; first += step)
            binding->list[binding->count++] = (int)first;
    }
    return 0;
}

int binding_bind_parse(struct topo_binding *binding, const char *bind,
                       struct error *err)
{
    static const char *const allowed[] = {"compact",
                                          "fast",
                                          "all",
                                          "kind=N",
                                          "scatter",
                                          "none",
                                          "processors as in 0,2,4-7",
                                          NULL};
    int i = find_name(bind_names, bind);
    if (i >= 0) {
        binding->bind = bind_values[i];
        return 0;
    }
    int64_t kind;
    if (strncmp(bind, "kind=", 5) == 0 && spec_integer(bind + 5, &kind) == 0 &&
        kind >= 0 && kind < KINDS_MAX) {
        binding->bind = TOPO_KIND;
        binding->kind = (int)kind;
        return 0;
    }
    binding->bind = TOPO_LIST;
    if (bind[0] >= '0' && bind[0] <= '9')
        return parse_list(binding, bind, err);
    return nearest_unknown(err, bind, allowed, "", "bind: '%s' is unknown",
                           bind);
}

bool binding_format(const struct topo_binding *b, char *text, size_t size)
{
    size_t used = 0;
    for (int i = 0, n; i < b->count; i += n) {
        for (n = 1; i + n < b->count && b->list[i + n] == b->list[i] + n;)
            n++;
        n = n == 2 ? 1 : n;
        used += (size_t)snprintf(text + used, size - used, "%s%d",
                                 i > 0 ? "," : "", b->list[i]);
        if (used < size && n > 1)
            used += (size_t)snprintf(text + used, size - used, "-%d",
                                     b->list[i + n - 1]);
        if (used >= size)
            return false;
    }
    return true;
}

/* ---- domains ---- */

int binding_domain_parse(enum topo_domain *domain, const char *rank_per,
                         struct error *err)
{
    int i = rank_per[0] != '\0' ? find_name(domain_names, rank_per) : TOPO_NODE;
    if (i < 0)
        return nearest_unknown(err, rank_per, domain_names, "",
                               "rank_per: '%s' is unknown", rank_per);
    *domain = (enum topo_domain)i;
    return 0;
}

void binding_of_cell(struct topo_binding *binding, const struct cell *cell)
{
    *binding = (struct topo_binding){.smt = cell->smt};
    binding_bind_parse(binding, cell->bind, NULL);
    binding_domain_parse(&binding->domain, cell->rank_per, NULL);
}

int binding_fill_shape(struct cell *cell, const struct topo_room *room,
                       bool ranks_given, bool threads_given, struct error *err)
{
    enum topo_domain domain = TOPO_NODE;
    if (cell->rank_per[0] == '\0' || (ranks_given && threads_given))
        return 0;
    int code = binding_domain_parse(&domain, cell->rank_per, err);
    if (code != 0)
        return code;
    int threads = room == NULL ? 0
                  : cell->smt  ? room->processors[domain]
                               : room->cores[domain];
    if (room == NULL || room->domains[domain] == 0 ||
        (threads == 0 && !threads_given))
        return error_set(err, ENOTSUP,
                         "rank_per %s: the machine's topology is not known, "
                         "give --topology, or ranks and threads",
                         cell->rank_per);
    if (!threads_given)
        cell->threads = threads;
    if (!ranks_given)
        cell->workers = (cell->nodes > 0 ? cell->nodes : 1) *
                        room->domains[domain] * cell->threads;
    return 0;
}
