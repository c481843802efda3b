#include "harness/hierarchy/tree.h"

#include "base/list.h"

#include <errno.h>
#include <stdlib.h>

/* The units that groups are made of: ranks, or the threads of one rank. */
struct builder {
    struct tree *tree;
    const struct tree_shape *shape;
    int64_t room; /* of tree->master */
};

static int add_master(struct builder *b, int parent, int rank)
{
    struct tree *tree = b->tree;
    if (list_grow(&tree->master, &b->room, tree->count + 1,
                  sizeof(*tree->master)) != 0)
        return -1;
    tree->master[tree->count] =
        (struct tree_master){.parent = parent, .rank = rank};
    return tree->count++;
}

static int threads_of(const struct tree_shape *shape, int rank)
{
    return shape->rank_threads != NULL ? shape->rank_threads[rank]
                                       : shape->threads;
}

/* The workers of units [low, high) ask `master`. */
static void give_workers(struct builder *b, int master, int low, int high)
{
    struct tree *tree = b->tree;
    tree->master[master].leaf = true;
    for (int unit = low; unit < high; unit++) {
        int workers = b->shape->by_thread ? 1 : threads_of(b->shape, unit);
        for (int i = 0; i < workers; i++) {
            tree->worker_rank[tree->workers] = b->shape->by_thread ? 0 : unit;
            tree->worker_master[tree->workers] = master;
            tree->workers++;
        }
    }
}

/* A pool in every rank of [low, high), or one for the threads of one rank. */
static int give_pools(struct builder *b, int master, int low, int high)
{
    struct tree *tree = b->tree;
    int step = b->shape->by_thread ? high - low : 1;
    for (int unit = low; unit < high; unit += step) {
        if (!b->shape->by_thread && threads_of(b->shape, unit) == 0)
            continue;
        int pool = add_master(b, master, b->shape->by_thread ? 0 : unit);
        if (pool < 0)
            return -ENOMEM;
        tree->master[pool].pool = true;
        give_workers(b, pool, unit, unit + step);
    }
    return 0;
}

static int build_group(struct builder *b, int parent, int level, int low,
                       int high)
{
    int host = b->shape->by_thread ? 0 : low;
    int master = add_master(b, parent, b->shape->no_master ? -1 : host);
    if (master < 0)
        return -ENOMEM;
    if (b->shape->dedicated)
        low++;
    if (level == b->shape->hierarchy.levels) {
        if (b->shape->hierarchy.node)
            return give_pools(b, master, low, high);
        give_workers(b, master, low, high);
        return 0;
    }
    int groups = b->shape->hierarchy.fan[level];
    long units = high - low;
    for (long g = 0; g < groups; g++) {
        int code =
            build_group(b, master, level + 1, low + (int)(units * g / groups),
                        low + (int)(units * (g + 1) / groups));
        if (code != 0)
            return code;
    }
    return 0;
}

static void count_workers(struct tree *tree)
{
    for (int m = 0; m < tree->count; m++)
        tree->master[m].first_worker = tree->workers;
    for (int w = 0; w < tree->workers; w++) {
        for (int m = tree->worker_master[w]; m >= 0;
             m = tree->master[m].parent) {
            tree->master[m].workers++;
            if (w < tree->master[m].first_worker)
                tree->master[m].first_worker = w;
        }
    }
    int w = 0;
    for (int rank = 0; rank <= tree->ranks; rank++) {
        while (w < tree->workers && tree->worker_rank[w] < rank)
            w++;
        tree->rank_worker[rank] = w;
    }
}

int tree_build(struct tree *out, const struct tree_shape *shape,
               struct error *err)
{
    struct tree tree = {.ranks = shape->ranks, .threads = shape->threads};
    struct builder b = {.tree = &tree, .shape = shape};
    size_t most = 1;
    for (int rank = 0; rank < shape->ranks; rank++)
        most += (size_t)threads_of(shape, rank);
    tree.rank_worker = calloc((size_t)shape->ranks + 1, sizeof(int));
    tree.worker_rank = calloc(most, sizeof(int));
    tree.worker_master = calloc(most, sizeof(int));
    int code = -ENOMEM;
    if (tree.rank_worker && tree.worker_rank && tree.worker_master)
        code =
            build_group(&b, -1, 0, 0,
                        shape->by_thread ? threads_of(shape, 0) : shape->ranks);
    if (code != 0) {
        tree_free(&tree);
        return error_set(err, ENOMEM, "out of memory for the hierarchy");
    }
    count_workers(&tree);
    *out = tree;
    return 0;
}

void tree_free(struct tree *tree)
{
    free(tree->rank_worker);
    free(tree->worker_rank);
    free(tree->worker_master);
    free(tree->master);
    *tree = (struct tree){0};
}
