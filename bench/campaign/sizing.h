/* Sizes by time: `strong` and `weak` instead of a number in a kernel's keys.
 *
 *     adjoint:size=strong             one node takes cell_time for the loop
 *     heat:rows=weak,cols=weak        as many nodes as the cell has take it
 *
 * The campaign's key `speeds` gives the speed of a core: seconds per operation
 * of each kernel's cost model (`adjoint=2e-10,heat=6e-10`).  Results are
 * limited to 250 MB; such loops are shortened.  Sizes depend on the text of a
 * campaign alone, so all shards and every resume have the same.  Cells store
 * the numbers in place of the words. */
#ifndef BENCH_CAMPAIGN_SIZING_H
#define BENCH_CAMPAIGN_SIZING_H

#include "base/error.h"
#include "base/spec.h"
#include "harness/costs/calibration.h"

#include <stdbool.h>
#include <stddef.h>

enum { SIZING_SPEEDS_MAX = 512, SIZING_KEPT = 16 };

/* A size that was looked for. */
struct sizing_found {
    char kernel[SPEC_CANONICAL_MAX];
    double seconds;
    int64_t size;
};

struct sizing {
    double cell_s; /* cell_time; 0: not given */
    int cores;     /* of a node */
    char speeds[SIZING_SPEEDS_MAX];
    struct sizing_found
        kept[SIZING_KEPT]; /* cells ask for few again and again */
    int found;
};

/* Whether a kernel's spec has one of the words. */
bool sizing_asked(const char *kernel);

/* The spec with a number for the words, such that `workers` cores (weak), or
 * those of a node, take cell_time if nothing is lost.  -ENODATA: the speed of
 * this kernel is lacking; -EINVAL. */
int sizing_resolve(struct sizing *sizing, const char *kernel, int64_t workers,
                   char out[SPEC_CANONICAL_MAX], struct error *err);

/* The spec with the words replaced by any size: for checking the rest. */
void sizing_any(const char *kernel, char out[SPEC_CANONICAL_MAX]);

/* Whether a text is speeds, of kernels that there are, each once.  Returns 0 or
 * -EINVAL. */
int sizing_speeds_check(const char *text, struct error *err);

/* The speeds that a calibration has measured: of threads, else of ranks. */
void sizing_speeds_make(const struct calibration *calibration,
                        char speeds[SIZING_SPEEDS_MAX]);

/* Words in the shapes of a campaign, so that it fits any machine. */

/* "1xcores" becomes "1x8"; any text that is no shape stays as it is. */
void words_put_cores(int cores, const char *field, const char *text, char *out,
                     size_t size);

/* Whether a layout is by the number of nodes: "nodesx8" or "allx1". */
bool words_by_nodes(const char *field, const char *text);

/* Such a layout on so many nodes: "nodes" is their number, "all" that of their
 * cores. */
void words_put_nodes(int nodes, int cores, const char *text, char *out,
                     size_t size);

#endif
