/* Random cells for tests of masters. */
#ifndef HARNESS_TRANSPORT_MASTER_CELLS_TESTING_H
#define HARNESS_TRANSPORT_MASTER_CELLS_TESTING_H

#include "harness/check/setup.h"
#include "harness/hierarchy/hierarchy.h"
#include "harness/testing.h"

#include <string.h>

/* A cell under this transport that passes the checks. */
static inline void random_cell(struct cell *cell, const char *transport,
                               int workers_max, uint64_t *seed)
{
    struct error err;
    do {
        struct hierarchy h = {.node = testing_random(seed) % 2};
        h.levels = (int)testing_between(seed, 0, 3);
        for (int i = 0; i < h.levels; i++)
            h.fan[i] = (int)testing_between(seed, 1, 4);
        cell_defaults(cell, testing_texts());
        cell->kernel = "null";
        cell->scheme = "ss";
        cell->transport = transport;
        char hierarchy[CELL_WORD_MAX];
        hierarchy_format(&h, hierarchy, sizeof(hierarchy));
        cell->hierarchy = cell_keep(cell, hierarchy);
        if (testing_random(seed) % 2)
            cell->master = "dedicated";
        cell->threads = (int)testing_between(seed, 1, 4);
        cell->ranks = (int)testing_between(seed, 1, 30);
        if (strcmp(transport, "shared") == 0) {
            cell->ranks = 1;
            /* Now and then more than are taken from a parent at once. */
            cell->threads = (int)testing_scale(seed, workers_max);
        }
    } while (cell_check(cell, &err) != 0);
}

#endif
