/* The masters of a replay and their ranks: opening and closing. */
#include "harness/replay/replay_parts.h"

#include <errno.h>
#include <stdlib.h>

static void count_children(struct play *play)
{
    const struct tree *tree = play->tree;
    for (int w = 0; w < tree->workers; w++) {
        struct server *server =
            play_server(play, tree->master[tree->worker_master[w]].rank);
        if (play_hosted(play, w))
            server->working++;
        else
            server->children++;
    }
    for (int m = 1; m < tree->count; m++) {
        int above = tree->master[tree->master[m].parent].rank;
        if (above != tree->master[m].rank)
            play_server(play, above)->children++;
    }
    for (int r = 0; r < tree->ranks; r++) {
        struct server *server = play_server(play, r);
        if (server != NULL && server->children > 0 &&
            tree->rank_worker[r] < tree->rank_worker[r + 1])
            server->host = tree->rank_worker[r];
    }
}

static int open_servers(struct play *play)
{
    const struct tree *tree = play->tree;
    play->server_of = malloc(((size_t)tree->ranks + 1) * sizeof(int));
    if (play->server_of == NULL)
        return -ENOMEM;
    for (int r = 0; r < tree->ranks; r++)
        play->server_of[r] = -1;
    for (int m = 0; m < tree->count; m++)
        if (play->server_of[tree->master[m].rank] < 0)
            play->server_of[tree->master[m].rank] = play->servers++;
    play->server = calloc((size_t)play->servers, sizeof(*play->server));
    if (play->server == NULL)
        return -ENOMEM;
    for (int s = 0; s < play->servers; s++)
        play->server[s].host = play->server[s].first_post = -1;
    for (int m = tree->count; m-- > 0;) {
        struct post *post = &play->post[m];
        post->server = play->server_of[tree->master[m].rank];
        post->next = play->server[post->server].first_post;
        play->server[post->server].first_post = m;
        if (m > 0 &&
            tree->master[tree->master[m].parent].rank != tree->master[m].rank)
            play->server[post->server].asks = true;
    }
    count_children(play);
    return link_open(play);
}

static int open_master(struct play *play, int m, struct error *err)
{
    const struct replay *in = play->in;
    const struct tree *tree = play->tree;
    struct master *master = &play->post[m].master;
    int parent = tree->master[m].parent;
    int code = master_open(master, tree, m);
    if (code != 0 || parent < 0)
        return code;
    if (tree->master[parent].rank == tree->master[m].rank)
        master->parent = &play->post[parent].master;
    else
        task_pool_lend(&master->pool); /* until a refill comes */
    const struct sched_loop whole = {.iterations = in->iterations,
                                     .workers = tree->workers,
                                     .power = in->power,
                                     .cost = play->loop.cost};
    if (in->scheme->inner != NULL)
        code = master_open_range(master, tree, in->scheme, &whole,
                                 in->min_chunk, err);
    if (code == 0 && in->scheme->outer->feedback != NULL)
        code = master_open_reports(master);
    return code;
}

static int open_scratch(struct play *play)
{
    int most = 1;
    for (int m = 1; m < play->tree->count; m++)
        if (play->tree->master[m].workers > most)
            most = play->tree->master[m].workers;
    bool sums = play->in->scheme->inner != NULL;
    play->tasks = malloc((size_t)most * sizeof(*play->tasks));
    if (play->learns)
        play->reports = malloc(((size_t)reports_most(most, sums) + 1) *
                               sizeof(*play->reports));
    return play->tasks != NULL && (!play->learns || play->reports != NULL)
               ? 0
               : -ENOMEM;
}

int serve_open(struct play *play, struct error *err)
{
    const struct tree *tree = play->tree;
    play->post = calloc((size_t)tree->count, sizeof(*play->post));
    if (play->post == NULL)
        return -ENOMEM;
    int code = 0;
    for (int m = 0; m < tree->count && code == 0; m++)
        code = open_master(play, m, err);
    play->post[0].master.scheme = &play->sched;
    play->post[0].master.units =
        play->in->scheme->inner != NULL ? &play->units : NULL;
    if (code == 0)
        code = open_servers(play);
    return code == 0 ? open_scratch(play) : code;
}

void serve_close(struct play *play)
{
    for (int m = 0; m < play->tree->count && play->post != NULL; m++) {
        master_close(&play->post[m].master);
        free(play->post[m].runs);
        free(play->post[m].told);
    }
    for (int s = 0; s < play->servers && play->server != NULL; s++) {
        free(play->server[s].queue.ask);
        free(play->server[s].waiting.ask);
        free(play->server[s].idle);
    }
    link_close(play);
    free(play->post);
    free(play->server);
    free(play->server_of);
    free(play->tasks);
    free(play->reports);
}
