/* Moving rows with their chunk, in simulation: all ranks know the owners of
 * rows without messages, but the messages that would tell them take time, and
 * so do the rows. */
#include "harness/protocol/pipeline/migrate.h"

#include "harness/engine/sim/world.h"

#include <errno.h>
#include <stdlib.h>

/* The message of a rank that reads a row to its owner. */
enum { QUESTION_BYTES = 64 };

int migrate_open(struct migrate *m, const struct comm *comm,
                 const void *instance, int64_t rows, size_t row_bytes,
                 char *output, size_t output_bytes, char *state,
                 size_t state_bytes, struct error *err)
{
    (void)output, (void)output_bytes, (void)state, (void)state_bytes;
    int places;
    MPI_Comm_size(comm->all, &places);
    *m = (struct migrate){.comm = comm,
                          .instance = instance,
                          .row_bytes = row_bytes,
                          .rows = rows,
                          .owner = malloc((size_t)rows * sizeof(*m->owner)),
                          .gathered = malloc((size_t)rows * sizeof(*m->owner) +
                                             2 * (size_t)places * sizeof(int))};
    if (m->owner != NULL && m->gathered != NULL)
        return 0;
    migrate_close(m);
    return error_set(err, ENOMEM,
                     "replan: no memory for the owners of %lld rows",
                     (long long)rows);
}

void migrate_close(struct migrate *m)
{
    free(m->owner);
    free(m->gathered);
    m->owner = NULL;
    m->gathered = NULL;
}

/* By every rank of SMPI, with the complete list: its part takes the time to
 * rank 0, and the list the time back. */
void migrate_announce(struct migrate *m, const struct migrate_rows *own,
                      int64_t count)
{
    int64_t bytes = (int64_t)sizeof(*own) * m->owners;
    int mine = (int)count * (int)sizeof(*own), self, places;
    MPI_Comm_rank(m->comm->all, &self);
    MPI_Comm_size(m->comm->all, &places);
    int *sizes = m->gathered, *starts = sizes + places;
    void *all = starts + places;
    MPI_Gather(&mine, 1, MPI_INT, sizes, 1, MPI_INT, 0, m->comm->all);
    starts[0] = 0;
    for (int i = 1; self == 0 && i < places; i++)
        starts[i] = starts[i - 1] + sizes[i - 1];
    MPI_Gatherv(own, mine, MPI_BYTE, all, sizes, starts, MPI_BYTE, 0,
                m->comm->all);
    MPI_Bcast(m->owner, (int)bytes, MPI_BYTE, 0, m->comm->all);
}

void migrate_bring(struct migrate *m, const struct kernel_dependence *kernel,
                   void *state, int step, int64_t start, int64_t size)
{
    int64_t end = start + size < m->rows ? start + size + 1 : m->rows;
    int self;
    (void)kernel, (void)state, (void)step;
    MPI_Comm_rank(m->comm->all, &self);
    for (int64_t row = start; row < end;) {
        const struct migrate_rows *owner = migrate_owner(m, row);
        int64_t stop = owner->start + owner->size;
        stop = stop < end ? stop : end;
        size_t bytes = (size_t)(stop - row) * m->row_bytes;
        int from = comm_address(m->comm, owner->rank, 0);
        row = stop;
        if (from == self - self % m->comm->lanes)
            continue;
        world_carry(self, from, QUESTION_BYTES);
        world_carry(from, self, (double)bytes);
        m->messages++;
        m->moved_bytes += (int64_t)bytes;
    }
}
