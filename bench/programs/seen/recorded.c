/* Writes recorded costs as trace files: comments first, then the seconds of one
 * iteration in each line.  A line N:X stands for N iterations of X seconds. */
#include "bench/programs/seen/recorded.h"

#include "base/system/whole.h"
#include "base/text.h"
#include "bench/programs/seen/seen_verdict.h"
#include "bench/programs/seen/source_lines.h"
#include "harness/process/need.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A loop whose costs are written to files. */
struct recorded {
    const struct loops_process *process;
    const struct loops_loop *loop;
    const char *to;
    double tick_s;
    char name[LINES_NAME]; /* of the loop */
    char file[200];        /* without visit and end */
    int visits;            /* written ones */
};

/* ---- names ---- */

/* Words of letters, digits and few others: a spec takes them. */
static void name_file(struct recorded *recorded)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRS"
                                "TUVWXYZ0123456789_.+";
    const struct counters *counters = recorded->process->counters;
    char rank[32] = "";
    if (counters->rank >= 0)
        snprintf(rank, sizeof(rank), "-rank%lld", (long long)counters->rank);
    snprintf(recorded->file, sizeof(recorded->file), "%.120s%s", recorded->name,
             rank);
    for (char *at = recorded->file; *at != '\0'; at++)
        if (strchr(plain, *at) == NULL)
            *at = '-';
}

static char *path_of(const struct recorded *recorded, int visit)
{
    return need_text("%s/%s-visit%d.txt", recorded->to, recorded->file, visit);
}

/* A number distinguishes loops of one name, and processes of one rank. */
static void find_free_name(struct recorded *recorded)
{
    size_t length = strlen(recorded->file);
    for (int i = 2;; i++) {
        char *path = path_of(recorded, 1);
        bool there = access(path, F_OK) == 0;
        free(path);
        if (!there)
            return;
        snprintf(recorded->file + length, sizeof(recorded->file) - length,
                 "-%d", i);
    }
}

/* ---- one visit ---- */

/* Its schedule without recording; for runtime loops that of OMP_SCHEDULE, or
 * else the runtime's default. */
static const char *name_own(const struct recorded *recorded, char text[80])
{
    const struct counters_site *site = recorded->loop->site;
    const char *said = getenv("OMP_SCHEDULE");
    bool gcc = strstr(recorded->process->counters->runtime, "libgomp") != NULL;
    if (site->clause != CLAUSE_RUNTIME)
        return lines_clause(site, text);
    if (said == NULL || said[strcspn(said, ";\n")] != '\0')
        said = gcc ? "dynamic,1" : "static";
    snprintf(text, 80, "%.60s (runtime)", said);
    return text;
}

static void write_costs(FILE *file, const struct recorded *recorded,
                        const struct counters_costs *head, const double *ticks)
{
    const struct counters *counters = recorded->process->counters;
    const struct loops_loop *loop = recorded->loop;
    char own[80];
    fprintf(file,
            "# %s\n# of %s\n# visit %d of %lld: %lld iterations, %lld threads, "
            "%s; seconds, each with a reading of the clock\n",
            recorded->name, counters->command, recorded->visits + 1,
            (long long)loop->site->visits, (long long)head->iterations,
            (long long)head->threads, loop->site->scheme);
    fprintf(file, "# as it is: %s; %.6g s a visit in this run, others %.3g\n",
            name_own(recorded, own), loop->seconds / (double)loop->site->visits,
            loop->shares       ? 1
            : loop->busy_s > 0 ? fmin(loop->lost_s / loop->busy_s, 1)
                               : 0);
    for (int64_t i = 0; i < head->iterations;) {
        int64_t same = 1;
        while (i + same < head->iterations && ticks[i + same] == ticks[i])
            same++;
        if (same > 1)
            fprintf(file, "%lld:", (long long)same);
        fprintf(file, "%.6g\n", ticks[i] * recorded->tick_s);
        i += same;
    }
}

static int write_visit(struct recorded *recorded,
                       const struct counters_costs *head, const double *ticks,
                       struct error *err)
{
    char *path = path_of(recorded, recorded->visits + 1);
    char *text;
    size_t size;
    FILE *file = need_stream(&text, &size);
    write_costs(file, recorded, head, ticks);
    int code = fclose(file) != 0 ? error_set(err, ENOMEM, "out of memory")
                                 : file_whole(path, text, size, err);
    recorded->visits += code == 0;
    free(text);
    free(path);
    return code == 0 ? 0 : error_prefix(err, code, "omp");
}

/* One that was cut off is passed over. */
static int write_visits(struct recorded *recorded, FILE *costs,
                        struct error *err)
{
    struct counters_costs head;
    int code = 0;
    while (code == 0 && fread(&head, sizeof(head), 1, costs) == 1 &&
           head.iterations > 0) {
        size_t count = (size_t)head.iterations;
        double *ticks = need_zeroed(count, sizeof(*ticks));
        bool whole = fread(ticks, sizeof(*ticks), count, costs) == count;
        if (whole)
            code = write_visit(recorded, &head, ticks, err);
        free(ticks);
        if (!whole)
            break;
    }
    return code;
}

/* ---- one loop ---- */

static const char *find_reason(const struct counters_site *site)
{
    if (site->note[0] != '\0')
        return site->note;
    if (site->flags & COUNTERS_ORDERED || site->clause == CLAUSE_DOACROSS)
        return "its order matters";
    if (site->clause == CLAUSE_STATIC)
        return "a program may rely on which thread has which iterations of a "
               "static loop";
    if (!verdict_may_change(site))
        return "its chunks are the runtime's own";
    return site->clause == CLAUSE_RUNTIME
               ? "no visit came to its end"
               : "--loops dynamic adds those with dynamic and guided";
}

static void say_recorded(const struct recorded *recorded, bool stays, FILE *out)
{
    const struct counters_site *site = recorded->loop->site;
    if (recorded->visits == 0)
        fprintf(out, "dlsbench: omp: %s is not recorded: %s\n", recorded->name,
                find_reason(site));
    else if (stays && recorded->visits == 1)
        fprintf(out, "dlsbench: omp: %s: %s/%s-visit1.txt\n", recorded->name,
                recorded->to, recorded->file);
    else if (stays)
        fprintf(out, "dlsbench: omp: %s: %s/%s-visit1.txt to -visit%d.txt\n",
                recorded->name, recorded->to, recorded->file, recorded->visits);
    if (recorded->visits > 0 && recorded->visits < site->visits)
        fprintf(out, "dlsbench: omp: %s: the first %d of %lld visits\n",
                recorded->name, recorded->visits, (long long)site->visits);
}

static int write_loop(struct recorded *recorded, const char *from, FILE *out,
                      struct error *err)
{
    const struct counters *counters = recorded->process->counters;
    char name[128];
    counters_name_costs(counters->host, counters->pid,
                        recorded->loop->site - counters->site, name);
    char *path = need_text("%s/%s", from, name);
    FILE *costs = fopen(path, "r");
    int code = 0;
    lines_name_one(recorded->process,
                   (int)(recorded->loop - recorded->process->loop),
                   recorded->name);
    name_file(recorded);
    find_free_name(recorded);
    if (costs != NULL) {
        code = write_visits(recorded, costs, err);
        fclose(costs);
    }
    if (code == 0)
        say_recorded(recorded, strcmp(from, recorded->to) != 0, out);
    free(path);
    return code;
}

int recorded_write(const char *from, const char *to, const struct loops *loops,
                   FILE *out, int *files, struct error *err)
{
    int code = 0;
    char *folder = need_copy(to);
    path_trim(folder);
    *files = 0;
    for (int i = 0; i < loops->processes; i++)
        for (int k = 0; code == 0 && k < loops->process[i].loops; k++) {
            struct recorded recorded = {.process = &loops->process[i],
                                        .loop = &loops->process[i].loop[k],
                                        .to = folder,
                                        .tick_s = loops->tick_s};
            code = write_loop(&recorded, from, out, err);
            *files += recorded.visits;
        }
    free(folder);
    return code;
}

/* ---- parts without a loop ---- */

static void say_part(const struct loops_process *process,
                     const struct loops_loop *part,
                     const struct report_run *run, bool first, FILE *out)
{
    const struct answer_sum next = {.row = part, .counters = process->counters};
    char name[LINES_NAME], what[120];
    lines_name(part, name);
    if (!verdict_is_static(part->site)) {
        fprintf(out,
                "dlsbench: omp: %s is not recorded: no loop of it has a "
                "schedule (%s)\n",
                name, lines_kinds(part->site, what));
        return;
    }
    fprintf(out,
            "dlsbench: omp: %s is not recorded: a static loop, or other "
            "code of a region, shows no single iterations",
            name);
    if (first) {
        fprintf(out, "; instead, ");
        answer_print_next(out, &next, run);
    } else
        fprintf(out, "\n");
}

void recorded_say_rest(const struct loops *loops, const struct report_run *run,
                       FILE *out)
{
    bool first = true;
    for (int i = 0; i < loops->processes; i++)
        for (int k = 0; k < loops->process[i].parts; k++) {
            const struct loops_loop *part = &loops->process[i].part[k];
            if (part->seconds < verdict_matters * run->seconds ||
                (atomic_load(&part->site->kinds) & KIND_LOOP) != 0)
                continue;
            say_part(&loops->process[i], part, run, first, out);
            first = first && !verdict_is_static(part->site);
        }
}
