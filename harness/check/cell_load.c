/* The competing load of a cell.
 *
 *     load    = group ["," group]...
 *     group   = workers ["," workers]... [":" n]
 *     workers = "w" i ["-w" j]
 *
 * n busy processes on the core of each worker of the group; a group without a
 * number, which can only be the last, means one. */
#include "harness/check/cell_checks.h"

#include "harness/process/need.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Beyond this the worker gets so little of its core that it never ends. */
enum { PROCESSES_MAX = 64, WORKERS_MAX = CELL_WORKERS_MAX - 1 };

/* Workers first to last, each with `count` processes. */
struct span {
    int first, last, count;
};

/* "w12" -> 12 */
static int parse_worker(const char *word, int *worker)
{
    int64_t number;
    size_t digits = word[0] == 'w' ? strspn(word + 1, "0123456789") : 0;
    if (digits == 0 || word[digits + 1] != '\0' ||
        spec_integer(word + 1, &number) != 0 || number > WORKERS_MAX)
        return -EINVAL;
    *worker = (int)number;
    return 0;
}

static int parse_span(char *word, struct span *span, struct error *err)
{
    char whole[CELL_LIST_MAX];
    snprintf(whole, sizeof(whole), "%s", word);
    char *dash = strchr(word, '-');
    if (dash != NULL)
        *dash = '\0';
    if (parse_worker(word, &span->first) != 0 ||
        parse_worker(dash ? dash + 1 : word, &span->last) != 0 ||
        span->last < span->first)
        return error_set(err, EINVAL,
                         "load: '%s' must name workers from 0, as in w0, "
                         "w0-w3 or w0,w2:1",
                         whole);
    return 0;
}

/* Cuts ":n" off the word; *count stays 0 if there is none. */
static int parse_processes(char *word, int *count, struct error *err)
{
    int64_t number;
    char *colon = strchr(word, ':');
    *count = 0;
    if (colon == NULL)
        return 0;
    *colon = '\0';
    if (spec_integer(colon + 1, &number) != 0 || number < 1 ||
        number > PROCESSES_MAX)
        return error_set(err, EINVAL,
                         "load: '%s' after '%s:' must be a number of "
                         "processes from 1 to %d",
                         colon + 1, word, PROCESSES_MAX);
    *count = (int)number;
    return 0;
}

/* Parses all spans of the text, at most as many as it has characters. */
static int parse_spans(const char *text, struct span *spans, int *count,
                       struct error *err)
{
    char copy[CELL_LIST_MAX], *rest = copy, *word;
    int open = 0, processes; /* open: the first span without a number */
    *count = 0;
    snprintf(copy, sizeof(copy), "%s", text);
    while ((word = strsep(&rest, ",")) != NULL) {
        int code = parse_processes(word, &processes, err);
        if (code == 0)
            code = parse_span(word, &spans[*count], err);
        if (code != 0)
            return code;
        spans[(*count)++].count = 1;
        for (; processes > 0 && open < *count; open++)
            spans[open].count = processes;
    }
    return 0;
}

int setup_read_load(const struct cell *cell, struct error *err)
{
    struct span spans[CELL_LIST_MAX];
    int count;
    return cell->load[0] ? parse_spans(cell->load, spans, &count, err) : 0;
}

static int fill_load(const struct span *spans, int count, int *load,
                     int workers, struct error *err)
{
    for (int i = 0; i < count; i++) {
        if (spans[i].last >= workers)
            return error_set(
                err, ENOTSUP,
                "load: there is no worker w%d, this cell has w0 to "
                "w%d",
                spans[i].last, workers - 1);
        for (int w = spans[i].first; w <= spans[i].last; w++) {
            if (load[w] != 0)
                return error_set(err, EINVAL, "load: worker w%d is named twice",
                                 w);
            load[w] = spans[i].count;
        }
    }
    return 0;
}

/* One group: all workers with `processes`, in runs. */
static void write_group(FILE *out, const int *load, int workers, int processes,
                        bool *first)
{
    bool any = false;
    for (int w = 0, end; w < workers; w = end) {
        for (end = w + 1; end < workers && load[end] == load[w];)
            end++;
        if (load[w] != processes)
            continue;
        fprintf(out, "%sw%d", *first ? "" : ",", w);
        if (end > w + 1)
            fprintf(out, "-w%d", end - 1);
        any = true;
        *first = false;
    }
    if (any)
        fprintf(out, ":%d", processes);
}

static int format_load(struct cell *cell, const int *load, int workers,
                       struct error *err)
{
    char *text = NULL;
    size_t size;
    bool first = true;
    FILE *out = need_stream(&text, &size);
    for (int n = 1; n <= PROCESSES_MAX; n++)
        write_group(out, load, workers, n, &first);
    fclose(out);
    int code = 0;
    if (size >= CELL_LIST_MAX)
        code = error_set(err, EINVAL,
                         "load: the list is longer than %zu characters",
                         (size_t)CELL_LIST_MAX - 1);
    else
        cell->load = cell_keep(cell, text);
    free(text);
    return code;
}

int setup_check_load(struct setup *setup, struct error *err)
{
    struct cell *cell = &setup->cell;
    struct span spans[CELL_LIST_MAX];
    int count;
    if (cell->load[0] == '\0')
        return 0;
    if (setup->binding.bind == TOPO_NONE)
        return error_set(err, ENOTSUP,
                         "load: busy processes need workers bound to cores, "
                         "not bind none");
    setup->load = need_zeroed((size_t)setup->workers + 1, sizeof(*setup->load));
    int code = parse_spans(cell->load, spans, &count, err);
    if (code == 0)
        code = fill_load(spans, count, setup->load, setup->workers, err);
    return code == 0 ? format_load(cell, setup->load, setup->workers, err)
                     : code;
}
