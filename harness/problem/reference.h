/* References: the checksums that every run of a loop must reproduce. */
#ifndef HARNESS_PROBLEM_REFERENCE_H
#define HARNESS_PROBLEM_REFERENCE_H

#include "harness/problem/loop.h"

/* Fills a loop's checksum, known and sampled; the loop needs an instance.
 * took_s is measured, estimated or from the cache.  Computes the checksums
 * serially, or reads them from the cache; stores a full reference there.  An
 * unusable cache is not an error.  Returns 0 or -ENOMEM. */
int reference_make(struct loop *loop, const struct spec *spec,
                   double verify_limit, uint64_t seed, double *took_s,
                   struct error *err);

#endif
