/* What hands out the chunks of an OpenMP loop: a scheme, or work stealing
 * between the threads of the team. */
#ifndef DLS_WAY_H
#define DLS_WAY_H

#include "sched/schemes/registry.h"

struct way {
    char text[SPEC_CANONICAL_MAX]; /* canonical */
    bool steals;
    int64_t piece; /* stealing: iterations at a time */
    const struct sched_ops *ops;
    struct spec spec;
};

/* Parses `steal`, `steal:chunk=k` or a scheme.  Schemes that need what a single
 * process does not know are refused by name.  Returns 0 or -EINVAL. */
int way_parse(const char *text, struct way *way, struct error *err);

/* Parses the schemes of all rules in a file (DLS_SCHEDULE=@file).  Returns 0 or
 * -errno with the file, line and column. */
int way_check_rules(const char *path, struct error *err);

#endif
