/* Loops that gcc has split in two: in `for (i) for (j = 0; j < i; j++)` the
 * inner loop's test is omitted once an iteration has passed it.  A program may
 * do the same with its own flag; then the effect of a block of iterations
 * depends on where it begins. */
#include "bench/programs/static/flow.h"

#ifdef WITH_CAPSTONE
#include <capstone/capstone.h>

/* The branch that increasing numbers keep taking, -1: none. */
static int rising_way(const struct insn *last)
{
    switch (last->id) {
    case X86_INS_JG:
    case X86_INS_JGE:
        return 0;
    case X86_INS_JL:
    case X86_INS_JLE:
        return 1;
    default:
        return -1;
    }
}

/* The number with which a register is compared before a block's branch. */
static bool compares_register(const struct graph *graph, int32_t b,
                              int64_t *number)
{
    const struct insn *last = graph_last(graph, b), *asks = last - 1;
    if (graph->block[b].count < 2 || last->flow != FLOW_BRANCH ||
        graph->block[b].nexts != 2 || asks->count != 2 ||
        asks->op[0].type != OPERAND_REG || asks->op[0].bytes < 4)
        return false;
    *number = asks->op[1].type == OPERAND_NUMBER ? asks->op[1].value : 0;
    return (asks->id == X86_INS_CMP && asks->op[1].type == OPERAND_NUMBER) ||
           (asks->id == X86_INS_TEST && asks->op[1].type == OPERAND_REG &&
            asks->op[1].reg == asks->op[0].reg);
}
#else
static int rising_way(const struct insn *last)
{
    (void)last;
    return -1;
}

static bool compares_register(const struct graph *graph, int32_t b,
                              int64_t *number)
{
    (void)graph;
    (void)b;
    (void)number;
    return false;
}
#endif

static bool in_loop(const struct flow *flow, int32_t b)
{
    return flow->main[b] && flow->graph->component[b] >= 0;
}

static bool is_turn(const struct flow *flow, int32_t from, int32_t to)
{
    const struct graph *graph = flow->graph;
    int64_t number;
    if (!in_loop(flow, from) ||
        graph->component[to] == graph->component[from] ||
        !compares_register(graph, from, &number))
        return false;
    int way = rising_way(graph_last(graph, from));
    return way >= 0 && graph->block[from].next[way] == to &&
           graph->block[from].next[1 - way] != to;
}

/* Writes registers, and leads to one block alone. */
static bool is_quiet(const struct graph *graph, int32_t b)
{
    const struct block *block = &graph->block[b];
    for (int32_t i = block->first; i < block->first + block->count; i++) {
        const struct insn *insn = &graph->insn[i];
        if ((insn->flow != FLOW_ON && insn->flow != FLOW_JUMP) || insn->lock ||
            insn->other)
            return false;
        for (int k = 0; k < insn->count; k++)
            if (insn->op[k].type == OPERAND_MEMORY && insn->op[k].writes)
                return false;
    }
    return block->nexts == 1 && !block->jumps_away;
}

static int count_ways_to(const struct graph *graph, int32_t to)
{
    int count = 0;
    for (int32_t b = 0; b < graph->blocks; b++)
        for (int32_t i = 0; i < graph->block[b].nexts; i++)
            count += graph->block[b].next[i] == to;
    return count;
}

void turns_find(struct flow *flow)
{
    const struct graph *graph = flow->graph;
    for (int32_t b = 0; b < graph->blocks; b++)
        for (int32_t i = 0; in_loop(flow, b) && i < graph->block[b].nexts;
             i++) {
            int32_t to = graph->block[b].next[i];
            if (!flow->main[to] && !flow->empty[to] && is_turn(flow, b, to) &&
                is_quiet(graph, to) && count_ways_to(graph, to) == 1 &&
                in_loop(flow, graph->block[to].next[0]))
                flow->main[to] = true;
        }
}

bool turns_to(const struct flow *flow, int32_t from, int32_t to)
{
    if (flow->pass != PASS_CARRY || !flow->main[from] || !flow->main[to])
        return false;
    return !in_loop(flow, from) || is_turn(flow, from, to);
}

/* The number is the iteration's, or a little more: it rises by one, and does
 * not overflow. */
bool turns_stay(const struct flow *flow, const struct state *state, int way)
{
    enum { MORE = 8 };
    const struct lanes *flags = &state->reg[REG_FLAGS].lanes;
    const struct lanes first = lanes_of(&(struct value){.kind = V_START});
    int64_t number;
    if (!flags->known ||
        !compares_register(flow->graph, flow->block, &number) ||
        rising_way(graph_last(flow->graph, flow->block)) != way)
        return false;
    uint64_t more = flags->at[0] + (uint64_t)number - first.at[0];
    for (int i = 0; i < LANES; i++)
        if (flags->at[i] + (uint64_t)number - more !=
            first.at[i == LANE_SECOND ? LANE_NEXT : i])
            return false;
    return more <= MORE;
}
