/* Words in the shapes of a campaign, so that it fits any machine. */
#ifndef BENCH_CAMPAIGN_WORDS_H
#define BENCH_CAMPAIGN_WORDS_H

#include <stdbool.h>
#include <stddef.h>

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
