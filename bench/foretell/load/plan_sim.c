#include "bench/foretell/load/plan_sim.h"
#include "bench/launching/child.h"
#include "harness/program/need.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

static int find_program(char *path, size_t size, struct error *err)
{
    static const char name[] = "dlsbench-plan-sim";
    int code = child_program(path, size, err);
    if (code != 0)
        return code;
    char *slash = strrchr(path, '/');
    size_t used = slash != NULL ? (size_t)(slash - path) + 1 : 0;
    if ((size_t)snprintf(path + used, size - used, "%s", name) >= size - used)
        return error_set(err, ENAMETOOLONG, "%s: the path is too long", path);
    if (access(path, X_OK) != 0)
        return error_set(err, ENOENT,
                         "%s is not there: make plan-sim builds it (it needs "
                         "SimGrid)",
                         path);
    return 0;
}

/* The child: its end of the socket is its standard input. */
static void become_simulator(const char *path, int socket, int workers)
{
    char count[16];
    sigset_t none;
    snprintf(count, sizeof(count), "%d", workers);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    if (dup2(socket, STDIN_FILENO) >= 0)
        execl(path, path, count, (char *)NULL);
    _exit(127);
}

int plan_sim_open(struct plan_sim *sim, int workers, struct error *err)
{
    char path[PATH_MAX];
    int ends[2];
    int code = find_program(path, sizeof(path), err);
    if (code != 0)
        return code;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        return error_set(err, errno, "cannot make a socket: %s",
                         strerror(errno));
    pid_t pid = fork();
    if (pid == 0)
        become_simulator(path, ends[1], workers);
    int reason = errno;
    close(ends[1]);
    if (pid < 0) {
        close(ends[0]);
        return error_set(err, reason, "cannot start %s: %s", path,
                         strerror(reason));
    }
    *sim = (struct plan_sim){.pid = pid, .socket = ends[0]};
    return 0;
}

void plan_sim_close(struct plan_sim *sim)
{
    if (sim->pid <= 0)
        return;
    /* It ends when it reads no more; one that is busy is not worth waiting
     * for. */
    close(sim->socket);
    if (sim->plans > 0)
        kill(sim->pid, SIGTERM);
    while (waitpid(sim->pid, NULL, 0) < 0 && errno == EINTR)
        ;
    *sim = (struct plan_sim){.pid = 0};
}

static int report_end(struct error *err)
{
    return error_set(err, EIO,
                     "dlsbench-plan-sim has ended before its work "
                     "was done; what it said is above");
}

static int send_all(struct plan_sim *sim, const void *data, size_t bytes,
                    struct error *err)
{
    const char *from = data;
    while (bytes > 0) {
        ssize_t sent = send(sim->socket, from, bytes, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent <= 0)
            return report_end(err);
        from += sent;
        bytes -= (size_t)sent;
    }
    return 0;
}

static int send_plan(struct plan_sim *sim, const struct divisible_plan *plan,
                     struct error *err)
{
    size_t bytes = (size_t)plan->chunks * sizeof(struct plan_sim_chunk);
    struct plan_sim_chunk *chunk = need_zeroed(1, bytes);
    for (int64_t n = 0; n < plan->chunks; n++)
        chunk[n] = (struct plan_sim_chunk){.worker = plan->chunk[n].worker,
                                           .load = plan->chunk[n].load};
    int code = send_all(sim, &plan->chunks, sizeof(plan->chunks), err);
    if (code == 0)
        code = send_all(sim, chunk, bytes, err);
    free(chunk);
    return code;
}

int plan_sim_submit(struct plan_sim *sim,
                    const struct divisible_platform *platform,
                    const struct divisible_plan *plan, int count,
                    struct error *err)
{
    struct plan_sim_request request = {
        .workers = platform->workers,
        .overlap = platform->overlap,
        .plans = count,
    };
    size_t bytes = (size_t)platform->workers * sizeof(*platform->worker);
    for (int i = 0; i < platform->workers; i++)
        if (platform->worker[i].late > 0)
            return error_set(err, ENOTSUP,
                             "plan: --simulate does not know --late");
    int code = send_all(sim, &request, sizeof(request), err);
    if (code == 0)
        code = send_all(sim, platform->worker, bytes, err);
    for (int i = 0; code == 0 && i < count; i++)
        code = send_plan(sim, &plan[i], err);
    sim->plans = count;
    return code;
}

int plan_sim_collect(struct plan_sim *sim, double *seconds, struct error *err)
{
    size_t bytes = (size_t)sim->plans * sizeof(*seconds), got = 0;
    while (got < bytes) {
        ssize_t more = recv(sim->socket, (char *)seconds + got, bytes - got, 0);
        if (more < 0 && errno == EINTR)
            continue;
        if (more <= 0)
            return report_end(err);
        got += (size_t)more;
    }
    sim->plans = 0;
    return 0;
}
