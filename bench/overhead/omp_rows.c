/* The cost of libdls-omp.so for a program compiled by gcc: a small one runs
 * alternately without and with the library. */
#include "base/text.h"
#include "bench/overhead/contest.h"
#include "bench/overhead/overhead.h"

#include "base/folder.h"
#include "bench/programs/static/code_tables.h"
#include "dls/omp/omp_counters.h"
#include "harness/process/need.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* As omp-costs numbers them. */
enum figure {
    CHUNK_NS,
    WORK_S,
    VISIT_NS,
    REGION_NS,
    STATIC_S,
    SAME_S,
    SMALL_S
};

/* A variant: how to run it, and which number is compared with the plain run. */
struct variant {
    const char *name, *variables;
    enum figure figure;
    double chunks; /* for each of the plain run's */
    double aim, aim_ns;
};

#define LOADED "LD_PRELOAD=" BUILD_OMP " "
#define MEASURING LOADED "DLS_OMP_COUNTERS=%s "
/* The blocks of a static loop are as long as these chunks. */
#define SAME LOADED "DLS_SCHEDULE=css:chunk=11 "
#define CUT                                                                    \
    "LD_PRELOAD=" BUILD_OMP_STATIC " " COUNTERS_LOOPS "=static "               \
    "DLS_SCHEDULE=ss "

static const struct variant variants[] = {
    {"loaded, idle: chunks of 2 us", LOADED, WORK_S, 1, 1.01, 0},
    {"measuring: chunks of 2 us", MEASURING, WORK_S, 1, 1.02, 0},
    {"a chunk of ss", LOADED "DLS_SCHEDULE=ss ", CHUNK_NS, 1, 1.05, 0},
    {"a chunk of tss, by a table", LOADED "DLS_SCHEDULE=tss:first=2,last=1 ",
     CHUNK_NS, 2.0 / 3, 1.05, 0},
    {"an empty visit, ss", LOADED "DLS_SCHEDULE=ss ", VISIT_NS, 1, 0, 1000},
    {"an empty visit, measuring", MEASURING, VISIT_NS, 1, 0, 1000},
    {"an empty region, measuring", MEASURING, REGION_NS, 1, 0, 1000},
    {"100,000 regions of 2 us, measuring", MEASURING, SMALL_S, 1, 1.05, 0},
    {"a static loop in units of 22 us", CUT, STATIC_S, 1, 1.02, 0},
};

enum { VARIANTS = sizeof(variants) / sizeof(variants[0]) };

struct trial {
    const struct variant *variant;
    const char *folder;
    int threads, steps;
};

/* The number that a command prints; 0: none. */
static double read_figure(const char *command)
{
    FILE *pipe = popen(command, "r");
    double figure = 0;
    if (pipe == NULL || fscanf(pipe, "%lf", &figure) != 1)
        figure = 0;
    if (pipe != NULL)
        pclose(pipe);
    return figure;
}

/* A figure of one run in ns; 0: it cannot be run. */
static double run_program(const struct trial *trial, const char *variables,
                          enum figure figure)
{
    char *set = need_text(variables, trial->folder);
    char *command =
        need_text("env OMP_SCHEDULE=dynamic,1 %s%s %d %d %d", set,
                  BUILD_OMP_COSTS, trial->threads, trial->steps, (int)figure);
    double found = read_figure(command);
    free(command);
    free(set);
    return found * (figure == WORK_S || figure >= STATIC_S ? 1e9 : 1);
}

/* A static loop is compared with a loop with a schedule under the same
 * scheme. */
static double run_plain(void *arg)
{
    const struct trial *trial = arg;
    return trial->variant->figure == STATIC_S
               ? run_program(arg, SAME, SAME_S)
               : run_program(arg, "", trial->variant->figure);
}

static double run_loaded(void *arg)
{
    const struct trial *trial = arg;
    return run_program(trial, trial->variant->variables,
                       trial->variant->figure) /
           trial->variant->chunks;
}

static void compare_libraries(FILE *out, struct launch_context *context,
                              const struct trial *trial)
{
    char how[24];
    snprintf(how, sizeof(how), "%d thread%s", trial->threads,
             text_s(trial->threads));
    const struct contest row = {.name = trial->variant->name,
                                .how = how,
                                .ours = run_loaded,
                                .bare = run_plain,
                                .arg = (void *)(uintptr_t)trial,
                                .aim = trial->variant->aim,
                                .aim_ns = trial->variant->aim_ns};
    contest_run(out, context, &row, 1, NULL);
}

void overhead_omp(FILE *out, struct launch_context *context)
{
    struct scratch scratch;
    struct code_tables tables;
    struct error err;
    int steps = (int)read_figure(BUILD_OMP_COSTS " 1 0 0");
    if (steps == 0 || scratch_open(&scratch, 0, NULL) != 0) {
        fprintf(out, "libdls-omp: %s cannot be run\n", BUILD_OMP_COSTS);
        return;
    }
    bool reads = tables_open(&tables, scratch.path, &err) == 0;
    if (reads) {
        tables_add(&tables, BUILD_OMP_COSTS);
        tables_tell(&tables);
    }
    contest_head(out, "libdls-omp in front of libgomp, beside the plain "
                      "program under dynamic,1");
    for (int t = 1; t <= context->threads; t *= 2)
        for (int i = 0; i < VARIANTS; i++)
            if (reads || variants[i].figure != STATIC_S)
                compare_libraries(
                    out, context,
                    &(struct trial){&variants[i], scratch.path, t, steps});
    scratch_close(&scratch);
}
