#include "harness/disturb/load.h"

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- the busy process ---- */

int load_busy(const char *parent)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    /* The parent may have died before PR_SET_PDEATHSIG was set. */
    if (getppid() != (pid_t)atol(parent))
        return 1;
    /* The parent's pipes and sockets must close when it ends. */
    close_range(0, ~0U, 0);
    raise(SIGSTOP);
    for (volatile unsigned turns = 0;; turns++) {
    }
}

/* ---- starting it ---- */

/* Not fork: a rank has threads, and copying its page tables would slow its
 * writes. */
static int spawn_process(pid_t *pid, struct error *err)
{
    char parent[24], *argv[] = {"dlsbench", "busy", parent, NULL};
    snprintf(parent, sizeof(parent), "%ld", (long)getpid());
    int code = posix_spawn(pid, "/proc/self/exe", NULL, NULL, argv, environ);
    if (code != 0)
        return error_set(err, code, "load: cannot start a busy process: %s",
                         strerror(code));
    return 0;
}

/* The process stops itself when it is ready. */
static int await_stop(pid_t pid, struct error *err)
{
    int status;
    while (waitpid(pid, &status, WUNTRACED) < 0)
        if (errno != EINTR)
            return error_set(err, errno, "load: a busy process is lost: %s",
                             strerror(errno));
    if (!WIFSTOPPED(status))
        return error_set(err, ECHILD, "load: a busy process ended at once");
    return 0;
}

struct start {
    struct load *load;
    const int *processes;
    int workers;
    struct start_result {
        int code;
        struct error err;
    } * result; /* one per worker */
};

static void start_body(int thread, void *arg)
{
    struct start *start = arg;
    if (thread >= start->workers)
        return;
    struct start_result *result = &start->result[thread];
    pid_t *pid = start->load->pid;
    for (int i = 0; i < thread; i++)
        pid += start->processes[i];
    for (int i = 0; i < start->processes[thread] && result->code == 0; i++)
        result->code = spawn_process(&pid[i], &result->err);
    for (int i = 0; i < start->processes[thread] && result->code == 0; i++)
        result->code = await_stop(pid[i], &result->err);
}

static int start_all(struct start *start, struct engine_team *team,
                     struct error *err)
{
    int code = 0;
    engine_team_run(team, start_body, start);
    for (int i = 0; i < start->workers && code == 0; i++) {
        code = start->result[i].code;
        if (code != 0 && err != NULL)
            *err = start->result[i].err;
    }
    return code;
}

int load_open(struct load *load, const int *processes, int workers,
              struct engine_team *team, struct error *err)
{
    struct start start = {load, processes, workers, NULL};
    *load = (struct load){0};
    if (processes == NULL)
        return 0;
    for (int i = 0; i < workers; i++)
        load->count += processes[i];
    load->pid = calloc((size_t)load->count + 1, sizeof(*load->pid));
    start.result = calloc((size_t)workers + 1, sizeof(*start.result));
    int code = load->pid != NULL && start.result != NULL
                   ? start_all(&start, team, err)
                   : error_set(err, ENOMEM, "out of memory");
    free(start.result);
    if (code != 0)
        load_close(load);
    return code;
}

void load_close(struct load *load)
{
    for (int i = 0; load->pid != NULL && i < load->count; i++) {
        if (load->pid[i] <= 0)
            continue; /* was not started */
        kill(load->pid[i], SIGKILL);
        while (waitpid(load->pid[i], NULL, 0) < 0 && errno == EINTR) {
        }
    }
    free(load->pid);
    *load = (struct load){0};
}

static void signal_all(const struct load *load, int number)
{
    for (int i = 0; i < load->count; i++)
        kill(load->pid[i], number);
}

void load_resume(const struct load *load)
{
    signal_all(load, SIGCONT);
}

void load_pause(const struct load *load)
{
    signal_all(load, SIGSTOP);
}
