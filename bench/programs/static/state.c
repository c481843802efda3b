/* Values of registers and memory, and joining those of two ways. */
#include "bench/programs/static/flow.h"

#include "base/list.h"

#include <stdlib.h>
#include <string.h>

void flow_mark(struct flow *flow, const struct value *value)
{
    if (flow->report && flow->pass == PASS_ALL && !value_is_free(value))
        flow->bad |= value->sites;
}

void flow_escape(struct flow *flow, int64_t at)
{
    if (at < flow->escape)
        flow->escape = at;
    if (flow->report && flow->pass == PASS_EMPTY)
        flow->state = true;
    if (flow->pass != PASS_CARRY || !flow->main[flow->block])
        return;
    for (int i = 0; i < flow->objects.count; i++)
        if (flow->objects.at[i] == at)
            return;
    if (at == INT64_MIN || flow->objects.count == 32)
        flow->carried = true;
    else
        flow->objects.at[flow->objects.count++] = at;
}

/* ---- joining ---- */

static bool are_same(const struct value *a, const struct value *b)
{
    return a->kind == b->kind && a->number == b->number &&
           a->distance == b->distance;
}

static bool is_pair(const struct value *a, const struct value *b, int x, int y)
{
    return (a->kind == x && b->kind == y) || (a->kind == y && b->kind == x);
}

static bool is_zero(const struct value *a)
{
    return a->kind == V_CONST && a->number == 0;
}

/* What the split chooses by T < R. Elsewhere two of its values have no common
 * meaning. */
static int join_numbers(const struct flow *flow, const struct value *a,
                        const struct value *b)
{
    if (!flow->chooses)
        return value_is_free(a) && value_is_free(b) ? V_ITER : V_WRONG;
    if (is_pair(a, b, V_Q, V_Q1) || (a->kind == V_Q1 && b->kind == V_Q1))
        return V_Q1;
    if (is_pair(a, b, V_P, V_START))
        return V_START;
    bool left = a->kind == V_R || a->kind == V_R0 || is_zero(a),
         right = b->kind == V_R || b->kind == V_R0 || is_zero(b);
    if (left && right)
        return V_R0;
    if (value_is_free(a) && value_is_free(b))
        return V_ITER;
    return V_WRONG;
}

bool value_is_extreme(const struct value *v)
{
    static const uint64_t all[] = {
        0x7fffffff,         0x80000000,         0xffffffff80000000,
        0x7fffffffffffffff, 0x8000000000000000, 0x7fefffffffffffff,
        0xffefffffffffffff, 0x7ff0000000000000, 0xfff0000000000000,
        0x7f7fffff,         0xff7fffff,         0x7f800000,
        0xff800000,         0xffffffff,         0xffffffffffffffff};
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
        if (v->kind == V_CONST && v->number == all[i])
            return true;
    return false;
}

/* From a pointer that moves down the object's begin is not known. */
static void join_stack(struct flow *flow, const struct value *a,
                       const struct value *b)
{
    if (a->kind == V_STACK && b->kind == V_STACK)
        flow_escape(flow, b->distance < a->distance ? INT64_MIN : a->distance);
    else if (a->kind == V_STACK)
        flow_escape(flow, a->distance);
    else if (b->kind == V_STACK)
        flow_escape(flow, b->distance);
}

struct value value_join(struct flow *flow, struct value a, struct value b)
{
    struct value out = {.kind = V_ANY, .sites = a.sites | b.sites};
    value_inherit(&out, &a, &b);
    /* In the loop a sum that an iteration may replace is no sum. */
    bool stays =
        flow->pass == PASS_CARRY && flow_in_main(flow) && !flow->outside;
    if (are_same(&a, &b)) {
        a.lanes.known = a.lanes.known && lanes_are_same(&a, &b);
        a.counted = a.counted || b.counted;
        value_inherit(&a, &a, &b);
        a.sites |= b.sites;
        return a;
    }
    join_stack(flow, &a, &b);
    if (a.kind >= F_SPLIT || b.kind >= F_SPLIT) {
        if (a.kind == F_SPLIT || b.kind == F_SPLIT)
            out.kind = V_WRONG;
        else if (value_is_carry(&a) || value_is_carry(&b))
            out.kind = F_CARRY;
        else
            out.kind = F_ITER;
        return out;
    }
    if (value_is_number(&a) || value_is_number(&b)) {
        out.kind = (uint8_t)join_numbers(flow, &a, &b);
    } else if (a.kind == V_DIRTY || b.kind == V_DIRTY) {
        out.kind = V_DIRTY;
    } else if (value_is_carry(&a) || value_is_carry(&b)) {
        out.kind = stays && value_is_carry(&a) != value_is_carry(&b) ? V_DIRTY
                                                                     : V_CARRY;
    } else if (value_is_iter(&a) || value_is_iter(&b)) {
        bool moves = a.kind == V_MOVES || b.kind == V_MOVES;
        out.kind = !moves ? V_ITER
                   : flow_is_fixed(flow, &a) || flow_is_fixed(flow, &b)
                       ? V_CARRY
                       : V_MOVES;
    } else if (flow->pass == PASS_EMPTY && a.kind == V_SYMBOL &&
               value_is_extreme(&b)) {
        return a;
    } else if (flow->pass == PASS_EMPTY && b.kind == V_SYMBOL &&
               value_is_extreme(&a)) {
        return b;
    }
    return out;
}

/* ---- slots ---- */

/* The first slot that ends after `at`. */
static int64_t find_slot(const struct state *state, int64_t at)
{
    int64_t low = 0, high = state->slots;
    while (low < high) {
        int64_t middle = (low + high) / 2;
        if (state->slot[middle].at + state->slot[middle].bytes <= at)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The first bytes of a stored value. */
static struct value cut_value(struct value value, int32_t bytes, int32_t of)
{
    if (value.kind == V_CONST && bytes < 8)
        value.number &= (UINT64_C(1) << 8 * bytes) - 1;
    if (bytes != of && (value.kind == V_SYMBOL || value.kind == V_STACK ||
                        value.kind == V_FRESH))
        value.kind = V_ANY;
    if (bytes != of)
        value.lanes.known = false;
    return value;
}

/* A value that others may have changed is unknown. */
static struct value as_seen(struct flow *flow, int64_t at, struct value value)
{
    if (at < flow->escape)
        return value;
    flow_mark(flow, &value);
    if (value.kind == V_CONST || value.kind == V_SYMBOL ||
        value.kind == V_FRESH || value.kind == V_STACK)
        return (struct value){.kind = V_ANY};
    return value;
}

struct value state_load(struct flow *flow, struct state *state, int64_t at,
                        int32_t bytes)
{
    struct value out = {.kind = V_ANY};
    int64_t i = find_slot(state, at);
    if (i < state->slots && state->slot[i].at == at &&
        bytes <= state->slot[i].bytes)
        return as_seen(
            flow, at,
            cut_value(state->slot[i].value, bytes, state->slot[i].bytes));
    for (; i < state->slots && state->slot[i].at < at + bytes; i++) {
        const struct value *part = &state->slot[i].value;
        flow_mark(flow, part);
        if (value_is_carry(part))
            out.kind = V_CARRY;
        else if (out.kind == V_ANY &&
                 (value_is_iter(part) || value_is_number(part)))
            out.kind = V_ITER;
        if (part->kind == V_STACK)
            flow_escape(flow, part->distance);
    }
    return out;
}

void state_store(struct flow *flow, struct state *state, int64_t at,
                 int32_t bytes, struct value value)
{
    int64_t first = find_slot(state, at), last = first;
    while (last < state->slots && state->slot[last].at < at + bytes) {
        const struct stack_slot *slot = &state->slot[last++];
        if (slot->at < at || slot->at + slot->bytes > at + bytes)
            flow_mark(flow, &slot->value);
    }
    if (list_grow(&state->slot, &state->room, state->slots + 1,
                  sizeof(*state->slot)) != 0) {
        flow->failed = true;
        return;
    }
    memmove(&state->slot[first + 1], &state->slot[last],
            sizeof(*state->slot) * (size_t)(state->slots - last));
    state->slots += 1 - (last - first);
    state->slot[first] = (struct stack_slot){at, bytes, true, value};
    if (at >= flow->escape)
        flow_mark(flow, &value);
}

void state_set_lanes(struct state *state, int64_t at, int32_t bytes,
                     const struct lanes *lanes)
{
    int64_t i = find_slot(state, at);
    if (i < state->slots && state->slot[i].at == at &&
        state->slot[i].bytes == bytes)
        state->slot[i].value.lanes = *lanes;
}

/* ---- states ---- */

/* True: it has changed, so that its block is followed again. */
static bool join_into(struct flow *flow, struct value *into,
                      const struct value *from)
{
    if (memcmp(into, from, sizeof(*into)) == 0)
        return false; /* the usual case */
    struct value joined = value_join(flow, *into, *from);
    bool changed = !are_same(into, &joined) || into->sites != joined.sites ||
                   into->cut != joined.cut || into->mixes != joined.mixes ||
                   !lanes_are_same(into, &joined);
    *into = joined;
    return changed;
}

static const struct stack_slot *same_slot(const struct state *state,
                                          const struct stack_slot *slot)
{
    int64_t i = find_slot(state, slot->at);
    return i < state->slots && state->slot[i].at == slot->at &&
                   state->slot[i].bytes == slot->bytes
               ? &state->slot[i]
               : NULL;
}

bool state_join(struct flow *flow, struct state *into, const struct state *from)
{
    bool changed = false;
    const struct value any = {.kind = V_ANY};
    if (!into->reached) {
        state_copy(flow, into, from);
        return true;
    }
    changed = into->held && !from->held;
    into->held = into->held && from->held;
    for (int r = 0; r < REG_COUNT; r++)
        changed |= join_into(flow, &into->reg[r], &from->reg[r]);
    for (int64_t i = 0; i < into->slots; i++) {
        const struct stack_slot *other = same_slot(from, &into->slot[i]);
        changed |= join_into(flow, &into->slot[i].value,
                             other != NULL ? &other->value : &any);
        if (other != NULL && other->fresh && !into->slot[i].fresh)
            changed = into->slot[i].fresh = true;
    }
    for (int64_t i = 0; i < from->slots; i++) {
        const struct stack_slot *slot = &from->slot[i];
        if (same_slot(into, slot) != NULL ||
            (value_is_free(&slot->value) && !value_is_iter(&slot->value) &&
             !value_is_carry(&slot->value)))
            continue;
        int64_t before = into->slots;
        struct value joined = value_join(flow, slot->value, any);
        state_store(flow, into, slot->at, slot->bytes, joined);
        changed |= into->slots != before;
    }
    return changed;
}

void state_copy(struct flow *flow, struct state *into, const struct state *from)
{
    struct stack_slot *slot = into->slot;
    int64_t room = into->room;
    if (list_grow(&slot, &room, from->slots, sizeof(*slot)) != 0) {
        flow->failed = true;
        return;
    }
    *into = *from;
    into->slot = slot;
    into->room = room;
    if (from->slots > 0)
        memcpy(slot, from->slot, sizeof(*slot) * (size_t)from->slots);
}

void state_free(struct state *state)
{
    free(state->slot);
}
