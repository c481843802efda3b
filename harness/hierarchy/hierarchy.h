/* The levels of masters below the supermaster, as written in a cell:
 * `flat`; `16` = 16 masters; `4x16` = 4 masters with 16 sub-masters each;
 * `node` as last level = one pool per rank shared by its threads. */
#ifndef HARNESS_HIERARCHY_HIERARCHY_H
#define HARNESS_HIERARCHY_HIERARCHY_H

#include "base/error.h"

#include <stdbool.h>

enum { HIERARCHY_LEVELS_MAX = 8 };

struct hierarchy {
    int levels;                    /* 0: flat (apart from node) */
    int fan[HIERARCHY_LEVELS_MAX]; /* masters below each master above */
    bool node;                     /* a pool in every rank at the bottom */
};

/* Returns 0, or -EINVAL with a text that lists what is allowed. */
int hierarchy_parse(const char *text, struct hierarchy *out, struct error *err);

/* The canonical text, e.g. "2xnode". */
void hierarchy_format(const struct hierarchy *h, char *text, int size);

/* Masters on the lowest numbered level (product of the fans, 1 when flat). */
long hierarchy_leaves(const struct hierarchy *h);

/* All masters, with the supermaster, without node pools. */
long hierarchy_masters(const struct hierarchy *h);

#endif
