/* A table of what MPI, launchers and ssh print names the cause of a failure.
 * Texts with several meanings count only if this host has too little of
 * something. */
#include "bench/launching/cause.h"

#include "base/system/groups.h"
#include "base/text.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <unistd.h>

enum kind {
    SPACE,     /* shared memory between the ranks of a node */
    FILES,     /* open files */
    PROCESSES, /* processes and threads */
    UNSURE,    /* that, if this host has too little of it */
    HELPER,    /* a launcher's helper ended at once */
    LOCKED,    /* memory that a network card uses */
    NETWORK,
    LOGIN,
    ALONE, /* every rank is rank 0 */
    PROCESSORS,
    START, /* srun's method to start MPI */
    SLOTS,
    ROOT,
    PROXY, /* which MPICH's launcher starts */
    PROGRAM
};

struct cause_sign {
    enum kind kind;
    const char *text; /* a part of a line */
};

/* After a cause a launcher may wait for ever; a silent one is examined after so
 * long. */
static const double FINAL_S = 20, QUIET_S = 5;

/* As printed by MPICH with UCX, Open MPI, Slurm and ssh. */
static const struct cause_sign signs[] = {
    {FILES, "Too many open files"},
    {FILES, "number of pipes a process can open"},
    {SPACE, "check that /dev/shm"},
    {SPACE, "enough space for /dev/shm"},
    {PROCESSES, "pthread_create() failed"},
    {PROCESSES, "opal_progress_threads.c"},
    {PROCESSES, "Unable to start listen thread"},
    {PROCESSES, "Resource temporarily unavailable"},
    {PROCESSES, "Cannot fork"},
    {HELPER, "HYD_pmcd_pmiserv_proxy_init_cb"},
    {LOCKED, "RLIMIT_MEMLOCK"},
    {LOCKED, "memlock"},
    {LOCKED, "locked memory"},
    {NETWORK, "No route to host"},
    {NETWORK, "Network is unreachable"},
    {NETWORK, "Could not resolve hostname"},
    {NETWORK, "unable to get host address"},
    {NETWORK, "Connection timed out"},
    {NETWORK, "Connection refused"},
    {LOGIN, "Host key verification failed"},
    {LOGIN, "Permission denied (publickey"},
    {LOGIN, "Permission denied, please try again"},
    {ALONE, "the launcher started 1 rank, "}, /* our own */
    {PROCESSORS, "More processors requested than permitted"},
    {START, "Invalid MPI type"},
    {START, "cannot find mpi plugin"},
    {START, "find the specified plugin name for mpi/"},
    {SLOTS, "There are not enough slots available"},
    {ROOT, "has detected an attempt to run as root"},
    {PROGRAM, "error while loading shared libraries"},
    {PROXY, "hydra_pmi_proxy (No such file"},
    {PROGRAM, "execvp error on file"},
    {PROGRAM, "execve(): "},
    {UNSURE, "unable to allocate shared memory"},
    {UNSURE, "failed to allocate receive FIFO"},
    {UNSURE, "unable to create shared memory"},
    {UNSURE, "Bus error"},
    {UNSURE, "Fatal error in internal_Init"},
    {UNSURE, "Fatal error in PMPI_Init"},
    {UNSURE, "PML add procs failed"},
};

/* For a launcher that silently retries for ever. */
static const struct cause_sign refused = {PROCESSES, ""};

/* Adds the processes that a control group has refused. */
static void add_refused(void *into, const char *folder, int version)
{
    char path[PATH_MAX];
    long long *all = into, here = 0;
    (void)version;
    snprintf(path, sizeof(path), "%s/pids.events", folder);
    FILE *file = fopen(path, "r");
    if (file != NULL && fscanf(file, "max %lld", &here) == 1)
        *all += here;
    if (file != NULL)
        fclose(file);
}

static long long count_refused(void)
{
    long long all = 0;
    char why[128];
    groups_visit("", "pids", add_refused, &all, why, sizeof(why));
    return all;
}

void cause_open(struct cause *cause, double now)
{
    *cause = (struct cause){.since = now, .refused = count_refused()};
}

/* The first sign found counts; more specific ones come first in the table. */
void cause_line(struct cause *cause, const char *line, double now)
{
    const char *own = "dlsbench: ";
    size_t end = sizeof(signs) / sizeof(signs[0]);
    if (cause->sign != NULL)
        end = cause->sign->kind == UNSURE ? (size_t)(cause->sign - signs) : 0;
    for (size_t i = 0; i < end; i++) {
        if (strstr(line, signs[i].text) == NULL)
            continue;
        cause->sign = &signs[i];
        cause->since = now;
        line += text_begins(line, own) ? strlen(own) : 0;
        snprintf(cause->line, sizeof(cause->line), "%s", line);
        return;
    }
}

double cause_left(struct cause *cause, double now)
{
    /* For these MPI only warns, and may start all the same. */
    static const bool warning[] = {
        [SPACE] = true, [UNSURE] = true, [LOCKED] = true, [PROGRAM] = false};
    if (cause->sign == NULL && now > cause->since + QUIET_S &&
        count_refused() > cause->refused)
        cause->sign = &refused;
    if (cause->sign == NULL || warning[cause->sign->kind])
        return INFINITY;
    return cause->since + FINAL_S - now;
}

/* ---- what this host has ---- */

/* MPICH with UCX failed with 8 MB for two ranks, and did not with 9. */
static const double SHM_MB = 64, SHM_RANK_MB = 16;

/* Free megabytes in /dev/shm, 0 if it cannot be written. */
static double shared_memory(void)
{
    struct statvfs fs;
    if (statvfs("/dev/shm", &fs) != 0 || access("/dev/shm", W_OK) != 0)
        return 0;
    return (double)fs.f_bavail * (double)fs.f_frsize / 1e6;
}

/* The soft limit; infinity if there is none. */
static double limit_of(int resource)
{
    struct rlimit limit;
    if (getrlimit(resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
        return 1e18;
    return (double)limit.rlim_cur;
}

/* MPICH started two ranks with 30 files and not with 20; its launcher uses four
 * for each rank. */
static bool few_files(int ranks)
{
    return limit_of(RLIMIT_NOFILE) < 32 + 8 * ranks;
}

static bool few_memory(int ranks)
{
    return shared_memory() < SHM_MB + SHM_RANK_MB * ranks;
}

/* Which of several possible causes a text means on this host; false: none. */
static bool settle_kind(enum kind *kind, int ranks)
{
    bool open = *kind == SPACE || *kind == UNSURE || *kind == HELPER;
    if (open && few_files(ranks))
        *kind = FILES;
    else if (*kind == HELPER)
        *kind = PROCESSES;
    else if (*kind == UNSURE && few_memory(ranks))
        *kind = SPACE;
    return *kind != UNSURE;
}

/* ---- the words ---- */

static void name_limit(int resource, const char *unit, double factor,
                       char *text, size_t size)
{
    double limit = limit_of(resource);
    if (limit < 1e15)
        snprintf(text, size, "%.0f%s", limit / factor, unit);
    else
        snprintf(text, size, "unlimited");
}

static void describe_kind(enum kind kind, int ranks, char *text, size_t size)
{
    static const char *const words[] = {
        [LOCKED] = "too little memory may be locked for the network card: "
                   "raise ulimit -l on the nodes",
        [NETWORK] = "a host cannot be reached: check its name, its network "
                    "and the launcher's list of hosts",
        [LOGIN] = "the launcher may not log in to a host: set up ssh without "
                  "a password, or start the ranks with srun",
        [ALONE] = "every rank is rank 0: the launcher belongs to another MPI "
                  "than this program (" BUILD_MPI
                  "), or a container has another; give --launcher or "
                  "DLSBENCH_LAUNCHER",
        [PROCESSORS] = "the Slurm job has fewer processors than workers: ask "
                       "for a whole node (--exclusive), or give "
                       "--oversubscribe",
        [START] = "srun cannot start MPI in this way: take one of srun "
                  "--mpi=list, by --launcher or DLSBENCH_LAUNCHER",
        [SLOTS] = "Open MPI counts fewer cores than ranks: give --launcher "
                  "with --oversubscribe, or ask for fewer ranks",
        [ROOT] = "Open MPI does not start ranks as root: give --launcher with "
                 "--allow-run-as-root",
        [PROXY] = "the launcher needs its hydra_pmi_proxy in its own folder: "
                  "give --launcher the real mpiexec, not a link to it",
        [PROGRAM] = "the program cannot be started on a host: its path and its "
                    "libraries must also exist there"};
    char number[48];
    switch (kind) {
    case SPACE:
        number[0] = '\0';
        if (few_memory(ranks))
            snprintf(number, sizeof(number), " (%.3g MB are free)",
                     shared_memory());
        snprintf(text, size,
                 "/dev/shm is too small for MPI%s: give it %.0f MB (docker run "
                 "--shm-size, mount -o remount,size=...)",
                 number, SHM_MB + SHM_RANK_MB * ranks);
        break;
    case FILES:
        name_limit(RLIMIT_NOFILE, "", 1, number, sizeof(number));
        snprintf(text, size,
                 "too few files may be open for MPI: raise ulimit -n (%s here)",
                 number);
        break;
    case PROCESSES:
        name_limit(RLIMIT_NPROC, "", 1, number, sizeof(number));
        snprintf(text, size,
                 "too few processes or threads may be started: raise ulimit -u "
                 "(%s here) or the pids limit of the control group or "
                 "container",
                 number);
        break;
    default:
        snprintf(text, size, "%s", words[kind]);
    }
}

void cause_words(const struct cause *cause, const char *said, bool ours,
                 int ranks, char *text, size_t size)
{
    enum kind kind = cause->sign != NULL ? cause->sign->kind : SPACE;
    char words[320];
    text[0] = '\0';
    /* A launcher without a free file prints nothing at all. */
    if (cause->sign == NULL && (said[0] != '\0' || !few_files(ranks)))
        return;
    if ((ours && kind != ALONE) || !settle_kind(&kind, ranks))
        return;
    describe_kind(kind, ranks, words, sizeof(words));
    const char *line = cause->sign != NULL ? cause->line : said;
    snprintf(text, size, "%s%s%s", words, line[0] != '\0' ? ": " : "", line);
}
