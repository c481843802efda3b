/* Finds the subjects of --try in a run of the unmodified program, keeps them in
 * tries.json, and names them for rules. */
#include "bench/programs/try/subjects.h"

#include "base/stats.h"
#include "base/text.h"
#include "bench/programs/seen/seen_verdict.h"
#include "bench/programs/seen/source_lines.h"
#include "bench/programs/seen/store.h"
#include "harness/process/need.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct subject *add_subject(struct subjects *subjects, const char *name,
                                   double share)
{
    need_room(&subjects->subject, &subjects->room, subjects->known + 1,
              sizeof(*subjects->subject));
    struct subject *made = &subjects->subject[subjects->known++];
    *made = (struct subject){.name = need_copy(name), .share = share};
    return made;
}

/* ---- names for rules ---- */

static void add_build(struct subject *subject, const char *build)
{
    for (int i = 0; i < subject->builds; i++)
        if (text_is(subject->build[i], build))
            return;
    if (build[0] == '\0' || strpbrk(build, "#=") != NULL)
        return;
    need_room(&subject->build, &subject->room, subject->builds + 1,
              sizeof(*subject->build));
    subject->build[subject->builds++] = need_copy(build);
}

static void set_line(struct subject *subject, char *line, const char *file,
                     int number)
{
    subject->line = line;
    subject->file = need_copy(file);
    subject->number = number;
}

/* A loop of one source line may be in the program several times, as copies or
 * instantiations of a template.  Each copy has its own name by build; they
 * share the name by line. */
static void name_for_rules(struct subject *subject,
                           const struct loops_process *process, int first)
{
    const struct symbols_place *place = &process->loop[first].place;
    const char *file = path_last(place->file);
    char build[COUNTERS_NAME_MAX];
    if (subject->line == NULL && file[0] != '\0' &&
        strpbrk(file, "#=*") == NULL)
        set_line(subject, need_text("%s:%d", file, place->line), place->file,
                 place->line);
    for (int i = first; i < process->loops; i++) {
        const struct loops_loop *loop = &process->loop[i];
        if (i > first && !lines_same(loop, &process->loop[first]))
            continue;
        loops_name_build(process->counters, loop->site, build);
        add_build(subject, build);
    }
}

/* ---- loops ---- */

static bool may_change(const struct counters_site *site, const char *loops)
{
    return verdict_may_change(site) &&
           (text_is(loops, "dynamic") || site->clause == CLAUSE_RUNTIME ||
            site->clause == CLAUSE_BLOCKS);
}

/* Over ranks a loop takes as long as where it takes longest. */
static void add_loop(struct subjects *subjects,
                     const struct loops_process *process, int first,
                     double seconds)
{
    struct loops_loop sum;
    struct counters_site site;
    char name[LINES_NAME];
    lines_sum(process, first, &sum, &site);
    lines_name(&sum, name);
    if (!verdict_is_timed(&site)) {
        subjects->untimed = true;
        return;
    }
    subjects->all += sum.seconds / seconds;
    struct subject *subject = NULL;
    for (int i = 1; i < subjects->known && subject == NULL; i++)
        if (text_is(subjects->subject[i].name, name))
            subject = &subjects->subject[i];
    if (subject == NULL)
        subject = add_subject(subjects, name, 0);
    subject->share = fmax(subject->share, sum.seconds / seconds);
    subject->blocks = subject->blocks || site.clause == CLAUSE_BLOCKS;
    name_for_rules(subject, process, first);
}

/* Otherwise keeps their order. */
static void put_small_last(struct subjects *subjects)
{
    struct subject *all = subjects->subject;
    subjects->count = 1;
    for (int i = 1; i < subjects->known; i++) {
        const struct subject matters = all[i];
        if (matters.share < verdict_matters)
            continue;
        memmove(&all[subjects->count + 1], &all[subjects->count],
                (size_t)(i - subjects->count) * sizeof(*all));
        all[subjects->count++] = matters;
    }
}

void subjects_find(struct subjects *subjects, const char *program,
                   const struct loops *loops, double seconds, const char *which)
{
    char name[STORE_NAME];
    if (loops->processes > 0)
        store_program_name(loops, name);
    else
        snprintf(name, sizeof(name), "whole program %.200s",
                 path_last(program));
    if (subjects->known == 0)
        add_subject(subjects, name, 1);
    for (int i = 0; i < loops->processes; i++)
        for (int k = 0; k < loops->process[i].loops; k++)
            if (may_change(loops->process[i].loop[k].site, which) &&
                !lines_is_later(&loops->process[i], k))
                add_loop(subjects, &loops->process[i], k, seconds);
    put_small_last(subjects);
}

/* ---- shares ---- */

/* The share in the unmodified runs; NAN: no such run had the loop. */
static double find_share(const struct tries *tries, const char *program,
                         const char *name)
{
    const struct tries_loop *whole = tries_find_loop(tries, program);
    const struct tries_loop *loop = tries_find_loop(tries, name);
    if (whole == NULL || loop == NULL)
        return NAN;
    double *shares = need_zeroed((size_t)loop->count + 1, sizeof(*shares));
    double share = stats_middle(shares, tries_shares(loop, whole, shares));
    free(shares);
    return share;
}

void subjects_weigh(struct subjects *subjects, const struct tries *tries)
{
    for (int i = 1; i < subjects->known; i++) {
        struct subject *subject = &subjects->subject[i];
        double share =
            find_share(tries, subjects->subject[0].name, subject->name);
        if (!isnan(share))
            subject->share = share;
    }
    put_small_last(subjects);
}

/* ---- JSON ---- */

json_t *subjects_to_json(const struct subjects *subjects)
{
    json_t *list = json_array();
    for (int i = 0; i < subjects->known; i++) {
        const struct subject *subject = &subjects->subject[i];
        json_t *builds = json_array();
        for (int k = 0; k < subject->builds; k++)
            json_array_append_new(builds, json_string(subject->build[k]));
        json_array_append_new(
            list, json_pack("{s:s,s:s?,s:s?,s:i,s:b,s:o}", "name",
                            subject->name, "line", subject->line, "file",
                            subject->file, "number", subject->number, "blocks",
                            subject->blocks, "builds", builds));
    }
    return list;
}

void subjects_from_json(struct subjects *subjects, const json_t *list)
{
    size_t i, k;
    const json_t *row, *build;
    json_array_foreach(list, i, row)
    {
        const char *name = json_string_value(json_object_get(row, "name"));
        const char *line = json_string_value(json_object_get(row, "line"));
        if (name == NULL)
            continue;
        struct subject *subject = add_subject(subjects, name, i == 0);
        const char *file = json_string_value(json_object_get(row, "file"));
        subject->blocks = json_is_true(json_object_get(row, "blocks"));
        if (line != NULL)
            set_line(subject, need_copy(line), file != NULL ? file : "",
                     (int)json_integer_value(json_object_get(row, "number")));
        json_array_foreach(json_object_get(row, "builds"), k, build)
        {
            if (json_is_string(build))
                add_build(subject, json_string_value(build));
        }
    }
    if (subjects->known > 0)
        put_small_last(subjects);
}

void subjects_free(struct subjects *subjects)
{
    for (int i = 0; i < subjects->known; i++) {
        struct subject *subject = &subjects->subject[i];
        for (int k = 0; k < subject->builds; k++)
            free(subject->build[k]);
        free(subject->build);
        free(subject->line);
        free(subject->file);
        free(subject->name);
    }
    free(subjects->subject);
    *subjects = (struct subjects){0};
}
