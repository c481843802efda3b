/* Reports loops that are still open when their process ends.  No caller keeps
 * them then, so MPI and the C library each keep a pointer to a note of a loop.
 * The note is never freed, because on_exit cannot be undone. */
#include "dls/mpi/ranks_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* MPI_Finalize begins with the attributes of MPI_COMM_SELF. */
struct watched {
    _Atomic(struct ranks *) ranks; /* NULL: closed */
    int keyval;
};

/* A worker of this rank still expects 0, or others may still ask this rank. */
static bool is_running(struct ranks *ranks)
{
    return atomic_load(&ranks->active) > 0 ||
           (ranks->loop.workers == 0 && ranks->polls &&
            !atomic_load(&ranks->over));
}

static void say_left_open(const struct ranks *ranks, const char *what)
{
    dprintf(STDERR_FILENO,
            "dls: rank %d of %d %s a loop of %lld iterations (%s): end it in "
            "every rank by dls_close%s\n",
            ranks->comm.rank, ranks->comm.ranks, what,
            (long long)ranks->loop.iterations, ranks->pair.canonical,
            is_running((struct ranks *)ranks) ? "; the program is aborted"
                                              : "");
}

static int at_finalize(MPI_Comm comm, int keyval, void *value, void *extra)
{
    struct watched *watched = value;
    struct ranks *ranks = atomic_load(&watched->ranks);
    (void)comm, (void)keyval, (void)extra;
    if (ranks == NULL)
        return MPI_SUCCESS;
    say_left_open(ranks, "calls MPI_Finalize with");
    if (is_running(ranks))
        MPI_Abort(ranks->comm.all, 1);
    return MPI_SUCCESS;
}

/* On exit(0) within a loop the others would wait, or the launcher would end all
 * with success.  It reports other codes itself, like those of MPI_Abort. */
static void at_exit(int status, void *note)
{
    struct watched *watched = note;
    struct ranks *ranks = atomic_load(&watched->ranks);
    int over = 1;
    MPI_Finalized(&over);
    if (status != 0 || over || ranks == NULL || !is_running(ranks))
        return;
    say_left_open(ranks, "exits in the middle of");
    MPI_Abort(ranks->comm.all, 1);
}

void ranks_watch(struct ranks *ranks)
{
    struct watched *watched =
        engine_simulated ? NULL : calloc(1, sizeof(*watched));
    if (watched == NULL || on_exit(at_exit, watched) != 0) {
        free(watched);
        return;
    }
    ranks->watched = watched;
    atomic_store(&watched->ranks, ranks);
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, at_finalize, &watched->keyval,
                           NULL);
    MPI_Comm_set_attr(MPI_COMM_SELF, watched->keyval, watched);
}

void ranks_unwatch(struct ranks *ranks)
{
    struct watched *watched = ranks->watched;
    int over = 1;
    if (watched == NULL)
        return;
    atomic_store(&watched->ranks, NULL);
    MPI_Finalized(&over);
    if (!over) {
        MPI_Comm_delete_attr(MPI_COMM_SELF, watched->keyval);
        MPI_Comm_free_keyval(&watched->keyval);
    }
}
