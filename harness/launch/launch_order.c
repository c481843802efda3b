#include "harness/launch/launch_internal.h"

#include "harness/process/need.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double BLOCK_S = 120;

static bool same_kernel(const struct cell *a, const struct cell *b)
{
    return strcmp(a->kernel, b->kernel) == 0;
}

void launch_gather(const struct cell *cells, int *order, int count)
{
    int *mixed = need_zeroed((size_t)count + 1, sizeof(*mixed)), placed = 0;
    memcpy(mixed, order, (size_t)count * sizeof(*mixed));
    for (int i = 0; i < count; i++) {
        const int first = mixed[i];
        for (int j = i; j < count && first >= 0; j++) {
            if (mixed[j] < 0 || !same_kernel(&cells[first], &cells[mixed[j]]))
                continue;
            order[placed++] = mixed[j];
            mixed[j] = -1;
        }
    }
    free(mixed);
}

int launch_block(const struct cell *cells, const int *order, int from,
                 int count, double cell_seconds)
{
    double room = fmin(floor(BLOCK_S / cell_seconds), LAUNCH_BLOCK_MOST);
    int most = (int)fmax(room, LAUNCH_BLOCK_LEAST), taken = 0;
    while (from + taken < count && taken < most) {
        int first = from + taken, alike = 1; /* cells of one kernel */
        while (first + alike < count &&
               same_kernel(&cells[order[first]], &cells[order[first + alike]]))
            alike++;
        if (taken >= LAUNCH_BLOCK_LEAST && taken + alike > most)
            break;
        taken = taken + alike < most ? taken + alike : most;
    }
    return taken;
}
