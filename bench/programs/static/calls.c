/* The arguments of a call in a region, and its effects, by the calling
 * convention of the System V ABI for x86-64: six words, then eight vectors,
 * then the stack. */
#include "bench/programs/static/flow.h"

#include <string.h>

static const uint8_t arguments[] = {REG_RDI, REG_RSI, REG_RDX, REG_RCX, 8, 9};

void flow_give(struct flow *flow, const struct value *value)
{
    flow_mark(flow, value);
    if (value->kind == V_STACK)
        flow_escape(flow, value->distance);
    if (flow->report && flow->pass == PASS_CARRY &&
        (value_is_carry(value) || flow_is_fixed(flow, value)))
        flow->carried = true;
}

/* The data written to the end of the frame since the last call. */
static void use_stack(struct flow *flow, struct state *state)
{
    const struct value *top = &state->reg[REG_RSP];
    int64_t next = top->distance;
    if (top->kind != V_STACK) {
        flow->failed = true;
        return;
    }
    for (int64_t i = 0; i < state->slots; i++) {
        struct stack_slot *slot = &state->slot[i];
        if (slot->at >= next && slot->at < next + 8 && slot->fresh) {
            flow_give(flow, &slot->value);
            next = (slot->at + slot->bytes + 7 - top->distance) / 8 * 8 +
                   top->distance;
            if (slot->bytes < 8 && i + 1 < state->slots &&
                state->slot[i + 1].at < next)
                next -= 8;
        }
    }
    for (int64_t i = 0; i < state->slots; i++)
        state->slot[i].fresh = false;
}

/* The registers, as bits, that may be arguments of the call.  A known library
 * function reads as many as its prototype has; of the program's functions the
 * code tells it; any other may read all. */
static uint64_t arguments_of(struct flow *flow, const char *name, uint64_t at,
                             enum trust trust)
{
    uint64_t words = 0;
    if (trust == TRUST_NOT)
        return name == NULL && at != 0 ? flow_callee(flow, at)->reads
                                       : UINT64_MAX;
    for (int i = 0; i < names_words(name); i++)
        words |= UINT64_C(1) << arguments[i];
    int vectors = trust == TRUST_PURE ? names_vectors(name) : 0;
    return words | ((UINT64_C(1) << vectors) - 1) << REG_VECTOR;
}

static void use_arguments(struct flow *flow, struct state *state,
                          const char *name, uint64_t at)
{
    enum trust trust =
        name != NULL ? names_trust(flow->graph->binary, name) : TRUST_NOT;
    if (trust == TRUST_ATOMIC || trust == TRUST_LOCK ||
        (name != NULL && !names_return(name) && trust != TRUST_NOT))
        return;
    uint64_t given = arguments_of(flow, name, at, trust);
    for (int i = 0; i < 6; i++)
        if (given >> arguments[i] & 1)
            flow_give(flow, &state->reg[arguments[i]]);
    if (state->reg[REG_CHAIN].kind == V_STACK)
        flow_escape(flow, state->reg[REG_CHAIN].distance);
    for (int i = REG_VECTOR; i < REG_VECTOR + 8; i++)
        if (given >> i & 1)
            flow_give(flow, &state->reg[i]);
    if (trust == TRUST_NOT)
        use_stack(flow, state);
}

/* The index of this call for the number of the thread, or of threads. */
static int site_of(struct flow *flow, uint64_t at, bool thread)
{
    for (int i = 0; i < flow->sites; i++)
        if (flow->site[i] == at)
            return i;
    if (flow->sites == FLOW_SITES) {
        flow->failed = true;
        return 0;
    }
    flow->site_is_thread[flow->sites] = thread;
    flow->site[flow->sites] = at;
    return flow->sites++;
}

/* A function of the program may preserve registers, and gcc relies on it. */
static void lose_registers(struct flow *flow, struct state *state, uint64_t at)
{
    const struct callee *callee = at != 0 ? flow_callee(flow, at) : NULL;
    const struct value any = {.kind = V_ANY};
    for (int r = 0; r < REG_COUNT; r++) {
        bool kept = r == 3 || (r >= REG_RSP && r <= REG_RBP) ||
                    (r > REG_R11 && r < REG_VECTOR);
        if (kept ||
            (callee != NULL && callee->known && (callee->writes >> r & 1) == 0))
            continue;
        state->reg[r] = callee != NULL && !callee->known
                            ? value_join(flow, state->reg[r], any)
                            : any;
    }
}

/* The thread's number becomes T, the team's size N. What the thread has
 * allocated is its own memory. */
void flow_call(struct flow *flow, struct state *state, const struct insn *insn)
{
    struct target target = code_target(flow->graph->binary, insn);
    const char *name = target.name;
    struct value result = {.kind = V_ANY};
    bool thread = name != NULL && strcmp(name, "omp_get_thread_num") == 0;
    if (thread || (name != NULL && strcmp(name, "omp_get_num_threads") == 0)) {
        int site = site_of(flow, insn->at, thread);
        result.kind = thread ? V_T : V_N;
        result.sites = UINT64_C(1) << site;
        if (flow->report && flow_in_main(flow))
            flow->site_in_main[site] = true;
    } else {
        use_arguments(flow, state, name, name == NULL ? target.at : 0);
        effect_call(flow, state, &target);
        if (name != NULL && names_critical(name))
            state->held = strstr(name, "_start") != NULL;
        if (name != NULL &&
            names_trust(flow->graph->binary, name) == TRUST_MEMORY)
            result = (struct value){.kind = V_FRESH, .number = insn->at};
        else if (name != NULL && names_give_back(flow->graph->binary, name))
            result = state->reg[REG_RDI];
    }
    lose_registers(flow, state, name == NULL ? target.at : 0);
    if (name != NULL)
        state->reg[REG_RAX] = result;
}
