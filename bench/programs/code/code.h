/* Machine code of x86-64 for bench/programs/static, by capstone: instructions,
 * and a function's blocks with the flow between them. */
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
    REG_OTHER = 254, /* segment, x87 and mask registers */
    REG_NONE = 255,
};

enum operand_type { OPERAND_NONE, OPERAND_REG, OPERAND_NUMBER, OPERAND_MEMORY };

struct operand {
    uint8_t type, bytes;
    uint8_t reg;                /* if OPERAND_REG */
    uint8_t base, index, scale; /* if OPERAND_MEMORY */
    bool segment;               /* relative to FS or GS */
    bool reads, writes;
    int64_t value; /* the number, or the displacement */
};

enum leads {
    FLOW_ON,
    FLOW_CALL,
    FLOW_JUMP,
    FLOW_BRANCH,
    FLOW_END,     /* returns, or stops the program */
    FLOW_STRANGE, /* not understood; compilers need no such one in a loop */
};

struct insn {
    uint64_t at;
    uint64_t reads, writes; /* bits of registers */
    uint32_t id;            /* capstone's */
    uint8_t size, count, flow;
    bool lock;
    bool other; /* uses x87, masks or the like, or sets their mode */
    struct operand op[4];
};

struct code;

/* NULL: out of memory, or built without capstone. */
struct code *code_open(const struct binary *binary);
void code_close(struct code *code);
const struct binary *code_image(const struct code *code);

/* The instructions of a function, NULL: unreadable.  Valid as long as the code
 * is open. */
const struct insn *code_read(struct code *code,
                             const struct binary_function *function,
                             int64_t *count);

/* The caller's data about a function; 0 at first.  Valid until the next
 * function is read.  NULL: the function was not read. */
struct code_note {
    bool closed, known; /* `closed`: all functions that it calls are known */
    int8_t waits;       /* for other threads: 1: never, 2: perhaps */
    uint64_t reads;     /* registers that it or its callees read */
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
    bool aside;        /* of an iteration, but does not lead back to the loop */
    bool jumps_away;   /* its last instruction jumps to another function */
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

/* Whether a function of this name returns. */
bool names_return(const char *name);

/* The graph of the function at this address, with the parts that its jumps lead
 * to.  Returns 0, -ENOMEM, or -EINVAL: not understood. */
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
