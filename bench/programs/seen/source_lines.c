/* The names of loops and parts in reports, and sums over loops of one line.
 * Times, visits and chunks add up; means do not, and become NAN. */
#include "bench/programs/seen/source_lines.h"

#include "base/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- loops ---- */

const char *lines_clause(const struct counters_site *site, char text[64])
{
    static const char *const names[] = {
        "region", "runtime",  "dynamic", "guided",       "static",
        "auto",   "doacross", "other",   "static (gcc)",
    };
    char chunk[32] = "";
    if (site->chunk > 0)
        snprintf(chunk, sizeof(chunk), ",%lld", (long long)site->chunk);
    snprintf(text, 64, "%s%s%s%s",
             site->flags & COUNTERS_MONOTONIC ? "monotonic:" : "",
             names[site->clause < 9 ? site->clause : 7], chunk,
             site->flags & COUNTERS_ORDERED ? " ordered" : "");
    return text;
}

const char *lines_scheme(const struct counters_site *site)
{
    return site->scheme[0] != '\0' ? site->scheme : "its own schedule";
}

static void write_name(const struct loops_loop *loop, const char *function,
                       char text[LINES_NAME])
{
    const struct symbols_place *place = &loop->place;
    const char *file = path_last(place->file);
    if (function[0] == '\0')
        function = "?";
    if (place->file[0] != '\0' && loop->from.line > 0)
        snprintf(text, LINES_NAME, "%.80s %.100s:%d to the end", function, file,
                 loop->from.line);
    else if (place->file[0] != '\0')
        snprintf(text, LINES_NAME, "%.80s %.100s:%d", function, file,
                 place->line);
    else
        snprintf(text, LINES_NAME, "%.80s (%.60s+0x%llx)", function,
                 loop->module, (unsigned long long)loop->site->at.offset);
}

void lines_name(const struct loops_loop *loop, char text[LINES_NAME])
{
    char plain[NAMES_SIZE];
    write_name(loop, names_plain(loop->place.function, plain), text);
}

bool lines_same(const struct loops_loop *a, const struct loops_loop *b)
{
    char name[NAMES_SIZE], other[NAMES_SIZE];
    return a->place.file[0] != '\0' && a->place.line == b->place.line &&
           strcmp(a->place.file, b->place.file) == 0 &&
           a->site->clause == b->site->clause &&
           a->site->chunk == b->site->chunk &&
           ((a->site->flags ^ b->site->flags) & ~COUNTERS_COMBINED) == 0 &&
           strcmp(names_plain(a->place.function, name),
                  names_plain(b->place.function, other)) == 0;
}

int lines_sum(const struct loops_process *process, int first,
              struct loops_loop *sum, struct counters_site *site)
{
    int count = 0;
    for (int i = first; i < process->loops; i++) {
        const struct loops_loop *loop = &process->loop[i];
        if (i > first && !lines_same(loop, &process->loop[first]))
            continue;
        if (count++ == 0) {
            *site = *loop->site;
            *sum = *loop;
            sum->site = site;
            continue;
        }
        sum->seconds += loop->seconds;
        sum->saved_s += loop->saved_s;
        sum->asked_s += loop->asked_s;
        sum->shares = sum->shares || loop->shares;
        sum->chunk_s = sum->chunk_cv = NAN;
        site->visits += loop->site->visits;
        sum->open_s += loop->open_s;
        sum->here_s += loop->here_s;
        sum->busy_s += loop->busy_s;
        sum->locks_s += loop->locks_s;
        sum->lost_s += loop->lost_s;
        sum->longest_s += loop->longest_s;
        site->iterations += loop->site->iterations;
        site->chunks += loop->site->chunks;
        site->wall += loop->site->wall;
        site->saved += loop->site->saved;
        if (loop->site->threads_max > site->threads_max)
            site->threads_max = loop->site->threads_max;
        if (loop->site->threads_min < site->threads_min)
            site->threads_min = loop->site->threads_min;
    }
    return count;
}

bool lines_is_later(const struct loops_process *process, int i)
{
    for (int k = 0; k < i; k++)
        if (lines_same(&process->loop[k], &process->loop[i]))
            return true;
    return false;
}

void lines_each(const struct loops *loops, lines_fn *each, void *arg)
{
    for (int i = 0; i < loops->processes; i++) {
        const struct loops_process *process = &loops->process[i];
        for (int k = 0; k < process->loops; k++) {
            struct loops_loop loop;
            struct counters_site site;
            if (lines_is_later(process, k))
                continue;
            lines_sum(process, k, &loop, &site);
            each(arg, process, &loop, true);
        }
        for (int k = 0; k < process->parts; k++)
            each(arg, process, &process->part[k], false);
    }
}

void lines_name_one(const struct loops_process *process, int i,
                    char text[LINES_NAME])
{
    char name[NAMES_SIZE];
    const struct loops_loop *loop = &process->loop[i];
    bool others = false;
    for (int k = 0; k < process->loops && !others; k++)
        others = k != i && lines_same(&process->loop[k], loop);
    if (others)
        write_name(loop, names_alias(loop->place.function, 1, name), text);
    else
        lines_name(loop, text);
}

static const struct {
    uint32_t kind;
    const char *name;
} kinds[] = {
    {KIND_LOOP, "loop above"},   {KIND_STATIC, "static"},
    {KIND_SECTIONS, "sections"}, {KIND_TASKS, "tasks"},
    {KIND_TASKLOOP, "taskloop"}, {KIND_SINGLE, "single"},
    {KIND_MASTER, "master"},     {KIND_CRITICAL, "critical"},
    {KIND_LOCK, "lock"},         {KIND_ORDERED, "ordered"},
};

const char *lines_kinds(const struct counters_site *site, char text[120])
{
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
        if ((site->kinds & kinds[i].kind) != 0)
            used += (size_t)snprintf(text + used, 120 - used, "%s%s",
                                     used > 0 ? ", " : "", kinds[i].name);
    if (used == 0)
        strcpy(text, "static");
    return text;
}
