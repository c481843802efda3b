/* Questions of the preload library about lines of the source, and counters that
 * it hands over where it cannot write its files: where the disk is full, and
 * where the folder is another user's, or not in its mount namespace. */
#ifndef BENCH_PROGRAMS_SEEN_LOOKUP_H
#define BENCH_PROGRAMS_SEEN_LOOKUP_H

#include "bench/programs/seen/scheme_rules.h"

#include <limits.h>
#include <sys/types.h>

struct lookup {
    const char *folder;
    const struct rules *rules;
    struct symbols *symbols;
    pid_t program;

    char path[PATH_MAX]; /* of the socket in the folder */
    int listening[2]; /* there, and by name for those who do not see it; -1 */
};

/* The first three are set.  Returns 0 or -errno. */
int lookup_open(struct lookup *lookup, struct error *err);
void lookup_close(struct lookup *lookup);

/* One question at the i-th socket. */
void lookup_answer(const struct lookup *lookup, int i);

#endif
