/* Campaigns: the cells to measure and how, from a YAML file or from options.
 *
 * A campaign file is a map of name, the policy keys, seed, and cell fields as
 * defaults of all cells.  `cells:` lists maps of cell fields.  `overrides:` is
 * a map that overrides all of these (as --set does).  Values are scalars or
 * lists; lists are crossed.  `cores` in layout, ranks and threads means this
 * machine's cores, at least 2.  A block with `depth` runs only if the
 * campaign's key depth is one of its words.  Sizes of kernels may be given by
 * time: bench/campaign/sizing.h. */
#ifndef BENCH_CAMPAIGN_CAMPAIGN_H
#define BENCH_CAMPAIGN_CAMPAIGN_H

#include "base/error.h"
#include "bench/campaign/cross.h"
#include "harness/cell/cell.h"

#include <stdint.h>

enum { CAMPAIGN_NAME_MAX = 64, CAMPAIGN_SETS_MAX = 64 };

/* Lists of values for fields of a cell: "['ss', 'gss']". */
enum { CAMPAIGN_LISTS_MAX = 16 };
struct campaign_lists {
    int count;
    struct {
        const char *field;
        char *values; /* freed with the list */
    } list[CAMPAIGN_LISTS_MAX];
};

/* The inputs of a campaign other than its text. */
struct campaign_setup {
    int cores;
    const struct topo_room *room;       /* for rank_per; NULL: unknown */
    int sets;                           /* --set, in order */
    const char *set[CAMPAIGN_SETS_MAX]; /* key=value */
    struct campaign_lists lists;        /* of a single cell's fields */
    bool replayed; /* its cells are replayed (replay_cell_mark), on this-machine
                      unless they name a platform */
};

/* Two campaigns are the same if their cells, names and seeds are, and the
 * settings in `asked` that policy_difference compares. */
struct campaign {
    char name[CAMPAIGN_NAME_MAX];
    bool named; /* by its text; otherwise by its file */
    char *text; /* as run: the file with its overrides */
    struct policy policy;
    struct policy asked; /* from its text; a simulation needs less */
    struct sizing sizing;
    bool by_nodes;  /* some layout is, such as nodesxcores or allx1 */
    bool seeded;    /* by its text */
    uint64_t seed;  /* as given, otherwise `cells` */
    uint64_t cells; /* a hash of all cells, before a part is taken */
    char (*hashes)[CELL_HASH_SIZE]; /* of these cells, in order */
    int hashed;
    int gained;              /* cells added since its directory was made */
    struct cross_result all; /* checked cells, each once, in file order */
};

/* The path of a campaign, from its file name or, without '/' and '.', its short
 * name: `workstation` is bench/campaigns/workstation.yaml of this program's
 * source tree or installation.  A file of that name has precedence.  Returns 0,
 * or -ENOENT with the known names. */
int campaign_find(const char *text, char *path, size_t size, struct error *err);

/* Prints a line for each of these names, with a tab and a sentence. */
void campaign_print_names(FILE *out);

/* Sets the values of `cores` and rank_per for `machine` (topo_open_other; NULL:
 * this one): its cores, at least 2 so that there is something to share, unless
 * the setup has a number.  Fills `room`; the setup then points to it.  Returns
 * 0 or -EINVAL with a text. */
int campaign_look(const char *machine, struct campaign_setup *setup,
                  struct topo_room *room, struct error *err);

/* Reads a file, or a text called `path` in messages.  Errors are
 * path:line:column: the mistake, the allowed values, the nearest of them. */
int campaign_load(const char *path, const struct campaign_setup *setup,
                  struct campaign *campaign, struct error *err);
int campaign_parse(const char *path, const char *text,
                   const struct campaign_setup *setup,
                   struct campaign *campaign, struct error *err);

/* A campaign of one cell (not yet checked), named after kernel and scheme; the
 * policy is final.  Also sets an equivalent text. */
int campaign_single(const struct cell *cell, const struct policy *policy,
                    struct campaign *campaign, struct error *err);

/* campaign_single for fields with several values, which are crossed. */
int campaign_crossed(const struct cell *cell,
                     const struct campaign_lists *lists,
                     const struct policy *policy, struct campaign *campaign,
                     struct error *err);

/* The launch shape of cells: ranks x threads. */
struct layout {
    int ranks, threads;
};

/* Keeps only the cells of this launch shape; an error if there are none. */
int campaign_shape(struct campaign *campaign, struct layout shape,
                   struct error *err);

/* Keeps every n-th cell in the order of hashes, beginning with the shard-th (0
 * <= shard < n): the shards are disjoint, complete and nearly equal. */
void campaign_shard(struct campaign *campaign, int shard, int shards);

void campaign_free(struct campaign *campaign);

/* Cells added to a campaign since its result directory was made. */

/* How many cells `whole` has beyond those of `stored`; -1: it lacks some. */
int gain_count(const struct campaign *stored, const struct campaign *whole);

/* The text of `whole` with this seed and its name, to replace the stored one;
 * free it.  NULL and a text if the result cannot be parsed. */
char *gain_text(const struct campaign *whole, uint64_t seed,
                const struct campaign_setup *setup, struct error *err);

#endif
