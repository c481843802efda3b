/* Runs a program with the preload library in front of its OpenMP runtime. */
#ifndef BENCH_PROGRAMS_SEEN_START_H
#define BENCH_PROGRAMS_SEEN_START_H

#include "base/error.h"
#include "bench/programs/seen/scheme_rules.h"
#include "bench/programs/static/code_tables.h"
#include "bench/programs/symbols/loaded.h"
#include "bench/programs/symbols/symbols.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Bytes that the folder of a run has to have room for. */
enum { START_ROOM = 4 << 20 };

struct start {
    char **words;       /* the program and its arguments, NULL ends them */
    const char *scheme; /* NULL: none, also not the environment's */
    const char *loops;  /* runtime, dynamic, static, checked, or
                           checked:NAMES (tables_ask) */
    const char *folder; /* of the counters */
    const char *output; /* file for its stdout, NULL: this process's; its
                           stdin is empty then */
    bool to_stderr;     /* its stdout goes there */
    bool records;       /* also the costs of iterations, in it */
    bool needs;         /* a program without the library is refused */
    struct rules rules; /* none: no file of them was given */
};

struct start_end {
    bool began; /* else the rest is not known */
    int status; /* as of waitpid */
    double seconds, tick_s;
    double cpu_s;   /* of the processors, by it and all that it began */
    uint64_t ticks; /* when it ended */
    pid_t pid;
    bool outlived; /* by processes that it began, which still run */
    struct loaded loaded;
};

/* Whether static loops are also changed. */
bool start_cuts(const char *loops);

/* The options for these loops, with a blank before each; none for the usual
 * ones. */
void start_print_option(FILE *out, const char *loops);

/* The file of libdls-omp.so for these loops, for a command that is printed; its
 * name where it is not found. */
const char *start_library_text(const char *loops, char *path, size_t size);

/* What LD_PRELOAD is for such a run; what it was stays behind it.  `folder`:
 * one that lasts as long as the run.  Returns 0 or -errno. */
int start_preload(const char *folder, const char *loops, char *preload,
                  size_t size, struct error *err);

/* Where static loops are changed: reads the program and its libraries (`path`),
 * and says it by the environment.  Returns 0 or -errno. */
int start_read(const char *folder, const char *loops, const char *path,
               struct code_tables *tables, struct error *err);

/* Whether the program can be run; `path` becomes its file.  Returns 0 or -errno
 * with a text. */
int start_check(const struct start *start, char *path, size_t size,
                struct error *err);

/* Runs it to its end, and answers its questions about lines of the source.
 * It passes on the signals that this process gets.  Returns 0 or -errno. */
int start_run(const struct start *start, const char *path,
              struct symbols *symbols, struct start_end *end,
              struct error *err);

/* Ends this process as the program has ended, by the same signal. */
int start_pass_on(int status);

#endif
