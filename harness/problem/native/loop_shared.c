#include "harness/problem/loop_shared.h"

#include "harness/problem/fit.h"
#include "harness/process/need.h"

#include <stdlib.h>

/* Pages are placed by the first touch, by the workers in their warm-up. */
int loop_share(struct loop *loop, const struct comm *comm, struct error *err)
{
    size_t bytes = (size_t)loop->iterations * loop->output_bytes;
    if (bytes == 0 || loop->shared != NULL)
        return 0;
    int code = fit_shared(loop->name, (double)bytes, comm, err);
    if (code != 0)
        return code;
    struct loop_shared *shared = need_zeroed(1, sizeof(*shared));
    shared->host = *comm;
    shared->host.all = comm->host;
    shared->host.rank = comm->host_rank;
    shared->host.ranks = comm->host_ranks;
    shared->host.one_host = true;
    code = window_open_room(&shared->window, &shared->host, bytes, err);
    if (code == 0)
        loop->shared = shared;
    else
        free(shared);
    /* Another host may have failed. */
    code = comm_agree(comm, code, err);
    if (code != 0)
        loop_unshare(loop);
    return code;
}

void loop_unshare(struct loop *loop)
{
    if (loop->shared == NULL)
        return;
    window_close(&loop->shared->window);
    free(loop->shared);
    loop->shared = NULL;
}
