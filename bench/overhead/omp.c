/* What libdls-omp.so costs a program of gcc's: a small one runs plainly and
 * with the library in front of its runtime, in turns. */
#include "bench/overhead/overhead.h"

#include "base/stats.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TURNS = 7 };

enum figure { CHUNK_NS, WORK_S, VISIT_NS, FIGURES };

/* A way to run it, and what of it is compared with the plain run. */
struct way_row {
    const char *name, *variables;
    enum figure figure;
    double chunks; /* for each of the plain run's */
    double limit;  /* of the ratio, or of the ns more */
    bool more;
};

#define LOADED "LD_PRELOAD=" BUILD_OMP " "

static const struct way_row rows[] = {
    {"loaded, idle: chunks of 2 us", LOADED, WORK_S, 1, 1.01, false},
    {"measuring: chunks of 2 us", LOADED "DLS_OMP_COUNTERS=%s ", WORK_S, 1,
     1.02, false},
    {"a chunk of ss", LOADED "DLS_SCHEDULE=ss ", CHUNK_NS, 1, 1.05, false},
    {"a chunk of tss, by a table", LOADED "DLS_SCHEDULE=tss:first=2,last=1 ",
     CHUNK_NS, 2.0 / 3, 1.05, false},
    {"an empty visit, ss", LOADED "DLS_SCHEDULE=ss ", VISIT_NS, 1, 1000, true},
    {"an empty visit, measuring", LOADED "DLS_OMP_COUNTERS=%s ", VISIT_NS, 1,
     1000, true},
};

enum { ROWS = sizeof(rows) / sizeof(rows[0]) };

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

static bool run(const char *variables, const char *folder, int threads,
                int steps, double figure[FIGURES])
{
    char set[1024], command[2048];
    snprintf(set, sizeof(set), variables, folder);
    snprintf(command, sizeof(command), "env OMP_SCHEDULE=dynamic,1 %s%s %d %d",
             set, BUILD_OMP_COSTS, threads, steps);
    return read_figures(command, figure) == FIGURES;
}

/* In turns with the plain program; within the limit in the middle of them. */
static void print_row(FILE *out, const struct way_row *row, const char *folder,
                      int threads, int steps)
{
    double plain[TURNS], ours[TURNS], compared[TURNS];
    for (int turn = 0; turn < TURNS; turn++) {
        double first[FIGURES], second[FIGURES];
        if (!run("", folder, threads, steps, first) ||
            !run(row->variables, folder, threads, steps, second)) {
            fprintf(out, "  %-30s %7d cannot be run\n", row->name, threads);
            return;
        }
        plain[turn] = first[row->figure];
        ours[turn] = second[row->figure] / row->chunks;
        compared[turn] =
            row->more ? ours[turn] - plain[turn] : ours[turn] / plain[turn];
    }
    double middle = stats_middle(compared, TURNS);
    double scale = row->figure == WORK_S ? 1e3 : 1;
    fprintf(out, "  %-30s %7d %8.1f %8.1f %8.2f %8.2f %s\n", row->name, threads,
            stats_middle(plain, TURNS) * scale,
            stats_middle(ours, TURNS) * scale, middle, row->limit,
            middle <= row->limit ? "met" : "MISSED");
}

void overhead_omp(FILE *out, int threads)
{
    struct scratch scratch;
    double steps[FIGURES];
    if (scratch_open(&scratch, 0, NULL) != 0 ||
        read_figures(BUILD_OMP_COSTS " 1 0", steps) != 1) {
        fprintf(out, "libdls-omp: %s cannot be run\n\n", BUILD_OMP_COSTS);
        return;
    }
    fprintf(out, "libdls-omp in front of libgomp: ns for chunks and visits, ms "
                 "for loops,\nratio to the plain program under dynamic,1, or "
                 "ns more\n");
    fprintf(out, "  %-30s %7s %8s %8s %8s %8s\n", "", "threads", "plain",
            "ours", "compared", "limit");
    for (int t = 1; t <= threads; t *= 2)
        for (int i = 0; i < ROWS; i++)
            print_row(out, &rows[i], scratch.path, t, (int)steps[0]);
    scratch_close(&scratch);
    fprintf(out, "\n");
}
