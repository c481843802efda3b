/* Machine code of x86-64 as bench/programs/static needs it, by capstone:
 * instructions, and the blocks of a function with what leads where. */
#ifndef BENCH_PROGRAMS_CODE_CODE_H
#define BENCH_PROGRAMS_CODE_CODE_H

#include "bench/programs/code/binary.h"

/* Registers: 16 for general use by their number in the code, then 32 vectors,
 * then the flags. */
enum {
    REG_RAX = 0,
    REG_RCX = 1,
    REG_RDX = 2,
    REG_RSP = 4,
    REG_RBP = 5,
    REG_RSI = 6,
    REG_RDI = 7,
    REG_CHAIN = 10, /* of nested functions */
    REG_R11 = 11,
    REG_VECTOR = 16,
    REG_FLAGS = 48,
    REG_COUNT = 49,
    REG_RIP = 253,
    REG_OTHER = 254, /* of segments, x87, masks */
    REG_NONE = 255,
};

enum operand_type { OPERAND_NONE, OPERAND_REG, OPERAND_NUMBER, OPERAND_MEMORY };

struct operand {
    uint8_t type, bytes;
    uint8_t reg;                /* of OPERAND_REG */
    uint8_t base, index, scale; /* of OPERAND_MEMORY */
    bool segment;               /* of FS or GS */
    bool reads, writes;
    int64_t value; /* the number, or the distance */
};

enum leads {
    FLOW_ON,
    FLOW_CALL,
    FLOW_JUMP,
    FLOW_BRANCH,
    FLOW_END,     /* returns, or stops */
    FLOW_STRANGE, /* what no compiler needs in a loop: not understood */
};

struct insn {
    uint64_t at;
    uint64_t reads, writes; /* bits of registers */
    uint32_t id;            /* capstone's */
    uint8_t size, count, flow;
    bool lock;
    bool other; /* computes with x87, masks or the like, or sets how */
    struct operand op[4];
};

struct code;

/* NULL: out of memory, or capstone is not here. */
struct code *code_open(const struct binary *binary);
void code_close(struct code *code);
const struct binary *code_image(const struct code *code);

/* The instructions of a function, NULL: they cannot be read.  They last as long
 * as the code. */
const struct insn *code_read(struct code *code,
                             const struct binary_function *function,
                             int64_t *count);

/* The caller's data about a function; 0 at first.  It lasts until the next
 * function is read.  NULL: the function was not read. */
struct code_note {
    bool closed, known; /* `closed`: whether all that it calls is known */
    int8_t waits;       /* 1: for no other thread, 2: it may */
    uint64_t reads;     /* registers, by it or by what it calls */
    uint64_t writes;
};
struct code_note *code_note(struct code *code, uint64_t at);

/* The number of the instruction at an address, -1: none begins there. */
int64_t code_index(const struct insn *insn, int64_t count, uint64_t at);

/* Where a call or a jump leads: an imported name, an address, or neither: it
 * depends on the data. */
struct target {
    const char *name;
    uint64_t at; /* 0: not known */
};
struct target code_target(const struct binary *binary, const struct insn *insn);

/* ---- graph.c ---- */

enum { GRAPH_PARTS = 8 };

struct block {
    int32_t first, count; /* instructions */
    int32_t *next;        /* blocks */
    int32_t nexts, room;
    bool reached, pad; /* pad: only an exception leads here */
    bool aside;        /* an iteration's that does not come back here */
    bool jumps_away;   /* its last instruction is a jump to elsewhere */
};

struct graph {
    const struct binary *binary;
    struct insn *insn;
    int32_t insns;
    struct block *block;
    int32_t blocks;
    int32_t *block_of;  /* of each instruction, -1: not reached */
    int32_t *component; /* of each block: graph_find_cycles */
    struct binary_function part[GRAPH_PARTS];
    int parts;
};

/* Whether a call of this name comes back. */
bool names_return(const char *name);

/* The function that begins there, with the parts that its jumps lead to.
 * Returns 0, -ENOMEM, or -EINVAL: it is not understood. */
int graph_build(struct code *code, uint64_t at, struct graph *graph);
void graph_free(struct graph *graph);

/* Numbers the cycles among the blocks in `in`: component[b] is -1 outside of
 * all cycles.  Returns 0 or -ENOMEM. */
int graph_find_cycles(struct graph *graph, const bool *in);

static inline const struct insn *graph_last(const struct graph *graph, int b)
{
    return &graph->insn[graph->block[b].first + graph->block[b].count - 1];
}

#endif
