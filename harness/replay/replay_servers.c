/* The masters of a replay and their ranks: opening and closing. */
#include "harness/replay/replay_internal.h"

#include <errno.h>
#include <stdlib.h>

static void count_children(struct replayer *rp)
{
    const struct tree *tree = rp->tree;
    for (int w = 0; w < tree->workers; w++) {
        struct server *server =
            replay_server(rp, tree->master[tree->worker_master[w]].rank);
        if (replay_hosted(rp, w))
            server->working++;
        else
            server->children++;
    }
    for (int m = 1; m < tree->count; m++) {
        int above = tree->master[tree->master[m].parent].rank;
        if (above != tree->master[m].rank)
            replay_server(rp, above)->children++;
    }
    for (int r = 0; r < tree->ranks; r++) {
        struct server *server = replay_server(rp, r);
        if (server != NULL && server->children > 0 &&
            tree->rank_worker[r] < tree->rank_worker[r + 1])
            server->host = tree->rank_worker[r];
    }
}

static int open_servers(struct replayer *rp)
{
    const struct tree *tree = rp->tree;
    rp->server_of = malloc(((size_t)tree->ranks + 1) * sizeof(int));
    if (rp->server_of == NULL)
        return -ENOMEM;
    for (int r = 0; r < tree->ranks; r++)
        rp->server_of[r] = -1;
    for (int m = 0; m < tree->count; m++)
        if (rp->server_of[tree->master[m].rank] < 0)
            rp->server_of[tree->master[m].rank] = rp->servers++;
    rp->server = calloc((size_t)rp->servers, sizeof(*rp->server));
    if (rp->server == NULL)
        return -ENOMEM;
    for (int s = 0; s < rp->servers; s++)
        rp->server[s].host = rp->server[s].first_master = -1;
    for (int m = tree->count; m-- > 0;) {
        struct replay_master *below = &rp->masters[m];
        below->server = rp->server_of[tree->master[m].rank];
        below->next = rp->server[below->server].first_master;
        rp->server[below->server].first_master = m;
        if (m > 0 &&
            tree->master[tree->master[m].parent].rank != tree->master[m].rank)
            rp->server[below->server].asks = true;
    }
    count_children(rp);
    return link_open(rp);
}

static int open_master(struct replayer *rp, int m, struct error *err)
{
    const struct replay *in = rp->in;
    const struct tree *tree = rp->tree;
    struct master *master = &rp->masters[m].master;
    int parent = tree->master[m].parent;
    int code = master_open(master, tree, m);
    if (code != 0 || parent < 0)
        return code;
    if (tree->master[parent].rank == tree->master[m].rank)
        master->parent = &rp->masters[parent].master;
    else
        task_pool_lend(&master->pool); /* until a refill arrives */
    const struct sched_loop whole = {.iterations = in->iterations,
                                     .workers = tree->workers,
                                     .power = in->power,
                                     .cost = rp->loop.cost};
    if (in->scheme->inner != NULL)
        code = master_open_range(master, tree, in->scheme, &whole,
                                 in->min_chunk, err);
    if (code == 0 && in->scheme->outer->feedback != NULL)
        code = master_open_reports(master);
    return code;
}

static int open_scratch(struct replayer *rp)
{
    int most = 1;
    for (int m = 1; m < rp->tree->count; m++)
        if (rp->tree->master[m].workers > most)
            most = rp->tree->master[m].workers;
    bool sums = rp->in->scheme->inner != NULL;
    rp->tasks = malloc((size_t)most * sizeof(*rp->tasks));
    if (rp->learns)
        rp->reports = malloc(((size_t)reports_most(most, sums) + 1) *
                             sizeof(*rp->reports));
    return rp->tasks != NULL && (!rp->learns || rp->reports != NULL) ? 0
                                                                     : -ENOMEM;
}

int serve_open(struct replayer *rp, struct error *err)
{
    const struct tree *tree = rp->tree;
    rp->masters = calloc((size_t)tree->count, sizeof(*rp->masters));
    if (rp->masters == NULL)
        return -ENOMEM;
    int code = 0;
    for (int m = 0; m < tree->count && code == 0; m++)
        code = open_master(rp, m, err);
    rp->masters[0].master.scheme = &rp->sched;
    rp->masters[0].master.units =
        rp->in->scheme->inner != NULL ? &rp->units : NULL;
    if (code == 0)
        code = open_servers(rp);
    return code == 0 ? open_scratch(rp) : code;
}

void serve_close(struct replayer *rp)
{
    for (int m = 0; m < rp->tree->count && rp->masters != NULL; m++) {
        master_close(&rp->masters[m].master);
        free(rp->masters[m].runs);
        free(rp->masters[m].reports);
    }
    for (int s = 0; s < rp->servers && rp->server != NULL; s++) {
        free(rp->server[s].queue.ask);
        free(rp->server[s].waiting.ask);
        free(rp->server[s].idle);
    }
    link_close(rp);
    free(rp->masters);
    free(rp->server);
    free(rp->server_of);
    free(rp->tasks);
    free(rp->reports);
}
