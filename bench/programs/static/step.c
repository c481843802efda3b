/* The effect of one instruction on the values. */
#include "bench/programs/static/meaning.h"

#include <string.h>

/* ---- sums and other computations ---- */

/* The number of a symbol: equal expressions must have equal numbers. */
static uint64_t mix_hash(uint64_t a, uint64_t b, uint64_t c)
{
    uint64_t hash = a * UINT64_C(0x9E3779B97F4A7C15) ^ (b + c * 31);
    hash = (hash ^ hash >> 29) * UINT64_C(0xBF58476D1CE4E5B9);
    return hash ^ hash >> 32;
}

struct value flow_combine(struct flow *flow, struct value a, struct value b,
                          bool adds)
{
    struct value out = {.kind = V_ANY};
    const struct value *both[] = {&a, &b};
    bool iter = value_is_iter(&a) || value_is_iter(&b);
    bool carry = value_is_carry(&a) || value_is_carry(&b);
    for (int i = 0; i < 2; i++) {
        flow_mark(flow, both[i]);
        if (both[i]->kind == V_STACK)
            flow_escape(flow, adds ? both[i]->distance : INT64_MIN);
        iter = iter || (value_is_number(both[i]) && both[i]->kind != V_R0);
    }
    bool moves = a.kind == V_MOVES || b.kind == V_MOVES,
         fixed = flow_is_fixed(flow, &a) || flow_is_fixed(flow, &b);
    if (a.kind == V_DIRTY || b.kind == V_DIRTY)
        out.kind = V_DIRTY;
    else if (moves && fixed)
        out.kind = V_CARRY;
    else if (carry && adds && a.kind == V_CARRY0 && b.kind == V_CONST)
        out.kind = V_CARRY0;
    else if (carry && adds && iter &&
             (a.kind == V_CARRY0 || b.kind == V_CARRY0))
        out = (struct value){.kind = moves || fixed ? V_CARRY : V_ITER,
                             .counted = !moves && fixed};
    else if (carry) /* a sum of sums is no sum over iterations */
        out.kind = adds && !(flow_in_main(flow) && value_is_carry(&a) &&
                             value_is_carry(&b))
                       ? V_CARRY
                       : V_DIRTY;
    else if (iter)
        out.kind = moves ? V_MOVES : V_ITER;
    value_inherit(&out, &a, &b);
    if (value_is_carry(&out))
        out.mixes |= flow->mixes;
    return out;
}

/* ---- operands ---- */

static struct value reg_value(const struct state *state, uint8_t reg)
{
    return reg < REG_COUNT ? state->reg[reg] : (struct value){.kind = V_ANY};
}

/* The sum of the two registers of an address. */
static struct value address_sum(struct flow *flow, const struct state *state,
                                const struct insn *insn,
                                const struct operand *op)
{
    struct value base = reg_value(state, op->base),
                 index = reg_value(state, op->index);
    bool fresh = (base.kind == V_FRESH && value_is_free(&index)) ||
                 (index.kind == V_FRESH && op->scale == 1);
    uint64_t number = base.kind == V_FRESH ? base.number : index.number;
    bool again = value_is_carry(&index) && op->scale > 1 && flow_in_main(flow);
    struct value sum = flow_combine(flow, base, index, !again);
    struct lanes lanes = lanes_address(state, op, insn->at + insn->size);
    lanes_settle(flow, &sum, &lanes);
    if (base.kind == V_STACK)
        flow_escape(flow, base.distance + op->value);
    if (fresh && sum.kind != V_CARRY)
        return (struct value){.kind = V_FRESH, .number = number};
    return sum;
}

struct value flow_address(struct flow *flow, struct state *state,
                          const struct insn *insn, const struct operand *op)
{
    struct value none = {.kind = V_ANY};
    uint64_t distance = (uint64_t)op->value;
    if (op->segment)
        return none;
    if (op->base == REG_RIP)
        return (struct value){.kind = op->index == REG_NONE ? V_CONST : V_ANY,
                              .number = insn->at + insn->size + distance};
    if (op->base == REG_NONE && op->index == REG_NONE)
        return (struct value){.kind = V_CONST, .number = distance};
    struct value base = reg_value(state, op->base);
    if (op->index != REG_NONE)
        return address_sum(flow, state, insn, op);
    switch (base.kind) {
    case V_STACK:
    case V_SYMBOL:
        base.distance += op->value;
        return base;
    case V_CONST:
        base.number += distance;
        return base;
    case V_FRESH:
    case V_CARRY:
    case V_CARRY0:
    case V_DIRTY:
        return base;
    default:
        flow_mark(flow, &base);
        if (value_is_iter(&base))
            none.kind = base.kind == V_MOVES ? V_MOVES : V_ITER;
        return none;
    }
}

/* An address that an iteration has from another one. */
static void check_address(struct flow *flow, const struct value *at)
{
    if (flow->report && flow->pass == PASS_CARRY &&
        (value_is_carry(at) || flow_is_fixed(flow, at)))
        flow->carried = true;
}

/* Memory outside of the frame is a symbol of its address, or a constant of the
 * file where it is read-only. */
static struct value load_value(struct flow *flow, struct state *state,
                               const struct value *at, uint8_t bytes)
{
    struct value out = {.kind = V_ANY};
    check_address(flow, at);
    if (at->kind == V_STACK)
        return state_load(flow, state, at->distance, bytes);
    if (at->kind == V_CONST &&
        binary_is_constant(flow->graph->binary, at->number)) {
        size_t size = bytes;
        uint64_t word[2] = {0, 0};
        const uint8_t *data =
            binary_bytes(flow->graph->binary, at->number, &size);
        if (data == NULL || size < bytes || bytes > 16)
            return out;
        memcpy(word, data, bytes);
        if (word[1] == 0)
            out = (struct value){.kind = V_CONST, .number = word[0]};
    } else if (at->kind == V_SYMBOL || at->kind == V_CONST) {
        out = (struct value){.kind = V_SYMBOL,
                             .number = mix_hash(at->number + at->kind,
                                                (uint64_t)at->distance, bytes)};
    }
    return out;
}

/* A sum in fewer bytes has lost its upper part. */
static struct value cut_to(struct value value, uint8_t bytes)
{
    if (value_is_carry(&value) && bytes < 8 && value.cut < 8 - bytes)
        value.cut = (uint8_t)(8 - bytes);
    return value;
}

struct value flow_get(struct flow *flow, struct state *state,
                      const struct insn *insn, const struct operand *op)
{
    if (op->type == OPERAND_NUMBER)
        return (struct value){.kind = V_CONST, .number = (uint64_t)op->value};
    if (op->type == OPERAND_MEMORY) {
        struct value at = flow_address(flow, state, insn, op);
        return load_value(flow, state, &at, op->bytes);
    }
    struct value out =
        cut_to(reg_value(state, op->reg), op->reg < REG_VECTOR ? op->bytes : 8);
    if (op->bytes < 4 && op->reg < REG_VECTOR) {
        if (out.kind != V_B)
            flow_mark(flow, &out);
        if (out.kind == V_SYMBOL || out.kind == V_STACK)
            out.kind = V_ANY;
    }
    if (op->bytes == 4 && op->reg < REG_VECTOR && out.kind == V_CONST)
        out.number &= 0xffffffff;
    return out;
}

/* Writing a part of a register keeps the rest. */
static struct value merged_value(const struct value *old, struct value value)
{
    if (value.kind == V_CONST && value.number != 0)
        value.kind = V_ANY;
    if (value_is_carry(old) && !value_is_carry(&value))
        return *old;
    return value;
}

void flow_put(struct flow *flow, struct state *state, const struct insn *insn,
              const struct operand *op, struct value value)
{
    if (op->type == OPERAND_REG) {
        if (op->reg < REG_VECTOR)
            value = cut_to(value, op->bytes);
        if (op->reg >= REG_COUNT) {
            flow_mark(flow, &value);
            return;
        }
        if (op->reg >= REG_VECTOR) {
            flow_mark(flow, &value);
            if (value.kind == V_STACK && flow->pass == PASS_CARRY)
                flow->carried = true;
            if (value_is_number(&value))
                value.kind = V_ITER;
        } else if (op->bytes < 4) {
            value = merged_value(&state->reg[op->reg], value);
        } else if (op->bytes == 4 && value.kind == V_CONST) {
            value.number &= 0xffffffff;
        } else if (op->bytes == 4 && value.kind == V_STACK) {
            flow_escape(flow, INT64_MIN);
        }
        state->reg[op->reg] = value;
        return;
    }
    struct value at = flow_address(flow, state, insn, op);
    check_address(flow, &at);
    if (at.kind == V_STACK) {
        if (flow->pass == PASS_CARRY && flow_in_main(flow) &&
            op->base != REG_RSP && op->base != REG_RBP)
            flow->carried = true;
        state_store(flow, state, at.distance, op->bytes, value);
        return;
    }
    struct value old = load_value(flow, state, &at, op->bytes);
    flow_mark(flow, &value);
    if (value_is_number(&value) && !value_is_free(&value) && !flow->report)
        value.kind = V_ITER;
    if (value.kind == V_STACK) {
        flow_escape(flow, value.distance);
        flow->carried = flow->carried || flow->pass == PASS_CARRY;
    }
    effect_store(flow, insn, &at, &old, &value);
}

/* ---- the general rule: each result depends on all inputs ---- */

static void step_general(struct flow *flow, struct state *state,
                         const struct insn *insn)
{
    struct value sum = {.kind = V_ANY};
    bool adds = insn_shuffles(insn);
    for (int i = 0; i < insn->count; i++)
        if (insn->op[i].type == OPERAND_MEMORY &&
            (insn->op[i].reads || !insn->op[i].writes))
            sum = flow_combine(flow, sum,
                               flow_get(flow, state, insn, &insn->op[i]), adds);
    for (int r = 0; r < REG_COUNT; r++) {
        bool address = false;
        for (int i = 0; i < insn->count; i++)
            address =
                address || (insn->op[i].type == OPERAND_MEMORY &&
                            (insn->op[i].base == r || insn->op[i].index == r));
        if ((insn->reads >> r & 1) && !address)
            sum = flow_combine(flow, sum, state->reg[r], adds);
    }
    for (int i = 0; i < insn->count; i++)
        if (insn->op[i].type == OPERAND_MEMORY && insn->op[i].writes)
            flow_put(flow, state, insn, &insn->op[i], sum);
    for (int r = 0; r < REG_FLAGS; r++)
        if (insn->writes >> r & 1)
            state->reg[r] = sum;
    if (insn->writes >> REG_FLAGS & 1) {
        state->reg[REG_FLAGS] =
            (struct value){.kind = value_is_carry(&sum)        ? F_CARRY
                                   : flow_is_fixed(flow, &sum) ? F_BOUND
                                   : value_is_iter(&sum)       ? F_ITER
                                                               : V_ANY};
    }
}

void flow_step(struct flow *flow, struct state *state, const struct insn *insn)
{
    if (insn->flow == FLOW_CALL) {
        flow_call(flow, state, insn);
        return;
    }
    if (insn->flow == FLOW_BRANCH) {
        effect_branch(flow, &state->reg[REG_FLAGS]);
        return;
    }
    if (insn->flow == FLOW_JUMP) {
        if (insn->op[0].type != OPERAND_NUMBER) {
            struct value to = flow_get(flow, state, insn, &insn->op[0]);
            flow_give(flow, &to);
        }
        return;
    }
    if (insn->flow == FLOW_END)
        return;
    if (insn->other && flow->report && flow->pass == PASS_CARRY)
        flow->carried = true;
    flow->mixes = meaning_mixes(insn);
    struct lanes lanes = lanes_before(flow, state, insn);
    if (!flow_step_known(flow, state, insn))
        step_general(flow, state, insn);
    lanes_after(flow, state, insn, &lanes);
    if (state->reg[REG_RSP].kind != V_STACK)
        flow->failed = true;
}
