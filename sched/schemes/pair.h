/* Two schemes in one loop: the first cuts it for the masters below the
 * supermaster, the second cuts such a master's range for its workers or
 * sub-masters.
 *
 *     gss/static:   guided between the masters, equal blocks inside
 *
 * A text without a slash is one scheme for all levels, as in Han and
 * Chronopoulos: the supermaster sizes each worker's chunk, and the masters
 * between only pass chunks on. */
#ifndef SCHED_SCHEMES_PAIR_H
#define SCHED_SCHEMES_PAIR_H

#include "sched/sched.h"
#include "sched/schemes/scheme_registry.h"

struct sched_pair {
    const struct sched_ops *outer, *inner; /* inner NULL: one scheme */
    struct spec outer_spec, inner_spec;
    char canonical[SPEC_CANONICAL_MAX];
};

/* Parses `scheme` or `outer/inner`, each as sched_parse does.  Schemes that
 * count with available powers cannot be one of two.
 * Returns 0 or -EINVAL with a text that names the half it is about. */
int sched_pair_parse(const char *text, struct sched_pair *pair,
                     struct error *err);

/* sched_parse for schemes that are found in another way. */
typedef int sched_parse_fn(const void *arg, const char *text,
                           const struct sched_ops **ops, struct spec *spec,
                           struct error *err);
int sched_pair_parse_by(sched_parse_fn *parse, const void *arg,
                        const char *text, struct sched_pair *pair,
                        struct error *err);

/* Whether one of the two learns from the times of chunks. */
bool sched_pair_learns(const struct sched_pair *pair);

#endif
