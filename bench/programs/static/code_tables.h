/* For the preload library: a table for each of a program's files
 * (dls/omp/omp_counters.h), which says which static loops can be cut.  Tables
 * stay in the cache folder, by build id, so that a file is read only once.
 * Without a cache folder they are in the run's own folder. */
#ifndef BENCH_PROGRAMS_STATIC_CODE_TABLES_H
#define BENCH_PROGRAMS_STATIC_CODE_TABLES_H

#include "base/error.h"
#include "bench/programs/symbols/symbols.h"

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

struct code_tables {
    char stamp[48]; /* of this dlsbench: another version reads again */
    char folder[PATH_MAX + 16];
    struct asked *asked; /* the names of tables_ask; NULL: none */
};

/* The word of regions that are refused only because of a critical section
 * outside their loop. */
#define TABLES_CRITICAL "critical"

/* Explains a region's word, for printing after it. */
const char *tables_reason(const char *word);

/* `folder`: that of this run. -ENOTSUP: this build cannot read machine code. */
int tables_open(struct code_tables *tables, const char *folder,
                struct error *err);

/* Gives class C to regions with that word and one of these comma-separated
 * names of regions or functions, in tables of the run's own folder.  Their
 * critical section runs once per block: right for partial sums, wrong for
 * counting threads. */
void tables_ask(struct code_tables *tables, const char *folder,
                const char *names);
/* Whether each name belongs to such a region in the files read.  `all_read`: a
 * run has shown which other files are loaded; before, only names that share a
 * file, module or function with a region can be wrong.  Returns 0 or
 * -EINVAL. */
int tables_check(const struct code_tables *tables, bool all_read,
                 struct error *err);
void tables_close(struct code_tables *tables);

/* The name of a region: "file:line", else "module+offset". */
enum { TABLES_NAME = 400 };
void tables_name(const struct symbols_place *place, const char *path,
                 uint64_t at, char name[TABLES_NAME]);

/* Makes tables for a program's file and the libraries that it loads at its
 * start.  An unreadable file gets none. */
void tables_add_program(const struct code_tables *tables, const char *path);

/* Makes the table of one file; true: it was read in this call. */
bool tables_add(const struct code_tables *tables, const char *path);

/* The class of the region whose function begins there; 0: in no table, or the
 * file is new and larger than `most` bytes. */
char tables_class(const struct code_tables *tables, const char *path,
                  uint64_t function, int64_t most);

/* Sets the environment variable that tells the library where they are. */
void tables_tell(const struct code_tables *tables);

#endif
