/* The masters of a replay and their ranks: opening and closing. */
#include "harness/replay/replay_internal.h"

#include <errno.h>
#include <stdlib.h>

static void count_children(struct replay_state *rs)
{
    const struct tree *tree = rs->tree;
    for (int w = 0; w < tree->workers; w++) {
        struct server *server =
            replay_server(rs, tree->master[tree->worker_master[w]].rank);
        if (replay_hosted(rs, w))
            server->working++;
        else
            server->children++;
    }
    for (int m = 1; m < tree->count; m++) {
        int above = tree->master[tree->master[m].parent].rank;
        if (above != tree->master[m].rank)
            replay_server(rs, above)->children++;
    }
    for (int r = 0; r < tree->ranks; r++) {
        struct server *server = replay_server(rs, r);
        if (server != NULL && server->children > 0 &&
            tree->rank_worker[r] < tree->rank_worker[r + 1])
            server->host = tree->rank_worker[r];
    }
}

static int open_servers(struct replay_state *rs)
{
    const struct tree *tree = rs->tree;
    rs->server_of = malloc(((size_t)tree->ranks + 1) * sizeof(int));
    if (rs->server_of == NULL)
        return -ENOMEM;
    for (int r = 0; r < tree->ranks; r++)
        rs->server_of[r] = -1;
    for (int m = 0; m < tree->count; m++)
        if (rs->server_of[tree->master[m].rank] < 0)
            rs->server_of[tree->master[m].rank] = rs->servers++;
    rs->server = calloc((size_t)rs->servers, sizeof(*rs->server));
    if (rs->server == NULL)
        return -ENOMEM;
    for (int s = 0; s < rs->servers; s++)
        rs->server[s].host = rs->server[s].first_master = -1;
    for (int m = tree->count; m-- > 0;) {
        struct replay_master *below = &rs->masters[m];
        below->server = rs->server_of[tree->master[m].rank];
        below->next = rs->server[below->server].first_master;
        rs->server[below->server].first_master = m;
        if (m > 0 &&
            tree->master[tree->master[m].parent].rank != tree->master[m].rank)
            rs->server[below->server].asks = true;
    }
    count_children(rs);
    return link_open(rs);
}

static int open_master(struct replay_state *rs, int m, struct error *err)
{
    const struct replay *in = rs->in;
    const struct tree *tree = rs->tree;
    struct master *master = &rs->masters[m].master;
    int parent = tree->master[m].parent;
    int code = master_open(master, tree, m);
    if (code != 0 || parent < 0)
        return code;
    if (tree->master[parent].rank == tree->master[m].rank)
        master->parent = &rs->masters[parent].master;
    else
        task_pool_lend(&master->pool); /* until a refill comes */
    const struct sched_loop whole = {.iterations = in->iterations,
                                     .workers = tree->workers,
                                     .power = in->power,
                                     .cost = rs->loop.cost};
    if (in->scheme->inner != NULL)
        code = master_open_range(master, tree, in->scheme, &whole,
                                 in->min_chunk, err);
    if (code == 0 && in->scheme->outer->feedback != NULL)
        code = master_open_reports(master);
    return code;
}

static int open_scratch(struct replay_state *rs)
{
    int most = 1;
    for (int m = 1; m < rs->tree->count; m++)
        if (rs->tree->master[m].workers > most)
            most = rs->tree->master[m].workers;
    bool sums = rs->in->scheme->inner != NULL;
    rs->tasks = malloc((size_t)most * sizeof(*rs->tasks));
    if (rs->learns)
        rs->reports = malloc(((size_t)reports_most(most, sums) + 1) *
                             sizeof(*rs->reports));
    return rs->tasks != NULL && (!rs->learns || rs->reports != NULL) ? 0
                                                                     : -ENOMEM;
}

int serve_open(struct replay_state *rs, struct error *err)
{
    const struct tree *tree = rs->tree;
    rs->masters = calloc((size_t)tree->count, sizeof(*rs->masters));
    if (rs->masters == NULL)
        return -ENOMEM;
    int code = 0;
    for (int m = 0; m < tree->count && code == 0; m++)
        code = open_master(rs, m, err);
    rs->masters[0].master.scheme = &rs->sched;
    rs->masters[0].master.units =
        rs->in->scheme->inner != NULL ? &rs->units : NULL;
    if (code == 0)
        code = open_servers(rs);
    return code == 0 ? open_scratch(rs) : code;
}

void serve_close(struct replay_state *rs)
{
    for (int m = 0; m < rs->tree->count && rs->masters != NULL; m++) {
        master_close(&rs->masters[m].master);
        free(rs->masters[m].runs);
        free(rs->masters[m].reports);
    }
    for (int s = 0; s < rs->servers && rs->server != NULL; s++) {
        free(rs->server[s].queue.ask);
        free(rs->server[s].waiting.ask);
        free(rs->server[s].idle);
    }
    link_close(rs);
    free(rs->masters);
    free(rs->server);
    free(rs->server_of);
    free(rs->tasks);
    free(rs->reports);
}
