/* Answers the preload library's questions about source lines.  Also receives
 * its counters if it cannot write files: the disk is full, or the folder
 * belongs to another user or is outside its mount namespace. */
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
    int listening[2];    /* there, and by an abstract name outside it; -1 */
};

/* The caller sets the first three members.  Returns 0 or -errno. */
int lookup_open(struct lookup *lookup, struct error *err);
void lookup_close(struct lookup *lookup);

/* Answers one question at the i-th socket. */
void lookup_answer(const struct lookup *lookup, int i);

#endif
