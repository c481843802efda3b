/* Lists of values for cell fields, and the cells that they cross to. */
#ifndef BENCH_CAMPAIGN_CROSS_H
#define BENCH_CAMPAIGN_CROSS_H

#include "base/error.h"
#include "bench/campaign/sizing.h"
#include "harness/cell/cell.h"
#include "harness/topo/topo.h"

enum { CROSS_FIELDS_MAX = 48, CROSS_CELLS_MAX = 1000000 };

/* The place of a value, for messages: FILE:LINE:COLUMN, or an option when line
 * is 0. */
struct text_place {
    const char *origin;
    int line, column;
};

/* Puts the place before the error's text; returns code. */
int text_place_prefix(struct error *err, int code, struct text_place place);

struct cross_value {
    struct text_place place;
    char text[SPEC_CANONICAL_MAX];
};

struct cross_field {
    const char *name; /* of a cell field */
    int count;
    int64_t room;
    struct cross_value *values;
};

/* The fields of a block, in the order in which they are set. */
struct cross {
    int count;
    struct cross_field fields[CROSS_FIELDS_MAX];
    int cores;                    /* the value of the word "cores" in shapes */
    const struct topo_room *room; /* for rank_per; NULL: not known */
    struct sizing *sizing;        /* for sizes by time; NULL: no such */
    bool replayed;                /* what a replay does not model is left out */
};

/* The combinations that were left out, by reason. */
struct cross_skip {
    char reason[sizeof(((struct error *)0)->text)];
    char example[160]; /* the first such combination, in words */
    int count;
};

/* Where cells and skips are collected. */
struct cross_result {
    struct cell *cells;
    json_t *texts; /* of the cells, as in cell_defaults; the campaign's */
    int count;
    int64_t room;
    struct cross_skip *skips;
    int reasons;
    int64_t skips_room;
    int skipped; /* combinations left out, for all reasons */
    int equal;   /* combinations that were another cell again */
};

/* Adds a field without values; an earlier field of this name is dropped, and
 * layout drops ranks and threads.  NULL and a text when the name is unknown. */
struct cross_field *cross_field_add(struct cross *cross, const char *name,
                                    struct error *err);

/* Adds a value to a field after checking it by itself.  In layout, ranks and
 * threads the word "cores" is the number of cores.  In layout "nodes" is each
 * number of the field nodes (1 without it) and "all" the cores of so many
 * nodes; sizes of kernels may be by time (bench/campaign/sizing.h).  Errors
 * carry the place. */
int cross_value_add(const struct cross *cross, struct cross_field *field,
                    const char *text, struct text_place place,
                    struct error *err);

/* Whether one of its layouts is by the nodes. */
bool cross_by_nodes(const struct cross *cross);

/* Deep copy: the fields of `from` added to `to` as cross_field_add does.  A
 * `from` that says rank_per and no shape takes the shape of `to` away. */
int cross_merge(struct cross *to, const struct cross *from, struct error *err);

/* Adds all possible combinations to result; `place` is that of the block.
 * An error when none is possible, except for replays. */
int cross_expand(const struct cross *cross, struct text_place place,
                 struct cross_result *result, struct error *err);

/* Keeps the first of equal cells (same hash) only. */
void cross_unique(struct cross_result *result);

void cross_free(struct cross *cross);
void cross_result_free(struct cross_result *result);

#endif
