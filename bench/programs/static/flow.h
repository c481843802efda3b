/* The flow of values through the code of a region: which depend on the thread's
 * number, which on the block of iterations that gcc derives from it, and which
 * pass from one iteration to the next. */
#ifndef BENCH_PROGRAMS_STATIC_FLOW_H
#define BENCH_PROGRAMS_STATIC_FLOW_H

#include "bench/programs/code/code.h"

/* gcc's block split of n iterations.  Only the split may use R, Q and T
 * themselves:
 *
 *     Q = n / N; R = n % N; if (T < R) { R = 0; Q = Q + 1; }
 *     START = T * Q + R; END = START + Q */
enum kind {
    V_ANY, /* depends on no thread and no iteration */
    V_CONST,
    V_SYMBOL, /* equal expressions have equal values */
    V_FRESH,  /* memory that this thread has allocated */
    V_STACK,
    V_START,
    V_END,
    V_ITER,   /* depends on both */
    V_MOVES,  /* a V_ITER that each iteration changes in the loop */
    V_CARRY0, /* counts from 0 */
    V_CARRY,  /* carried from one iteration to the next */
    V_DIRTY,  /* computed from V_CARRY after the loop */
    V_T,
    V_N,
    V_Q,
    V_Q1, /* Q or Q + 1; number 1: Q + 1, which a program may also compute */
    V_R,
    V_R0, /* R or 0 */
    V_B,  /* T < R */
    V_P,  /* T * Q1; number 1: T * Q or T * (Q + 1), see V_Q1 */
    V_WRONG,
    F_SPLIT, /* flags of comparing T with R */
    F_EMPTY, /* START with END; number 1: END with START */
    F_ITER,
    F_BOUND, /* of an iteration with a loop invariant */
    F_CARRY,
};

/* A value in several sample blocks of iterations (lanes.c), which differ in
 * their begin, end or length. */
enum {
    LANE_NEXT = 1, /* begins one iteration later */
    LANE_LONGER,
    LANE_ONE, /* has one iteration */
    LANE_TWO,
    LANE_NONE,
    LANE_SECOND, /* the second iteration of the first lane */
    LANES
};
struct lanes {
    bool known;
    uint64_t at[LANES];
};

/* What is known of a word.  `number` and `distance` depend on the kind: the
 * number of a constant, the hash of a symbol, or the call that allocated; bytes
 * from the symbol or from the begin of the frame. */
struct value {
    uint8_t kind;
    uint8_t cut;    /* bytes that a sum has lost of a word's */
    uint8_t mixes;  /* bits of its instructions: meaning_mixes */
    bool counted;   /* a sum of a count from 0 and the block's begin */
    uint64_t sites; /* bits of the calls it depends on */
    uint64_t number;
    int64_t distance;
    struct lanes lanes; /* in PASS_CARRY */
};

/* Bytes of the region's frame.  `at` is counted from the stack pointer at the
 * region's begin. */
struct stack_slot {
    int64_t at;
    int32_t bytes;
    bool fresh; /* written since the last call: may be an argument */
    struct value value;
};

/* What is known at one place of the code.  state_free frees the slots. */
struct state {
    bool reached;
    bool held; /* on every path here in a critical section, which may store */
    struct value reg[REG_COUNT];
    struct stack_slot *slot; /* sorted by `at` */
    int64_t slots, room;
};

enum { FLOW_SITES = 64 };

/* Why a region cannot be cut, in one word. */
enum word {
    WORD_NONE,
    WORD_UNREAD,
    WORD_BARRIER,
    WORD_SINGLE,
    WORD_LOOP,
    WORD_TASKS,
    WORD_CANCEL,
    WORD_SPLIT,
    WORD_CHUNKS,
    WORD_NUMBER,
    WORD_DATA,
    WORD_THREADS,
    WORD_LOCK,
    WORD_CRITICAL,
    WORD_CALLS,
    WORD_STATE,
    WORD_WAITS,
};

/* A block where the loop is entered, and what changes from one iteration to the
 * next (heads.c). */
struct head {
    bool is;
    uint64_t moves; /* bits of registers that the loop may change */
    uint64_t other; /* of these: not a function of the iteration alone */
    uint64_t step[REG_VECTOR]; /* of counters from 0 */
    int64_t other_at[16];      /* places in the frame, likewise */
    int others;
};

/* The passes, in their order: all blocks; those that a thread without an
 * iteration runs; what goes from one iteration to the next. */
enum pass { PASS_ALL, PASS_EMPTY, PASS_CARRY };

/* The analysis of one region.  Arrays are by block of the graph; flow_open
 * allocates them, and flow_close frees them. */
struct flow {
    struct graph *graph;
    struct code *code;
    struct callee {
        uint64_t at, writes; /* all bits: not known */
        uint64_t reads;      /* registers that may be its arguments */
        bool known;
    } callee[16]; /* a cache of the last ones */
    int callees;
    struct state *in; /* at the begin of each block */
    enum pass pass;
    bool report; /* the values are final: record uses and effects */
    struct {
        bool *empty;       /* blocks that run if there is no iteration */
        bool *main;        /* blocks of the loop itself */
        bool *before;      /* others that are reachable without it */
        struct head *head; /* where the loop is entered */
        int moves;         /* how often a head changed */
        int moved;         /* `moves` before this pass */
        bool *ending;      /* blocks that end the loop */
        bool *repeats;     /* other blocks in a cycle */
        bool critical;     /* a critical section is outside the loop */
    };
    int64_t escape; /* the frame is visible to others from here on */
    struct {
        int64_t at[32];
        int count;
    } objects;     /* objects of it that the loop itself needs */
    int32_t block; /* the current block */
    bool failed;   /* out of memory, or not understood */

    uint64_t site[FLOW_SITES]; /* calls for the thread's number or the team's */
    bool site_is_thread[FLOW_SITES], site_in_main[FLOW_SITES];
    int sites;
    uint64_t bad, split; /* sites with other uses; sites in a split */
    struct {
        bool multiplied; /* the number was multiplied by a non-quotient */
        int starts, compares, products;
    } count;
    struct {
        bool has_meets;
        int32_t *meets; /* by block: where the arms of T < R meet, -1: none */
        bool *arm;      /* blocks of the arms of T < R */
        bool *met;      /* blocks where arms meet */
        bool chooses;   /* the current join is that of the arms of T < R */
        bool outside;   /* the current join leaves the loop */
        uint8_t mixes;  /* of the current instruction */
    };
    uint8_t *ends; /* kind of the flags at the end of each block */
    uint64_t *orient;
    enum word effect; /* PASS_EMPTY: an effect that is not neutral */
    bool state;       /* PASS_EMPTY: others see an object of the frame */
    bool carried;     /* PASS_CARRY: an iteration needs another one */
};

static inline bool value_is_number(const struct value *v)
{
    return (v->kind >= V_T && v->kind <= V_WRONG) || v->kind == F_SPLIT;
}

static inline bool value_is_free(const struct value *v)
{
    return !value_is_number(v) || v->kind == V_R0 ||
           ((v->kind == V_P || v->kind == V_Q1) && v->number == 0);
}

/* Whether the current block is in an arm, or the arms are not known yet: there
 * Q and R belong to the split. */
static inline bool flow_in_arm(const struct flow *flow)
{
    return !flow->has_meets || flow->arm[flow->block];
}

static inline bool value_is_iter(const struct value *v)
{
    return v->kind == V_START || v->kind == V_END || v->kind == V_ITER ||
           v->kind == V_MOVES || v->kind == V_Q1 || v->kind == F_ITER ||
           v->kind == F_EMPTY || v->kind == F_BOUND;
}

static inline bool value_is_carry(const struct value *v)
{
    return v->kind == V_CARRY || v->kind == V_CARRY0 || v->kind == V_DIRTY ||
           v->kind == F_CARRY;
}

/* ---- state.c ---- */

struct value value_join(struct flow *flow, struct value a, struct value b);
struct value state_load(struct flow *flow, struct state *state, int64_t at,
                        int32_t bytes);
void state_store(struct flow *flow, struct state *state, int64_t at,
                 int32_t bytes, struct value value);
/* Returns whether `into` has changed. */
bool state_join(struct flow *flow, struct state *into,
                const struct state *from);
void state_copy(struct flow *flow, struct state *into,
                const struct state *from);
void state_free(struct state *state);

static inline bool flow_in_main(const struct flow *flow)
{
    return flow->main != NULL && flow->main[flow->block];
}

/* In the loop: whether the value belongs to the block, not the iteration.  With
 * the iteration it counts the ones before; alone it is the block's begin. */
static inline bool flow_is_fixed(const struct flow *flow, const struct value *v)
{
    return flow->pass == PASS_CARRY && flow_in_main(flow) && value_is_iter(v) &&
           v->kind != V_MOVES;
}

/* A result inherits the lost bytes and the instructions of both operands. */
static inline void value_inherit(struct value *out, const struct value *a,
                                 const struct value *b)
{
    out->cut = a->cut > b->cut ? a->cut : b->cut;
    out->mixes = a->mixes | b->mixes;
}

/* Whether it is the identity of a minimum or a maximum. */
bool value_is_extreme(const struct value *v);

/* Marks a value as used in a way that no split has. */
void flow_mark(struct flow *flow, const struct value *value);
/* Others know the frame's address from `at` on. */
void flow_escape(struct flow *flow, int64_t at);

void state_set_lanes(struct state *state, int64_t at, int32_t bytes,
                     const struct lanes *lanes);

/* ---- lanes.c ---- */

struct lanes lanes_of(const struct value *v);
bool lanes_are_same(const struct value *a, const struct value *b);
struct lanes lanes_sum(struct lanes a, struct lanes b, uint64_t times);
struct lanes lanes_address(const struct state *state, const struct operand *op,
                           uint64_t next);
void lanes_settle(const struct flow *flow, struct value *sum,
                  const struct lanes *lanes);
/* Lanes of a changing value at the loop's begin. */
struct lanes lanes_enter(struct lanes first);
/* Whether the second iteration starts as a block one later does. */
bool lanes_go_on(const struct value *begin, const struct value *next);
/* The step of a counter from 0; false: lanes differ. */
bool lanes_step(const struct value *next, uint64_t *step);
/* The result's lanes, from operands as they are before the instruction;
 * lanes_after stores them when it has changed the state. */
struct lanes lanes_before(struct flow *flow, struct state *state,
                          const struct insn *insn);
void lanes_after(struct flow *flow, struct state *state,
                 const struct insn *insn, const struct lanes *lanes);

/* ---- heads.c ---- */

/* The loop of this block is entered; `within`: in the middle of an
 * iteration. */
void heads_enter(struct flow *flow, int32_t block, struct state *state,
                 bool within);
/* An iteration ends with `state`; keeps what the next one may rely on. */
void heads_compare(struct flow *flow, int32_t head, struct state *state);
void heads_leave(struct state *state);

/* ---- turns.c ---- */

/* If a test of the iteration such as `i > 0` stays true once it is true, gcc
 * makes two loops; the second one starts in the middle of an iteration.  Counts
 * the blocks between two such loops as part of the iteration. */
void turns_find(struct flow *flow);
/* Whether an edge between the blocks is such a transition. */
bool turns_to(const struct flow *flow, int32_t from, int32_t to);
/* Whether all later iterations of the block would take this branch, too. */
bool turns_stay(const struct flow *flow, const struct state *state, int way);

/* ---- ends.c ---- */

/* At the end of a block of the loop: whether its exits are the loop's end. */
void ends_leave(struct flow *flow, const struct state *state);
/* Checks that each iteration tests for the end.  Returns 0 or -ENOMEM. */
int ends_check(struct flow *flow);

/* ---- step.c, calls.c, meaning.c ---- */

/* Changes the state as the instruction does. */
void flow_step(struct flow *flow, struct state *state, const struct insn *insn);
/* False: the general rule holds. */
bool flow_step_known(struct flow *flow, struct state *state,
                     const struct insn *insn);
/* Whether it only moves parts of vectors. */
bool insn_shuffles(const struct insn *insn);
/* Reads and writes an operand; a store is also an effect (effects.c). */
struct value flow_get(struct flow *flow, struct state *state,
                      const struct insn *insn, const struct operand *op);
void flow_put(struct flow *flow, struct state *state, const struct insn *insn,
              const struct operand *op, struct value value);
/* The address of a memory operand; V_STACK and V_SYMBOL are exact. */
struct value flow_address(struct flow *flow, struct state *state,
                          const struct insn *insn, const struct operand *op);
/* A result that depends on both.  `adds`: as a sum, of which an iteration may
 * add its part to that of others. */
struct value flow_combine(struct flow *flow, struct value a, struct value b,
                          bool adds);
/* A called function of the program (closure.c). */
const struct callee *flow_callee(struct flow *flow, uint64_t at);
/* A value is passed to a function. */
void flow_give(struct flow *flow, const struct value *value);
void flow_call(struct flow *flow, struct state *state, const struct insn *insn);

/* ---- arms.c ---- */

/* Whether both arms after a test T < R only compute the split.  Other results
 * of the arms depend on the thread where they meet. */
bool arms_find(struct flow *flow);
void arms_mark(struct flow *flow, int32_t meet, struct state *state);
/* The branch of a thread with T < R; -1: no such test. */
int arms_smaller(const struct flow *flow, int32_t block);

/* ---- effects.c ---- */

/* A store outside the frame; `old`: the value before. */
void effect_store(struct flow *flow, const struct insn *insn,
                  const struct value *at, const struct value *old,
                  const struct value *value);
void effect_call(struct flow *flow, struct state *state,
                 const struct target *target);
void effect_branch(struct flow *flow, const struct value *flags);

/* ---- waits.c ---- */

/* Whether a cycle among the blocks `in` (NULL: all) ends only through other
 * threads.  Overwrites the graph's cycles.  Returns 0 or -ENOMEM. */
int waits_find(struct graph *graph, const bool *in, bool *found);

/* ---- names.c ---- */

/* Whether the function begins or ends a critical section.  Other locks may stay
 * locked between two blocks of iterations. */
bool names_critical(const char *name);

enum trust {
    TRUST_NOT,
    TRUST_PURE,   /* computes, or writes only to its arguments */
    TRUST_MEMORY, /* allocates or frees */
    TRUST_FILL,   /* writes to its first argument */
    TRUST_LOCK,   /* allowed for one thread at a time */
    TRUST_ATOMIC, /* of a reduction */
};
enum trust names_trust(const struct binary *binary, const char *name);
/* How many words and vectors a trusted function may take as arguments. */
int names_words(const char *name);
int names_vectors(const char *name);
/* Whether it returns its first argument. */
bool names_give_back(const struct binary *binary, const char *name);
enum word names_forbidden(const char *name);
const char *word_text(enum word word);

/* ---- code_run.c ---- */

/* Propagates values until none changes.  Returns 0 or -errno. */
int flow_run(struct flow *flow, enum pass pass);
int flow_open(struct flow *flow, struct graph *graph);
void flow_close(struct flow *flow);

#endif
