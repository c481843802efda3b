/* Threads that share cores. */
#include "bench/programs/seen/loops.h"

#include "base/text.h"
#include "harness/topo/topo.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- what a team has ---- */

static int largest_team(const struct counters *counters)
{
    int threads = 1;
    for (int i = 0; i < counters->sites; i++)
        if (counters->site[i].threads_max > threads)
            threads = counters->site[i].threads_max;
    return threads;
}

/* Where threads may run: where those that were seen may.  Others may run where
 * the process may, unless a variable binds them. */
static struct allowed_set set_of(const struct counters *counters, int threads)
{
    const struct counters_cores *cores = &counters->cores;
    if (cores->seen >= threads)
        return cores->threads;
    return cores->binding[0] == '\0' ? cores->allowed.mask
                                     : (struct allowed_set){{0}};
}

/* Adds the ranks that may run on cores of this process. */
static void add_ranks(const struct loops *loops, const struct counters *own,
                      struct loops_cores *cores, struct allowed_set *set)
{
    const struct allowed_set mine = *set;
    for (int i = 0; i < loops->processes; i++) {
        const struct counters *c = loops->process[i].counters;
        int threads = largest_team(c), common = 0;
        struct allowed_set other = set_of(c, threads);
        for (int k = 0; k < ALLOWED_WORDS; k++)
            common |= (mine.word[k] & other.word[k]) != 0;
        if (!common || own->rank < 0 || c->rank < 0 || own->rank == c->rank ||
            strcmp(own->host, c->host) != 0)
            continue;
        cores->ranks++;
        cores->threads += threads;
        for (int k = 0; k < ALLOWED_WORDS; k++)
            set->word[k] |= other.word[k];
    }
}

static void fill_cores(const struct loops *loops,
                       const struct counters *counters,
                       struct loops_cores *cores)
{
    const struct allowed *allowed = &counters->cores.allowed;
    int threads = largest_team(counters);
    *cores =
        (struct loops_cores){.threads = threads, .team = threads, .ranks = 1};
    cores->set = set_of(counters, threads);
    add_ranks(loops, counters, cores, &cores->set);
    int count = allowed_count(&cores->set);
    /* A file of counters without the part has a quota of 0: not known. */
    double quota = allowed->quota > 0 ? allowed->quota : INFINITY;
    cores->cores = fmin(count > 0 ? count : INFINITY, quota);
    cores->by = allowed_by(allowed, count);
}

/* The threads of all open teams, in the mean over the process's time: those
 * that threads of the program begin side by side, or in another team, are more
 * than any has.  A team's first thread is that which began it. */
static double find_beside(const struct loops_process *process, double tick_s)
{
    double ticks = 0;
    for (int i = 0; i < process->counters->sites; i++) {
        const struct counters_site *site = &process->counters->site[i];
        ticks += site->outermost;
        if (site->clause == CLAUSE_REGION || site->clause == CLAUSE_PART)
            ticks += fmax(site->threads.here - site->wall, 0);
    }
    return process->end_s > 0 ? ticks * tick_s / process->end_s : 0;
}

/* Means hide nothing but teams that are seldom open. */
static void mark_beside(struct loops_process *process, double tick_s)
{
    struct loops_cores *cores = &process->cores;
    double beside = find_beside(process, tick_s);
    if (cores->shared || cores->ranks > 1 || beside <= 1.05 * cores->cores)
        return;
    cores->beside = beside;
    cores->shared = true;
}

static void mark_rows(const struct loops_cores *cores, struct loops_loop *row,
                      int count)
{
    for (int i = 0; i < count; i++) {
        int threads = row[i].site->threads_max;
        bool alone = cores->ranks == 1 && cores->beside == 0 && threads > 0;
        row[i].shares = alone ? threads > cores->cores : cores->shared;
    }
}

void cores_mark(struct loops *loops)
{
    for (int i = 0; i < loops->processes; i++) {
        struct loops_process *process = &loops->process[i];
        struct loops_cores *cores = &process->cores;
        fill_cores(loops, process->counters, cores);
        cores->shared = cores->threads > cores->cores;
        mark_beside(process, loops->tick_s);
        mark_rows(cores, process->loop, process->loops);
        mark_rows(cores, process->part, process->parts);
    }
}

/* ---- in words ---- */

/* Whether a variable that binds threads may have set the limit. */
static bool is_bound(const struct counters *counters,
                     const struct loops_cores *cores)
{
    struct allowed here;
    allowed_read("", &here);
    return counters->cores.binding[0] != '\0' &&
           allowed_count(&here.mask) > allowed_count(&cores->set);
}

/* Runtimes start as many threads as OMP_NUM_THREADS has, or as the mask. */
static bool asks_itself(const struct counters *counters,
                        const struct loops_cores *cores)
{
    int asked = atoi(counters->cores.asked);
    return cores->team !=
           (asked > 0 ? asked : allowed_count(&counters->cores.allowed.mask));
}

static void say_cause(FILE *out, const struct counters *counters,
                      const struct loops_cores *cores)
{
    const struct counters_cores *of = &counters->cores;
    char list[80];
    allowed_text(&cores->set, list, sizeof(list));
    if (cores->by == ALLOWED_QUOTA)
        fprintf(out, "the CPU quota is %.4g\n  (%s)", cores->cores,
                of->allowed.quota_file);
    else if (cores->by == ALLOWED_MACHINE)
        fprintf(out, "the machine has no more");
    else if (cores->by == ALLOWED_CPUSET)
        fprintf(out, "the control group's cpuset has processor %s", list);
    else if (is_bound(counters, cores))
        fprintf(out, "the affinity mask or %s allows processor %s", of->binding,
                list);
    else
        fprintf(out, "the affinity mask allows processor %s", list);
    if (asks_itself(counters, cores))
        fprintf(out, ", the program asks for %d threads", cores->team);
    else if (of->asked[0] != '\0')
        fprintf(out, ", OMP_NUM_THREADS is %s", of->asked);
}

static void say_change(FILE *out, const struct counters *counters,
                       const struct loops_cores *cores)
{
    int each = (int)(cores->cores / cores->ranks);
    if (cores->by == ALLOWED_QUOTA)
        fprintf(out, "  Raise the quota to %d, or ", cores->threads);
    else if (cores->by == ALLOWED_MASK && is_bound(counters, cores))
        fprintf(out, "  Allow %d cores (taskset, launcher, %s), or ",
                cores->threads, counters->cores.binding);
    else if (cores->by != ALLOWED_MACHINE)
        fprintf(out, "  Allow %d cores (taskset, launcher, batch system), or ",
                cores->threads);
    else
        fprintf(out, "  To mend it, ");
    if (each < 1)
        fprintf(out, "start fewer ranks");
    else if (asks_itself(counters, cores))
        fprintf(out, "ask for %d in the program", each);
    else
        fprintf(out, "set OMP_NUM_THREADS=%d", each);
    fprintf(out, ".\n  Until then no schedule can be judged.\n");
}

/* Threads of unequal cores end static loops at different times. */
static void print_kinds(FILE *out)
{
    struct topo *topo;
    char text[400];
    if (topo_open(&topo, NULL) != 0)
        return;
    for (int i = 0; topo_kinds(topo) > 1 && i < topo_kinds(topo); i++) {
        topo_kind_text(topo, i, text, sizeof(text));
        fprintf(out, "dlsbench omp: cores of %s\n", text);
    }
    topo_close(topo);
}

/* No cause outside of the program: it begins too many. */
static void print_beside(FILE *out, const struct loops_cores *cores)
{
    int each = (int)(cores->cores * cores->team / cores->beside);
    fprintf(
        out,
        "dlsbench omp: teams that are open at a time share %.4g core%s: "
        "%.1f threads in the mean, of teams of at most %d.\n  Threads of the "
        "program begin them side by side, or in one another.\n"
        "  To mend it, give each team %d (OMP_NUM_THREADS, num_threads), or "
        "let one thread begin them.\n  Until then no schedule can be judged.\n",
        cores->cores, text_s(cores->cores), cores->beside, cores->team,
        each > 1 ? each : 1);
}

static void print_shared(FILE *out, const struct counters *counters,
                         const struct loops_cores *cores)
{
    fprintf(out, "dlsbench omp: %d threads", cores->threads);
    if (cores->ranks > 1)
        fprintf(out, " of %d ranks", cores->ranks);
    fprintf(out, " share %.4g core%s: ", cores->cores, text_s(cores->cores));
    say_cause(out, counters, cores);
    fprintf(out, ".\n");
    say_change(out, counters, cores);
}

void cores_print(FILE *out, const struct loops *loops)
{
    int first = 0;
    while (first < loops->processes && !loops->process[first].cores.shared)
        first++;
    if (first < loops->processes && loops->process[first].cores.beside > 0)
        print_beside(out, &loops->process[first].cores);
    else if (first < loops->processes)
        print_shared(out, loops->process[first].counters,
                     &loops->process[first].cores);
    if (loops->processes > 0)
        print_kinds(out);
}
