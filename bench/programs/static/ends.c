/* Whether the loop ends after the last iteration of its block, and not before:
 * its exits are tried in all lanes (lanes.c). */
#include "bench/programs/static/flow.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#ifdef WITH_CAPSTONE
#include <capstone/capstone.h>

/* Whether a branch is taken, -1: that depends on more. */
static int is_taken(uint32_t id, uint64_t difference)
{
    int64_t d = (int64_t)difference;
    switch (id) {
    case X86_INS_JE:
        return d == 0;
    case X86_INS_JNE:
        return d != 0;
    case X86_INS_JL:
    case X86_INS_JB:
    case X86_INS_JS:
        return d < 0;
    case X86_INS_JLE:
    case X86_INS_JBE:
        return d <= 0;
    case X86_INS_JG:
    case X86_INS_JA:
        return d > 0;
    case X86_INS_JGE:
    case X86_INS_JAE:
    case X86_INS_JNS:
        return d >= 0;
    default:
        return -1;
    }
}

/* Whether a branch of the block leaves the loop in a lane. */
static bool leads_out(const struct flow *flow, const struct lanes *flags,
                      int way, int lane)
{
    int taken =
        is_taken(graph_last(flow->graph, flow->block)->id, flags->at[lane]);
    return taken >= 0 && (taken == 1) == (way == 0);
}

static bool can_tell(const struct flow *flow, const struct lanes *flags)
{
    const struct insn *last = graph_last(flow->graph, flow->block);
    return flags->known && last->flow == FLOW_BRANCH &&
           flow->graph->block[flow->block].nexts == 2 &&
           is_taken(last->id, 0) >= 0;
}
#else
static bool leads_out(const struct flow *flow, const struct lanes *flags,
                      int way, int lane)
{
    (void)flow;
    (void)flags;
    (void)way;
    (void)lane;
    return false;
}

static bool can_tell(const struct flow *flow, const struct lanes *flags)
{
    (void)flow;
    (void)flags;
    return false;
}
#endif

/* The loop begins with the test: it runs once more than there are iterations,
 * and must do nothing else. */
static bool only_asks(const struct flow *flow, const struct state *state)
{
    const struct block *block = &flow->graph->block[flow->block];
    for (int32_t i = 0; i < block->count; i++) {
        const struct insn *insn = &flow->graph->insn[block->first + i];
        for (int k = 0; k < insn->count; k++) {
            const struct operand *op = &insn->op[k];
            if (op->writes && (op->type == OPERAND_MEMORY ||
                               (op->type == OPERAND_REG &&
                                (op->reg >= REG_COUNT ||
                                 value_is_carry(&state->reg[op->reg])))))
                return false;
        }
    }
    return flow->head[flow->block].is;
}

/* Whether the branch leaves after the last iteration, not before or later. */
static bool is_end(const struct flow *flow, const struct state *state, int way)
{
    const struct lanes *flags = &state->reg[REG_FLAGS].lanes;
    bool out[LANES];
    if (!can_tell(flow, flags))
        return false;
    for (int i = 0; i < LANES; i++)
        out[i] = leads_out(flow, flags, way, i);
    if (out[0] || out[LANE_LONGER] || out[LANE_TWO])
        return false;
    return out[LANE_ONE] || (out[LANE_NONE] && only_asks(flow, state));
}

void ends_leave(struct flow *flow, const struct state *state)
{
    const struct graph *graph = flow->graph;
    const struct block *block = &graph->block[flow->block];
    int last = 0, others = 0;
    for (int32_t i = 0; i < block->nexts; i++) {
        const struct block *to = &graph->block[block->next[i]];
        if (graph->component[block->next[i]] == graph->component[flow->block] ||
            to->aside || to->pad)
            continue;
        if (is_end(flow, state, i))
            last++;
        else if (!turns_to(flow, flow->block, block->next[i]) ||
                 !turns_stay(flow, state, i))
            others++;
    }
    flow->ending[flow->block] = last == 1 && others == 0;
    if (others > 0)
        flow->carried = true;
}

/* Whether a path around the loop contains no test for its end. */
static bool comes_back(const struct flow *flow, int32_t head, int32_t *stack,
                       bool *seen)
{
    const struct graph *graph = flow->graph;
    int32_t depth = 0;
    stack[depth++] = head;
    while (depth > 0) {
        int32_t b = stack[--depth];
        for (int32_t i = 0; !flow->ending[b] && i < graph->block[b].nexts;
             i++) {
            int32_t to = graph->block[b].next[i];
            if (to == head)
                return true;
            if (graph->component[to] != graph->component[head] || seen[to])
                continue;
            seen[to] = true;
            stack[depth++] = to;
        }
    }
    return false;
}

int ends_check(struct flow *flow)
{
    size_t blocks = (size_t)flow->graph->blocks + 1;
    int32_t *stack = calloc(blocks, sizeof(*stack));
    bool *seen = calloc(blocks, sizeof(*seen));
    for (int32_t b = 0;
         stack != NULL && seen != NULL && b < flow->graph->blocks; b++)
        if (flow->head[b].is) {
            memset(seen, 0, blocks * sizeof(*seen));
            flow->carried = flow->carried || comes_back(flow, b, stack, seen);
        }
    bool ready = stack != NULL && seen != NULL;
    free(stack);
    free(seen);
    return ready ? 0 : -ENOMEM;
}
