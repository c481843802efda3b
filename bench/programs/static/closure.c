/* The reads and writes of the functions that a region calls.  A call is known
 * if all code that it leads to is: without data of the thread, and without
 * waiting for other threads. */
#include "bench/programs/static/meaning.h"
#include "bench/programs/static/region_class.h"

#include "base/list.h"

#include <stdlib.h>
#include <string.h>

/* A call that leads to more functions is not known. */
enum { FUNCTIONS_MAX = 4000 };

/* The functions that were found, each once, in the order in which they are
 * read. */
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

/* Whether it uses data of its thread, which FS or GS address; 0x28 is the guard
 * of the stack. */
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

/* Adds the function that the instruction leads to.  False: what comes next is
 * not known. */
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

/* The registers of the caller that an instruction may read. */
static uint64_t reads_by(struct code *code, const struct insn *insn)
{
    bool away = insn->flow == FLOW_CALL || insn->flow == FLOW_JUMP;
    return away && code_target(code_image(code), insn).name != NULL
               ? UINT64_MAX
               : insn->reads;
}

/* Reads all functions that `at` leads to; sets the bits of registers.  False:
 * some code is not known, or may wait. */
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

/* ---- the arguments that a function reads ---- */

/* The first instructions of a function, and for each the registers written on
 * every path to it; all bits: no path yet. */
enum { FIRST_MOST = 1000 };
struct first {
    struct code *code;
    const struct insn *insn;
    int64_t count;
    uint64_t written[FIRST_MOST];
    uint64_t reads;  /* before they are written */
    uint64_t passes; /* results that some path leaves unchanged */
};

static const uint64_t results =
    UINT64_C(1) << REG_RAX | UINT64_C(1) << REG_RDX | UINT64_C(3) << REG_VECTOR;

/* Registers that get a new value for certain.  Writing 4 bytes clears the upper
 * half. */
static uint64_t always_writes(const struct insn *insn)
{
    const struct operand *op = &insn->op[0];
    uint64_t flags = insn->writes & UINT64_C(1) << REG_FLAGS;
    bool whole = insn->count > 0 && op->type == OPERAND_REG && op->writes &&
                 op->bytes >= 4 && op->reg < REG_COUNT;
    return whole ? flags | UINT64_C(1) << op->reg : flags;
}

/* Whether this says more than other ways there.  Out of sight all may be read
 * that was not written. */
static bool lead_to(struct first *first, int64_t to, uint64_t written)
{
    if (to < 0 || to >= first->count) {
        first->reads |= ~written;
        first->passes |= results & ~written;
        return false;
    }
    bool more = (first->written[to] & ~written) != 0;
    first->written[to] &= written;
    return more;
}

/* Follows one instruction.  True: an instruction that it leads to has learned
 * something, and is followed again. */
static bool lead_from(struct first *first, int64_t i)
{
    const struct insn *insn = &first->insn[i];
    uint64_t before = first->written[i], written = before | always_writes(insn);
    bool more = false;
    int64_t to = -1;
    if (!meaning_clears(insn))
        first->reads |= insn->reads & ~before;
    if (insn->flow == FLOW_BRANCH || insn->flow == FLOW_JUMP) {
        struct target target = code_target(code_image(first->code), insn);
        if (target.name == NULL && target.at != 0)
            to = code_index(first->insn, first->count, target.at);
    }
    if (insn->flow == FLOW_END)
        first->passes |= results & ~before;
    else if (insn->flow != FLOW_ON)
        more = lead_to(first, to, before);
    if (insn->flow == FLOW_ON || insn->flow == FLOW_BRANCH)
        more |= lead_to(first, i + 1, written);
    return more;
}

/* The registers that a function may read before it writes them. */
static uint64_t reads_of(struct code *code, uint64_t at, uint64_t *passes)
{
    *passes = results;
    struct binary_function function;
    int64_t count = 0;
    const struct insn *insn = binary_function(code_image(code), at, &function)
                                  ? code_read(code, &function, &count)
                                  : NULL;
    int64_t begin = insn != NULL ? code_index(insn, count, at) : -1;
    if (begin < 0)
        return UINT64_MAX;
    struct first first = {.code = code, .insn = &insn[begin]};
    first.count = count - begin < FIRST_MOST ? count - begin : FIRST_MOST;
    memset(first.written, 0xff, sizeof(first.written));
    first.written[0] = 0;
    for (bool more = true; more;) {
        more = false;
        for (int64_t i = 0; i < first.count; i++)
            if (first.written[i] != UINT64_MAX)
                more |= lead_from(&first, i);
    }
    *passes = first.passes;
    return first.reads;
}

const struct callee *flow_callee(struct flow *flow, uint64_t at)
{
    for (int i = 0; i < flow->callees && i < 16; i++)
        if (flow->callee[i].at == at)
            return &flow->callee[i];
    struct callee *made = &flow->callee[flow->callees++ % 16];
    made->at = at;
    made->known = closure_is_known(flow->code, at, &made->writes);
    uint64_t passes;
    made->reads = reads_of(flow->code, at, &passes);
    /* gcc keeps values in registers that the callees do not touch. */
    const struct code_note *note = code_note(flow->code, at);
    if (made->known && note != NULL)
        made->reads = (made->reads & note->reads) | (passes & made->writes);
    return made;
}
