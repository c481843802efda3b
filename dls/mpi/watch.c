/* Loops that are open when their process ends.  What is open is known to the
 * process only: no caller is there any more that keeps it. */
#include "dls/mpi/parts.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* MPI_Finalize begins with the attributes of MPI_COMM_SELF. */
struct watched {
    struct watched *next;
    struct ranks *ranks; /* NULL: it is closed */
    int keyval;
};

static struct watched *all;
static bool asked; /* to be called at the end */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* A worker of this rank has not got 0, or others may still ask it. */
static bool is_running(struct ranks *ranks)
{
    return atomic_load(&ranks->active) > 0 ||
           (ranks->loop.workers == 0 && ranks->polls &&
            !atomic_load(&ranks->over));
}

static void say(const struct ranks *ranks, const char *what)
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
    const struct watched *watched = value;
    (void)comm, (void)keyval, (void)extra;
    if (watched->ranks == NULL)
        return MPI_SUCCESS;
    say(watched->ranks, "calls MPI_Finalize with");
    if (is_running(watched->ranks))
        MPI_Abort(watched->ranks->comm.all, 1);
    return MPI_SUCCESS;
}

/* exit(0) in the middle of a loop: others would wait, or the launcher would end
 * all with success.  It reports other codes, as those of MPI_Abort. */
static void at_exit(int status, void *extra)
{
    int over = 1;
    (void)extra;
    MPI_Finalized(&over);
    for (struct watched *w = all; status == 0 && !over && w != NULL;
         w = w->next) {
        if (!is_running(w->ranks))
            continue;
        say(w->ranks, "exits in the middle of");
        MPI_Abort(w->ranks->comm.all, 1);
    }
}

void ranks_watch(struct ranks *ranks)
{
    struct watched *watched = calloc(1, sizeof(*watched));
    if (engine_simulated || watched == NULL) {
        free(watched);
        return;
    }
    watched->ranks = ranks;
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, at_finalize, &watched->keyval,
                           NULL);
    MPI_Comm_set_attr(MPI_COMM_SELF, watched->keyval, watched);
    pthread_mutex_lock(&lock);
    watched->next = all;
    all = watched;
    asked = asked || on_exit(at_exit, NULL) == 0;
    pthread_mutex_unlock(&lock);
}

void ranks_unwatch(struct ranks *ranks)
{
    struct watched **place = &all, *watched;
    int over = 1;
    pthread_mutex_lock(&lock);
    while (*place != NULL && (*place)->ranks != ranks)
        place = &(*place)->next;
    watched = *place;
    if (watched != NULL)
        *place = watched->next;
    pthread_mutex_unlock(&lock);
    if (watched == NULL)
        return;
    watched->ranks = NULL;
    MPI_Finalized(&over);
    if (!over) {
        MPI_Comm_delete_attr(MPI_COMM_SELF, watched->keyval);
        MPI_Comm_free_keyval(&watched->keyval);
    }
    free(watched);
}
