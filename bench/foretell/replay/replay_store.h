/* Stores replays as a launch in a result directory (results/README.md): a cell
 * for each scheme, marked as simulated, whose platform names the replay and its
 * costs.  So no reader takes it for a measured cell or one of dlsbench sim. */
#ifndef BENCH_FORETELL_REPLAY_REPLAY_STORE_H
#define BENCH_FORETELL_REPLAY_REPLAY_STORE_H

#include "base/error.h"
#include "base/stamp.h"
#include "harness/cell/cell.h"
#include "harness/record/record.h"
#include "harness/replay/replay.h"

#include <jansson.h>

struct replay_store {
    char launch[256];
    struct record_file file;
};

/* Begins a launch in an existing directory; words: the command line, ended by
 * NULL.  Returns 0 or -errno with a text. */
int replay_store_open(struct replay_store *store, const char *folder,
                      char *const *words, struct error *err);
/* replay_store_open for a launch with this name, of at most 255 characters;
 * releases the manifest. */
int replay_store_begin(struct replay_store *store, const char *folder,
                       const char *launch, json_t *manifest, struct error *err);
int replay_store_close(struct replay_store *store, struct error *err);

/* Adds a replayed cell and its result; sets the cell's platform and hash.
 * iterations: the sum over its chunks; all: whether the loop has no more. */
int replay_store_add(struct replay_store *store, struct cell *cell,
                     const struct replay_costs *costs,
                     const struct replay_result *result, int64_t iterations,
                     bool all, struct error *err);

/* replay_store_add in two parts, for a cell with platform and hash
 * (replay_cell_mark): the line of a result, which cells with equal replays
 * share, and its record. */
struct run_line replay_store_line(const struct replay_result *result,
                                  int64_t iterations, bool all);
int replay_store_put(struct replay_store *store, const struct cell *cell,
                     struct run_line run, struct error *err);

#endif
