/* Which static loops of a program's files may be cut, for the preload library:
 * a table for each file, by its build id (dls/omp/omp_counters.h).  They stay
 * in the cache folder, so that a file is read once; where there is none they
 * are in the run's own folder. */
#ifndef BENCH_PROGRAMS_STATIC_CODE_TABLES_H
#define BENCH_PROGRAMS_STATIC_CODE_TABLES_H

#include "base/error.h"
#include "bench/programs/symbols/symbols.h"

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

struct code_tables {
    char stamp[48]; /* of this program: another one reads anew */
    char folder[PATH_MAX + 16];
    struct asked *asked; /* NULL: none of them */
};

/* The word of regions that only a critical section outside of their loop is
 * known against. */
#define TABLES_CRITICAL "critical"

/* What a region's word means, to print behind it. */
const char *tables_reason(const char *word);

/* `folder`: the run's own.  -ENOTSUP: this program reads no machine code. */
int tables_open(struct code_tables *tables, const char *folder,
                struct error *err);

/* Regions with that word and these names, or in functions of these names
 * (between commas), get class C, in tables of the run's own folder.  Their
 * critical section runs once for each block: right where it adds up partial
 * sums, wrong where it counts threads. */
void tables_ask(struct code_tables *tables, const char *folder,
                const char *names);
/* Whether each name is that of such a region in the files that were read.
 * `all_read`: a run has told what else is loaded; before that only names that
 * share file, module or function with a region can be wrong.  Returns 0 or
 * -EINVAL. */
int tables_check(const struct code_tables *tables, bool all_read,
                 struct error *err);
void tables_close(struct code_tables *tables);

/* Such a name: "file:line", else "module+offset". */
enum { TABLES_NAME = 400 };
void tables_name(const struct symbols_place *place, const char *path,
                 uint64_t at, char name[TABLES_NAME]);

/* For a program's file with all libraries that it loads at its begin.  An
 * unreadable file gets no table. */
void tables_add_program(const struct code_tables *tables, const char *path);

/* For one file; true: it was read just now. */
bool tables_add(const struct code_tables *tables, const char *path);

/* The class of the region whose function begins there; 0: it is in no table, or
 * the file has more bytes than `most` and was not read before. */
char tables_class(const struct code_tables *tables, const char *path,
                  uint64_t function, int64_t most);

/* Tells the library where they are, by the environment. */
void tables_tell(const struct code_tables *tables);

#endif
