/* Victims: the units that a thief tries, and their order.  It tries all others
 * equally (random), or near ones before far ones: those that share its cache,
 * its socket, its node, then the rest.  Among equally near ones the order is
 * random, from a seed.
 *
 * Pure arithmetic.  The units are the threads of a rank, or ranks, by where
 * their first worker is. */
#ifndef HARNESS_TRANSPORT_STEAL_VICTIMS_H
#define HARNESS_TRANSPORT_STEAL_VICTIMS_H

#include "harness/transport/transport.h"

#include <stdbool.h>
#include <stdint.h>

/* Units sorted by place: near ones are next to each other. */
struct nearness {
    int count;
    struct site *site; /* in sorted order */
    int *order;        /* the units in it */
    int *place;        /* of each unit in it */
};

/* site: of each unit; NULL: all are equally near.  Returns 0 or -ENOMEM. */
int nearness_open(struct nearness *nearness, const struct site *site,
                  int count);
void nearness_close(struct nearness *nearness);

enum { VICTIM_TIERS = 4 }; /* cache, socket, node, others */

/* The others as one thief sees them.  Tier k are those within [from, to) of
 * tier k but not of the one before. */
struct victims {
    const struct nearness *nearness;
    int self; /* place of the thief */
    int tiers;
    struct {
        int from, to;
    } tier[VICTIM_TIERS];
};

/* near: in tiers, else all others are one tier.  nearness stays the caller's,
 * where it was opened with sites. */
void victims_open(struct victims *victims, const struct nearness *nearness,
                  int self, bool near);

/* One round of a thief; zeroed it begins. */
struct victims_round {
    int tier, tried;
    int first; /* of the tier */
};

/* The next unit to try, -1: the round is over.  Each of a tier once when they
 * are at most `most`, else `most` drawn from it. */
int victims_next(const struct victims *victims, struct victims_round *round,
                 int most, uint64_t *random);

#endif
