/* Victims: the units that a thief tries, and their order.  It tries all others
 * in random order, or near ones first: units on its cache, its socket, its
 * node, then the rest.  Equally near ones come in random order, from a seed.
 *
 * Pure arithmetic.  The units are the threads of a rank, or ranks by the site
 * of their first worker. */
#ifndef HARNESS_TRANSPORT_STEAL_VICTIMS_H
#define HARNESS_TRANSPORT_STEAL_VICTIMS_H

#include "harness/transport/transport.h"

#include <stdbool.h>
#include <stdint.h>

/* Units sorted by site, so that near ones are adjacent. */
struct nearness {
    int count;
    struct site *site; /* in sorted order */
    int *order;        /* the units in sorted order */
    int *place;        /* position of each unit in `order` */
};

/* site: of each unit; NULL: all are equally near.  Returns 0 or -ENOMEM. */
int nearness_open(struct nearness *nearness, const struct site *site,
                  int count);
void nearness_close(struct nearness *nearness);

enum { VICTIM_TIERS = 4 }; /* cache, socket, node, others */

/* The victims of one thief.  Tier k has the units within [from, to) of tier k
 * that are not in the tiers before. */
struct victims {
    const struct nearness *nearness;
    int self; /* the thief's position in `order` */
    int tiers;
    struct {
        int from, to;
    } tier[VICTIM_TIERS];
};

/* near: in tiers; otherwise all others are one tier. nearness stays the
 * caller's; without sites there is one tier. */
void victims_open(struct victims *victims, const struct nearness *nearness,
                  int self, bool near);

/* One round of a thief; set all members 0 to begin. */
struct victims_round {
    int tier, tried;
    int first; /* the first position in the tier */
};

/* The next unit to try, -1: the round is over.  Tries each unit of a tier once
 * if there are at most `most`, otherwise `most` random ones. */
int victims_next(const struct victims *victims, struct victims_round *round,
                 int most, uint64_t *random);

#endif
