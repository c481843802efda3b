/* Perturbations: deliberate disturbances while a loop runs, to see which
 * schemes tolerate them.  A spec names one (`stop:worker=1,at=0.3,seconds=0.5`)
 * or several, joined by `+`; the table of harness/disturb/perturb.c has all
 * kinds.
 *
 * Pure: the spec, its seeds and the time since the loop's start determine when
 * a worker is held, natively and in simulation.  harness/disturb/hold.h holds
 * native workers, harness/repetition/sim/repetition_perturb.c simulated ones.
 */
#ifndef HARNESS_DISTURB_PERTURB_H
#define HARNESS_DISTURB_PERTURB_H

#include "base/error.h"
#include "base/spec.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    PERTURBS_MAX = 8, /* per cell; their bits fit into a byte */
    PERTURB_TEXT_MAX = 512,
};

struct perturb {
    const struct perturb_kind *kind;
    int first; /* first perturbed worker; -1: the seed chooses */
    int workers;
    double factor, period_s;   /* delay */
    double at_s;               /* for kinds that hold workers: the begin */
    double seconds;            /* of a stop; gone: infinite */
    double latency, bandwidth; /* network: factors */
    uint64_t seed;
};

/* All perturbations of a cell; count 0: none. */
struct perturbs {
    int count;
    struct perturb list[PERTURBS_MAX];
};

struct perturb_kind {
    const char *name, *summary;
    const struct spec_param *params;
    bool holds;  /* it holds workers; otherwise it slows messages */
    bool ever;   /* a held worker never continues by itself */
    bool steady; /* from its begin the worker is constantly `factor` times as
                    slow */
    /* When a worker may continue that is at `time_s` since the loop's start;
     * `phase_s` is the worker's. */
    double (*free_at)(const struct perturb *perturb, double phase_s,
                      double time_s);
    /* When a worker that is free at time_s is next held; INFINITY: never. */
    double (*held_at)(const struct perturb *perturb, double phase_s,
                      double time_s);
    /* When a worker finishes computing for `work_s` from time_s on, and how
     * often it is held meanwhile.  Computes at once what steps from held_at to
     * free_at would find. */
    double (*end)(const struct perturb *perturb, double phase_s, double time_s,
                  double work_s, int32_t *times);
};

/* All kinds, ended by NULL. */
extern const struct perturb_kind *const perturb_kinds[];

/* Reads a spec: `none`, or kinds joined by `+`.  Writes its canonical form,
 * independent of their order, to `canonical` (may be NULL).  Returns 0, or
 * -EINVAL with a text that lists the choices. */
int perturbs_parse(const char *text, struct perturbs *perturbs,
                   char canonical[PERTURB_TEXT_MAX], struct error *err);

/* One of them, which is not `none`; `canonical` as spec_parse writes it. */
int perturb_parse(const char *text, struct perturb *perturb,
                  char canonical[SPEC_CANONICAL_MAX], struct error *err);

/* Whether it also affects a measurement of the worker's power. */
static inline bool perturb_slows(const struct perturb *perturb)
{
    return perturb->kind->steady && perturb->at_s == 0;
}

/* Which of the workers [from, total) it holds: sets `bit` in their hit[w].  If
 * the spec names no worker, the seed chooses. */
void perturb_pick(const struct perturb *perturb, int from, int total,
                  uint8_t bit, uint8_t *hit);

/* A worker's offset in the period of its delays, s. */
double perturb_phase(const struct perturb *perturb, int worker);

/* Whether a perturbation holds workers for ever. */
bool perturbs_ever(const struct perturbs *perturbs);

/* ---- one worker; `hit` has a bit for each perturbation that holds it ---- */

enum held_by {
    HELD_NOT,       /* no perturbation holds this worker */
    HELD_BY_SELF,   /* it slept */
    HELD_BY_SIGNAL, /* its process was stopped */
    HELD_IN_TIME,   /* simulated */
};

/* The effect of one perturbation on one worker. */
struct perturb_toll {
    int32_t how; /* enum held_by */
    int32_t times;
    double from_s; /* begin of the first hold, since the loop's start */
    double lost_s; /* total; a gone worker: INFINITY until it returns */
};

/* Adds the effect of `times` holds from from_s on. */
void perturb_toll_add(struct perturb_toll *toll, int32_t times, double from_s,
                      double lost_s);

/* Which perturbation holds the worker at time_s, and until when (INFINITY: for
 * ever); -1: none. */
int perturbs_holder(const struct perturbs *perturbs, uint8_t hit, int worker,
                    double time_s, double *free_s);

/* When the worker finishes computing for work_s from time_s on (INFINITY:
 * never).  Adds the holds meanwhile to toll[], one for each perturbation. */
double perturbs_end(const struct perturbs *perturbs, uint8_t hit, int worker,
                    double time_s, double work_s, struct perturb_toll *toll);

#endif
