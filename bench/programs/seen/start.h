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

/* Bytes that must be free for the folder of a run. */
enum { START_ROOM = 4 << 20 };

struct start {
    char **words;       /* the program and its arguments, NULL ends them */
    const char *scheme; /* NULL: none, and the environment's is ignored */
    const char *loops;  /* runtime, dynamic, static, checked, or
                           checked:NAMES (tables_ask) */
    const char *folder; /* of the counters */
    const char *output; /* file for its stdout (then its stdin is empty), NULL:
                           this process's */
    bool to_stderr;     /* its stdout goes to stderr */
    bool records;       /* also records the costs of iterations in `folder` */
    bool needs;         /* refuses a program that cannot load the library */
    struct rules rules; /* empty: no file of rules was given */
};

struct start_end {
    bool began; /* if false, the rest is unknown */
    int status; /* from waitpid */
    double seconds, tick_s;
    double cpu_s;   /* processor time of it and its children */
    uint64_t ticks; /* when it ended */
    pid_t pid;
    bool outlived; /* processes that it began still run */
    struct loaded loaded;
};

/* Whether static loops are also changed. */
bool start_cuts(const char *loops);

/* Prints the options for these loops, each after a blank; none if they are the
 * default. */
void start_print_option(FILE *out, const char *loops);

/* The path of libdls-omp.so for these loops, to print in a command; only its
 * name if not found. */
const char *start_library_text(const char *loops, char *path, size_t size);

/* The value of LD_PRELOAD for such a run; earlier entries follow.  `folder`
 * must exist as long as the run.  Returns 0 or -errno. */
int start_preload(const char *folder, const char *loops, char *preload,
                  size_t size, struct error *err);

/* If static loops are changed: reads the program and its libraries (`path`),
 * and sets the environment for it.  Returns 0 or -errno. */
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

/* Ends this process like the program, by the same signal. */
int start_pass_on(int status);

#endif
