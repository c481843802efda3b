/* The windows are in one passive epoch from opening to closing (MPI 3.1,
 * section 11.5.3).  Rows are read by MPI_Get and a flush; no rank writes into
 * another's memory. */
#include "harness/protocol/pipeline/migrate.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

int migrate_open(struct migrate *m, const struct comm *comm,
                 const void *instance, int64_t rows, size_t row_bytes,
                 char *output, size_t output_bytes, char *state,
                 size_t state_bytes, struct error *err)
{
    *m = (struct migrate){.comm = comm,
                          .instance = instance,
                          .memory = {output, state},
                          .bytes = {output_bytes, state_bytes},
                          .window = {MPI_WIN_NULL, MPI_WIN_NULL},
                          .row_bytes = row_bytes,
                          .rows = rows,
                          .owner = malloc((size_t)rows * sizeof(*m->owner))};
    int code = 0;
    if (row_bytes > INT_MAX)
        code = error_set(err, ENOTSUP,
                         "replan: a row of %zu bytes is too long for a "
                         "message, use placement sticky",
                         row_bytes);
    else if (m->owner == NULL)
        code = error_set(err, ENOMEM,
                         "replan: no memory for the owners of %lld rows",
                         (long long)rows);
    code = comm_agree(comm, code, err);
    for (int i = 0; i < 2 && code == 0; i++) {
        if (m->bytes[i] == 0)
            continue;
        MPI_Win_create(m->memory[i], (MPI_Aint)m->bytes[i], 1, MPI_INFO_NULL,
                       comm->all, &m->window[i]);
        MPI_Win_lock_all(MPI_MODE_NOCHECK, m->window[i]);
    }
    return code;
}

void migrate_close(struct migrate *m)
{
    for (int i = 0; i < 2; i++) {
        if (m->bytes[i] == 0 || m->window[i] == MPI_WIN_NULL)
            continue;
        MPI_Win_unlock_all(m->window[i]);
        MPI_Win_free(&m->window[i]);
    }
    free(m->owner);
    m->owner = NULL;
}

void migrate_announce(struct migrate *m, const struct migrate_rows *own,
                      int64_t count)
{
    void *all = NULL;
    size_t bytes = 0;
    comm_gather_any(m->comm, own, (size_t)count * sizeof(*own), &all, &bytes);
    comm_broadcast(m->comm, &bytes, sizeof(bytes));
    if (m->comm->rank == 0)
        memcpy(m->owner, all, bytes);
    free(all);
    comm_broadcast(m->comm, m->owner, bytes);
    m->owners = (int64_t)(bytes / sizeof(*m->owner));
    migrate_sort(m);
    /* All stores must be visible to the others' reads. */
    for (int i = 0; i < 2; i++)
        if (m->window[i] != MPI_WIN_NULL)
            MPI_Win_sync(m->window[i]);
}

/* Adjacent rows are fetched together. */
static int64_t adjoining_rows(const struct migrate *m,
                              const struct kernel_dependence *kernel,
                              void *state, int step, int64_t row, int64_t end)
{
    int64_t most = INT_MAX / (int64_t)m->row_bytes, count = 1;
    const char *first =
        kernel->halo(m->instance, state, m->memory[0], step, row);
    while (row + count < end && count < most &&
           (const char *)kernel->halo(m->instance, state, m->memory[0], step,
                                      row + count) ==
               first + (size_t)count * m->row_bytes)
        count++;
    return count;
}

static void get_rows(struct migrate *m, char *place, int64_t count, int rank)
{
    size_t bytes = (size_t)count * m->row_bytes;
    int i = place >= m->memory[0] && place < m->memory[0] + m->bytes[0] ? 0 : 1;
    comm_begin(m->comm);
    MPI_Get(place, (int)bytes, MPI_BYTE, rank, place - m->memory[i], (int)bytes,
            MPI_BYTE, m->window[i]);
    MPI_Win_flush(rank, m->window[i]);
    m->messages++;
    m->moved_bytes += (int64_t)bytes;
    comm_end(m->comm);
}

void migrate_bring(struct migrate *m, const struct kernel_dependence *kernel,
                   void *state, int step, int64_t start, int64_t size)
{
    int64_t end = start + size < m->rows ? start + size + 1 : m->rows;
    for (int64_t row = start; row < end;) {
        const struct migrate_rows *owner = migrate_owner(m, row);
        int64_t stop = owner->start + owner->size;
        stop = stop < end ? stop : end;
        if (owner->rank == m->comm->rank) {
            row = stop;
            continue;
        }
        int64_t count = adjoining_rows(m, kernel, state, step, row, stop);
        get_rows(m, kernel->halo(m->instance, state, m->memory[0], step, row),
                 count, owner->rank);
        row += count;
    }
}
