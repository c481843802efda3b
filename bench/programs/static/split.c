/* Instructions that gcc makes a block split of: from T, N and n to START and
 * END (enum kind). Any other use of these values marks their calls, so that the
 * region is not cut. */
#include "bench/programs/static/meaning.h"

#ifdef WITH_CAPSTONE
#include <capstone/capstone.h>
static const struct value any = {.kind = V_ANY};

void meaning_set_kind(struct state *state, uint8_t kind)
{
    state->reg[REG_FLAGS] = (struct value){.kind = kind};
}

void meaning_set_flags(struct state *state, const struct value *result)
{
    meaning_set_kind(state, value_is_carry(result)  ? F_CARRY
                            : value_is_iter(result) ? F_ITER
                                                    : V_ANY);
}

static bool is_const(const struct value *v, uint64_t number)
{
    return v->kind == V_CONST && v->number == number;
}

/* ---- sums ---- */

/* A split has at most one comparison and one product for each START:
 * judge_split compares their numbers. */
static void count_start(struct flow *flow, uint64_t sites)
{
    if (flow->report && flow->pass == PASS_ALL) {
        flow->count.starts++;
        flow->split |= sites;
    }
}

static bool is_quotient(const struct value *v)
{
    return v->kind == V_Q || v->kind == V_Q1;
}

/* By the question whether T < R. */
static bool is_chosen(const struct value *v)
{
    return (v->kind == V_P || v->kind == V_Q1) && v->number == 0;
}

/* A sum in a split; false: it is not part of one. */
static bool add_split(struct flow *flow, const struct value *a,
                      const struct value *b, struct value *out)
{
    uint64_t sites = a->sites | b->sites;
    bool chosen = flow_in_arm(flow) || is_chosen(a);
    if (a->kind == V_P && chosen &&
        ((b->kind == V_R && flow_in_arm(flow)) || b->kind == V_R0 ||
         is_const(b, 0))) {
        count_start(flow, sites);
        *out = (struct value){.kind = V_START};
        return true;
    }
    /* If T < R, no rest is added. */
    if (a->kind == V_P && b->kind == V_Q1 &&
        (flow_in_arm(flow) || (is_chosen(a) && is_chosen(b)))) {
        count_start(flow, sites);
        *out = (struct value){.kind = V_END};
        return true;
    }
    if (a->kind == V_START && is_quotient(b) &&
        (flow_in_arm(flow) || is_chosen(b))) {
        *out = (struct value){.kind = V_END};
        return true;
    }
    if (a->kind == V_Q && (is_const(b, 1) || b->kind == V_B)) {
        *out = (struct value){
            .kind = V_Q1, .sites = sites, .number = b->kind != V_B};
        return true;
    }
    return false;
}

struct value meaning_add(struct flow *flow, struct value a, struct value b)
{
    struct value out;
    if (add_split(flow, &a, &b, &out) || add_split(flow, &b, &a, &out))
        return out;
    if (is_const(&b, 0))
        return a;
    if (is_const(&a, 0))
        return b;
    if (a.kind != V_CONST && b.kind == V_CONST) {
        if (a.kind == V_STACK || a.kind == V_SYMBOL) {
            a.distance += (int64_t)b.number;
            return a;
        }
        if (a.kind == V_FRESH)
            return a;
    }
    if (a.kind == V_CONST && b.kind == V_CONST) {
        a.number += b.number;
        return a;
    }
    if (a.kind == V_FRESH && value_is_free(&b) && !value_is_carry(&b))
        return a;
    out = flow_combine(flow, a, b, true);
    struct lanes lanes = lanes_sum(lanes_of(&a), lanes_of(&b), 1);
    lanes_settle(flow, &out, &lanes);
    return out;
}

static struct value negate_value(struct value v)
{
    v.number = -v.number;
    v.lanes.known = false;
    return v;
}

/* A sum that changes its sign with each iteration. */
static bool is_taken_off(const struct flow *flow, const struct value *v)
{
    return value_is_carry(v) && flow_in_main(flow);
}

/* ---- two operands, of which the first is also the result ---- */

/* Operands that change nothing, such as 0 or 1.0, keep the other value as it
 * is: vector code begins its sums with them. */
static struct value arithmetic_result(struct flow *flow,
                                      const struct insn *insn, struct value a,
                                      struct value b)
{
    bool zero = is_const(&b, 0);
    switch (insn->id) {
    case X86_INS_ADD:
        return meaning_add(flow, a, b);
    case X86_INS_SUB:
        return b.kind == V_CONST
                   ? meaning_add(flow, a, negate_value(b))
                   : flow_combine(flow, a, b,
                                  a.kind != V_STACK && b.kind != V_STACK &&
                                      !is_taken_off(flow, &b));
    case X86_INS_OR:
        if (is_const(&b, UINT64_MAX) || is_const(&b, 0xffffffff))
            return b;
        return zero ? a : flow_combine(flow, a, b, b.kind != V_CONST);
    case X86_INS_XOR:
        return zero ? a : flow_combine(flow, a, b, b.kind != V_CONST);
    case X86_INS_AND:
        if (zero)
            return b;
        return is_const(&b, UINT64_MAX) || is_const(&b, 0xffffffff)
                   ? a
                   : flow_combine(flow, a, b, b.kind != V_CONST);
    case X86_INS_MULSD:
    case X86_INS_MULSS:
        return is_const(&b, 0x3ff0000000000000) || is_const(&b, 0x3f800000) ? a
               : is_const(&a, 0x3ff0000000000000) || is_const(&a, 0x3f800000)
                   ? b
                   : flow_combine(flow, a, b, false);
    default: /* vectors */
        if (zero)
            return a;
        if (is_const(&a, 0) && insn->id != X86_INS_SUBSD &&
            insn->id != X86_INS_SUBSS)
            return b;
        return flow_combine(
            flow, a, b,
            (insn->id != X86_INS_SUBSD && insn->id != X86_INS_SUBSS) ||
                !is_taken_off(flow, &b));
    }
}

bool meaning_same_register(const struct insn *insn)
{
    const struct operand *op = insn->op;
    return insn->count >= 2 && op[0].type == OPERAND_REG &&
           op[1].type == OPERAND_REG && op[0].reg == op[1].reg &&
           (insn->count == 2 ||
            (op[2].type == OPERAND_REG && op[1].reg == op[2].reg));
}

bool step_arithmetic(struct flow *flow, struct state *state,
                     const struct insn *insn)
{
    struct value a = flow_get(flow, state, insn, &insn->op[0]),
                 b = flow_get(flow, state, insn, &insn->op[1]);
    if (insn->id == X86_INS_AND && insn->op[0].reg == REG_RSP &&
        a.kind == V_STACK && b.kind == V_CONST) {
        state->reg[REG_RSP].distance = a.distance - 0x100000;
        return true;
    }
    bool zero = (insn->id == X86_INS_XOR || insn->id == X86_INS_SUB) &&
                meaning_same_register(insn);
    struct value out = zero ? (struct value){.kind = V_CONST}
                            : arithmetic_result(flow, insn, a, b);
    flow_put(flow, state, insn, &insn->op[0], out);
    if (insn->op[0].reg < REG_VECTOR || insn->op[0].type == OPERAND_MEMORY)
        meaning_set_flags(state, &out);
    return true;
}

/* ---- the parts of a split ---- */

/* T * Q is a part of the split.  T times another value: the loop is cut by hand
 * (WORD_CHUNKS). */
bool step_multiply(struct flow *flow, struct state *state,
                   const struct insn *insn)
{
    if (insn->count != 2)
        return false;
    struct value a = flow_get(flow, state, insn, &insn->op[0]),
                 b = flow_get(flow, state, insn, &insn->op[1]), out;
    if ((a.kind == V_T && is_quotient(&b)) ||
        (b.kind == V_T && is_quotient(&a))) {
        out = (struct value){.kind = V_P,
                             .sites = a.sites | b.sites,
                             .number = a.kind == V_Q || b.kind == V_Q ||
                                       (a.kind == V_Q1 && a.number != 0) ||
                                       (b.kind == V_Q1 && b.number != 0)};
        if (flow->report && flow->pass == PASS_ALL)
            flow->count.products++;
    } else if (is_const(&a, 1)) {
        out = b;
    } else if (is_const(&b, 1)) {
        out = a;
    } else {
        if (a.kind == V_T || b.kind == V_T)
            flow->count.multiplied = true;
        out = flow_combine(flow, a, b, false);
    }
    flow_put(flow, state, insn, &insn->op[0], out);
    meaning_set_kind(state, V_ANY);
    return true;
}

/* n / N: one instruction computes both Q and R. */
bool step_divide(struct flow *flow, struct state *state,
                 const struct insn *insn)
{
    struct value by = flow_get(flow, state, insn, &insn->op[0]),
                 *low = &state->reg[REG_RAX], *high = &state->reg[REG_RDX];
    if (by.kind != V_N || insn->op[0].bytes < 4 || value_is_number(low) ||
        value_is_number(high))
        return false;
    flow_combine(flow, *low, *high, false);
    *low = (struct value){.kind = V_Q, .sites = by.sites};
    *high = (struct value){.kind = V_R, .sites = by.sites};
    meaning_set_kind(state, V_ANY);
    return true;
}

/* Flags of T with R, or of a block's begin with its end.  Else: whether they
 * depend on the iteration, and on earlier ones. */
static struct value compared_flags(struct flow *flow, const struct value *a,
                                   const struct value *b)
{
    struct value out = {.kind = V_ANY};
    bool split = (a->kind == V_T && b->kind == V_R) ||
                 (a->kind == V_R && b->kind == V_T);
    if (split) {
        if (flow->report && flow->pass == PASS_ALL)
            flow->count.compares++;
        return (struct value){.kind = F_SPLIT,
                              .sites = a->sites | b->sites,
                              .number = a->kind == V_R};
    }
    bool arm = flow_in_arm(flow),
         start =
             a->kind == V_START || (a->kind == V_P && (arm || is_chosen(a))),
         other =
             b->kind == V_START || (b->kind == V_P && (arm || is_chosen(b)));
    if (start && b->kind == V_END)
        return (struct value){.kind = F_EMPTY, .number = 0};
    if ((a->kind == V_END && other) || (a->kind == V_Q1 && is_const(b, 0)))
        return (struct value){.kind = F_EMPTY, .number = 1};
    flow_mark(flow, a);
    flow_mark(flow, b);
    bool iter = value_is_iter(a) || value_is_iter(b);
    bool fixed = flow_is_fixed(flow, a) || flow_is_fixed(flow, b),
         zero = a->kind == V_CARRY0 || b->kind == V_CARRY0;
    if (value_is_carry(a) || value_is_carry(b))
        out.kind = !iter || !zero ? F_CARRY : fixed ? F_BOUND : F_ITER;
    else if (iter)
        out.kind = fixed ? F_BOUND : F_ITER;
    if (out.kind == F_ITER && zero && flow->pass == PASS_CARRY &&
        flow_in_main(flow))
        out.kind = F_CARRY; /* of two that move only one has begun with it */
    return out;
}

bool step_compare(struct flow *flow, struct state *state,
                  const struct insn *insn)
{
    struct value a = flow_get(flow, state, insn, &insn->op[0]),
                 b = flow_get(flow, state, insn, &insn->op[1]);
    if (insn->id == X86_INS_TEST) {
        if (!meaning_same_register(insn)) {
            struct value sum = flow_combine(flow, a, b, false);
            meaning_set_flags(state, &sum);
            return true;
        }
        b = (struct value){.kind = V_CONST};
    }
    state->reg[REG_FLAGS] = compared_flags(flow, &a, &b);
    return true;
}

/* With the old flags: flags of the split choose only among its values. */
bool step_choose(struct flow *flow, struct state *state,
                 const struct insn *insn)
{
    struct value flags = state->reg[REG_FLAGS],
                 a = flow_get(flow, state, insn, &insn->op[0]),
                 b = flow_get(flow, state, insn, &insn->op[1]);
    flow->chooses = flags.kind == F_SPLIT;
    struct value out = value_join(flow, a, b);
    flow->chooses = false;
    if (flags.kind == F_SPLIT) {
        if (out.kind != V_Q1 && out.kind != V_R0)
            flow_mark(flow, &flags);
    } else if (value_is_number(&a) || value_is_number(&b)) {
        flow_mark(flow, &a);
        flow_mark(flow, &b);
    }
    if (flags.kind == F_CARRY || flags.kind == F_BOUND)
        out.kind = V_DIRTY;
    flow_put(flow, state, insn, &insn->op[0], out);
    return true;
}

bool step_set(struct flow *flow, struct state *state, const struct insn *insn)
{
    struct value flags = state->reg[REG_FLAGS], out = any;
    if (flags.kind == F_SPLIT)
        out = (struct value){.kind = V_B, .sites = flags.sites};
    else if (flags.kind == F_CARRY || flags.kind == F_BOUND)
        out.kind = V_DIRTY;
    else if (flags.kind != V_ANY)
        out.kind =
            flow->pass == PASS_CARRY && flow_in_main(flow) ? V_MOVES : V_ITER;
    flow_put(flow, state, insn, &insn->op[0], out);
    return true;
}

/* Q + (T < R): `adc Q, 0` adds the flag, and `sbb Q, -1` its opposite. */
bool step_with_carry(struct flow *flow, struct state *state,
                     const struct insn *insn)
{
    struct value flags = state->reg[REG_FLAGS],
                 a = flow_get(flow, state, insn, &insn->op[0]),
                 b = flow_get(flow, state, insn, &insn->op[1]);
    uint64_t neutral = insn->id == X86_INS_ADC ? 0 : UINT64_MAX;
    if (flags.kind != F_SPLIT || a.kind != V_Q || b.kind != V_CONST ||
        (b.number != neutral && b.number != (neutral & 0xffffffff)))
        return false;
    flow_put(flow, state, insn, &insn->op[0],
             (struct value){.kind = V_Q1, .sites = a.sites | flags.sites});
    meaning_set_kind(state, V_ANY);
    return true;
}

#endif
