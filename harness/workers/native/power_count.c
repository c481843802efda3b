/* Counts other processes on the workers' cores. */
#include "harness/workers/power.h"

#include "harness/check/cell_transport.h"
#include "harness/process/need.h"
#include "harness/topo/queue.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A worker's entry, sent to rank 0. */
struct entry {
    uint64_t host;
    int32_t processor, foreign;
};

/* The processes of this launch that can be on this rank's cores: they count as
 * workers, not by their state while they register. */
static pid_t *own_processes(const struct place *place, const struct comm *comm,
                            const uint64_t *pid, int *owns)
{
    pid_t *own = need_zeroed((size_t)comm->ranks, sizeof(*own));
    *owns = 0;
    for (int r = 0; r < comm->ranks; r++)
        if (place->group[r] == place->group[comm->rank])
            own[(*owns)++] = (pid_t)pid[r];
    return own;
}

/* Counts the other processes on the processors of this rank's workers. */
static int count_others(const struct place *place, const struct comm *comm,
                        const uint64_t *pid, struct entry *entry, int workers,
                        struct error *err)
{
    int owns, n = workers + 1;
    pid_t *own = own_processes(place, comm, pid, &owns);
    int *processor = need_zeroed((size_t)n, sizeof(*processor));
    int *foreign = need_zeroed((size_t)n, sizeof(*foreign));
    int code = 0;
    for (int i = 0; i < workers; i++)
        processor[i] = entry[i].processor;
    if (workers > 0)
        code = queue_count(processor, workers, own, owns, foreign, err);
    for (int i = 0; code == 0 && i < workers; i++)
        entry[i].foreign = foreign[i];
    free(own);
    free(processor);
    free(foreign);
    return code;
}

/* Q: the workers on this processor, and other running threads. */
static void fill_queues(const struct entry *entry, int workers, int *queue)
{
    for (int w = 0; w < workers; w++) {
        queue[w] = entry[w].foreign;
        for (int other = 0; other < workers; other++)
            queue[w] += entry[other].host == entry[w].host &&
                        entry[other].processor == entry[w].processor;
    }
}

static int gather_queues(const struct comm *comm, const struct tree *tree,
                         const struct entry *entry, int own, int *queue,
                         struct error *err)
{
    void *all = NULL;
    size_t bytes;
    int code = comm_gather_any(comm, entry, (size_t)own * sizeof(*entry), &all,
                               &bytes);
    if (code != 0)
        code = error_set(err, ENOMEM, "out of memory");
    else if (comm->rank == 0)
        fill_queues(all, tree->workers, queue);
    free(all);
    code = comm_agree(comm, code, err);
    if (code == 0)
        comm_broadcast(comm, queue, (size_t)tree->workers * sizeof(*queue));
    return code;
}

static int count_queues(struct powers *powers, const struct tree *tree,
                        const struct place *place, const struct comm *comm,
                        const struct place_report *own, struct error *err)
{
    int workers =
        tree->rank_worker[comm->rank + 1] - tree->rank_worker[comm->rank];
    struct entry *entry = need_zeroed((size_t)workers, sizeof(*entry));
    uint64_t *pid = need_zeroed((size_t)comm->ranks, sizeof(*pid));
    for (int i = 0; i < workers; i++)
        entry[i] = (struct entry){own[i].host, own[i].processor, 0};
    comm_share_u64(comm, (uint64_t)getpid(), pid);
    int code = count_others(place, comm, pid, entry, workers, err);
    code = comm_agree(comm, code, err);
    if (code == 0)
        code = gather_queues(comm, tree, entry, workers, powers->queue, err);
    free(pid);
    free(entry);
    return code;
}

int powers_open(struct powers *powers, const struct setup *setup,
                const struct tree *tree, const struct place *place,
                const struct comm *comm, const struct place_report *own,
                struct error *err)
{
    const struct sched_ops *outer = setup->scheme.pair.outer;
    bool available = outer != NULL && outer->available != NULL;
    bool bound = setup->binding.bind != TOPO_NONE;
    const struct transport_ops *ops = cell_transport(&setup->cell);
    /* Whether the workers have a master to register with. */
    bool wanted =
        available &&
        (ops->registers == NULL ||
         ops->registers(cell_transport_choice(&setup->cell), comm->one_host));
    /* Powers measured under the load contain it already: A = V. */
    bool counted =
        bound && !setup->measures_power && (wanted || setup->load != NULL);
    int code = 0;
    powers_given(powers, setup);
    powers_allocate(powers, tree->workers, counted, available);
    if (counted)
        code = count_queues(powers, tree, place, comm, own, err);
    if (code == 0)
        powers_share(powers, setup);
    else
        powers_close(powers);
    return code;
}
