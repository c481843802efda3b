/* Where the loop is entered: which registers and places of the frame go from
 * one iteration to the next, and how. */
#include "bench/programs/static/flow.h"

/* An object of the frame that the loop uses was there before. */
static void flow_check_object(struct flow *flow, int64_t at)
{
    for (int i = 0; i < flow->objects.count; i++)
        if (at >= flow->objects.at[i] && at < flow->objects.at[i] + 16)
            flow->carried = true;
}

/* `other`: the value in the next iteration is unrelated. */
static void carry_value(struct value *value, bool other)
{
    if (value->kind == V_STACK || value->kind == V_FRESH)
        return;
    if (value_is_iter(value))
        *value = (struct value){.kind = other ? V_DIRTY : V_MOVES,
                                .lanes = lanes_enter(lanes_of(value))};
    else if (value->kind == V_CONST && value->number == 0)
        *value = (struct value){.kind = other ? V_CARRY : V_CARRY0,
                                .lanes = lanes_of(value)};
    else if (!value_is_number(value))
        /* A sum with another start value may have got it in the first
         * iteration. */
        *value =
            (struct value){.kind = value_is_extreme(value) ? V_CARRY : V_DIRTY};
}

static bool is_other_at(const struct head *head, int64_t at)
{
    for (int i = 0; i < head->others; i++)
        if (head->other_at[i] == at)
            return true;
    return head->others == 16;
}

/* A place of the frame that the loop writes, at an address that an instruction
 * keeps throughout the loop. */
static void carry_slots(struct flow *flow, struct state *state,
                        const struct insn *insn, const struct head *head)
{
    for (int i = 0; i < insn->count; i++) {
        const struct operand *op = &insn->op[i];
        if (op->type != OPERAND_MEMORY || !op->writes ||
            op->index != REG_NONE || op->base >= REG_COUNT ||
            state->reg[op->base].kind != V_STACK)
            continue;
        int64_t at = state->reg[op->base].distance + op->value;
        struct value value = state_load(flow, state, at, op->bytes);
        carry_value(&value, is_other_at(head, at));
        state_store(flow, state, at, op->bytes, value);
    }
}

/* After the loop no value continues to the next iteration. */
static void leave_value(struct value *value)
{
    if (value->kind == V_MOVES)
        value->kind = V_ITER;
    else if (!value_is_carry(value))
        return;
    value->lanes.known = value->counted = false;
}

/* A value that the loop does not change has nothing of later iterations. */
static void leave_others(struct state *state, uint64_t moves)
{
    for (int r = 0; r < REG_FLAGS; r++)
        if (!(moves >> r & 1))
            leave_value(&state->reg[r]);
    for (int64_t i = 0; i < state->slots; i++)
        leave_value(&state->slot[i].value);
}

/* Of the registers that a call does not preserve, only its results are read. */
static uint64_t written_by(const struct insn *insn)
{
    const uint64_t results = UINT64_C(1) << REG_RAX | UINT64_C(1) << REG_RDX |
                             UINT64_C(3) << REG_VECTOR;
    uint64_t written = insn->writes | (insn->flow == FLOW_CALL ? results : 0);
    for (int k = 0; k < insn->count; k++)
        if (insn->op[k].type == OPERAND_REG && insn->op[k].writes &&
            insn->op[k].reg < REG_COUNT)
            written |= UINT64_C(1) << insn->op[k].reg;
    return written;
}

static uint64_t written_by_loop(const struct graph *graph, int32_t block)
{
    uint64_t written = 0;
    for (int32_t b = 0; b < graph->blocks; b++)
        for (int32_t i = 0; graph->component[b] == graph->component[block] &&
                            i < graph->block[b].count;
             i++)
            written |= written_by(&graph->insn[graph->block[b].first + i]);
    return written;
}

/* The loop that the block belongs to is entered. */
void heads_enter(struct flow *flow, int32_t block, struct state *state,
                 bool within)
{
    const struct graph *graph = flow->graph;
    const struct head *head = &flow->head[block];
    for (int64_t i = 0; flow->objects.count > 0 && i < state->slots; i++)
        flow_check_object(flow, state->slot[i].at);
    uint64_t written = written_by_loop(graph, block),
             moves = written & head->moves;
    if (within)
        leave_others(state, moves);
    for (int32_t b = 0; b < graph->blocks; b++)
        for (int32_t i = 0; graph->component[b] == graph->component[block] &&
                            i < graph->block[b].count;
             i++)
            carry_slots(flow, state, &graph->insn[graph->block[b].first + i],
                        head);
    for (int r = 0; r < REG_FLAGS; r++) {
        struct value *value = &state->reg[r];
        if (moves >> r & 1)
            carry_value(value, head->other >> r & 1);
        else if ((written >> r & 1) && value_is_iter(value))
            *value = (struct value){.kind = V_ITER,
                                    .number = 1 + (uint64_t)r,
                                    .lanes = lanes_of(value)};
        if (value->kind == V_CARRY0 && r < REG_VECTOR)
            value->lanes.at[LANE_SECOND] = head->step[r];
    }
}

/* A register that the loop writes may be equal in each iteration: a constant,
 * or a value that compilers restore after a call.  It is assumed so until an
 * iteration ends with another value. */
static void compare_constants(struct flow *flow, int32_t head,
                              const struct state *state)
{
    uint64_t moves = 0;
    for (int r = 0; r < REG_FLAGS; r++) {
        const struct value *begin = &flow->in[head].reg[r];
        bool known = begin->kind == V_CONST ||
                     (begin->kind == V_ITER && begin->number != 0);
        if (!known || state->reg[r].kind != begin->kind ||
            begin->number != state->reg[r].number)
            moves |= UINT64_C(1) << r;
    }
    flow->moves += (moves & ~flow->head[head].moves) != 0;
    flow->head[head].moves |= moves;
}

/* The values at an iteration's end are those at the next one's begin. */
static void compare_registers(struct flow *flow, int32_t block,
                              struct state *state)
{
    struct head *head = &flow->head[block];
    uint64_t other = 0, step;
    for (int r = 0; r < REG_FLAGS; r++) {
        const struct value *begin = &flow->in[block].reg[r];
        struct value *next = &state->reg[r];
        uint64_t bit = UINT64_C(1) << r;
        if (begin->kind == V_MOVES && !lanes_go_on(begin, next))
            other |= bit;
        if (begin->kind == V_CARRY0 && r < REG_VECTOR && !(head->other & bit)) {
            if (!lanes_step(next, &step) ||
                (head->step[r] != 0 && head->step[r] != step))
                other |= bit;
            else if (head->step[r] == 0 && step != 0) {
                head->step[r] = step;
                flow->moves++;
            }
        }
        next->lanes = begin->lanes;
    }
    if (flow->moves == flow->moved && (other & ~head->other) != 0) {
        flow->moves++;
        head->other |= other;
    }
}

/* The same for places of the frame: one that does not go on is no function of
 * the iteration. */
static void compare_slots(struct flow *flow, int32_t block, struct state *state)
{
    struct head *head = &flow->head[block];
    const struct state *begin = &flow->in[block];
    for (int64_t i = 0; i < begin->slots; i++) {
        const struct stack_slot *slot = &begin->slot[i];
        if (slot->value.kind != V_MOVES && slot->value.kind != V_CARRY0)
            continue;
        struct value next = state_load(flow, state, slot->at, slot->bytes);
        if ((slot->value.kind == V_CARRY0 ||
             !lanes_go_on(&slot->value, &next)) &&
            flow->moves == flow->moved && !is_other_at(head, slot->at)) {
            head->other_at[head->others++] = slot->at;
            flow->moves++;
        }
        state_set_lanes(state, slot->at, slot->bytes, &slot->value.lanes);
    }
}

void heads_compare(struct flow *flow, int32_t head, struct state *state)
{
    compare_constants(flow, head, state);
    compare_registers(flow, head, state);
    compare_slots(flow, head, state);
}

void heads_leave(struct state *state)
{
    for (int r = 0; r < REG_FLAGS; r++)
        leave_value(&state->reg[r]);
    for (int64_t i = 0; i < state->slots; i++)
        leave_value(&state->slot[i].value);
}
