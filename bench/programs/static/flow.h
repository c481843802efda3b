/* What flows through the code of a region: which values depend on the thread's
 * number, which on the block of iterations that gcc makes of it, and which are
 * carried from one iteration to the next. */
#ifndef BENCH_PROGRAMS_STATIC_FLOW_H
#define BENCH_PROGRAMS_STATIC_FLOW_H

#include "bench/programs/code/code.h"

/* gcc's block split of n iterations, of which R, Q and T themselves are in
 * nobody's hands but the split's:
 *
 *     Q = n / N; R = n % N; if (T < R) { R = 0; Q = Q + 1; }
 *     START = T * Q + R; END = START + Q */
enum kind {
    V_ANY, /* of no thread and no iteration */
    V_CONST,
    V_SYMBOL, /* the same expression is the same value */
    V_FRESH,  /* memory that this thread has allocated */
    V_STACK,
    V_START,
    V_END,
    V_ITER,   /* depends on both */
    V_MOVES,  /* such a value in the loop, which each iteration changes */
    V_CARRY0, /* counts from 0 */
    V_CARRY,  /* from one iteration to the next */
    V_DIRTY,  /* computed of V_CARRY behind the loop */
    V_T,
    V_N,
    V_Q,
    V_Q1, /* Q or Q + 1; number 1: Q + 1, which a program may have, too */
    V_R,
    V_R0, /* R or 0 */
    V_B,  /* T < R */
    V_P,  /* T * Q1; number 1: T * Q or T * (Q + 1), see V_Q1 */
    V_WRONG,
    F_SPLIT, /* flags of T compared with R */
    F_EMPTY, /* of START with END; number 1: of END with START */
    F_ITER,
    F_BOUND, /* of an iteration with what is the same in all of them */
    F_CARRY,
};

/* A value in some blocks of iterations (lanes.c): one of two that differ in
 * where they begin, end, or how long they are. */
enum {
    LANE_NEXT = 1, /* begins one later */
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

struct value {
    uint8_t kind;
    uint8_t cut;    /* bytes that a sum has lost of a word's */
    uint8_t mixes;  /* bits of what has computed a sum: meaning_mixes */
    bool counted;   /* the sum of what counts from 0 and the block's begin */
    uint64_t sites; /* bits of the calls that it depends on */
    uint64_t number;
    int64_t distance;
    struct lanes lanes; /* in PASS_CARRY */
};

struct slot {
    int64_t at;
    int32_t bytes;
    bool fresh; /* written since the last call: perhaps an argument */
    struct value value;
};

struct state {
    bool reached;
    bool held; /* on each way here in a critical section, which may store */
    struct value reg[REG_COUNT];
    struct slot *slot; /* by their place */
    int64_t slots, room;
};

enum { FLOW_SITES = 64 };

/* What the threads' number would be used for, in one word. */
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

struct head {
    bool is;
    uint64_t moves; /* bits of registers that may change in the loop */
    uint64_t other; /* of them those that are not of the iteration alone */
    uint64_t step[REG_VECTOR]; /* of what counts from 0 */
    int64_t other_at[16];      /* places of the frame, as `other` */
    int others;
};

enum pass { PASS_ALL, PASS_EMPTY, PASS_CARRY };

struct flow {
    struct graph *graph;
    struct code *code;
    struct callee {
        uint64_t at, writes; /* all: not known */
        uint64_t reads;      /* what it may have been given */
        bool known;
    } callee[16]; /* the last ones that were looked at */
    int callees;
    struct state *in; /* of each block */
    enum pass pass;
    bool report; /* the values are final */
    struct {
        bool *empty;       /* blocks that run without an iteration */
        bool *main;        /* blocks of the loop itself */
        bool *before;      /* of the others those that are reached without it */
        struct head *head; /* of these, where it is entered */
        int moves;         /* how often one of them has changed */
        int moved;         /* `moves` before this time */
        bool *ending;      /* blocks that leave the loop at its end */
        bool *repeats;     /* others, in a cycle */
        bool critical;     /* such a section is outside of the loop */
    };
    int64_t escape; /* from here on the frame may be seen by others */
    struct {
        int64_t at[32];
        int count;
    } objects;     /* of these, those that the loop itself needs */
    int32_t block; /* that is looked at */
    bool failed;   /* out of memory, or not understood */

    uint64_t site[FLOW_SITES]; /* calls of the two functions */
    bool site_is_thread[FLOW_SITES], site_in_main[FLOW_SITES];
    int sites;
    uint64_t bad, split; /* sites used otherwise; and in a split */
    struct {
        bool multiplied; /* the number, by what is no quotient */
        int starts, compares, products;
    } count;
    struct {
        bool has_meets;
        int32_t *meets; /* of each block: where both arms of T < R do, -1 */
        bool *arm;      /* blocks between a question for T < R and there */
        bool *met;      /* blocks where arms meet */
        bool chooses;   /* what is joined now was chosen by T < R */
        bool outside;   /* what is joined now does not stay in the loop */
        uint8_t mixes;  /* of the instruction that is looked at */
    };
    uint8_t *ends; /* kind of the flags at each block's end */
    uint64_t *orient;
    enum word effect; /* PASS_EMPTY: an effect that is not neutral */
    bool state;       /* PASS_EMPTY: the frame has an object of its own */
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

/* Whether what is looked at is in an arm, as far as they are known: there Q and
 * R are what the split needs. */
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
/* Whether `into` has changed. */
bool state_join(struct flow *flow, struct state *into,
                const struct state *from);
void state_copy(struct flow *flow, struct state *into,
                const struct state *from);
void state_free(struct state *state);

static inline bool flow_in_main(const struct flow *flow)
{
    return flow->main != NULL && flow->main[flow->block];
}

/* In the loop, one of the block and not of the iteration: together with the
 * iteration it counts those before, and alone it is the block's begin. */
static inline bool flow_is_fixed(const struct flow *flow, const struct value *v)
{
    return flow->pass == PASS_CARRY && flow_in_main(flow) && value_is_iter(v) &&
           v->kind != V_MOVES;
}

/* What is made of both has lost, and was computed with, what they were. */
static inline void value_inherit(struct value *out, const struct value *a,
                                 const struct value *b)
{
    out->cut = a->cut > b->cut ? a->cut : b->cut;
    out->mixes = a->mixes | b->mixes;
}

/* The identity of a minimum or a maximum. */
bool value_is_extreme(const struct value *v);

/* A value is used in a way that no split has. */
void flow_mark(struct flow *flow, const struct value *value);
/* The address of the frame is known to others. */
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
/* At the loop's begin, of what changes in it. */
struct lanes lanes_enter(struct lanes first);
/* Whether the second iteration finds what the block one later begins with. */
bool lanes_go_on(const struct value *begin, const struct value *next);
/* What counts from 0 has counted; false: that differs. */
bool lanes_step(const struct value *next, uint64_t *step);
struct lanes lanes_before(struct flow *flow, struct state *state,
                          const struct insn *insn);
void lanes_after(struct flow *flow, struct state *state,
                 const struct insn *insn, const struct lanes *lanes);

/* ---- heads.c ---- */

/* The loop that the block belongs to is entered there; `within`: in the midst
 * of an iteration. */
void heads_enter(struct flow *flow, int32_t block, struct state *state,
                 bool within);
/* An iteration ends with the state; what holds for the next one stays in it. */
void heads_compare(struct flow *flow, int32_t head, struct state *state);
void heads_leave(struct state *state);

/* ---- turns.c ---- */

/* gcc makes two loops of one where a question about the iteration, `i > 0`, has
 * the same answer in all later ones: the second one goes on in the midst of an
 * iteration.  Takes what is between two such loops as the iteration's. */
void turns_find(struct flow *flow);
/* Whether a way leads from the one to the other. */
bool turns_to(const struct flow *flow, int32_t from, int32_t to);
/* Whether all later iterations of the block would take it, too. */
bool turns_stay(const struct flow *flow, const struct state *state, int way);

/* ---- ends.c ---- */

/* At the end of a block of the loop: whether ways out of it are its end. */
void ends_leave(struct flow *flow, const struct state *state);
/* Whether each iteration asks for it.  Returns 0 or -ENOMEM. */
int ends_check(struct flow *flow);

/* ---- step.c, calls.c, meaning.c ---- */

void flow_step(struct flow *flow, struct state *state, const struct insn *insn);
/* False: the general rule holds. */
bool flow_step_known(struct flow *flow, struct state *state,
                     const struct insn *insn);
/* Moves parts of vectors only. */
bool insn_shuffles(const struct insn *insn);
struct value flow_get(struct flow *flow, struct state *state,
                      const struct insn *insn, const struct operand *op);
void flow_put(struct flow *flow, struct state *state, const struct insn *insn,
              const struct operand *op, struct value value);
/* The address that an operand stands for; V_STACK and V_SYMBOL are exact. */
struct value flow_address(struct flow *flow, struct state *state,
                          const struct insn *insn, const struct operand *op);
struct value flow_combine(struct flow *flow, struct value a, struct value b,
                          bool adds);
/* A function of the program that is called (closure.c). */
const struct callee *flow_callee(struct flow *flow, uint64_t at);
/* A function gets a value. */
void flow_give(struct flow *flow, const struct value *value);
void flow_call(struct flow *flow, struct state *state, const struct insn *insn);

/* ---- arms.c ---- */

/* Behind a question whether T < R: whether both arms do nothing but compute the
 * split.  What else they write depends on the thread where they meet. */
bool arms_find(struct flow *flow);
void arms_mark(struct flow *flow, int32_t meet, struct state *state);
/* The way of a thread with T < R, which has an iteration; -1: not asked. */
int arms_smaller(const struct flow *flow, int32_t block);

/* ---- effects.c ---- */

/* A store that is not to the frame; `old`: what is there. */
void effect_store(struct flow *flow, const struct insn *insn,
                  const struct value *at, const struct value *old,
                  const struct value *value);
void effect_call(struct flow *flow, struct state *state,
                 const struct target *target);
void effect_branch(struct flow *flow, const struct value *flags);

/* ---- waits.c ---- */

/* Whether a cycle among the blocks that are `in` (NULL: all are) ends only by
 * what others do; the graph's cycles are others then.  Returns 0 or -ENOMEM. */
int waits_find(struct graph *graph, const bool *in, bool *found);

/* ---- names.c ---- */

/* Whether the function begins or ends a critical section: other locks may stay
 * locked between two blocks of iterations. */
bool names_critical(const char *name);

enum trust {
    TRUST_NOT,
    TRUST_PURE,   /* computes, or writes to what it is given */
    TRUST_MEMORY, /* allocates or frees */
    TRUST_FILL,   /* writes to its first argument */
    TRUST_LOCK,   /* what one thread at a time may do */
    TRUST_ATOMIC, /* of a reduction */
};
enum trust names_trust(const struct binary *binary, const char *name);
/* How many words and vectors a function that is trusted may take. */
int names_words(const char *name);
int names_vectors(const char *name);
/* Whether the function returns its first argument. */
bool names_give_back(const struct binary *binary, const char *name);
enum word names_forbidden(const char *name);
const char *word_text(enum word word);

/* ---- code_run.c ---- */

/* Follows the values until they stay.  Returns 0 or -errno. */
int flow_run(struct flow *flow, enum pass pass);
int flow_open(struct flow *flow, struct graph *graph);
void flow_close(struct flow *flow);

#endif
