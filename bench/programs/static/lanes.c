/* The value of each variable in several sample blocks of iterations, whose
 * numbers are unrelated: variables with equal values are equal.  A value that
 * is carried to the next iteration depends on the iteration alone if a block's
 * second iteration has what the first iteration of a block that begins there
 * has. */
#include "bench/programs/static/meaning.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { BEGIN = 1237, LONG = 5171, LONGER = 6427 };

/* The block of each lane.  LANE_SECOND has the first one's, an iteration
 * later. */
static const uint64_t begins[LANES] = {BEGIN, BEGIN + 1, BEGIN, BEGIN,
                                       BEGIN, BEGIN,     BEGIN},
                      ends[LANES] = {LONG,      LONG,  LONGER, BEGIN + 1,
                                     BEGIN + 2, BEGIN, LONG};

static struct lanes same_in_all(uint64_t number)
{
    struct lanes out = {.known = true};
    for (int i = 0; i < LANES; i++)
        out.at[i] = number;
    return out;
}

/* A number for an unknown value, small enough for multiplication. */
static struct lanes some_number(uint64_t a, uint64_t b)
{
    uint64_t hash = (a + 1) * UINT64_C(0x9E3779B97F4A7C15) ^ (b + 77);
    hash = (hash ^ hash >> 29) * UINT64_C(0xBF58476D1CE4E5B9);
    return same_in_all((hash ^ hash >> 32) & 0xffff);
}

struct lanes lanes_of(const struct value *v)
{
    struct lanes out = v->lanes;
    if (out.known)
        return out;
    switch (v->kind) {
    case V_CONST:
        return same_in_all(v->number);
    case V_SYMBOL:
        out = some_number(v->number, 0);
        break;
    case V_STACK:
        out = same_in_all(UINT64_C(0x7f0000000000));
        break;
    case V_START:
    case V_END:
    case V_Q1:
        out.known = v->kind != V_Q1 || v->number == 0;
        for (int i = 0; i < LANES; i++)
            out.at[i] = v->kind == V_START ? begins[i]
                        : v->kind == V_END ? ends[i]
                                           : ends[i] - begins[i];
        return out;
    default:
        return out;
    }
    for (int i = 0; i < LANES; i++)
        out.at[i] += (uint64_t)v->distance;
    return out;
}

bool lanes_are_same(const struct value *a, const struct value *b)
{
    if (!a->lanes.known && !b->lanes.known)
        return true;
    struct lanes left = lanes_of(a), right = lanes_of(b);
    return left.known == right.known &&
           memcmp(left.at, right.at, sizeof(left.at)) == 0;
}

/* ---- sums ---- */

struct lanes lanes_sum(struct lanes a, struct lanes b, uint64_t times)
{
    a.known = a.known && b.known;
    for (int i = 0; i < LANES; i++)
        a.at[i] += b.at[i] * times;
    return a;
}

struct lanes lanes_address(const struct state *state, const struct operand *op,
                           uint64_t next)
{
    struct lanes sum = same_in_all((uint64_t)op->value);
    if (op->base == REG_RIP)
        sum = same_in_all((uint64_t)op->value + next);
    else if (op->base != REG_NONE)
        sum = lanes_sum(sum,
                        op->base < REG_VECTOR ? lanes_of(&state->reg[op->base])
                                              : (struct lanes){.known = false},
                        1);
    if (op->index != REG_NONE)
        sum =
            lanes_sum(sum,
                      op->index < REG_VECTOR ? lanes_of(&state->reg[op->index])
                                             : (struct lanes){.known = false},
                      op->scale);
    return sum;
}

/* A count from 0 plus the block's begin depends on the iteration alone if the
 * second iteration has the value of the next block's first one. */
void lanes_settle(const struct flow *flow, struct value *sum,
                  const struct lanes *lanes)
{
    if (flow->pass == PASS_CARRY && sum->counted && lanes->known &&
        lanes->at[LANE_SECOND] == lanes->at[LANE_NEXT] &&
        lanes->at[0] == lanes->at[LANE_LONGER])
        sum->kind = V_MOVES;
}

/* ---- from one iteration to the next ---- */

struct lanes lanes_enter(struct lanes first)
{
    first.known = first.known && first.at[0] == first.at[LANE_LONGER];
    first.at[LANE_SECOND] = first.at[LANE_NEXT];
    return first;
}

bool lanes_go_on(const struct value *begin, const struct value *next)
{
    struct lanes now = lanes_of(next);
    return begin->lanes.known && now.known &&
           now.at[0] == begin->lanes.at[LANE_NEXT];
}

bool lanes_step(const struct value *next, uint64_t *step)
{
    struct lanes now = lanes_of(next);
    for (int i = 1; i < LANE_SECOND; i++)
        now.known = now.known && now.at[i] == now.at[0];
    *step = now.at[0];
    return now.known;
}

#ifdef WITH_CAPSTONE
#include <capstone/capstone.h>

/* ---- instructions ---- */

static struct lanes product_of(struct lanes a, const struct lanes *b)
{
    a.known = a.known && b->known;
    for (int i = 0; i < LANES; i++)
        a.at[i] *= b->at[i];
    return a;
}

/* As a result of so many bytes is extended; shorter ones are not known. */
static struct lanes cut_lanes(struct lanes a, uint8_t bytes, bool with_sign)
{
    a.known = a.known && bytes >= 4 && bytes <= 8;
    for (int i = 0; i < LANES && bytes == 4; i++)
        a.at[i] =
            with_sign ? (uint64_t)(int64_t)(int32_t)a.at[i] : (uint32_t)a.at[i];
    return a;
}

static struct lanes read_operand(struct flow *flow, struct state *state,
                                 const struct insn *insn, int i)
{
    struct value v = flow_get(flow, state, insn, &insn->op[i]);
    return cut_lanes(lanes_of(&v),
                     insn->op[i].type == OPERAND_NUMBER ? 8 : insn->op[i].bytes,
                     false);
}

static bool is_sum(const struct insn *insn)
{
    static const uint32_t all[] = {
        X86_INS_MOV,  X86_INS_MOVABS, X86_INS_MOVSXD, X86_INS_MOVSX,
        X86_INS_LEA,  X86_INS_ADD,    X86_INS_SUB,    X86_INS_CMP,
        X86_INS_TEST, X86_INS_XOR,    X86_INS_INC,    X86_INS_DEC,
        X86_INS_NEG,  X86_INS_SHL,    X86_INS_SAL,    X86_INS_IMUL};
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
        if (insn->id == all[i])
            return true;
    return false;
}

/* The result from the first and second operand. */
static struct lanes compute_result(struct flow *flow, struct state *state,
                                   const struct insn *insn)
{
    static const struct lanes unknown = {.known = false};
    if (insn->count == 0 || !is_sum(insn))
        return unknown;
    if (insn->id == X86_INS_LEA)
        return lanes_address(state, &insn->op[1], insn->at + insn->size);
    struct lanes a = read_operand(flow, state, insn, 0),
                 b = insn->count > 1 ? read_operand(flow, state, insn, 1)
                                     : unknown,
                 c;
    switch (insn->id) {
    case X86_INS_MOV:
    case X86_INS_MOVABS:
        return b;
    case X86_INS_MOVSXD:
    case X86_INS_MOVSX:
        return cut_lanes(b, insn->op[1].bytes, true);
    case X86_INS_ADD:
        return lanes_sum(a, b, 1);
    case X86_INS_SUB:
    case X86_INS_CMP:
        return lanes_sum(a, b, UINT64_MAX);
    case X86_INS_TEST:
        return meaning_same_register(insn) ? a : unknown;
    case X86_INS_XOR:
        return meaning_same_register(insn) ? same_in_all(0) : unknown;
    case X86_INS_INC:
    case X86_INS_DEC:
        return lanes_sum(a, same_in_all(1),
                         insn->id == X86_INS_INC ? 1 : UINT64_MAX);
    case X86_INS_NEG:
        return lanes_sum(same_in_all(0), a, UINT64_MAX);
    case X86_INS_SHL:
    case X86_INS_SAL:
        c = insn->count > 1 && insn->op[1].type == OPERAND_NUMBER
                ? same_in_all(UINT64_C(1) << (insn->op[1].value & 63))
                : unknown;
        return product_of(a, &c);
    case X86_INS_IMUL:
        if (insn->count == 3) {
            c = read_operand(flow, state, insn, 2);
            return product_of(b, &c);
        }
        return insn->count == 2 ? product_of(a, &b) : unknown;
    default:
        return unknown;
    }
}

/* Whether the values that it moves have their lanes already, or none is
 * written. */
static bool keeps_what_it_moves(const struct insn *insn)
{
    switch (insn->id) {
    case X86_INS_PUSH:
    case X86_INS_POP:
    case X86_INS_XCHG:
    case X86_INS_LEAVE:
        return true;
    default:
        return insn->flow != FLOW_ON || !insn->writes;
    }
}

struct lanes lanes_before(struct flow *flow, struct state *state,
                          const struct insn *insn)
{
    if (flow->pass != PASS_CARRY || insn->flow != FLOW_ON)
        return (struct lanes){.known = false};
    if (insn->id == X86_INS_CDQE)
        return cut_lanes(lanes_of(&state->reg[REG_RAX]), 4, true);
    struct lanes out = compute_result(flow, state, insn);
    bool only_flags = insn->id == X86_INS_CMP || insn->id == X86_INS_TEST;
    return insn->id == X86_INS_LEA || insn->count == 0
               ? out
               : cut_lanes(out, insn->op[0].bytes, only_flags);
}

static void keep_lanes(struct flow *flow, struct state *state,
                       const struct insn *insn, const struct lanes *lanes)
{
    const struct operand *op = &insn->op[0];
    if (insn->count == 0 || !op->writes)
        return;
    if (op->type == OPERAND_REG && op->reg < REG_VECTOR) {
        state->reg[op->reg].lanes =
            op->bytes == 4 ? cut_lanes(*lanes, 4, false) : *lanes;
    } else if (op->type == OPERAND_MEMORY) {
        struct value at = flow_address(flow, state, insn, op);
        if (at.kind == V_STACK)
            state_set_lanes(state, at.distance, op->bytes, lanes);
    }
}

void lanes_after(struct flow *flow, struct state *state,
                 const struct insn *insn, const struct lanes *lanes)
{
    if (flow->pass != PASS_CARRY || keeps_what_it_moves(insn))
        return;
    for (int r = 0; r < REG_VECTOR; r++)
        if (insn->writes >> r & 1)
            state->reg[r].lanes.known = false;
    if (insn->id == X86_INS_CDQE)
        state->reg[REG_RAX].lanes = *lanes;
    else
        keep_lanes(flow, state, insn, lanes);
    if (insn->writes >> REG_FLAGS & 1) {
        struct lanes flags = *lanes;
        if (insn->count > 0 && insn->op[0].bytes == 4)
            flags = cut_lanes(flags, 4, true);
        state->reg[REG_FLAGS].lanes = flags;
    }
    /* What runs only once is one number, whatever it is. */
    if (flow->main[flow->block] || flow->repeats[flow->block])
        return;
    for (int r = 0; r < REG_VECTOR; r++)
        if ((insn->writes >> r & 1) && state->reg[r].kind == V_ANY &&
            !state->reg[r].lanes.known)
            state->reg[r].lanes = some_number(insn->at, 1 + (uint64_t)r);
}
#else
struct lanes lanes_before(struct flow *flow, struct state *state,
                          const struct insn *insn)
{
    (void)flow;
    (void)state;
    (void)insn;
    return (struct lanes){.known = false};
}

void lanes_after(struct flow *flow, struct state *state,
                 const struct insn *insn, const struct lanes *lanes)
{
    (void)flow;
    (void)state;
    (void)insn;
    (void)lanes;
}
#endif
