/* The meanings of single instructions. False: the general rule holds. */
#ifndef BENCH_PROGRAMS_STATIC_MEANING_H
#define BENCH_PROGRAMS_STATIC_MEANING_H

#include "bench/programs/static/flow.h"

typedef bool meaning_fn(struct flow *flow, struct state *state,
                        const struct insn *insn);

uint8_t meaning_mixes(const struct insn *insn);

/* ---- split.c ---- */

meaning_fn step_arithmetic, step_multiply, step_divide, step_compare,
    step_choose, step_set, step_with_carry;
struct value meaning_add(struct flow *flow, struct value a, struct value b);
void meaning_set_kind(struct state *state, uint8_t kind);
void meaning_set_flags(struct state *state, const struct value *result);
bool meaning_same_register(const struct insn *insn);

/* ---- waits.c ---- */

/* Whether the instruction sets its register to 0. */
bool meaning_clears(const struct insn *insn);

#endif
