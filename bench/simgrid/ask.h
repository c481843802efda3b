/* Questions about a platform that ranks under smpirun answer from SimGrid. */
#ifndef BENCH_SIMGRID_ASK_H
#define BENCH_SIMGRID_ASK_H

#include "bench/simgrid/simulate.h"

#include <stdio.h>

enum { ASK_FLAGS = 11 };

/* The flags of every smpirun, including launches. */
extern const char *const ask_flags[ASK_FLAGS];

/* Starts the ranks on the platform in `file`, the given one or a part of it;
 * they print the answer: read it, and pclose. hosts: from ask_hostfile, "":
 * SimGrid's first host.  NULL: smpirun cannot be started. */
FILE *ask_ranks(const struct simulate *simulate,
                const struct simulate_platform *platform, const char *file,
                int ranks, const char *hosts, const char *question);

/* Stores in text[size], empty before, the first line of the answer that reports
 * an error of the platform. */
void ask_keep_complaint(const char *line, char *text, size_t size);

/* An unnamed file with this text for smpirun, which does not take a path with
 * blanks.  Returns its descriptor or -errno with a text; close() it when
 * smpirun has ended. */
int ask_open(const char *text, size_t length, struct error *err);

/* The path by which smpirun opens it. */
void ask_path(int file, char *path, size_t size);

/* The option for a file of host names, one per line. smpirun's own option would
 * read "name:2" as two processes. */
void ask_hostfile(int file, char *option, size_t size);

#endif
