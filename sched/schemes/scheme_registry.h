/* The schemes by name, made from sched/schemes/schemes.def. */
#ifndef SCHED_SCHEMES_SCHEME_REGISTRY_H
#define SCHED_SCHEMES_SCHEME_REGISTRY_H

#include "sched/sched.h"

/* All schemes in the order of schemes.def, NULL ends the list. */
extern const struct sched_ops *const sched_schemes[];

/* Finds the scheme that a spec names and parses its keys.  Unknown names are
 * an error that lists the schemes and the nearest.  An alias is recorded as
 * the scheme with its defaults and takes no keys.  Returns 0 or -EINVAL. */
int sched_parse(const char *text, const struct sched_ops **ops,
                struct spec *spec, struct error *err);

#endif
