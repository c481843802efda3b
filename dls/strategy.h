/* What hands out the chunks of an OpenMP loop: a scheme, work stealing between
 * the threads of the team, or the blocks of a static loop, the last one first.
 */
#ifndef DLS_STRATEGY_H
#define DLS_STRATEGY_H

#include "sched/schemes/scheme_registry.h"

struct strategy {
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
int strategy_parse(const char *text, struct strategy *strategy,
                   struct error *err);

/* Whether it counts with the costs of iterations, which whoever runs the loop
 * has to find. */
bool strategy_by_cost(const struct strategy *strategy);

/* Whether chunks are handed out in the order of the loop, as by OpenMP's
 * dynamic and guided: programs may rely on it. */
bool strategy_keeps_order(const struct strategy *strategy);

/* By cost, a loop has at most so many iterations. */
enum { STRATEGY_COSTS_MAX = 1 << 22 };

/* Whether a strategy takes a loop of so many iterations, at least 1, and
 * threads. Returns 0 or -errno with the scheme's reason. */
int strategy_check(const struct strategy *strategy, int64_t iterations,
                   int threads, struct error *err);

/* Takes a rule; `where` is file:line:column.  Returns 0 or -errno with a text,
 * which ends the reading. */
typedef int strategy_rule_fn(void *arg, const char *name, const char *where,
                             struct error *err);

/* Parses all rules of a file (DLS_SCHEDULE=@file) and hands them to `take`.
 * Returns 0 or -errno with the file, line and column. */
int strategy_check_rules(const char *path, strategy_rule_fn *take, void *arg,
                         struct error *err);

#endif
