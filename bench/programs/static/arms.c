/* Both arms after the test whether T < R, in gcc's split.  An arm may only
 * compute; where both meet, a value is one of the split's or wrong. */
#include "bench/programs/static/flow.h"

#ifdef WITH_CAPSTONE
#include <capstone/capstone.h>

/* Instructions with which gcc computes the split.  An arm with any other one is
 * the program's own. */
static bool may_stand_in_arm(const struct insn *insn)
{
    switch (insn->id) {
    case X86_INS_NOP:
    case X86_INS_MOV:
    case X86_INS_MOVABS:
    case X86_INS_MOVSXD:
    case X86_INS_ADD:
    case X86_INS_INC:
    case X86_INS_XOR:
    case X86_INS_PXOR:
    case X86_INS_SUB:
    case X86_INS_LEA:
    case X86_INS_IMUL:
    case X86_INS_CMP:
    case X86_INS_TEST:
    case X86_INS_CDQE:
        return true;
    default:
        return insn->flow == FLOW_JUMP || insn->flow == FLOW_BRANCH;
    }
}

int arms_smaller(const struct flow *flow, int32_t block)
{
    if (flow->ends[block] != F_SPLIT || flow->graph->block[block].nexts != 2)
        return -1;
    bool turned = flow->orient[block] != 0; /* R is compared with T */
    switch (graph_last(flow->graph, block)->id) {
    case X86_INS_JL:
    case X86_INS_JB:
        return turned ? -1 : 0;
    case X86_INS_JGE:
    case X86_INS_JAE:
        return turned ? -1 : 1;
    case X86_INS_JG:
    case X86_INS_JA:
        return turned ? 0 : -1;
    case X86_INS_JLE:
    case X86_INS_JBE:
        return turned ? 1 : -1;
    default:
        return -1;
    }
}
#else
static bool may_stand_in_arm(const struct insn *insn)
{
    (void)insn;
    return false;
}

int arms_smaller(const struct flow *flow, int32_t block)
{
    (void)flow;
    (void)block;
    return -1;
}
#endif

enum { ARM_BLOCKS = 6 };

/* The blocks from `from` on, as long as each leads only to the next. */
static int find_chain(const struct graph *graph, int32_t from,
                      int32_t out[ARM_BLOCKS])
{
    int count = 0;
    while (count < ARM_BLOCKS) {
        out[count++] = from;
        if (graph->block[from].nexts != 1 ||
            graph_last(graph, from)->flow == FLOW_CALL)
            break;
        from = graph->block[from].next[0];
    }
    return count;
}

static bool leads_to(const struct graph *graph, int32_t from, int32_t to)
{
    for (int32_t i = 0; i < graph->block[from].nexts; i++)
        if (graph->block[from].next[i] == to)
            return true;
    return false;
}

/* Computes only, in registers and in the frame. */
static bool is_plain(const struct graph *graph, int32_t block)
{
    for (int32_t i = 0; i < graph->block[block].count; i++) {
        const struct insn *insn = &graph->insn[graph->block[block].first + i];
        if (!may_stand_in_arm(insn) || insn->lock)
            return false;
        for (int k = 0; k < insn->count; k++) {
            const struct operand *op = &insn->op[k];
            if (op->type == OPERAND_MEMORY && op->writes &&
                ((op->base != REG_RSP && op->base != REG_RBP) ||
                 op->index != REG_NONE))
                return false;
        }
    }
    return true;
}

/* The blocks after each way of the branch, as far as one leads to the next. */
struct arms {
    int32_t left[ARM_BLOCKS], right[ARM_BLOCKS];
    int lefts, rights;
};

/* Where the left chain of blocks meets the right one, or its successor. */
static int32_t find_meeting(const struct graph *graph, const struct arms *arms)
{
    for (int i = 0; i < arms->lefts; i++) {
        for (int k = 0; k < arms->rights; k++)
            if (arms->left[i] == arms->right[k])
                return arms->left[i];
        if (leads_to(graph, arms->right[arms->rights - 1], arms->left[i]))
            return arms->left[i];
    }
    return -1;
}

static struct arms arms_of(const struct graph *graph, int32_t block, bool turn)
{
    struct arms arms;
    arms.lefts = find_chain(graph, graph->block[block].next[turn], arms.left);
    arms.rights =
        find_chain(graph, graph->block[block].next[!turn], arms.right);
    return arms;
}

/* Up to the meeting, or to the end. */
static bool are_plain(struct flow *flow, const int32_t *blocks, int count,
                      int32_t meet)
{
    for (int i = 0; i < count && blocks[i] != meet; i++) {
        if (!is_plain(flow->graph, blocks[i]))
            return false;
        flow->arm[blocks[i]] = true;
    }
    return true;
}

bool arms_find(struct flow *flow)
{
    const struct graph *graph = flow->graph;
    for (int32_t b = 0; b < graph->blocks; b++) {
        flow->meets[b] = -1;
        if (flow->ends[b] != F_SPLIT)
            continue;
        int turn = arms_smaller(flow, b);
        if (turn < 0)
            return false;
        struct arms arms = arms_of(graph, b, turn != 0);
        int32_t meet = find_meeting(graph, &arms);
        if (meet < 0 || !are_plain(flow, arms.left, arms.lefts, meet) ||
            !are_plain(flow, arms.right, arms.rights, meet))
            return false;
        flow->meets[b] = meet;
        flow->met[meet] = true;
    }
    flow->has_meets = true;
    return true;
}

/* ---- results of the arms ---- */

static bool is_of_split(const struct value *v)
{
    return value_is_number(v) || v->kind == V_START || v->kind == V_END ||
           v->kind == V_ITER;
}

/* Makes what an arm writes, if it is not the split's, a wrong value: it depends
 * on T < R, and would differ in smaller blocks. */
static void mark_written(struct flow *flow, const struct insn *insn,
                         struct state *state, uint64_t sites)
{
    const struct value wrong = {.kind = V_WRONG, .sites = sites};
    for (int k = 0; k < insn->count; k++) {
        const struct operand *op = &insn->op[k];
        if (!op->writes)
            continue;
        if (op->type == OPERAND_REG && op->reg < REG_FLAGS &&
            !is_of_split(&state->reg[op->reg]))
            state->reg[op->reg] = wrong;
        if (op->type != OPERAND_MEMORY || state->reg[op->base].kind != V_STACK)
            continue;
        int64_t at = state->reg[op->base].distance + op->value;
        struct value there = state_load(flow, state, at, op->bytes);
        if (!is_of_split(&there))
            state_store(flow, state, at, op->bytes, wrong);
    }
}

static void mark_blocks(struct flow *flow, const int32_t *blocks, int count,
                        int32_t meet, struct state *state, uint64_t sites)
{
    const struct graph *graph = flow->graph;
    for (int i = 0; i < count && blocks[i] != meet; i++)
        for (int32_t k = 0; k < graph->block[blocks[i]].count; k++)
            mark_written(flow, &graph->insn[graph->block[blocks[i]].first + k],
                         state, sites);
}

void arms_mark(struct flow *flow, int32_t meet, struct state *state)
{
    const struct graph *graph = flow->graph;
    if (!flow->has_meets || flow->pass != PASS_ALL)
        return;
    for (int32_t b = 0; b < graph->blocks; b++) {
        if (flow->meets[b] != meet)
            continue;
        struct arms arms = arms_of(graph, b, arms_smaller(flow, b) == 1);
        uint64_t all = flow->sites == FLOW_SITES
                           ? UINT64_MAX
                           : (UINT64_C(1) << flow->sites) - 1;
        mark_blocks(flow, arms.left, arms.lefts, meet, state, all);
        mark_blocks(flow, arms.right, arms.rights, meet, state, all);
    }
}
