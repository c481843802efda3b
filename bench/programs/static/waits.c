/* Loops inside an iteration that other threads must end: no value computed in
 * the loop ends it.  In smaller blocks the iterations that it waits for may
 * come later, in the same thread. */
#include "bench/programs/static/meaning.h"

#include <errno.h>
#include <stdlib.h>

#ifdef WITH_CAPSTONE
#include <capstone/capstone.h>
enum {
    EXCHANGE = X86_INS_XCHG,
    COMPARE = X86_INS_CMPXCHG,
    ADDRESS = X86_INS_LEA
};

bool meaning_clears(const struct insn *insn)
{
    return (insn->id == X86_INS_XOR || insn->id == X86_INS_PXOR ||
            insn->id == X86_INS_XORPS || insn->id == X86_INS_SUB) &&
           meaning_same_register(insn);
}
#else
enum { EXCHANGE = 1, COMPARE = 2, ADDRESS = 3 };

bool meaning_clears(const struct insn *insn)
{
    (void)insn;
    return false;
}
#endif

enum { PLACES = 64 };
/* Registers of the System V ABI: for arguments, for results, and those that a
 * call may change. */
static const uint64_t arguments = 1 << REG_RDI | 1 << REG_RSI | 1 << REG_RDX |
                                  1 << REG_RCX | 3 << 8 |
                                  UINT64_C(0xff) << REG_VECTOR,
                      results = 1 << REG_RAX | 1 << REG_RDX |
                                UINT64_C(3) << REG_VECTOR,
                      lost = 1 << REG_RAX | 1 << REG_RCX | 1 << REG_RDX |
                             3 << REG_RSI | 0xf << 8 |
                             UINT64_C(0x1ffffffff) << REG_VECTOR;

/* Bits of registers, and of places in memory at constant addresses. */
struct bits {
    uint64_t reg, place;
};

/* Blocks that lead to one another, by the number of their component. */
struct cycle {
    const struct graph *graph;
    int32_t root;
    uint64_t written; /* registers */
    struct operand place[PLACES];
    int places;
    bool calls;
    struct bits *state; /* by block */
};

static bool is_in(const struct cycle *cycle, int32_t b)
{
    return cycle->graph->component[b] == cycle->root;
}

static uint64_t bit_of(uint8_t reg)
{
    return reg < REG_COUNT ? UINT64_C(1) << reg : 0;
}

static uint64_t written_by(const struct insn *insn)
{
    uint64_t all = insn->flow == FLOW_CALL ? lost : insn->writes;
    for (int i = 0; i < insn->count; i++)
        if (insn->op[i].type == OPERAND_REG && insn->op[i].writes)
            all |= bit_of(insn->op[i].reg);
    if (insn->id == COMPARE)
        all |= bit_of(REG_RAX);
    return all & ~bit_of(REG_RSP);
}

/* 0: its address changes, or there are too many places. */
static uint64_t place_of(struct cycle *cycle, const struct operand *op)
{
    if (op->type != OPERAND_MEMORY ||
        ((bit_of(op->base) | bit_of(op->index)) & cycle->written) != 0)
        return 0;
    for (int i = 0; i < cycle->places; i++) {
        const struct operand *other = &cycle->place[i];
        if (other->base == op->base && other->index == op->index &&
            other->scale == op->scale && other->value == op->value)
            return UINT64_C(1) << i;
    }
    if (cycle->places == PLACES || op->base == REG_RIP)
        return 0;
    cycle->place[cycle->places] = *op;
    return UINT64_C(1) << cycle->places++;
}

/* The data that an instruction reads and writes, except for shared data that it
 * exchanges: others may change those. */
static void look_at_bits(struct cycle *cycle, const struct insn *insn,
                         struct bits *reads, struct bits *writes)
{
    *reads = (struct bits){meaning_clears(insn) ? 0 : insn->reads, 0};
    *writes = (struct bits){written_by(insn), 0};
    if (insn->flow == FLOW_CALL)
        reads->reg = 0;
    bool shared = insn->lock || insn->id == EXCHANGE;
    for (int i = 0; i < insn->count && !shared; i++) {
        const struct operand *op = &insn->op[i];
        uint64_t place = place_of(cycle, op);
        bool given = insn->id == ADDRESS && cycle->calls &&
                     (op->base == REG_RSP || op->base == REG_RBP);
        if (given || (insn->id != ADDRESS && op->reads))
            reads->place |= place;
        if (given || op->writes)
            writes->place |= place;
    }
}

/* ---- values carried to the next pass of the cycle ---- */

/* Finds what the cycle reads before it writes it, from a block's end to its
 * begin.  True: more than before. */
static bool read_before(struct cycle *cycle, int32_t b, struct bits *all)
{
    const struct block *block = &cycle->graph->block[b];
    struct bits live = {0, 0}, reads, writes, *here = &cycle->state[b];
    for (int32_t i = 0; i < block->nexts; i++)
        if (is_in(cycle, block->next[i])) {
            live.reg |= cycle->state[block->next[i]].reg;
            live.place |= cycle->state[block->next[i]].place;
        }
    for (int32_t i = block->first + block->count - 1; i >= block->first; i--) {
        look_at_bits(cycle, &cycle->graph->insn[i], &reads, &writes);
        live.reg = (live.reg & ~writes.reg) | reads.reg;
        live.place = (live.place & ~writes.place) | reads.place;
        all->reg |= writes.reg;
        all->place |= writes.place;
    }
    bool changed = live.reg != here->reg || live.place != here->place;
    *here = live;
    return changed;
}

/* The bits that depend on it, at the block's end. */
static struct bits depends_at_end(struct cycle *cycle, int32_t b)
{
    const struct block *block = &cycle->graph->block[b];
    struct bits now = cycle->state[b], reads, writes;
    for (int32_t i = block->first; i < block->first + block->count; i++) {
        const struct insn *insn = &cycle->graph->insn[i];
        look_at_bits(cycle, insn, &reads, &writes);
        bool call = insn->flow == FLOW_CALL;
        if (call)
            reads.reg = arguments;
        bool moves = insn->other || (now.reg & reads.reg) != 0 ||
                     (now.place & reads.place) != 0;
        now.reg &= ~writes.reg;
        now.place &= ~writes.place;
        if (moves) {
            now.reg |= call ? results : writes.reg;
            now.place |= writes.place;
        }
    }
    return now;
}

/* Hands on to the next blocks what depends on an earlier pass. */
static bool spread_bits(struct cycle *cycle, int32_t b, const bool *entry)
{
    const struct block *block = &cycle->graph->block[b];
    struct bits end = depends_at_end(cycle, b);
    bool changed = false;
    for (int32_t i = 0; i < block->nexts; i++) {
        struct bits *to = &cycle->state[block->next[i]];
        if (!is_in(cycle, block->next[i]) || entry[block->next[i]])
            continue;
        changed |= (end.reg & ~to->reg) != 0 || (end.place & ~to->place) != 0;
        to->reg |= end.reg;
        to->place |= end.place;
    }
    return changed;
}

/* Whether an exit asks for a value that depends on an earlier pass. */
static bool ends_itself(struct cycle *cycle)
{
    for (int32_t b = 0; b < cycle->graph->blocks; b++) {
        const struct block *block = &cycle->graph->block[b];
        for (int32_t i = 0; is_in(cycle, b) && i < block->nexts; i++)
            if (!is_in(cycle, block->next[i])) {
                const struct insn *last = graph_last(cycle->graph, b);
                struct bits end = depends_at_end(cycle, b);
                if ((end.reg & (last->flow == FLOW_BRANCH ? bit_of(REG_FLAGS)
                                                          : last->reads)) != 0)
                    return true;
            }
    }
    return false;
}

/* A value goes to the next pass if the cycle writes it, and reads it before
 * that.  If no exit depends on one, only others can end the cycle. */
static bool waits_in_cycle(struct cycle *cycle, const bool *entry)
{
    const struct graph *graph = cycle->graph;
    struct bits all = {0, 0};
    for (int32_t b = 0; b < graph->blocks; b++) {
        cycle->state[b] = (struct bits){0, 0};
        for (int32_t i = 0; is_in(cycle, b) && i < graph->block[b].count; i++) {
            const struct insn *insn = &graph->insn[graph->block[b].first + i];
            cycle->written |= written_by(insn);
            cycle->calls = cycle->calls || insn->flow == FLOW_CALL;
        }
    }
    bool changed = true;
    while (changed) {
        changed = false;
        for (int32_t b = graph->blocks - 1; b >= 0; b--)
            changed |= is_in(cycle, b) && read_before(cycle, b, &all);
    }
    for (int32_t b = 0; b < graph->blocks; b++) {
        struct bits first = {cycle->state[b].reg & all.reg,
                             cycle->state[b].place & all.place};
        cycle->state[b] =
            is_in(cycle, b) && entry[b] ? first : (struct bits){0, 0};
    }
    changed = true;
    while (changed) {
        changed = false;
        for (int32_t b = 0; b < graph->blocks; b++)
            changed |= is_in(cycle, b) && spread_bits(cycle, b, entry);
    }
    return !ends_itself(cycle);
}

/* ---- all cycles, and those in them ---- */

/* The entries of cycles; without an edge into a cycle, where it was found. */
static void find_entries(const struct graph *graph, bool *entry)
{
    for (int32_t b = 0; b < graph->blocks; b++)
        entry[b] = b == 0 || graph->component[b] == b;
    for (int32_t b = 0; b < graph->blocks; b++)
        for (int32_t i = 0; i < graph->block[b].nexts; i++) {
            int32_t to = graph->block[b].next[i];
            if (graph->component[to] != graph->component[b])
                entry[to] = true;
        }
}

int waits_find(struct graph *graph, const bool *in, bool *found)
{
    size_t blocks = (size_t)graph->blocks + 1;
    bool *left = malloc(blocks), *entry = calloc(blocks, 1), more = true;
    struct bits *state = calloc(blocks, sizeof(*state));
    int code = left == NULL || entry == NULL || state == NULL ? -ENOMEM : 0;
    *found = false;
    for (int32_t b = 0; code == 0 && b < graph->blocks; b++)
        left[b] = in == NULL || in[b];
    while (code == 0 && more && !*found) {
        more = false;
        code = graph_find_cycles(graph, left);
        find_entries(graph, entry);
        for (int32_t b = 0; code == 0 && b < graph->blocks; b++) {
            struct cycle cycle = {.graph = graph, .root = b, .state = state};
            if (graph->component[b] == b)
                *found = *found || waits_in_cycle(&cycle, entry);
        }
        for (int32_t b = 0; b < graph->blocks; b++)
            if (graph->component[b] >= 0 && entry[b]) {
                left[b] = false;
                more = true;
            }
    }
    free(left);
    free(entry);
    free(state);
    return code;
}
