/* What hands out the chunks of an OpenMP loop: a scheme, work stealing between
 * the threads of the team, or the blocks of a static loop, the last one first.
 */
#ifndef DLS_WAY_H
#define DLS_WAY_H

#include "sched/schemes/scheme_registry.h"

struct way {
    char text[SPEC_CANONICAL_MAX]; /* canonical */
    bool steals;
    int64_t piece;   /* stealing: iterations at a time */
    bool last_first; /* `ops` are those of ss */
    const struct sched_ops *ops;
    struct spec spec;
};

/* Parses `steal`, `steal:chunk=k`, `last-first` or a scheme.  Schemes that need
 * what a single process does not know are refused by name.  Returns 0 or
 * -EINVAL. */
int way_parse(const char *text, struct way *way, struct error *err);

/* Whether it counts with the costs of iterations, which whoever runs the loop
 * has to find. */
bool way_by_cost(const struct way *way);

/* Whether chunks are handed out in the order of the loop, as by OpenMP's
 * dynamic and guided: programs may rely on it. */
bool way_keeps_order(const struct way *way);

/* By cost, a loop has at most so many iterations. */
enum { WAY_COSTS_MAX = 1 << 22 };

/* Whether a way takes a loop of so many iterations, at least 1, and threads.
 * Returns 0 or -errno with the scheme's reason. */
int way_check(const struct way *way, int64_t iterations, int threads,
              struct error *err);

/* Takes a rule; `where` is file:line:column.  Returns 0 or -errno with a text,
 * which ends the reading. */
typedef int way_rule_fn(void *arg, const char *name, const char *where,
                        struct error *err);

/* Parses all rules of a file (DLS_SCHEDULE=@file) and hands them to `take`.
 * Returns 0 or -errno with the file, line and column. */
int way_check_rules(const char *path, way_rule_fn *take, void *arg,
                    struct error *err);

#endif
