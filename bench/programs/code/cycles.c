/* The cycles of a graph (Tarjan, without recursion). */
#include "bench/programs/code/code.h"

#include <errno.h>
#include <stdlib.h>

struct visit {
    int32_t block, next;
};

/* Tarjan's algorithm: the number of each block in the order of visits, the
 * lowest number it leads back to, and the blocks that are in no cycle yet. */
struct search {
    struct graph *graph;
    const bool *in;
    int32_t *index, *low, *stack, depth, number, top;
    struct visit *visit;
    bool *on;
};

/* Takes the blocks of a cycle off the stack.  A single block is one only if it
 * leads to itself. */
static void close_cycle(struct search *s, int32_t root)
{
    const struct block *block = &s->graph->block[root];
    int32_t members = 0, b;
    bool self = false;
    for (int32_t i = 0; i < block->nexts; i++)
        self = self || block->next[i] == root;
    do {
        b = s->stack[--s->depth];
        s->on[b] = false;
        s->graph->component[b] = root;
        members++;
    } while (b != root);
    if (members == 1 && !self)
        s->graph->component[root] = -1;
}

static void begin_block(struct search *s, int32_t block)
{
    s->visit[s->top++] = (struct visit){block, 0};
    s->index[block] = s->low[block] = ++s->number;
    s->stack[s->depth++] = block;
    s->on[block] = true;
}

/* Follows one edge, or returns. */
static void take_way(struct search *s)
{
    struct visit *now = &s->visit[s->top - 1];
    const struct block *block = &s->graph->block[now->block];
    if (now->next < block->nexts) {
        int32_t to = block->next[now->next++];
        if (!s->in[to])
            return;
        if (s->index[to] == 0)
            begin_block(s, to);
        else if (s->on[to] && s->index[to] < s->low[now->block])
            s->low[now->block] = s->index[to];
        return;
    }
    int32_t done = now->block;
    s->top--;
    if (s->top > 0 && s->low[done] < s->low[s->visit[s->top - 1].block])
        s->low[s->visit[s->top - 1].block] = s->low[done];
    if (s->low[done] == s->index[done])
        close_cycle(s, done);
}

int graph_find_cycles(struct graph *graph, const bool *in)
{
    size_t count = (size_t)graph->blocks + 1;
    struct search s = {.graph = graph,
                       .in = in,
                       .index = calloc(count, sizeof(*s.index)),
                       .low = calloc(count, sizeof(*s.low)),
                       .stack = calloc(count, sizeof(*s.stack)),
                       .visit = calloc(count, sizeof(*s.visit)),
                       .on = calloc(count, sizeof(*s.on))};
    bool ready = s.index != NULL && s.low != NULL && s.stack != NULL &&
                 s.visit != NULL && s.on != NULL;
    for (int32_t r = 0; r < graph->blocks; r++)
        graph->component[r] = -1;
    for (int32_t r = 0; ready && r < graph->blocks; r++) {
        if (!in[r] || s.index[r] != 0)
            continue;
        begin_block(&s, r);
        while (s.top > 0)
            take_way(&s);
    }
    free(s.index);
    free(s.low);
    free(s.stack);
    free(s.visit);
    free(s.on);
    return ready ? 0 : -ENOMEM;
}
