/* The effects of a region besides its iterations.  A block without an iteration
 * must have none, because it runs more often than the program specifies. */
#include "bench/programs/static/meaning.h"

#include <string.h>

static void refuse_effect(struct flow *flow, enum word word)
{
    if (flow->effect == WORD_NONE)
        flow->effect = word;
}

/* ---- stores ---- */

static bool comes_from(const struct graph *graph, int32_t from, int32_t to)
{
    for (int32_t i = 0; i < graph->block[from].nexts; i++)
        if (graph->block[from].next[i] == to)
            return true;
    return false;
}

/* The comparison that a block ends with, NULL: it ends otherwise. */
static const struct insn *last_comparison(const struct graph *graph,
                                          int32_t block)
{
    const struct insn *last = graph_last(graph, block);
    return last->flow == FLOW_BRANCH && graph->block[block].count > 1 ? last - 1
                                                                      : NULL;
}

static bool compare_alike(const struct graph *graph, int32_t a, int32_t b)
{
    const struct insn *left = last_comparison(graph, a),
                      *right = last_comparison(graph, b);
    return left != NULL && right != NULL && left->id == right->id &&
           left->count == 2 && right->count == 2 &&
           left->op[0].type == OPERAND_REG && left->op[1].type == OPERAND_REG &&
           left->op[0].reg == right->op[0].reg &&
           left->op[1].reg == right->op[1].reg;
}

/* lastprivate asks for the last iteration: all that leads here does.  A thread
 * without an iteration may ask the same of a number that is never the last. */
static bool asks_for_iteration(const struct flow *flow, int32_t block,
                               int depth)
{
    int32_t asks = -1;
    for (int32_t b = 0; b < flow->graph->blocks; b++)
        if (comes_from(flow->graph, b, block) && flow->ends[b] == F_ITER)
            asks = b;
    bool any = false;
    for (int32_t b = 0; b < flow->graph->blocks; b++) {
        if (!comes_from(flow->graph, b, block))
            continue;
        if (flow->ends[b] != F_ITER &&
            !(asks >= 0 && compare_alike(flow->graph, asks, b)) &&
            (depth == 0 || !asks_for_iteration(flow, b, depth - 1)))
            return false;
        any = true;
    }
    return any;
}

static bool is_same(const struct value *a, const struct value *b)
{
    return a->kind == V_SYMBOL && b->kind == V_SYMBOL &&
           a->number == b->number && a->distance == b->distance;
}

/* Whether a reduction takes libgomp's lock, as no instruction does it. */
static bool is_atomic_region(const struct flow *flow)
{
    for (int32_t b = 0; b < flow->graph->blocks; b++) {
        const struct insn *last = graph_last(flow->graph, b);
        if (last->flow == FLOW_CALL) {
            const char *name = code_target(flow->graph->binary, last).name;
            if (name != NULL && strcmp(name, "GOMP_atomic_start") == 0)
                return true;
        }
    }
    return false;
}

/* After the loop only its sums may be stored to shared memory. */
static void judge_store(struct flow *flow, const struct insn *insn,
                        const struct value *old, const struct value *value)
{
    bool outside =
        !flow->main[flow->block] && !flow->graph->block[flow->block].aside;
    bool shares = insn->lock || is_atomic_region(flow);
    if (outside && insn->lock && !flow->in[flow->block].held &&
        !flow->empty[flow->block] &&
        (insn->count < 2 || insn->op[1].type == OPERAND_NUMBER))
        refuse_effect(flow, WORD_THREADS);
    if (outside && !flow->empty[flow->block] && flow->before[flow->block])
        flow->carried = true; /* the first iteration does more */
    if (flow_is_fixed(flow, value))
        flow->carried = true;
    uint8_t mixes = value->mixes | meaning_mixes(insn);
    if (outside && value_is_carry(value) &&
        (insn->op[0].bytes + value->cut > 8 || (mixes & (mixes - 1)) != 0))
        flow->carried = true; /* the sum of cut sums is not a cut sum */
    if (value->kind == V_DIRTY || (value_is_carry(value) && !outside) ||
        (value_is_carry(value) && !shares))
        flow->carried = true;
    if (outside && shares && !value_is_carry(value) && !is_same(old, value))
        flow->carried = true;
}

void effect_store(struct flow *flow, const struct insn *insn,
                  const struct value *at, const struct value *old,
                  const struct value *value)
{
    if (!flow->report || at->kind == V_FRESH)
        return;
    if (flow->pass == PASS_EMPTY && !flow->in[flow->block].held &&
        !is_same(old, value) &&
        (insn->lock || !asks_for_iteration(flow, flow->block, 4)))
        refuse_effect(flow, WORD_THREADS);
    if (flow->pass == PASS_CARRY)
        judge_store(flow, insn, old, value);
}

/* ---- calls and branches ---- */

/* The frame, or memory that the thread has allocated. */
static bool fills_own(const struct value *to)
{
    return to->kind == V_STACK || to->kind == V_FRESH;
}

void effect_call(struct flow *flow, struct state *state,
                 const struct target *target)
{
    if (!flow->report || flow->pass != PASS_EMPTY)
        return;
    const char *name = target->name;
    switch (name != NULL ? names_trust(flow->graph->binary, name) : TRUST_NOT) {
    case TRUST_PURE:
    case TRUST_ATOMIC:
        return;
    case TRUST_MEMORY:
        flow->state = true;
        return;
    case TRUST_FILL:
        if (strcmp(name, "free") == 0 || strncmp(name, "_Zd", 3) == 0) {
            flow->state = true;
            return;
        }
        if (!fills_own(&state->reg[REG_RDI]) || strcmp(name, "realloc") == 0 ||
            strncmp(name, "mem", 3) != 0)
            refuse_effect(flow, WORD_CALLS);
        return;
    case TRUST_LOCK:
        if (names_critical(name))
            flow->critical = true;
        else
            refuse_effect(flow, WORD_LOCK);
        return;
    default:
        refuse_effect(flow, WORD_CALLS);
    }
}

/* Whether a branch leaves the loop. */
static bool leaves_loop(const struct flow *flow)
{
    const struct graph *graph = flow->graph;
    const struct block *block = &graph->block[flow->block];
    for (int32_t i = 0; i < block->nexts; i++)
        if (graph->component[block->next[i]] != graph->component[flow->block])
            return true;
    return false;
}

void effect_branch(struct flow *flow, const struct value *flags)
{
    if (!flow->report)
        return;
    if (flow->pass == PASS_ALL) {
        flow->ends[flow->block] = flags->kind;
        flow->orient[flow->block] = flags->number;
    }
    if (flow->pass == PASS_CARRY &&
        (flags->kind == F_CARRY ||
         (flags->kind == F_BOUND && !leaves_loop(flow))))
        flow->carried = true;
}
