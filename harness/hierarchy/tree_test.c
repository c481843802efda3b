/* Trees of random cells: shape, hosts and ranges. */
#include "harness/testing.h"

#include "harness/check/cell_transport.h"
#include "harness/check/setup.h"
#include "harness/hierarchy/hierarchy.h"
#include "harness/hierarchy/tree.h"

/* A random cell that cell_check accepts. */
static void random_cell(struct cell *cell, uint64_t *seed)
{
    static const char *const transports[] = {"shared", "master", "window"};
    struct error err;
    do {
        char text[64];
        struct hierarchy h = {.node = testing_random(seed) % 2};
        h.levels = (int)testing_between(seed, 0, 3);
        for (int i = 0; i < h.levels; i++)
            h.fan[i] = (int)testing_between(seed, 1, 4);
        hierarchy_format(&h, text, sizeof(text));
        cell_defaults(cell, testing_texts());
        cell->kernel = "null";
        cell->scheme = "ss";
        assert_int_equal(cell_set(cell, "hierarchy", text, &err), 0);
        assert_int_equal(cell_set(cell, "transport",
                                  transports[testing_between(seed, 0, 2)],
                                  &err),
                         0);
        if (testing_random(seed) % 2)
            cell->master = "dedicated";
        cell->ranks = (int)testing_between(seed, 1, 40);
        cell->threads = (int)testing_between(seed, 1, 5);
        if (strcmp(cell->transport, "shared") == 0) {
            cell->ranks = 1;
            cell->threads = (int)testing_between(seed, 1, 40);
        }
    } while (cell_check(cell, &err) != 0);
}

struct seen {
    const struct cell *cell;
    struct hierarchy h;
    struct tree tree;
    bool shared, window, dedicated;
};

static void parents_come_before_children(const struct seen *s)
{
    assert_true(s->tree.count >= 1);
    assert_int_equal(s->tree.master[0].parent, -1);
    for (int m = 1; m < s->tree.count; m++) {
        assert_in_range(s->tree.master[m].parent, 0, m - 1);
        assert_false(s->tree.master[s->tree.master[m].parent].leaf);
    }
}

static int level_of(const struct tree *tree, int master)
{
    int level = 0;
    while ((master = tree->master[master].parent) >= 0)
        level++;
    return level;
}

/* As many masters on each level as the hierarchy says, and their workers
 * follow one another without gaps. */
static void levels_share_out_the_workers(const struct seen *s)
{
    long expected = 1;
    for (int level = 0; level <= s->h.levels; level++) {
        long count = 0;
        int next = 0;
        for (int m = 0; m < s->tree.count; m++) {
            const struct tree_master *master = &s->tree.master[m];
            if (level_of(&s->tree, m) != level || master->pool)
                continue;
            assert_int_equal(master->first_worker, next);
            assert_true(master->workers >= 1);
            next += master->workers;
            count++;
        }
        assert_int_equal(next, s->tree.workers);
        assert_int_equal(count, expected);
        if (level < s->h.levels)
            expected *= s->h.fan[level];
    }
}

/* Groups of one parent differ by one rank or, in one rank, by one thread. */
static void groups_are_even(const struct seen *s)
{
    int unit = s->shared ? 1 : s->tree.threads;
    for (int parent = 0; parent < s->tree.count; parent++) {
        int least = s->tree.workers, most = 0, children = 0;
        for (int m = 0; m < s->tree.count; m++) {
            if (s->tree.master[m].parent != parent || s->tree.master[m].pool)
                continue;
            int workers = s->tree.master[m].workers;
            least = workers < least ? workers : least;
            most = workers > most ? workers : most;
            children++;
        }
        assert_true(children == 0 || most - least <= unit);
    }
}

static void workers_have_leaves(const struct seen *s)
{
    const struct tree *tree = &s->tree;
    assert_int_equal(tree->workers, cell_workers(s->cell));
    assert_int_equal(tree->rank_worker[0], 0);
    assert_int_equal(tree->rank_worker[tree->ranks], tree->workers);
    for (int w = 0; w < tree->workers; w++) {
        int rank = tree->worker_rank[w];
        assert_in_range(w, tree->rank_worker[rank],
                        tree->rank_worker[rank + 1] - 1);
        assert_in_range(tree->worker_master[w], 0, tree->count - 1);
        assert_true(tree->master[tree->worker_master[w]].leaf);
        for (int m = tree->worker_master[w]; m >= 0;
             m = tree->master[m].parent) {
            const struct tree_master *master = &tree->master[m];
            assert_in_range(w, master->first_worker,
                            master->first_worker + master->workers - 1);
        }
    }
    for (int rank = 0; rank < tree->ranks; rank++) {
        int workers = tree->rank_worker[rank + 1] - tree->rank_worker[rank];
        assert_true(workers == tree->threads || (s->dedicated && workers == 0));
    }
}

/* A computing master shares the rank of its first worker; a dedicated one has a
 * separate rank before its group. */
static void hosts_are_right(const struct seen *s)
{
    const struct tree *tree = &s->tree;
    int host_of[64] = {0};
    for (int m = 0; m < tree->count; m++) {
        const struct tree_master *master = &tree->master[m];
        int first = tree->worker_rank[master->first_worker];
        if (s->window && !master->pool) {
            assert_int_equal(master->rank, -1);
        } else if (s->dedicated && !master->pool) {
            assert_in_range(master->rank, 0, first - 1);
            assert_int_equal(tree->rank_worker[master->rank],
                             tree->rank_worker[master->rank + 1]);
            assert_int_equal(host_of[master->rank]++, 0);
        } else {
            assert_int_equal(master->rank, first);
        }
        if (m > 0 && !master->pool)
            assert_true(master->rank >= tree->master[master->parent].rank);
    }
}

/* With node: one pool for each working rank or, in one rank, for the threads of
 * each lowest group; no other master is asked. */
static void pools_are_at_the_bottom(const struct seen *s)
{
    const struct tree *tree = &s->tree;
    int pools = 0, working = 0;
    for (int m = 0; m < tree->count; m++) {
        const struct tree_master *master = &tree->master[m];
        assert_int_equal(master->leaf, s->h.node
                                           ? master->pool
                                           : level_of(tree, m) == s->h.levels);
        if (!master->pool)
            continue;
        pools++;
        int last = master->first_worker + master->workers - 1;
        assert_int_equal(tree->worker_rank[master->first_worker],
                         tree->worker_rank[last]);
    }
    for (int rank = 0; rank < tree->ranks; rank++)
        working += tree->rank_worker[rank] < tree->rank_worker[rank + 1];
    if (s->shared)
        working = (int)hierarchy_leaves(&s->h);
    assert_int_equal(pools, s->h.node ? working : 0);
}

static void random_trees_are_right(void **unused)
{
    uint64_t seed = testing_say_seed(__func__);
    for (int round = 0; round < 3000; round++) {
        struct cell cell;
        struct error err = {""};
        random_cell(&cell, &seed);
        struct seen s = {.cell = &cell,
                         .shared = strcmp(cell.transport, "shared") == 0,
                         .window = strcmp(cell.transport, "window") == 0,
                         .dedicated = strcmp(cell.transport, "master") == 0 &&
                                      strcmp(cell.master, "dedicated") == 0};
        assert_int_equal(hierarchy_parse(cell.hierarchy, &s.h, NULL), 0);
        if (cell_tree_build(&cell, &s.tree, &err) != 0)
            fail_msg("%s: %s", cell.hierarchy, err.text);
        parents_come_before_children(&s);
        levels_share_out_the_workers(&s);
        groups_are_even(&s);
        workers_have_leaves(&s);
        hosts_are_right(&s);
        pools_are_at_the_bottom(&s);
        tree_free(&s.tree);
    }
}

/* Drawn by hand: 2 masters with 2 sub-masters each, dedicated, 11 ranks. */
static void a_known_tree(void **unused)
{
    static const int parent[] = {-1, 0, 1, 1, 0, 4, 4};
    static const int rank[] = {0, 1, 2, 4, 6, 7, 9};
    static const int first[] = {0, 0, 0, 1, 2, 2, 3};
    static const int workers[] = {4, 2, 1, 1, 2, 1, 1};
    struct cell cell;
    struct tree tree;
    cell_defaults(&cell, testing_texts());
    cell.hierarchy = "2x2";
    cell.transport = "master";
    cell.master = "dedicated";
    cell.ranks = 11;
    assert_int_equal(cell_tree_build(&cell, &tree, NULL), 0);
    assert_int_equal(tree.count, 7);
    assert_int_equal(tree.workers, 4);
    for (int m = 0; m < 7; m++) {
        assert_int_equal(tree.master[m].parent, parent[m]);
        assert_int_equal(tree.master[m].rank, rank[m]);
        assert_int_equal(tree.master[m].first_worker, first[m]);
        assert_int_equal(tree.master[m].workers, workers[m]);
    }
    tree_free(&tree);
}

/* Three ranks with 2, 0 and 3 workers, and a pool in each that has any. */
static void ranks_may_have_other_numbers_of_workers(void **state)
{
    static const int count[] = {2, 0, 3}, first[] = {0, 2, 2, 5};
    const struct tree_shape shape = {
        .hierarchy = {.node = true}, .ranks = 3, .rank_threads = count};
    struct tree tree;
    struct error err;
    assert_int_equal(tree_build(&tree, &shape, &err), 0);
    assert_int_equal(tree.workers, 5);
    assert_memory_equal(tree.rank_worker, first, sizeof(first));
    assert_int_equal(tree.count, 3);
    for (int w = 0; w < 5; w++) {
        const struct tree_master *pool = &tree.master[tree.worker_master[w]];
        assert_int_equal(tree.worker_rank[w], w < 2 ? 0 : 2);
        assert_int_equal(pool->rank, tree.worker_rank[w]);
        assert_int_equal(pool->workers, count[pool->rank]);
    }
    tree_free(&tree);
}

TESTS(cmocka_unit_test(random_trees_are_right), cmocka_unit_test(a_known_tree),
      cmocka_unit_test(ranks_may_have_other_numbers_of_workers))
