/* Verification of one repetition, after its timed part. */
#ifndef HARNESS_PROBLEM_VERIFY_H
#define HARNESS_PROBLEM_VERIFY_H

#include "harness/messages/comm.h"
#include "harness/problem/loop.h"

/* Iterations whose output this rank has, and its memory (output or inbox). */
struct extent {
    char *memory;
    int64_t start, size;
};

struct verdict {
    bool good;
    int64_t wrong_iteration; /* the first wrong, missing or doubled, or -1 */
};

/* Collective.  Each rank compares its results with the reference.  Rank 0
 * learns whether every iteration exists exactly once and is right.  Returns 0
 * or -ENOMEM on all ranks. */
int verify_output(const struct loop *loop, const struct comm *comm,
                  const struct extent *extent, int64_t count,
                  struct verdict *verdict, struct error *err);

/* Collective, loops without output: sums the tallies of all workers. */
void verify_tally(const struct loop *loop, const struct comm *comm,
                  uint64_t tally[2], struct verdict *verdict);

/* Poisons the output of this rank, so that the next repetition cannot pass with
 * it. */
void verify_poison(const struct loop *loop, const struct extent *extent,
                   int64_t count);

#endif
