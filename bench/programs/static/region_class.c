/* Judges a region by the flow of its values.  A and B: the thread's number only
 * chooses the block, and no effect depends on where a block begins; B calls
 * functions of the program.  C: cut only where outputs are compared.  A class
 * only falls, and the first step that refuses is the last. */
#include "bench/programs/static/region_class.h"

#include <errno.h>
#include <string.h>

#ifdef WITH_CAPSTONE
#include <capstone/capstone.h>
enum { RETURN = X86_INS_RET };
#else
enum { RETURN = 1 };
#endif

/* ---- the call at a block's end ---- */

/* Whether the block ends by a call, or by a jump to another function. */
static bool calls(const struct graph *graph, int32_t b, struct target *target)
{
    const struct insn *last = graph_last(graph, b);
    if (last->flow != FLOW_CALL && !graph->block[b].jumps_away)
        return false;
    *target = code_target(graph->binary, last);
    return true;
}

/* The first call of a construct that smaller blocks would run too often. */
static enum word find_forbidden(const struct graph *graph)
{
    struct target target;
    for (int32_t b = 0; b < graph->blocks; b++)
        if (calls(graph, b, &target) && target.name != NULL) {
            enum word word = names_forbidden(target.name);
            if (word != WORD_NONE)
                return word;
        }
    return WORD_NONE;
}

/* ---- blocks without an iteration, and those of the loop ---- */

/* The branch of an empty block of iterations: 0, 1, or -1: either. */
static int empty_way(const struct flow *flow, int32_t b)
{
#ifdef WITH_CAPSTONE
    if (flow->ends[b] != F_EMPTY || flow->graph->block[b].nexts != 2)
        return -1;
    bool turned = flow->orient[b] != 0;
    switch (graph_last(flow->graph, b)->id) {
    case X86_INS_JGE:
    case X86_INS_JAE:
        return turned ? -1 : 0;
    case X86_INS_JLE:
    case X86_INS_JBE:
        return turned ? 0 : -1;
    case X86_INS_JL:
    case X86_INS_JB:
        return turned ? -1 : 1;
    case X86_INS_JG:
    case X86_INS_JA:
        return turned ? 1 : -1;
    case X86_INS_JE:
        return 0;
    case X86_INS_JNE:
        return 1;
    default:
        return -1;
    }
#else
    (void)flow;
    (void)b;
    return -1;
#endif
}

/* The blocks of a thread without an iteration: its block is empty, and its
 * number is not below R. */
static void find_empty(struct flow *flow)
{
    bool changed = true;
    flow->empty[0] = true;
    while (changed) {
        changed = false;
        for (int32_t b = 0; b < flow->graph->blocks; b++) {
            const struct block *block = &flow->graph->block[b];
            int way = empty_way(flow, b), smaller = arms_smaller(flow, b);
            if (smaller >= 0)
                way = 1 - smaller;
            for (int32_t i = 0; flow->empty[b] && i < block->nexts; i++)
                if ((way < 0 || way == i) && !flow->empty[block->next[i]])
                    changed = flow->empty[block->next[i]] = true;
        }
    }
}

/* Leaves a cycle by a question about the iteration. */
static bool governs(const struct flow *flow, int32_t b)
{
    const struct graph *graph = flow->graph;
    if (flow->ends[b] != F_ITER && flow->ends[b] != F_EMPTY)
        return false;
    for (int32_t i = 0; i < graph->block[b].nexts; i++)
        if (graph->component[graph->block[b].next[i]] != graph->component[b])
            return true;
    return false;
}

static bool is_governed(const struct flow *flow, int32_t component)
{
    for (int32_t b = 0; b < flow->graph->blocks; b++)
        if (flow->graph->component[b] == component && governs(flow, b))
            return true;
    return false;
}

/* The blocks of the loop: cycles that only a thread with iterations enters, and
 * that a question about the iteration ends. */
static int find_main(struct flow *flow, bool *any)
{
    struct graph *graph = flow->graph;
    bool *rest = flow->main; /* until it is known */
    *any = false;
    int code = graph_find_cycles(graph, flow->empty);
    for (int32_t b = 0; code == 0 && b < graph->blocks; b++) {
        flow->repeats[b] = graph->component[b] >= 0;
        if (graph->component[b] >= 0 && is_governed(flow, graph->component[b]))
            return -EINVAL; /* code outside the loop was taken for it */
        rest[b] = !flow->empty[b] && flow->in[b].reached;
    }
    if (code == 0)
        code = graph_find_cycles(graph, rest);
    for (int32_t b = 0; code == 0 && b < graph->blocks; b++) {
        flow->repeats[b] = flow->repeats[b] || graph->component[b] >= 0;
        flow->main[b] =
            graph->component[b] >= 0 && is_governed(flow, graph->component[b]);
        *any = *any || flow->main[b];
    }
    return code;
}

/* Blocks that a thread can reach without an iteration of the loop. */
static void find_before(struct flow *flow)
{
    bool changed = true;
    flow->before[0] = !flow->main[0];
    while (changed) {
        changed = false;
        for (int32_t b = 0; b < flow->graph->blocks; b++)
            for (int32_t i = 0; i < flow->graph->block[b].nexts; i++) {
                int32_t to = flow->graph->block[b].next[i];
                if (flow->before[b] && !flow->main[to] && !flow->before[to])
                    changed = flow->before[to] = true;
            }
    }
}

/* Blocks that only an exception reaches, and those that never lead back outside
 * the loop: they belong to an iteration, because no call outside throws. */
static void find_aside(struct graph *graph, const struct flow *flow)
{
    bool changed = true;
    for (int32_t b = 0; b < graph->blocks; b++)
        graph->block[b].aside =
            !flow->empty[b] && !flow->main[b] && !flow->before[b];
    while (changed) {
        changed = false;
        for (int32_t b = 0; b < graph->blocks; b++) {
            const struct insn *last = graph_last(graph, b);
            bool back = graph->block[b].nexts == 0 &&
                        (last->id == RETURN || last->flow == FLOW_JUMP);
            for (int32_t i = 0; i < graph->block[b].nexts; i++) {
                int32_t to = graph->block[b].next[i];
                back = back || flow->empty[to] ||
                       (!flow->main[to] && !graph->block[to].aside);
            }
            if (back && graph->block[b].aside && !graph->block[b].pad) {
                graph->block[b].aside = false;
                changed = true;
            }
        }
    }
}

/* ---- classes ---- */

struct grade {
    char class;
    enum word word;
};

static void lower_class(struct grade *finding, char class, enum word word)
{
    if (class > finding->class) {
        finding->class = class;
        finding->word = word;
    }
}

static bool refuse(struct grade *finding, enum word word)
{
    *finding = (struct grade){'-', word};
    return false;
}

static bool is_number_call(const char *name)
{
    return name != NULL && (strcmp(name, "omp_get_thread_num") == 0 ||
                            strcmp(name, "omp_get_num_threads") == 0);
}

/* Outside of the loop a call may only do what any number of blocks may repeat.
 * In an iteration known functions make class B, others C. */
static bool judge_call(struct code *code, struct flow *flow, int32_t b,
                       struct grade *finding)
{
    const struct graph *graph = flow->graph;
    struct target target;
    bool body = flow->main[b] || graph->block[b].aside;
    if (!flow->in[b].reached || flow->empty[b] || !calls(graph, b, &target) ||
        is_number_call(target.name))
        return true;
    if (target.name != NULL) {
        enum trust trust = names_trust(graph->binary, target.name);
        if (!body && trust == TRUST_LOCK && names_critical(target.name))
            return flow->critical = true;
        if (trust != TRUST_NOT)
            return body || trust == TRUST_PURE || trust == TRUST_FILL ||
                           trust == TRUST_ATOMIC
                       ? true
                       : refuse(finding,
                                trust == TRUST_LOCK ? WORD_LOCK : WORD_CALLS);
    }
    if (!body)
        return refuse(finding, WORD_CALLS);
    uint64_t writes;
    if (target.name == NULL && target.at != 0 &&
        closure_is_known(code, target.at, &writes))
        lower_class(finding, 'B', WORD_NONE);
    else
        lower_class(finding, 'C', WORD_CALLS);
    return true;
}

/* Data of the thread, which FS or GS address, outlive a block. */
static bool judge_data(const struct flow *flow, int32_t b,
                       struct grade *finding)
{
    const struct graph *graph = flow->graph;
    for (int32_t i = 0; i < graph->block[b].count; i++) {
        const struct insn *insn = &graph->insn[graph->block[b].first + i];
        for (int k = 0; k < insn->count; k++) {
            const struct operand *op = &insn->op[k];
            if (!op->segment || (op->base == REG_NONE &&
                                 op->index == REG_NONE && op->value == 0x28))
                continue;
            if (!flow->main[b] && !graph->block[b].aside)
                return refuse(finding, WORD_DATA);
            lower_class(finding, 'C', WORD_DATA);
        }
    }
    return true;
}

/* Calls for the thread's number whose result is not only the split's. */
static bool judge_sites(const struct flow *flow, struct grade *finding)
{
    for (int i = 0; i < flow->sites; i++) {
        if (flow->split >> i & 1)
            continue;
        if (!flow->site_in_main[i])
            return refuse(finding, WORD_NUMBER);
        lower_class(finding, 'C', WORD_NUMBER);
    }
    return true;
}

/* Whether there is a split, and each of its parts serves it alone. */
static bool judge_split(struct flow *flow, struct grade *finding)
{
    bool number = false;
    for (int i = 0; i < flow->sites; i++)
        number = number || (flow->bad >> i & 1);
    if (flow->count.starts == 0)
        return refuse(finding, flow->count.multiplied ? WORD_CHUNKS
                               : number               ? WORD_NUMBER
                                                      : WORD_SPLIT);
    if ((flow->split & flow->bad) != 0 ||
        flow->count.compares > flow->count.starts ||
        flow->count.products > flow->count.starts)
        return refuse(finding, WORD_NUMBER);
    return true;
}

/* In an iteration, without the loop over them; the last that needs cycles. */
static bool judge_waits(struct flow *flow, struct grade *finding)
{
    bool *in = flow->ending, found; /* is needed no more */
    for (int32_t b = 0; b < flow->graph->blocks; b++)
        in[b] = flow->main[b] && !flow->head[b].is;
    if (waits_find(flow->graph, in, &found) != 0)
        return refuse(finding, WORD_UNREAD);
    if (found)
        lower_class(finding, 'C', WORD_WAITS);
    return true;
}

static bool judge_region(struct code *code, struct flow *flow,
                         struct grade *finding)
{
    bool any;
    /* Once more when it is known where the arms of splits meet. */
    if (flow_run(flow, PASS_ALL) != 0)
        return refuse(finding, WORD_UNREAD);
    if (!arms_find(flow))
        return refuse(finding, WORD_NUMBER);
    flow->count.starts = flow->count.compares = flow->count.products = 0;
    flow->bad = flow->split = 0;
    if (flow_run(flow, PASS_ALL) != 0)
        return refuse(finding, WORD_UNREAD);
    if (!judge_split(flow, finding))
        return false;
    find_empty(flow);
    if (find_main(flow, &any) != 0 || !any)
        return refuse(finding, WORD_SPLIT);
    turns_find(flow);
    find_before(flow);
    find_aside(flow->graph, flow);
    if (flow_run(flow, PASS_EMPTY) != 0)
        return refuse(finding, WORD_UNREAD);
    if (flow->effect != WORD_NONE)
        return refuse(finding, flow->effect);
    if (flow_run(flow, PASS_CARRY) != 0 || ends_check(flow) != 0)
        return refuse(finding, WORD_UNREAD);
    if (flow->effect != WORD_NONE)
        return refuse(finding, flow->effect);
    if (!judge_sites(flow, finding))
        return false;
    for (int32_t b = 0; b < flow->graph->blocks; b++)
        if (!judge_call(code, flow, b, finding) ||
            !judge_data(flow, b, finding))
            return false;
    if (flow->carried || flow->state)
        lower_class(finding, 'C', WORD_STATE);
    return judge_waits(flow, finding);
}

/* The preload library answers these calls with the smaller block's number.  It
 * knows them by their return addresses. */
static void keep_calls(const struct flow *flow, struct reader_region *region)
{
    for (int i = 0; i < flow->sites; i++)
        if (flow->split >> i & 1) {
            int64_t at = code_index(flow->graph->insn, flow->graph->insns,
                                    flow->site[i]);
            region->call[region->calls++] =
                flow->site[i] + flow->graph->insn[at].size;
        }
}

/* Where a function that is a jump to another one leads: linkers and compilers
 * keep one of two that are equal. */
static uint64_t resolve_jump(struct code *code, uint64_t at)
{
    struct binary_function function;
    int64_t count;
    const struct insn *insn = binary_function(code_image(code), at, &function)
                                  ? code_read(code, &function, &count)
                                  : NULL;
    if (insn == NULL || function.at != at || insn[0].flow != FLOW_JUMP)
        return at;
    uint64_t to = code_target(code_image(code), &insn[0]).at;
    return to != 0 ? to : at;
}

void region_classify(struct code *code, struct reader_region *region)
{
    struct graph graph;
    struct flow flow;
    struct grade finding = {'A', WORD_NONE};
    region->calls = 0;
    if (graph_build(code, resolve_jump(code, region->at), &graph) != 0) {
        refuse(&finding, WORD_UNREAD);
    } else if ((finding.word = find_forbidden(&graph)) != WORD_NONE) {
        finding.class = '-';
    } else {
        if (flow_open(&flow, &graph) != 0)
            refuse(&finding, WORD_UNREAD);
        flow.code = code;
        if (finding.class != '-' && judge_region(code, &flow, &finding))
            keep_calls(&flow, region);
        if (finding.class != '-' && flow.critical)
            refuse(&finding, WORD_CRITICAL);
        flow_close(&flow);
    }
    graph_free(&graph);
    region->class = finding.class;
    region->word = word_text(finding.word);
}
