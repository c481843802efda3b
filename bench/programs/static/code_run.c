/* Follows the blocks of a region until no value changes. */
#include "bench/programs/static/flow.h"

#include "base/list.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int flow_open(struct flow *flow, struct graph *graph)
{
    size_t blocks = (size_t)graph->blocks + 1;
    *flow = (struct flow){.graph = graph, .escape = INT64_MAX};
    flow->in = calloc(blocks, sizeof(*flow->in));
    flow->empty = calloc(blocks, sizeof(*flow->empty));
    flow->main = calloc(blocks, sizeof(*flow->main));
    flow->before = calloc(blocks, sizeof(*flow->before));
    flow->head = calloc(blocks, sizeof(*flow->head));
    flow->meets = calloc(blocks, sizeof(*flow->meets));
    flow->arm = calloc(blocks, sizeof(*flow->arm));
    flow->met = calloc(blocks, sizeof(*flow->met));
    flow->ends = calloc(blocks, sizeof(*flow->ends));
    flow->orient = calloc(blocks, sizeof(*flow->orient));
    flow->ending = calloc(blocks, sizeof(*flow->ending));
    flow->repeats = calloc(blocks, sizeof(*flow->repeats));
    return flow->in == NULL || flow->empty == NULL || flow->main == NULL ||
                   flow->before == NULL || flow->head == NULL ||
                   flow->arm == NULL || flow->met == NULL ||
                   flow->ends == NULL || flow->meets == NULL ||
                   flow->orient == NULL || flow->ending == NULL ||
                   flow->repeats == NULL
               ? -ENOMEM
               : 0;
}

void flow_close(struct flow *flow)
{
    if (flow->in != NULL)
        for (int32_t b = 0; b < flow->graph->blocks; b++)
            state_free(&flow->in[b]);
    free(flow->in);
    free(flow->empty);
    free(flow->main);
    free(flow->before);
    free(flow->head);
    free(flow->meets);
    free(flow->arm);
    free(flow->met);
    free(flow->ends);
    free(flow->orient);
    free(flow->ending);
    free(flow->repeats);
}

/* ---- following ---- */

/* Blocks wait for those that lead to them: before both arms of T < R are known
 * their meeting has no meaning. */
struct work {
    int32_t *order; /* blocks after their predecessors, except in cycles */
    bool *waits;    /* by position in `order` */
    int32_t *place;
    int32_t next; /* no block before it waits */
};

static void add_work(struct work *work, int32_t block)
{
    int32_t place = work->place[block];
    work->waits[place] = true;
    if (place < work->next)
        work->next = place;
}

/* Fills `order` from its end, depth first: a block is placed after all that it
 * leads to.  `left` counts the ways that were taken. */
static void visit_blocks(const struct graph *graph, struct work *work,
                         int32_t *stack, int32_t *left)
{
    int32_t depth = 0;
    for (int32_t r = -1; r < graph->blocks; r++) {
        int32_t root = r < 0 ? 0 : r;
        if (work->place[root] >= 0)
            continue;
        stack[depth++] = root;
        work->place[root] = graph->blocks;
        while (depth > 0) {
            int32_t b = stack[depth - 1];
            if (left[b] < graph->block[b].nexts) {
                int32_t to = graph->block[b].next[left[b]++];
                if (work->place[to] < 0) {
                    work->place[to] = graph->blocks;
                    stack[depth++] = to;
                }
                continue;
            }
            depth--;
            work->place[b] = --work->next;
            work->order[work->next] = b;
        }
    }
}

static int make_order(const struct graph *graph, struct work *work)
{
    size_t count = (size_t)graph->blocks + 1;
    int32_t *stack = calloc(count, sizeof(*stack)),
            *left = calloc(count, sizeof(*left));
    work->order = calloc(count, sizeof(*work->order));
    work->place = malloc(sizeof(*work->place) * count);
    work->waits = calloc(count, sizeof(*work->waits));
    bool ready = stack != NULL && left != NULL && work->order != NULL &&
                 work->place != NULL && work->waits != NULL;
    if (ready) {
        for (int32_t b = 0; b < graph->blocks; b++)
            work->place[b] = -1;
        work->next = graph->blocks;
        visit_blocks(graph, work, stack, left);
        work->next = graph->blocks;
    }
    free(stack);
    free(left);
    return ready ? 0 : -ENOMEM;
}

static void free_order(struct work *work)
{
    free(work->order);
    free(work->place);
    free(work->waits);
}

/* The next block that waits, -1: none. */
static int32_t take_work(const struct graph *graph, struct work *work)
{
    while (work->next < graph->blocks && !work->waits[work->next])
        work->next++;
    if (work->next == graph->blocks)
        return -1;
    work->waits[work->next] = false;
    return work->order[work->next];
}

/* Hands the state on to a next block.  In PASS_CARRY it is changed where it
 * enters the loop, begins another iteration, or leaves. */
static void enter_block(struct flow *flow, struct work *work, int32_t from,
                        int32_t to, const struct state *state)
{
    struct state entered = {.reached = false};
    if (flow->pass == PASS_EMPTY && !flow->empty[to])
        return;
    bool other = flow->graph->component[from] != flow->graph->component[to] ||
                 !flow->main[from] || !flow->main[to];
    bool turns = turns_to(flow, from, to);
    bool enters = flow->pass == PASS_CARRY && flow->main[to] && other &&
                  flow->graph->component[to] >= 0;
    bool leaves =
        flow->pass == PASS_CARRY && flow->main[from] && other && !turns;
    bool again = flow->pass == PASS_CARRY && flow->main[to] &&
                 flow->head[to].is && !enters;
    if (leaves || enters || again) {
        state_copy(flow, &entered, state);
        state = &entered;
    }
    if (again) {
        heads_compare(flow, to, &entered);
    }
    if ((leaves || enters) && !turns)
        heads_leave(&entered);
    if (enters) {
        flow->moves += !flow->head[to].is;
        flow->head[to].is = true;
        heads_enter(flow, to, &entered, turns);
    }
    flow->chooses = !flow->has_meets || flow->met[to];
    flow->outside = other;
    if (state_join(flow, &flow->in[to], state))
        add_work(work, to);
    flow->chooses = flow->outside = false;
    state_free(&entered);
}

/* Whether the block's call may throw, so that landing pads get its state. */
static bool throws_exception(const struct flow *flow, const struct insn *last)
{
    if (last->flow != FLOW_CALL)
        return false;
    const char *name = code_target(flow->graph->binary, last).name;
    return name == NULL || strncmp(name, "_Zn", 3) == 0 ||
           (names_trust(flow->graph->binary, name) == TRUST_NOT &&
            strncmp(name, "omp_", 4) != 0 && strncmp(name, "GOMP_", 5) != 0) ||
           !names_return(name);
}

static void pass_block(struct flow *flow, int32_t b, struct state *state)
{
    const struct block *block = &flow->graph->block[b];
    flow->block = b;
    state_copy(flow, state, &flow->in[b]);
    for (int32_t i = 0; i < block->count && !flow->failed; i++)
        flow_step(flow, state, &flow->graph->insn[block->first + i]);
    if (block->jumps_away && !flow->failed)
        flow_call(flow, state, graph_last(flow->graph, b));
    if (flow->report && flow->pass == PASS_CARRY && flow->main[b] &&
        flow->graph->component[b] >= 0)
        ends_leave(flow, state);
}

/* At the region's begin only its frame is known, and its argument: the address
 * of the shared variables. */
static void begin_run(struct flow *flow, struct work *work)
{
    for (int32_t b = 0; b < flow->graph->blocks; b++) {
        state_free(&flow->in[b]);
        flow->in[b] = (struct state){.reached = false};
    }
    struct state *entry = &flow->in[0];
    entry->reached = true;
    entry->reg[REG_RSP] = (struct value){.kind = V_STACK};
    entry->reg[REG_RDI] = (struct value){.kind = V_SYMBOL, .number = 1};
    add_work(work, 0);
}

/* Until no state changes.  A region whose states do not settle fails. */
static void follow_blocks(struct flow *flow, struct work *work)
{
    struct state state = {.reached = false};
    int64_t steps = 0, most = 200 * (int64_t)flow->graph->blocks + 1000;
    int32_t b;
    begin_run(flow, work);
    while (!flow->failed && (b = take_work(flow->graph, work)) >= 0) {
        const struct block *block = &flow->graph->block[b];
        arms_mark(flow, b, &flow->in[b]);
        pass_block(flow, b, &state);
        for (int32_t i = 0; i < block->nexts; i++)
            enter_block(flow, work, b, block->next[i], &state);
        if (flow->pass != PASS_EMPTY &&
            throws_exception(flow, graph_last(flow->graph, b)))
            for (int32_t p = 0; p < flow->graph->blocks; p++)
                if (flow->graph->block[p].pad)
                    enter_block(flow, work, b, p, &state);
        if (++steps > most)
            flow->failed = true;
    }
    state_free(&state);
}

int flow_run(struct flow *flow, enum pass pass)
{
    struct work work = {NULL, NULL, NULL, 0};
    struct state state = {.reached = false};
    if (make_order(flow->graph, &work) != 0) {
        free_order(&work);
        return -ENOMEM;
    }
    flow->pass = pass;
    /* Which objects others see is known only after all blocks were visited. */
    int64_t before;
    int objects, moves;
    do {
        before = flow->escape;
        moves = flow->moved = flow->moves;
        objects = flow->objects.count;
        follow_blocks(flow, &work);
    } while (!flow->failed &&
             (flow->escape != before || flow->objects.count != objects ||
              flow->moves != moves));
    flow->report = true;
    for (int32_t b = 0; b < flow->graph->blocks && !flow->failed; b++)
        if (flow->in[b].reached)
            pass_block(flow, b, &state);
    flow->report = false;
    state_free(&state);
    free_order(&work);
    return flow->failed ? -EINVAL : 0;
}
