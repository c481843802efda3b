/* Threads that share cores: compares the teams of a process, and of the ranks
 * beside it, with the processors that they may use.  Where threads share, no
 * schedule can be judged. */
#include "bench/programs/seen/loops.h"

#include "base/text.h"
#include "harness/topo/topo.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- the cores of a team ---- */

static int largest_team(const struct counters *counters)
{
    int threads = 1;
    for (int i = 0; i < counters->sites; i++)
        if (counters->site[i].threads_max > threads)
            threads = counters->site[i].threads_max;
    return threads;
}

/* Where threads may run: the union over the observed threads.  Unobserved ones
 * may run where the process may, unless a variable binds them. */
static struct allowed_set set_of(const struct counters *counters, int threads)
{
    const struct counters_cores *cores = &counters->cores;
    if (cores->seen >= threads)
        return cores->threads;
    return cores->binding[0] == '\0' ? cores->allowed.mask
                                     : (struct allowed_set){{0}};
}

/* How long two processes ran side by side: on one host, and with one quota if
 * there is any. */
static double find_overlap(const struct loops_process *a,
                           const struct loops_process *b, double tick_s)
{
    const struct counters *x = a->counters, *y = b->counters;
    const struct allowed *of = &x->cores.allowed, *with = &y->cores.allowed;
    double later = (double)(int64_t)(y->ticks - x->ticks) * tick_s;
    if (strcmp(x->host, y->host) != 0 ||
        strcmp(of->quota_file, with->quota_file) != 0)
        return 0;
    return fmax(fmin(a->end_s, later + b->end_s) - fmax(later, 0), 0);
}

static bool sets_meet(const struct allowed_set *a, const struct allowed_set *b)
{
    uint64_t common = 0;
    for (int k = 0; k < ALLOWED_WORDS; k++)
        common |= a->word[k] & b->word[k];
    return common != 0;
}

static void add_set(struct allowed_set *set, const struct allowed_set *more)
{
    for (int k = 0; k < ALLOWED_WORDS; k++)
        set->word[k] |= more->word[k];
}

/* Adds the ranks that may run on cores of this process.  A rank counts once,
 * even if it has several processes, which are adjacent. */
static void add_ranks(const struct loops *loops,
                      const struct loops_process *process,
                      struct loops_cores *cores)
{
    const struct counters *own = process->counters;
    const struct allowed_set mine = cores->set;
    int64_t rank = own->rank;
    int most = 0;
    for (int i = 0; i < loops->processes; i++) {
        const struct counters *c = loops->process[i].counters;
        int threads = largest_team(c);
        struct allowed_set other = set_of(c, threads);
        if (own->rank < 0 || c->rank < 0 || own->rank == c->rank ||
            !sets_meet(&mine, &other) ||
            find_overlap(process, &loops->process[i], loops->tick_s) == 0)
            continue;
        most = c->rank == rank ? most : 0;
        cores->ranks += c->rank != rank;
        cores->threads += threads > most ? threads - most : 0;
        most = threads > most ? threads : most;
        rank = c->rank;
        add_set(&cores->set, &other);
    }
}

static double count_cores(const struct counters *counters,
                          const struct allowed_set *set)
{
    int count = allowed_count(set);
    /* A file of counters without the part has a quota of 0: not known. */
    double quota = counters->cores.allowed.quota;
    return fmin(count > 0 ? count : INFINITY, quota > 0 ? quota : INFINITY);
}

static void fill_cores(const struct loops *loops,
                       const struct loops_process *process,
                       struct loops_cores *cores)
{
    const struct counters *counters = process->counters;
    int threads = largest_team(counters);
    *cores =
        (struct loops_cores){.threads = threads, .team = threads, .ranks = 1};
    cores->set = set_of(counters, threads);
    add_ranks(loops, process, cores);
    cores->cores = count_cores(counters, &cores->set);
    cores->by =
        allowed_by(&counters->cores.allowed, allowed_count(&cores->set));
    cores->shared = cores->threads > cores->cores;
}

/* The time of all threads of a process in teams, nested ones included.  A
 * team's first thread is the thread that began it. */
static double find_inside(const struct loops_process *process, double tick_s)
{
    double ticks = 0;
    for (int i = 0; i < process->counters->sites; i++) {
        const struct counters_site *site = &process->counters->site[i];
        ticks += site->outermost;
        if (site->clause == CLAUSE_REGION || site->clause == CLAUSE_PART)
            ticks += fmax(site->threads.here - site->wall, 0);
    }
    return ticks * tick_s;
}

/* The mean number of threads in open teams over a process's time: its own,
 * which may be concurrent or nested, and those of processes that may only run
 * on these processors.  When the latter were in teams is unknown: what fits
 * into their other time does not count. */
static double find_beside(const struct loops *loops,
                          const struct loops_process *own,
                          const struct allowed_set *set)
{
    double sum_s = find_inside(own, loops->tick_s);
    for (int i = 0; i < loops->processes; i++) {
        const struct loops_process *process = &loops->process[i];
        int team = largest_team(process->counters);
        struct allowed_set its = set_of(process->counters, team), both = *set;
        double alone_s =
            process->end_s - find_overlap(own, process, loops->tick_s);
        add_set(&both, &its);
        if (process != own && allowed_count(&its) > 0 &&
            memcmp(&both, set, sizeof(both)) == 0)
            sum_s +=
                fmax(find_inside(process, loops->tick_s) - team * alone_s, 0);
    }
    return own->end_s > 0 ? sum_s / own->end_s : 0;
}

/* Adds the processors of concurrent processes that share some of these. */
static void widen_set(const struct loops *loops,
                      const struct loops_process *own, struct allowed_set *set)
{
    const struct allowed_set mine = *set;
    for (int i = 0; i < loops->processes; i++) {
        const struct counters *c = loops->process[i].counters;
        struct allowed_set its = set_of(c, largest_team(c));
        if (sets_meet(&mine, &its) &&
            find_overlap(own, &loops->process[i], loops->tick_s) > 0)
            add_set(set, &its);
    }
}

/* A mean above the cores is proof; it only misses teams that are seldom open.
 * Processes on the same processors count first, then all that share one. */
static void mark_beside(const struct loops *loops,
                        struct loops_process *process)
{
    const struct counters *own = process->counters;
    struct loops_cores *cores = &process->cores;
    struct allowed_set set = set_of(own, cores->team);
    for (int wide = 0; wide < 2 && !cores->shared; wide++) {
        if (wide)
            widen_set(loops, process, &set);
        double most = count_cores(own, &set);
        double beside = find_beside(loops, process, &set);
        if (beside <= 1.05 * most)
            continue;
        cores->processes =
            find_inside(process, loops->tick_s) <= 1.05 * most * process->end_s;
        cores->beside = beside;
        cores->cores = most;
        cores->shared = true;
    }
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
        fill_cores(loops, process, cores);
        mark_beside(loops, process);
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
    int team = cores->team; /* may be a little too many, in the mean */
    int each = (int)fmin(cores->cores * team / cores->beside + 0.1, team - 1);
    fprintf(out,
            "dlsbench omp: %s that %s at a time share %.4g core%s: %.1f "
            "threads in the mean, of teams of at most %d.\n",
            cores->processes ? "processes" : "teams",
            cores->processes ? "run" : "are open", cores->cores,
            text_s(cores->cores), cores->beside, team);
    if (cores->processes)
        fprintf(out, "  To mend it, begin fewer of them at a time");
    else
        fprintf(out, "  Threads of the program begin them side by side, or in "
                     "one another.\n"
                     "  To mend it, let one thread begin them");
    if (each > 0)
        fprintf(out, ", or give each team %d (OMP_NUM_THREADS, num_threads)",
                each);
    fprintf(out, ".\n  Until then no schedule can be judged.\n");
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

/* Says it of the fewest cores: those of another process may have them all. */
void cores_print(FILE *out, const struct loops *loops)
{
    const struct loops_process *told = NULL, *one = loops->process;
    for (int i = 0; i < loops->processes; i++, one++)
        if (one->cores.shared &&
            (told == NULL || one->cores.cores < told->cores.cores))
            told = one;
    if (told != NULL && told->cores.beside > 0)
        print_beside(out, &told->cores);
    else if (told != NULL)
        print_shared(out, told->counters, &told->cores);
    if (loops->processes > 0)
        print_kinds(out);
}
