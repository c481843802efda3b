/* How an OpenMP loop's chunks are handed out: by a scheme, by work stealing in
 * the team, or (static loops) in blocks, the last one first. */
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

/* Parses `steal`, `steal:chunk=k`, `last-first` or a scheme.  It refuses by
 * name the schemes that need more than a single process knows.  Returns 0 or
 * -EINVAL. */
int strategy_parse(const char *text, struct strategy *strategy,
                   struct error *err);

/* Whether it uses the costs of iterations, which its caller has to measure. */
bool strategy_by_cost(const struct strategy *strategy);

/* Whether chunks are handed out in the order of the loop, as OpenMP's dynamic
 * and guided do: programs may rely on it. */
bool strategy_keeps_order(const struct strategy *strategy);

/* A strategy by cost takes loops of at most so many iterations. */
enum { STRATEGY_COSTS_MAX = 1 << 22 };

/* Whether a strategy takes a loop of so many iterations (at least 1) and
 * threads.  Returns 0 or -errno with the scheme's reason. */
int strategy_check(const struct strategy *strategy, int64_t iterations,
                   int threads, struct error *err);

/* Called for each rule; `where` is file:line:column.  Returns 0 or -errno with
 * a text, which stops the reading. */
typedef int strategy_rule_fn(void *arg, const char *name, const char *where,
                             struct error *err);

/* Parses all rules of a file (DLS_SCHEDULE=@file) and hands them to `take`.
 * Returns 0 or -errno with the file, line and column. */
int strategy_check_rules(const char *path, strategy_rule_fn *take, void *arg,
                         struct error *err);

#endif
