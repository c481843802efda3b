/* The rules of `--scheme @FILE`: which of them name a loop. */
#ifndef BENCH_PROGRAMS_SEEN_SCHEME_RULES_H
#define BENCH_PROGRAMS_SEEN_SCHEME_RULES_H

#include "base/error.h"
#include "bench/programs/symbols/symbols.h"

#include <stdbool.h>
#include <stdint.h>

struct rules_rule {
    char *name, *where; /* file:line:column */
    int line;
    bool build; /* by a place in one build */
    bool used;  /* it names a loop that was seen */
};

struct rules {
    struct rules_rule *rule;
    int count;
    int64_t room;
};

/* Reads and checks a file.  Returns 0 or -errno with the file, line and column;
 * rules_free in any case. */
int rules_read(struct rules *rules, const char *path, struct error *err);
void rules_free(struct rules *rules);

/* The name by which a rule knows a function; NULL: no rule does. */
const char *rules_find(const struct rules *rules, const char *function);

/* A loop was seen: the rules that name it are used.  `build`: its name in this
 * build of its module. */
void rules_use(struct rules *rules, const struct symbols_place *place,
               const char *build);

/* Whether no loop has the i-th rule, nor one on the lines beside it that names
 * the same loop: rules by its places in builds, and the one behind them. */
bool rules_is_idle(const struct rules *rules, int i);

#endif
