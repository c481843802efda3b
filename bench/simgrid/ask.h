/* Questions that ranks under smpirun answer: what SimGrid makes of a
 * platform. */
#ifndef BENCH_SIMGRID_ASK_H
#define BENCH_SIMGRID_ASK_H

#include "bench/simgrid/simulate.h"

#include <stdio.h>

enum { ASK_FLAGS = 11 };

/* The flags of every smpirun, also of launches. */
extern const char *const ask_flags[ASK_FLAGS];

/* Starts the ranks on the platform in `file`, the whole or a part of the one
 * given; they print the answer, to be read and closed by pclose.  hosts: of
 * ask_hostfile, "": SimGrid's first host.  NULL: smpirun cannot be started. */
FILE *ask_ranks(const struct simulate *simulate,
                const struct simulate_platform *platform, const char *file,
                int ranks, const char *hosts, const char *question);

/* Keeps in text[size], empty at first, the first line of the answer that
 * reports an error of the platform. */
void ask_keep_complaint(const char *line, char *text, size_t size);

/* A file without a name that has this text, for smpirun, which takes no path
 * with blanks.  Returns its descriptor or -errno with a text; close() it when
 * smpirun has ended. */
int ask_open(const char *text, size_t length, struct error *err);

/* Where smpirun finds it. */
void ask_path(int file, char *path, size_t size);

/* The option for a file of host names, a line each.  smpirun's own one would
 * take "name:2" for two processes. */
void ask_hostfile(int file, char *option, size_t size);

#endif
