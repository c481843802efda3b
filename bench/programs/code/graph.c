/* Blocks of a function, and which block leads to which. */
#include "bench/programs/code/code.h"

#include "base/list.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#ifdef WITH_CAPSTONE
#include <capstone/capstone.h>

/* ---- parts ---- */

static int by_place(const void *a, const void *b)
{
    uint64_t left = ((const struct insn *)a)->at,
             right = ((const struct insn *)b)->at;
    return (left > right) - (left < right);
}

static bool has_part(const struct graph *graph, uint64_t at)
{
    for (int i = 0; i < graph->parts; i++)
        if (at - graph->part[i].at < graph->part[i].size)
            return true;
    return false;
}

/* `inside`: a jump leads there; a call's target must be a function's begin. */
static int add_part(struct code *code, struct graph *graph, uint64_t at)
{
    struct binary_function part;
    int64_t count;
    if (graph->parts == GRAPH_PARTS ||
        !binary_function(graph->binary, at, &part))
        return -EINVAL;
    const struct insn *read = code_read(code, &part, &count);
    if (read == NULL || graph->insns + count > 1 << 20)
        return -EINVAL;
    struct insn *all =
        realloc(graph->insn, sizeof(*all) * (size_t)(graph->insns + count));
    if (all == NULL)
        return -ENOMEM;
    graph->insn = all;
    memcpy(all + graph->insns, read, sizeof(*all) * (size_t)count);
    graph->insns += (int32_t)count;
    graph->part[graph->parts++] = part;
    qsort(all, (size_t)graph->insns, sizeof(*all), by_place);
    return 0;
}

/* ---- where instructions lead ---- */

/* The tables of `switch`: distances from the table, or addresses.  Reads as
 * many as fit; entries after the table's end only add edges that are never
 * taken. */
struct ways {
    uint64_t to[512];
    int count;
};

static void read_table(const struct graph *graph, uint64_t table, bool near,
                       struct ways *ways)
{
    size_t step = near ? 4 : 8;
    while (ways->count < 512) {
        size_t bytes = step;
        int32_t distance;
        uint64_t to;
        const uint8_t *entry = binary_bytes(
            graph->binary, table + step * (size_t)ways->count, &bytes);
        if (entry == NULL || bytes < step)
            return;
        memcpy(&distance, entry, sizeof(distance));
        memcpy(&to, entry, sizeof(to) < step ? sizeof(to) : step);
        if (near)
            to = table + (uint64_t)(int64_t)distance;
        if (!has_part(graph, to))
            return;
        ways->to[ways->count++] = to;
    }
}

/* The table of an indirect jump, as gcc makes it: loaded just before, relative
 * to the code, or an array of addresses. */
static void find_table(const struct graph *graph, int32_t i, struct ways *ways)
{
    const struct operand *op = &graph->insn[i].op[0];
    if (op->type == OPERAND_MEMORY && op->base == REG_NONE &&
        op->index != REG_NONE && op->scale == 8) {
        read_table(graph, (uint64_t)op->value, false, ways);
        return;
    }
    if (op->type != OPERAND_REG)
        return;
    for (int32_t k = i - 1; k >= 0 && k > i - 24; k--) {
        const struct insn *back = &graph->insn[k];
        if (back->flow == FLOW_JUMP || back->flow == FLOW_END)
            return;
        if (back->id == X86_INS_LEA && back->op[1].base == REG_RIP) {
            read_table(graph,
                       back->at + back->size + (uint64_t)back->op[1].value,
                       true, ways);
            return;
        }
        if (back->id == X86_INS_MOV && back->op[1].type == OPERAND_MEMORY &&
            back->op[1].base == REG_NONE && back->op[1].index != REG_NONE &&
            back->op[1].scale == 8 && back->op[0].reg == op->reg) {
            read_table(graph, (uint64_t)back->op[1].value, false, ways);
            return;
        }
    }
}

/* The addresses that an instruction may lead to. */
static int find_ways(const struct graph *graph, int32_t i, struct ways *ways)
{
    const struct insn *insn = &graph->insn[i];
    struct target target;
    ways->count = 0;
    switch (insn->flow) {
    case FLOW_STRANGE:
        return -EINVAL;
    case FLOW_END:
        return 0;
    case FLOW_JUMP:
        target = code_target(graph->binary, insn);
        if (target.at != 0)
            ways->to[ways->count++] = target.at;
        else if (target.name == NULL)
            find_table(graph, i, ways);
        return 0;
    case FLOW_BRANCH:
        if (insn->op[0].type != OPERAND_NUMBER)
            return -EINVAL;
        ways->to[ways->count++] = (uint64_t)insn->op[0].value;
        ways->to[ways->count++] = insn->at + insn->size;
        return 0;
    case FLOW_CALL:
        target = code_target(graph->binary, insn);
        if (target.name != NULL && !names_return(target.name))
            return 0;
        /* fall through */
    default:
        if (has_part(graph, insn->at + insn->size))
            ways->to[ways->count++] = insn->at + insn->size;
        return 0;
    }
}

/* ---- reachable code ---- */

enum { SEEN = 1, LEADER = 2, PAD = 4 };

/* A jump to another function's begin is a call that does not return. */
static bool leaves_function(const struct graph *graph, const struct insn *insn,
                            uint64_t to)
{
    struct binary_function part;
    return insn->flow == FLOW_JUMP && !has_part(graph, to) &&
           binary_function(graph->binary, to, &part) && part.at == to;
}

/* Addresses that are still to be followed. */
struct walk {
    uint64_t *work;
    int64_t count, room;
};

static int push_block(struct walk *walk, uint64_t at)
{
    int code = list_grow(&walk->work, &walk->room, walk->count + 1,
                         sizeof(*walk->work));
    if (code == 0)
        walk->work[walk->count++] = at;
    return code;
}

/* A part that was not known: everything is looked at again with it. */
static int walk_from(struct code *code, struct graph *graph, struct walk *walk,
                     uint8_t *mark, bool *again)
{
    struct ways ways;
    while (walk->count > 0) {
        uint64_t at = walk->work[--walk->count];
        if (!has_part(graph, at)) {
            *again = true;
            return add_part(code, graph, at);
        }
        int64_t i = code_index(graph->insn, graph->insns, at);
        if (i < 0)
            return -EINVAL;
        if (mark[i] & SEEN)
            continue;
        mark[i] |= SEEN;
        const struct insn *insn = &graph->insn[i];
        int result = find_ways(graph, (int32_t)i, &ways);
        for (int w = 0; result == 0 && w < ways.count; w++) {
            if (leaves_function(graph, insn, ways.to[w]))
                continue;
            int64_t to = code_index(graph->insn, graph->insns, ways.to[w]);
            if (to >= 0 && (insn->flow != FLOW_ON || to != i + 1))
                mark[to] |= LEADER;
            result = push_block(walk, ways.to[w]);
        }
        if (result != 0)
            return result;
    }
    return 0;
}

/* Code that no jump reaches is for exceptions. */
static int64_t find_pad(const struct graph *graph, const uint8_t *mark)
{
    for (int32_t i = 0; i < graph->insns; i++)
        if (!(mark[i] & SEEN) && graph->insn[i].id != X86_INS_NOP &&
            graph->insn[i].id != X86_INS_XCHG &&
            graph->insn[i].id != X86_INS_INT3 &&
            graph->insn[i].id != X86_INS_FNOP)
            return i;
    return -1;
}

/* Marks all code that the entry leads to, then each landing pad and what it
 * leads to; begins again when a jump has led to a new part. */
static int find_reached(struct code *code, struct graph *graph, uint64_t entry,
                        uint8_t **out)
{
    struct walk walk = {NULL, 0, 0};
    bool again = true;
    int result = 0;
    uint8_t *mark = NULL;
    while (result == 0 && again) {
        again = false;
        walk.count = 0;
        free(mark);
        mark = calloc((size_t)graph->insns + 1, 1);
        result = mark == NULL ? -ENOMEM : push_block(&walk, entry);
        if (result == 0)
            result = walk_from(code, graph, &walk, mark, &again);
        int64_t pad;
        while (result == 0 && !again && (pad = find_pad(graph, mark)) >= 0) {
            mark[pad] |= LEADER | PAD;
            result = push_block(&walk, graph->insn[pad].at);
            if (result == 0)
                result = walk_from(code, graph, &walk, mark, &again);
        }
    }
    free(walk.work);
    if (result != 0) {
        free(mark);
        return result;
    }
    int64_t first = code_index(graph->insn, graph->insns, entry);
    mark[first] |= LEADER;
    *out = mark;
    return 0;
}

/* ---- blocks ---- */

static int link_blocks(struct graph *graph)
{
    struct ways ways;
    for (int32_t b = 0; b < graph->blocks; b++) {
        struct block *block = &graph->block[b];
        int32_t last = block->first + block->count - 1;
        int code = find_ways(graph, last, &ways);
        block->jumps_away =
            graph->insn[last].flow == FLOW_JUMP && ways.count == 0;
        for (int w = 0; code == 0 && w < ways.count; w++) {
            int64_t to = code_index(graph->insn, graph->insns, ways.to[w]);
            if (leaves_function(graph, &graph->insn[last], ways.to[w])) {
                block->jumps_away = true;
                continue;
            }
            if (to < 0 || graph->block_of[to] < 0)
                return -EINVAL;
            int64_t room = block->room;
            code = list_grow(&block->next, &room, block->nexts + 1,
                             sizeof(*block->next));
            block->room = (int32_t)room;
            if (code == 0)
                block->next[block->nexts++] = graph->block_of[to];
        }
        if (code != 0)
            return code;
    }
    return 0;
}

/* Block 0 is the entry.  Each call ends a block: exceptions leave there. */
static int make_blocks(struct graph *graph, const uint8_t *mark, uint64_t entry)
{
    int64_t first = code_index(graph->insn, graph->insns, entry);
    size_t most = (size_t)graph->insns;
    graph->block = calloc(most + 1, sizeof(*graph->block));
    graph->block_of = malloc(sizeof(int32_t) * (most + 1));
    graph->component = calloc(most + 1, sizeof(int32_t));
    if (graph->block == NULL || graph->block_of == NULL ||
        graph->component == NULL)
        return -ENOMEM;
    for (int round = 0; round < 2; round++) {
        bool fresh = true;
        for (int32_t i = 0; i < graph->insns; i++) {
            if (round == 0)
                graph->block_of[i] = -1;
            if (!(mark[i] & SEEN)) {
                fresh = true;
                continue;
            }
            if (fresh || (mark[i] & LEADER)) {
                bool is_entry = i == first;
                if (round == (is_entry ? 0 : 1))
                    graph->block[graph->blocks++] =
                        (struct block){.first = i, .pad = (mark[i] & PAD) != 0};
            }
            fresh = graph->insn[i].flow != FLOW_ON;
        }
    }
    for (int32_t b = 0; b < graph->blocks; b++) {
        struct block *block = &graph->block[b];
        int32_t i = block->first;
        do
            graph->block_of[i++] = b;
        while (graph->insn[i - 1].flow == FLOW_ON && i < graph->insns &&
               (mark[i] & SEEN) && !(mark[i] & LEADER));
        block->count = i - block->first;
    }
    return link_blocks(graph);
}

int graph_build(struct code *code, uint64_t at, struct graph *graph)
{
    struct binary_function own;
    uint8_t *mark = NULL;
    *graph = (struct graph){.binary = code_image(code)};
    if (!binary_function(graph->binary, at, &own) || own.at != at)
        return -EINVAL;
    int result = add_part(code, graph, at);
    if (result == 0)
        result = find_reached(code, graph, at, &mark);
    if (result == 0)
        result = make_blocks(graph, mark, at);
    free(mark);
    return result;
}
#else
int graph_build(struct code *code, uint64_t at, struct graph *graph)
{
    (void)code;
    (void)at;
    *graph = (struct graph){.binary = NULL};
    return -EINVAL;
}
#endif

void graph_free(struct graph *graph)
{
    for (int32_t b = 0; b < graph->blocks; b++)
        free(graph->block[b].next);
    free(graph->block);
    free(graph->block_of);
    free(graph->component);
    free(graph->insn);
}
