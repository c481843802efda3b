/* The reads and writes of the functions that a region calls. */
#include "bench/programs/static/region_class.h"

#include "base/list.h"

#include <stdlib.h>

enum { FUNCTIONS_MAX = 4000 };

struct reached {
    uint64_t *at;
    int64_t count, room;
    bool failed;
};

static void add_reached(struct reached *reached, uint64_t at)
{
    for (int64_t i = 0; i < reached->count; i++)
        if (reached->at[i] == at)
            return;
    if (reached->count == FUNCTIONS_MAX ||
        list_grow(&reached->at, &reached->room, reached->count + 1,
                  sizeof(*reached->at)) != 0)
        reached->failed = true;
    else
        reached->at[reached->count++] = at;
}

static bool is_private(const struct insn *insn)
{
    for (int i = 0; i < insn->count; i++)
        if (insn->op[i].segment &&
            (insn->op[i].base != REG_NONE || insn->op[i].value != 0x28))
            return true;
    return false;
}

/* A jump by a table stays in the function: its begin was looked up just
 * before, relative to the code. */
static bool is_table(const struct insn *insn, int64_t i)
{
    const struct operand *op = &insn[i].op[0];
    if (op->type == OPERAND_MEMORY)
        return op->base == REG_NONE && op->index != REG_NONE && op->scale == 8;
    for (int64_t k = i - 1; k >= 0 && k > i - 12; k--) {
        const struct operand *from = &insn[k].op[1];
        if (insn[k].flow != FLOW_ON)
            return false;
        if (from->type == OPERAND_MEMORY && from->index != REG_NONE &&
            (from->scale == 4 || (from->scale == 8 && from->base == REG_NONE)))
            return true;
    }
    return false;
}

/* A library call leaves all registers unknown, except for those that it
 * preserves. */
enum { KEPT = 1 << 3 | 1 << REG_RSP | 1 << REG_RBP | 0xf << 12 };
static uint64_t writes_of(struct code *code, const struct insn *insn)
{
    uint64_t all = insn->writes;
    for (int i = 0; i < insn->count; i++)
        if (insn->op[i].type == OPERAND_REG && insn->op[i].writes &&
            insn->op[i].reg < REG_COUNT)
            all |= UINT64_C(1) << insn->op[i].reg;
    bool away = insn->flow == FLOW_CALL || insn->flow == FLOW_JUMP;
    return away && code_target(code_image(code), insn).name != NULL
               ? ~(uint64_t)KEPT
               : all;
}

static bool leads_on(struct code *code, const struct binary_function *function,
                     const struct insn *insn, int64_t i,
                     struct reached *reached)
{
    const struct binary *binary = code_image(code);
    if (insn[i].flow == FLOW_STRANGE || is_private(&insn[i]))
        return false;
    if (insn[i].flow != FLOW_CALL && insn[i].flow != FLOW_JUMP &&
        insn[i].flow != FLOW_BRANCH)
        return true;
    struct target target = code_target(binary, &insn[i]);
    if (target.name != NULL)
        return names_trust(binary, target.name) != TRUST_NOT;
    if (target.at == 0)
        return insn[i].flow == FLOW_JUMP && is_table(insn, i);
    if (target.at - function->at >= function->size)
        add_reached(reached, target.at);
    return true;
}

/* A function that may wait for another thread. */
static bool may_wait(struct code *code, uint64_t at)
{
    const struct code_note *note = code_note(code, at);
    struct graph graph;
    bool found = true;
    if (note == NULL || note->waits != 0)
        return note == NULL || note->waits > 1;
    if (graph_build(code, at, &graph) == 0 &&
        waits_find(&graph, NULL, &found) != 0)
        found = true;
    graph_free(&graph);
    code_note(code, at)->waits = found ? 2 : 1; /* more functions were read */
    return found;
}

/* What an instruction may take of what the caller left. */
static uint64_t reads_by(struct code *code, const struct insn *insn)
{
    bool away = insn->flow == FLOW_CALL || insn->flow == FLOW_JUMP;
    return away && code_target(code_image(code), insn).name != NULL
               ? UINT64_MAX
               : insn->reads;
}

static bool find_closure(struct code *code, uint64_t at, uint64_t *reads,
                         uint64_t *writes)
{
    struct reached reached = {NULL, 0, 0, false};
    bool known = true;
    *reads = *writes = 0;
    add_reached(&reached, at);
    for (int64_t f = 0; known && f < reached.count; f++) {
        struct binary_function function;
        int64_t count = 0;
        const struct insn *insn =
            binary_function(code_image(code), reached.at[f], &function)
                ? code_read(code, &function, &count)
                : NULL;
        known = insn != NULL;
        for (int64_t i = 0; known && i < count; i++) {
            known = leads_on(code, &function, insn, i, &reached);
            *reads |= reads_by(code, &insn[i]);
            *writes |= writes_of(code, &insn[i]);
        }
        known = known && !reached.failed && !may_wait(code, function.at);
    }
    free(reached.at);
    return known;
}

bool closure_is_known(struct code *code, uint64_t at, uint64_t *writes)
{
    struct code_note *note = code_note(code, at);
    if (note != NULL && note->closed) {
        *writes = note->writes;
        return note->known;
    }
    uint64_t reads;
    bool known = find_closure(code, at, &reads, writes);
    note = code_note(code, at);
    if (note != NULL) {
        note->closed = true;
        note->known = known;
        note->reads = reads;
        note->writes = *writes;
    }
    return known;
}

/* The registers that a function may read before it writes them, by its first
 * instructions. */
static uint64_t reads_of(struct code *code, uint64_t at)
{
    struct binary_function function;
    int64_t count = 0;
    const struct insn *insn = binary_function(code_image(code), at, &function)
                                  ? code_read(code, &function, &count)
                                  : NULL;
    uint64_t reads = 0, written = 0;
    int64_t i = insn != NULL ? code_index(insn, count, at) : -1;
    for (; i >= 0 && i < count; i++) {
        const struct operand *op = &insn[i].op[0];
        if (insn[i].flow == FLOW_END)
            return reads;
        if (insn[i].flow != FLOW_ON)
            break;
        reads |= insn[i].reads & ~written;
        if (insn[i].count > 0 && op->type == OPERAND_REG && op->writes &&
            op->bytes >= 4 && op->reg < REG_COUNT)
            written |= UINT64_C(1) << op->reg;
    }
    return reads | ~written;
}

const struct callee *flow_callee(struct flow *flow, uint64_t at)
{
    for (int i = 0; i < flow->callees && i < 16; i++)
        if (flow->callee[i].at == at)
            return &flow->callee[i];
    struct callee *made = &flow->callee[flow->callees++ % 16];
    made->at = at;
    made->known = closure_is_known(flow->code, at, &made->writes);
    made->reads = reads_of(flow->code, at);
    /* gcc keeps values in registers that what it calls does not touch. */
    const struct code_note *note = code_note(flow->code, at);
    if (made->known && note != NULL)
        made->reads &= note->reads;
    return made;
}
