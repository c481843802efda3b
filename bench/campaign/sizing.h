/* Sizes by time: `strong` and `weak` instead of a number in a kernel's keys.
 *
 *     adjoint:size=strong             one node takes cell_time for the loop
 *     heat:rows=weak,cols=weak        as many nodes as the cell has take it
 *
 * A loop that is executed once for each time step takes cell_time each time.
 *
 * The campaign's key `speeds` gives the speed of a core: seconds per operation
 * of each kernel's cost model (`adjoint=2e-10,heat=6e-10`).  Results are
 * limited to 250 MB; such loops are shortened.  Sizes depend only on the text
 * of a campaign, so all shards and every resume have the same.  Cells store
 * numbers instead of the words. */
#ifndef BENCH_CAMPAIGN_SIZING_H
#define BENCH_CAMPAIGN_SIZING_H

#include "base/error.h"
#include "base/spec.h"
#include "harness/costs/calibration.h"

#include <stdbool.h>
#include <stddef.h>

enum { SIZING_SPEEDS_MAX = 512, SIZING_KEPT = 16 };

/* A size found for a time. */
struct sizing_found {
    char kernel[SPEC_CANONICAL_MAX];
    double seconds;
    int64_t size;
};

struct sizing {
    double cell_s; /* cell_time; 0: not given */
    int cores;     /* of a node */
    char speeds[SIZING_SPEEDS_MAX];
    struct sizing_found kept[SIZING_KEPT]; /* a cache: cells need few sizes */
    int found;
};

/* Whether a kernel's spec contains `strong` or `weak`. */
bool sizing_asked(const char *kernel);

/* Replaces the words by a number such that `workers` cores (weak), or those of
 * a node (strong), take cell_time without losses. -ENODATA: the speed of this
 * kernel is missing; -EINVAL. */
int sizing_resolve(struct sizing *sizing, const char *kernel, int64_t workers,
                   char out[SPEC_CANONICAL_MAX], struct error *err);

/* Replaces the words by any size, to check the rest of the spec. */
void sizing_any(const char *kernel, char out[SPEC_CANONICAL_MAX]);

/* Whether a text is a list of speeds of known kernels, each once.  Returns 0 or
 * -EINVAL. */
int sizing_speeds_check(const char *text, struct error *err);

/* The speeds measured by a calibration: of threads, otherwise of ranks. */
void sizing_speeds_make(const struct calibration *calibration,
                        char speeds[SIZING_SPEEDS_MAX]);

/* Words in the shapes of a campaign make it fit any machine. */

/* "1xcores" becomes "1x8"; a text that is no shape is copied. */
void words_put_cores(int cores, const char *field, const char *text, char *out,
                     size_t size);

/* Whether a layout depends on the number of nodes: "nodesx8" or "allx1". */
bool words_by_nodes(const char *field, const char *text);

/* Such a layout on so many nodes: "nodes" becomes their number, "all" that of
 * their cores. */
void words_put_nodes(int nodes, int cores, const char *text, char *out,
                     size_t size);

#endif
