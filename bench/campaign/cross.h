/* Lists of values for cell fields, and the cells from crossing them. */
#ifndef BENCH_CAMPAIGN_CROSS_H
#define BENCH_CAMPAIGN_CROSS_H

#include "base/error.h"
#include "bench/campaign/sizing.h"
#include "harness/cell/cell.h"
#include "harness/topo/topo.h"

enum { CROSS_FIELDS_MAX = 48, CROSS_CELLS_MAX = 1000000 };

/* The place of a value, for messages: FILE:LINE:COLUMN; line 0: an option. */
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
    const struct topo_room *room; /* for rank_per; NULL: unknown */
    struct sizing *sizing;        /* for sizes by time; NULL: none */
    bool replayed;                /* leave out what replays do not model */
};

/* Combinations left out, by reason. */
struct cross_skip {
    char reason[sizeof(((struct error *)0)->text)];
    char example[160]; /* the first such combination, in words */
    int count;
};

/* Where cells and skips are collected. */
struct cross_result {
    struct cell *cells;
    json_t *texts; /* the cells' texts, see cell_defaults; the campaign's */
    int count;
    int64_t room;
    struct cross_skip *skips;
    int reasons;
    int64_t skips_room;
    int skipped; /* combinations left out, for any reason */
    int equal;   /* combinations that gave an earlier cell again */
};

/* Adds a field without values and drops an earlier field of this name; layout
 * also drops ranks and threads.  NULL and a text if the name is unknown. */
struct cross_field *cross_field_add(struct cross *cross, const char *name,
                                    struct error *err);

/* Checks a value by itself and adds it to a field.  In layout, ranks and
 * threads the word "cores" is the number of cores.  In layout "nodes" stands
 * for each value of the field nodes (1 without it), and "all" for the cores of
 * so many nodes.  Sizes of kernels may be by time (bench/campaign/sizing.h).
 * Errors carry the place. */
int cross_value_add(const struct cross *cross, struct cross_field *field,
                    const char *text, struct text_place place,
                    struct error *err);

/* Whether one of its layouts depends on the nodes. */
bool cross_by_nodes(const struct cross *cross);

/* Adds copies of the fields of `from` to `to` as cross_field_add does.  If
 * `from` has rank_per and no shape, the shape of `to` is dropped. */
int cross_merge(struct cross *to, const struct cross *from, struct error *err);

/* Adds all possible combinations to result; `place`: the block's.  An error if
 * none is possible, except for replays. */
int cross_expand(const struct cross *cross, struct text_place place,
                 struct cross_result *result, struct error *err);

/* Keeps only the first of equal cells (same hash). */
void cross_unique(struct cross_result *result);

void cross_free(struct cross *cross);
void cross_result_free(struct cross_result *result);

#endif
