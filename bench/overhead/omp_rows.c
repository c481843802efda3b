/* What libdls-omp.so costs a program of gcc's: a small one runs plainly and
 * with the library in front of its runtime, in turns. */
#include "base/text.h"
#include "bench/overhead/contest.h"
#include "bench/overhead/overhead.h"

#include "base/scratch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum figure { CHUNK_NS, WORK_S, VISIT_NS, REGION_NS, FIGURES };

/* A way to run it, and what of it is compared with the plain run. */
struct way {
    const char *name, *variables;
    enum figure figure;
    double chunks; /* for each of the plain run's */
    double aim, aim_ns;
};

#define LOADED "LD_PRELOAD=" BUILD_OMP " "

static const struct way ways[] = {
    {"loaded, idle: chunks of 2 us", LOADED, WORK_S, 1, 1.01, 0},
    {"measuring: chunks of 2 us", LOADED "DLS_OMP_COUNTERS=%s ", WORK_S, 1,
     1.02, 0},
    {"a chunk of ss", LOADED "DLS_SCHEDULE=ss ", CHUNK_NS, 1, 1.05, 0},
    {"a chunk of tss, by a table", LOADED "DLS_SCHEDULE=tss:first=2,last=1 ",
     CHUNK_NS, 2.0 / 3, 1.05, 0},
    {"an empty visit, ss", LOADED "DLS_SCHEDULE=ss ", VISIT_NS, 1, 0, 1000},
    {"an empty visit, measuring", LOADED "DLS_OMP_COUNTERS=%s ", VISIT_NS, 1, 0,
     1000},
    {"an empty region, measuring", LOADED "DLS_OMP_COUNTERS=%s ", REGION_NS, 1,
     0, 1000},
};

enum { WAYS = sizeof(ways) / sizeof(ways[0]) };

struct trial {
    const struct way *way;
    const char *folder;
    int threads, steps;
};

/* Runs a command; returns how many numbers it printed. */
static int read_figures(const char *command, double figure[FIGURES])
{
    FILE *pipe = popen(command, "r");
    int got = 0;
    while (pipe != NULL && got < FIGURES &&
           fscanf(pipe, "%lf", &figure[got]) == 1)
        got++;
    if (pipe != NULL)
        pclose(pipe);
    return got;
}

/* A figure of one run in ns; 0: it cannot be run. */
static double run(const struct trial *trial, const char *variables)
{
    char set[1024], command[2048];
    double figure[FIGURES];
    snprintf(set, sizeof(set), variables, trial->folder);
    snprintf(command, sizeof(command), "env OMP_SCHEDULE=dynamic,1 %s%s %d %d",
             set, BUILD_OMP_COSTS, trial->threads, trial->steps);
    if (read_figures(command, figure) != FIGURES)
        return 0;
    enum figure which = trial->way->figure;
    return figure[which] * (which == WORK_S ? 1e9 : 1);
}

static double run_plain(void *arg)
{
    return run(arg, "");
}

static double run_loaded(void *arg)
{
    const struct trial *trial = arg;
    return run(trial, trial->way->variables) / trial->way->chunks;
}

static void compare(FILE *out, struct launch_context *context,
                    const struct trial *trial)
{
    char how[24];
    snprintf(how, sizeof(how), "%d thread%s", trial->threads,
             text_s(trial->threads));
    const struct contest row = {.name = trial->way->name,
                                .how = how,
                                .ours = run_loaded,
                                .bare = run_plain,
                                .arg = (void *)(uintptr_t)trial,
                                .aim = trial->way->aim,
                                .aim_ns = trial->way->aim_ns};
    contest_run(out, context, &row, 1, NULL);
}

void overhead_omp(FILE *out, struct launch_context *context)
{
    struct scratch scratch;
    double steps[FIGURES];
    if (scratch_open(&scratch, 0, NULL) != 0 ||
        read_figures(BUILD_OMP_COSTS " 1 0", steps) != 1) {
        fprintf(out, "libdls-omp: %s cannot be run\n", BUILD_OMP_COSTS);
        return;
    }
    contest_head(out, "libdls-omp in front of libgomp, beside the plain "
                      "program under dynamic,1");
    for (int t = 1; t <= context->threads; t *= 2)
        for (int i = 0; i < WAYS; i++)
            compare(out, context,
                    &(struct trial){&ways[i], scratch.path, t, (int)steps[0]});
    scratch_close(&scratch);
}
