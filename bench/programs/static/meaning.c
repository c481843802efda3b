/* Instructions that keep a value, and which has which meaning. */
#include "bench/programs/static/meaning.h"

#include <stddef.h>

#ifdef WITH_CAPSTONE
#include <capstone/capstone.h>
static const struct value any = {.kind = V_ANY};

/* ---- moves ---- */

static bool step_move(struct flow *flow, struct state *state,
                      const struct insn *insn)
{
    if (insn->count != 2)
        return false;
    struct value v = flow_get(flow, state, insn, &insn->op[1]);
    /* Between registers these keep the upper part of the destination. */
    if ((insn->id == X86_INS_MOVSS || insn->id == X86_INS_MOVSD) &&
        insn->op[0].type == OPERAND_REG && insn->op[1].type == OPERAND_REG)
        v = flow_combine(flow, v, flow_get(flow, state, insn, &insn->op[0]),
                         true);
    if (insn->op[1].bytes < 4 && v.kind == V_CONST && insn->id == X86_INS_MOVSX)
        v.kind = V_ANY;
    if (insn->id == X86_INS_MOVSXD && v.kind == V_CONST)
        v.number = (uint64_t)(int64_t)(int32_t)v.number;
    if (insn->id == X86_INS_MOVSXD && v.cut == 4)
        v.cut = 0; /* a sum of int: it does not overflow */
    flow_put(flow, state, insn, &insn->op[0], v);
    return true;
}

/* LEA only computes an address: gcc uses it for sums. */
static bool step_lea(struct flow *flow, struct state *state,
                     const struct insn *insn)
{
    const struct operand *op = &insn->op[1];
    struct value out;
    if (op->base < REG_COUNT && op->index < REG_COUNT && op->scale == 1 &&
        op->value == 0)
        out = meaning_add(flow, state->reg[op->base], state->reg[op->index]);
    else if (op->base < REG_COUNT && op->index == REG_NONE)
        out = meaning_add(
            flow, state->reg[op->base],
            (struct value){.kind = V_CONST, .number = (uint64_t)op->value});
    else
        out = flow_address(flow, state, insn, op);
    flow_put(flow, state, insn, &insn->op[0], out);
    return true;
}

static bool step_stack(struct flow *flow, struct state *state,
                       const struct insn *insn)
{
    struct value *top = &state->reg[REG_RSP], v;
    if (top->kind != V_STACK)
        return false;
    switch (insn->id) {
    case X86_INS_PUSH:
        v = flow_get(flow, state, insn, &insn->op[0]);
        top->distance -= 8;
        state_store(flow, state, top->distance, 8, v);
        return true;
    case X86_INS_LEAVE:
        if (state->reg[REG_RBP].kind != V_STACK)
            return false;
        *top = state->reg[REG_RBP];
        state->reg[REG_RBP] = state_load(flow, state, top->distance, 8);
        top->distance += 8;
        return true;
    default:
        v = state_load(flow, state, top->distance, 8);
        top->distance += 8;
        flow_put(flow, state, insn, &insn->op[0], v);
        return true;
    }
}

static bool step_exchange(struct flow *flow, struct state *state,
                          const struct insn *insn)
{
    struct value a = flow_get(flow, state, insn, &insn->op[0]),
                 b = flow_get(flow, state, insn, &insn->op[1]);
    if (insn->id == X86_INS_XADD) {
        flow_put(flow, state, insn, &insn->op[0], meaning_add(flow, a, b));
        flow_put(flow, state, insn, &insn->op[1], a);
        meaning_set_kind(state, V_ANY);
        return true;
    }
    flow_put(flow, state, insn, &insn->op[0], b);
    if (insn->id == X86_INS_CMPXCHG) {
        flow_mark(flow, &state->reg[REG_RAX]);
        state->reg[REG_RAX] = a;
        meaning_set_kind(state, V_ANY);
    } else {
        flow_put(flow, state, insn, &insn->op[1], a);
    }
    return true;
}

static bool step_count(struct flow *flow, struct state *state,
                       const struct insn *insn)
{
    struct value one = {.kind = V_CONST,
                        .number = insn->id == X86_INS_INC ? 1 : UINT64_MAX};
    struct value out =
        meaning_add(flow, flow_get(flow, state, insn, &insn->op[0]), one);
    flow_put(flow, state, insn, &insn->op[0], out);
    meaning_set_flags(state, &out);
    return true;
}

/* Writes an unknown number of bytes from an address on. */
static bool step_string(struct flow *flow, struct state *state,
                        const struct insn *insn)
{
    struct value *to = &state->reg[REG_RDI];
    for (int r = REG_RSI; r <= REG_RDI; r++)
        if (state->reg[r].kind == V_STACK)
            flow_escape(flow, state->reg[r].distance);
    if (to->kind == V_STACK || to->kind == V_FRESH) {
        flow_combine(flow, state->reg[REG_RAX], state->reg[REG_RCX], false);
        state->reg[REG_RDI] = state->reg[REG_RSI] = any;
        state->reg[REG_RCX] = any;
        return true;
    }
    (void)insn;
    return false;
}

/* ---- others ---- */

static bool step_nothing(struct flow *flow, struct state *state,
                         const struct insn *insn)
{
    (void)flow;
    (void)state;
    (void)insn;
    return true;
}

/* Extends RAX by its sign: a sum of int is whole again, one of short is not. */
static bool step_widen(struct flow *flow, struct state *state,
                       const struct insn *insn)
{
    struct value *sum = &state->reg[REG_RAX];
    (void)flow;
    if (insn->id == X86_INS_CDQE && sum->cut == 4)
        sum->cut = 0;
    else if (insn->id == X86_INS_CWDE && value_is_carry(sum) && sum->cut < 6)
        sum->cut = 6;
    return true;
}

static bool step_sign(struct flow *flow, struct state *state,
                      const struct insn *insn)
{
    (void)insn;
    state->reg[REG_RDX] = (struct value){.kind = V_ANY};
    flow_mark(flow, &state->reg[REG_RAX]);
    return true;
}

static bool step_zero(struct flow *flow, struct state *state,
                      const struct insn *insn)
{
    if (!meaning_same_register(insn))
        return false;
    flow_put(flow, state, insn, &insn->op[0], (struct value){.kind = V_CONST});
    return true;
}

/* Instructions without an entry have the general rule: each result depends on
 * all that is read. */
static meaning_fn *const meanings[X86_INS_ENDING] = {
    [X86_INS_NOP] = step_nothing,
    [X86_INS_ENDBR64] = step_nothing,
    [X86_INS_VZEROUPPER] = step_nothing,
    [X86_INS_PAUSE] = step_nothing,
    [X86_INS_MOVSD] = step_move,
    [X86_INS_MOV] = step_move,
    [X86_INS_MOVABS] = step_move,
    [X86_INS_MOVSXD] = step_move,
    [X86_INS_MOVSX] = step_move,
    [X86_INS_MOVZX] = step_move,
    [X86_INS_MOVSS] = step_move,
    [X86_INS_MOVD] = step_move,
    [X86_INS_MOVQ] = step_move,
    [X86_INS_MOVAPS] = step_move,
    [X86_INS_MOVAPD] = step_move,
    [X86_INS_MOVUPS] = step_move,
    [X86_INS_MOVUPD] = step_move,
    [X86_INS_MOVDQA] = step_move,
    [X86_INS_MOVDQU] = step_move,
    [X86_INS_CDQE] = step_widen,
    [X86_INS_CWDE] = step_widen,
    [X86_INS_CDQ] = step_sign,
    [X86_INS_CQO] = step_sign,
    [X86_INS_PUSH] = step_stack,
    [X86_INS_POP] = step_stack,
    [X86_INS_LEAVE] = step_stack,
    [X86_INS_LEA] = step_lea,
    [X86_INS_ADD] = step_arithmetic,
    [X86_INS_SUB] = step_arithmetic,
    [X86_INS_OR] = step_arithmetic,
    [X86_INS_XOR] = step_arithmetic,
    [X86_INS_AND] = step_arithmetic,
    [X86_INS_ADDSD] = step_arithmetic,
    [X86_INS_ADDSS] = step_arithmetic,
    [X86_INS_ADDPD] = step_arithmetic,
    [X86_INS_ADDPS] = step_arithmetic,
    [X86_INS_SUBSD] = step_arithmetic,
    [X86_INS_SUBSS] = step_arithmetic,
    [X86_INS_MULSD] = step_arithmetic,
    [X86_INS_MULSS] = step_arithmetic,
    [X86_INS_PADDD] = step_arithmetic,
    [X86_INS_PADDQ] = step_arithmetic,
    [X86_INS_PXOR] = step_zero,
    [X86_INS_XORPS] = step_zero,
    [X86_INS_XORPD] = step_zero,
    [X86_INS_VPXOR] = step_zero,
    [X86_INS_VXORPS] = step_zero,
    [X86_INS_VXORPD] = step_zero,
    [X86_INS_INC] = step_count,
    [X86_INS_DEC] = step_count,
    [X86_INS_IMUL] = step_multiply,
    [X86_INS_DIV] = step_divide,
    [X86_INS_IDIV] = step_divide,
    [X86_INS_CMP] = step_compare,
    [X86_INS_TEST] = step_compare,
    [X86_INS_ADC] = step_with_carry,
    [X86_INS_SBB] = step_with_carry,
    [X86_INS_XCHG] = step_exchange,
    [X86_INS_XADD] = step_exchange,
    [X86_INS_CMPXCHG] = step_exchange,
    [X86_INS_STOSB] = step_string,
    [X86_INS_STOSD] = step_string,
    [X86_INS_STOSQ] = step_string,
    [X86_INS_STOSW] = step_string,
    [X86_INS_MOVSB] = step_string,
    [X86_INS_MOVSW] = step_string,
    [X86_INS_MOVSQ] = step_string,
    [X86_INS_CMOVA] = step_choose,
    [X86_INS_CMOVAE] = step_choose,
    [X86_INS_CMOVB] = step_choose,
    [X86_INS_CMOVBE] = step_choose,
    [X86_INS_CMOVE] = step_choose,
    [X86_INS_CMOVG] = step_choose,
    [X86_INS_CMOVGE] = step_choose,
    [X86_INS_CMOVL] = step_choose,
    [X86_INS_CMOVLE] = step_choose,
    [X86_INS_CMOVNE] = step_choose,
    [X86_INS_CMOVNO] = step_choose,
    [X86_INS_CMOVNP] = step_choose,
    [X86_INS_CMOVNS] = step_choose,
    [X86_INS_CMOVO] = step_choose,
    [X86_INS_CMOVP] = step_choose,
    [X86_INS_CMOVS] = step_choose,
    [X86_INS_SETA] = step_set,
    [X86_INS_SETAE] = step_set,
    [X86_INS_SETB] = step_set,
    [X86_INS_SETBE] = step_set,
    [X86_INS_SETE] = step_set,
    [X86_INS_SETG] = step_set,
    [X86_INS_SETGE] = step_set,
    [X86_INS_SETL] = step_set,
    [X86_INS_SETLE] = step_set,
    [X86_INS_SETNE] = step_set,
};

/* Sums, products and the like; 0: it only moves values, or destroys a sum. */
uint8_t meaning_mixes(const struct insn *insn)
{
    switch (insn->id) {
    case X86_INS_LEA:
    case X86_INS_ADD:
    case X86_INS_SUB:
    case X86_INS_INC:
    case X86_INS_DEC:
    case X86_INS_XADD:
    case X86_INS_ADDSD:
    case X86_INS_ADDSS:
    case X86_INS_ADDPD:
    case X86_INS_ADDPS:
    case X86_INS_SUBSD:
    case X86_INS_SUBSS:
    case X86_INS_PADDD:
    case X86_INS_PADDQ:
    case X86_INS_HADDPD:
        return 1;
    case X86_INS_OR:
        return 2;
    case X86_INS_XOR:
        return 4;
    case X86_INS_AND:
        return 8;
    case X86_INS_MULSD:
    case X86_INS_MULSS:
    case X86_INS_IMUL:
        return 16;
    default:
        return 0;
    }
}

bool insn_shuffles(const struct insn *insn)
{
    switch (insn->id) {
    case X86_INS_PSRLDQ:
    case X86_INS_PSHUFD:
    case X86_INS_MOVHLPS:
    case X86_INS_UNPCKHPD:
    case X86_INS_UNPCKLPD:
    case X86_INS_SHUFPS:
    case X86_INS_SHUFPD:
    case X86_INS_HADDPD:
        return true;
    default:
        return false;
    }
}

bool flow_step_known(struct flow *flow, struct state *state,
                     const struct insn *insn)
{
    meaning_fn *meaning = insn->id < X86_INS_ENDING ? meanings[insn->id] : NULL;
    if (insn->id == X86_INS_MOVSD && insn->op[0].type == OPERAND_MEMORY &&
        insn->op[1].type == OPERAND_MEMORY)
        meaning = step_string;
    return meaning != NULL && meaning(flow, state, insn);
}
#else
uint8_t meaning_mixes(const struct insn *insn)
{
    (void)insn;
    return 0;
}

bool insn_shuffles(const struct insn *insn)
{
    (void)insn;
    return false;
}

bool flow_step_known(struct flow *flow, struct state *state,
                     const struct insn *insn)
{
    (void)flow;
    (void)state;
    (void)insn;
    return false;
}
#endif
