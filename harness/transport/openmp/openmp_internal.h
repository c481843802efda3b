/* The private parts of this folder's files. */
#ifndef HARNESS_TRANSPORT_OPENMP_OPENMP_INTERNAL_H
#define HARNESS_TRANSPORT_OPENMP_OPENMP_INTERNAL_H

#include "harness/transport/openmp/openmp.h"
#include "harness/transport/transport.h"

#include <stddef.h>

extern const struct transport_rules openmp_rules;

enum { OPENMP_ENTRIES = 16 };

struct openmp_runtime {
    const char *name;
    const char *package;        /* Debian's, for messages */
    const char *files[4];       /* tried in this order */
    const char *const *entries; /* names of the called functions; NULL ends the
                                   list */
    /* The variables by which a user sets how idle threads wait, and the one
     * that this program sets if none is set. */
    const char *waiting[3], *variable, *value;
    const char *mark; /* the text in the library before its OpenMP version */
    void (*fork)(const struct openmp *openmp, int threads,
                 void (*body)(int thread, void *arg), void *arg);
    /* Sets schedule(runtime) for the tasks of the next team. */
    void (*set_schedule)(const struct openmp *openmp, int kind, int chunk);
    /* A source's first next; replaces itself by the later one. */
    bool (*begin)(struct source *source, struct chunk *chunk);
};

struct openmp {
    const struct openmp_runtime *runtime;
    void *library;
    void (*entry[OPENMP_ENTRIES])(void); /* in the order of `entries` */
};

extern const struct openmp_runtime openmp_gomp, openmp_kmp;

static inline void openmp_chunk(struct chunk *chunk, int64_t from, int64_t to)
{
    *chunk = (struct chunk){.start = from, .size = to - from};
}

/* A source's next after the last chunk: returns false. */
bool openmp_over(struct source *source, struct chunk *chunk);

/* omp_set_schedule's bit for `monotonic:`. */
#define OPENMP_MONOTONIC ((int)0x80000000u)

#endif
