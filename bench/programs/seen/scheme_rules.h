/* The rules of `--scheme @FILE`, and which of them match a loop. */
#ifndef BENCH_PROGRAMS_SEEN_SCHEME_RULES_H
#define BENCH_PROGRAMS_SEEN_SCHEME_RULES_H

#include "base/error.h"
#include "bench/programs/symbols/symbols.h"

#include <stdbool.h>
#include <stdint.h>

struct rules_rule {
    char *name, *where; /* file:line:column */
    int line;
    bool build; /* its name is a place in one build */
    bool used;  /* it matches a loop that ran */
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

/* The rule's name that matches a function; NULL: none. */
const char *rules_find(const struct rules *rules, const char *function);

/* Marks the rules that match a loop that ran.  `build`: its name in this build
 * of its module. */
void rules_use(struct rules *rules, const struct symbols_place *place,
               const char *build);

/* Whether no loop uses the i-th rule, nor an adjacent rule for the same loop:
 * rules by its places in builds, and the rule after them. */
bool rules_is_idle(const struct rules *rules, int i);

#endif
