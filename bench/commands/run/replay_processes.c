/* The processes are forks, so they have the parent's plan in their memory, and
 * end by SIGTERM if it dies.  The parent reads signals by sigtimedwait: the end
 * of a child and a user's interrupt arrive in one place. */
#include "bench/commands/run/replay_processes.h"

#include "base/text.h"
#include "bench/launching/driver/progress.h"
#include "bench/launching/stops.h"
#include "bench/launching/subprocess.h"
#include "dls/this_process.h"
#include "harness/process/need.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

struct processes {
    pid_t *pid; /* 0: it has ended */
    int count;
    bool stopped; /* a signal has ended them */
    sigset_t signals, before;
};

static int find_ended(struct processes *all, struct error *err)
{
    int status, code = 0;
    for (int i = 0; i < all->count; i++) {
        if (all->pid[i] == 0 || waitpid(all->pid[i], &status, WNOHANG) <= 0)
            continue;
        all->pid[i] = 0;
        if (WIFSIGNALED(status) && !all->stopped)
            code = error_set(err, EIO,
                             "a process of the replay was ended by signal %d",
                             WTERMSIG(status));
        else if (!WIFSIGNALED(status) && WEXITSTATUS(status) != 0)
            code = error_set(err, EIO, "a process of the replay stopped");
    }
    return code;
}

static bool any_runs(const struct processes *all)
{
    for (int i = 0; i < all->count; i++)
        if (all->pid[i] != 0)
            return true;
    return false;
}

static void show(const struct replay_processes *of, struct progress *progress,
                 bool last)
{
    char text[64];
    snprintf(text, sizeof(text), "%d/%d cell%s", of->done(of->arg), of->cells,
             text_s(of->cells));
    progress_line(progress, text, subprocess_now(), last);
}

/* Waits for all and says how far they are; returns 0 if each ended well. */
static int await(const struct replay_processes *of, struct processes *all,
                 struct error *err)
{
    const struct timespec tick = {.tv_nsec = 200000000};
    struct progress progress;
    int code = 0;
    progress_open(&progress, subprocess_now());
    while (any_runs(all)) {
        int came = sigtimedwait(&all->signals, NULL, &tick);
        if (came > 0 && came != SIGCHLD) {
            all->stopped = true;
            for (int i = 0; i < all->count; i++)
                if (all->pid[i] != 0)
                    kill(all->pid[i], SIGTERM);
        }
        int ended = find_ended(all, code == 0 ? err : &(struct error){""});
        code = code == 0 ? ended : code;
        show(of, &progress, false);
    }
    if (progress.drawn)
        show(of, &progress, true);
    return code;
}

/* The child gets the old signal mask, so that signals end it at once.  It
 * leaves by _exit and does not flush the parent's streams. */
static int start_one(const struct replay_processes *of, struct processes *all,
                     struct error *err)
{
    pid_t child = fork();
    if (child == 0) {
        sigprocmask(SIG_SETMASK, &all->before, NULL);
        prctl(PR_SET_PDEATHSIG, SIGTERM);
        _exit(of->work(of->arg));
    }
    if (child < 0)
        return error_set(err, errno, "cannot start a process: %s",
                         strerror(errno));
    all->pid[all->count++] = child;
    return 0;
}

int replay_processes(const struct replay_processes *of, bool *stopped,
                     struct error *err)
{
    int cores = process_processors(), code = 0;
    int wanted = of->most < cores ? of->most : cores;
    struct processes all = {.pid =
                                need_zeroed((size_t)wanted + 1, sizeof(pid_t))};
    fflush(NULL);
    /* In these processes signals end them at once, as before; in this one they
     * wait until it reads them. */
    stops_signals(&all.signals);
    sigaddset(&all.signals, SIGCHLD);
    sigprocmask(SIG_BLOCK, &all.signals, &all.before);
    while (code == 0 && all.count < wanted)
        code = start_one(of, &all, err);
    int ended = await(of, &all, code == 0 ? err : &(struct error){""});
    sigprocmask(SIG_SETMASK, &all.before, NULL);
    *stopped = all.stopped;
    free(all.pid);
    return code == 0 ? ended : code;
}
