/* Rank 0 has all input data in its store.  Every rank has room for LANDINGS
 * messages, each as long as all data; only written pages use memory. */
#include "harness/problem/loop_input.h"

#include "base/pages.h"
#include "harness/problem/fit.h"

#include <errno.h>
#include <stdlib.h>

enum { PAGE = 4096 };

static size_t whole_bytes(const struct loop *loop)
{
    size_t bytes = (size_t)loop->input.before[loop->iterations];
    return (bytes / PAGE + 1) * PAGE;
}

static int make_input(struct loop *loop, struct error *err)
{
    char *store = pages_map(whole_bytes(loop));
    if (store == NULL)
        return error_set(err, ENOMEM, "kernel %s: no room for its input data",
                         loop->name);
    loop->input.store = store;
    for (int64_t i = 0; i < loop->iterations; i++)
        loop->kernel->input->make(loop->instance, i,
                                  store + loop->input.before[i]);
    return 0;
}

static int make_room(struct loop *loop, struct error *err)
{
    loop->input.stride = whole_bytes(loop);
    loop->input.landing = pages_map(LANDINGS * loop->input.stride);
    if (loop->input.landing != NULL)
        return 0;
    return error_set(err, ENOMEM, "kernel %s: no room for input data to come",
                     loop->name);
}

int loop_input_open(struct loop *loop, const struct comm *comm,
                    struct error *err)
{
    loop->input.iterations = loop->iterations;
    if (!loop->fed)
        return 0;
    int code = loop_input_count(loop, err);
    code = comm_agree(comm, code, err);
    if (code == 0)
        code = fit_input(loop->name, (double)whole_bytes(loop), comm, err);
    if (code == 0)
        code = make_room(loop, err);
    if (code == 0 && comm->rank == 0)
        code = make_input(loop, err);
    return comm_agree(comm, code, err);
}

void loop_input_close(struct loop *loop)
{
    if (loop->input.store != NULL)
        pages_unmap((void *)(uintptr_t)loop->input.store, whole_bytes(loop));
    pages_unmap(loop->input.landing, LANDINGS * loop->input.stride);
    free(loop->input_before);
}
