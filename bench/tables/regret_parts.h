/* What the files regret*.c share; others use bench/tables/regret.h. */
#ifndef BENCH_TABLES_REGRET_PARTS_H
#define BENCH_TABLES_REGRET_PARTS_H

#include "base/stats.h"
#include "bench/tables/regret.h"

#include <jansson.h>
#include <stdbool.h>

/* What was chosen for one cell, and the best fixed choice. */
struct regret {
    const struct result *result;
    const char *launch;   /* whose lines count */
    const json_t *chosen; /* line of the choice */
    int candidates;
    bool trial;
    /* Of the repetitions that ran the choice; by trial, since trials began
     * last. */
    struct stats_median time;
    double mean_s, best_mean_s; /* of all repetitions, trials included */
    double predicted_s;
    const struct result *best; /* NULL: none */
    struct stats_median best_time;
    /* Its time over the best one's, less 1; the 95 % interval is NAN where one
     * of the two has too few repetitions for that. */
    double value, low, high;
};

struct regrets {
    struct regret *list; /* in the order of the directory */
    int count;
    json_t *lines; /* of candidates, all launches */
};

/* The cells of auto that ended well; close them. */
int regrets_open(struct regrets *regrets, const struct results *results,
                 const char *dir, struct error *err);
void regrets_close(struct regrets *regrets);

/* Whether the line is of this cell, and of the launch that counts. */
bool regret_about(const struct regret *regret, const json_t *line);

/* Columns of a line: empty, or NAN, where it has none. */
const char *regret_text(const json_t *line, const char *key);
double regret_number(const json_t *line, const char *key);

/* The median time of a cell that ended well; NAN: NULL, or none of its. */
double regret_median(const struct result *result);

#endif
