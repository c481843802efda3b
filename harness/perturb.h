/* Perturbations: what goes wrong on purpose while a loop runs, to see which
 * schemes stand it.  A spec names one (`stop:worker=1,at=0.3,seconds=0.5`);
 * the table of harness/perturb.c has them all.
 *
 * Pure: when a worker is held follows from the spec, its seed and the time
 * since the loop's start, natively and in simulation alike.  harness/hold.h
 * holds native workers, harness/sim/seat.c simulated ones. */
#ifndef HARNESS_PERTURB_H
#define HARNESS_PERTURB_H

#include "base/error.h"
#include "base/spec.h"

#include <stdbool.h>
#include <stdint.h>

struct perturb {
    const struct perturb_kind *kind; /* NULL: none */
    int first; /* of the perturbed workers; -1: the seed chooses */
    int workers;
    double factor, period_s;   /* delay */
    double at_s, seconds;      /* stop; gone: seconds are infinite */
    double latency, bandwidth; /* network: factors */
    uint64_t seed;
};

struct perturb_kind {
    const char *name, *summary;
    const struct spec_param *params;
    bool holds; /* workers; else it slows messages down */
    bool ever;  /* who is held never comes back by itself */
    /* When a worker that looks at `time_s` since the loop's start may go on;
     * `phase_s` is the worker's. */
    double (*free_at)(const struct perturb *perturb, double phase_s,
                      double time_s);
    /* When it is done that begins to compute for `work_s` at time_s. */
    double (*end)(const struct perturb *perturb, double phase_s, double time_s,
                  double work_s);
};

/* All of them; NULL ends the list. */
extern const struct perturb_kind *const perturb_kinds[];

/* Reads a spec, `none` or one of the kinds, and writes its canonical form to
 * `canonical` (may be NULL).  Returns 0 or -EINVAL with a text that lists what
 * is allowed. */
int perturb_parse(const char *text, struct perturb *perturb,
                  char canonical[SPEC_CANONICAL_MAX], struct error *err);

/* Which of the workers [from, total) it holds: sets hit[w] for all below
 * total.  Without a worker in the spec the seed chooses. */
void perturb_pick(const struct perturb *perturb, int from, int total,
                  bool *hit);

/* Where a worker begins in the period of its delays, s. */
double perturb_phase(const struct perturb *perturb, int worker);

#endif
