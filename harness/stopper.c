#include "harness/stopper.h"

#include "harness/engine/engine.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* At a time of engine_now; below 0: not any more. */
struct order {
    double at_s, seconds;
};

/* When it happened; from_s 0: it did not. */
struct answer {
    double from_s, to_s;
};

/* ---- the other process ---- */

/* Sleeps until at_s; false: there is another order before. */
static bool wait_for(double at_s)
{
    struct pollfd orders = {.fd = STDIN_FILENO, .events = POLLIN};
    double left;
    while ((left = at_s - engine_now()) > 0) {
        /* The last part is shorter than poll can say. */
        int milliseconds = left > 1e6 ? 1000000000 : (int)(left * 1e3);
        if (poll(&orders, 1, milliseconds) > 0)
            return false;
        if (milliseconds == 0)
            engine_sleep(left);
    }
    return true;
}

static struct answer stop_parent(pid_t parent, double seconds)
{
    struct answer answer = {engine_now(), 0};
    kill(parent, SIGSTOP);
    engine_sleep(answer.from_s + seconds - engine_now());
    kill(parent, SIGCONT);
    answer.to_s = engine_now();
    return answer;
}

int stopper_serve(const char *text)
{
    pid_t parent = (pid_t)atol(text);
    struct order order;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    /* The parent may have died before it was asked to take us along. */
    if (getppid() != parent)
        return 1;
    close_range(STDERR_FILENO + 1, ~0U, 0);
    while (read(STDIN_FILENO, &order, sizeof(order)) == sizeof(order)) {
        struct answer answer = {0, 0};
        if (order.at_s < 0)
            continue;
        if (wait_for(order.at_s))
            answer = stop_parent(parent, order.seconds);
        if (write(STDOUT_FILENO, &answer, sizeof(answer)) != sizeof(answer))
            return 1;
    }
    return 0;
}

/* ---- ours ---- */

static int spawn(struct stopper *stopper, int in, int out, struct error *err)
{
    char parent[24], *argv[] = {"dlsbench", "stopper", parent, NULL};
    posix_spawn_file_actions_t actions;
    snprintf(parent, sizeof(parent), "%ld", (long)getpid());
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, in, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
    int code = posix_spawn(&stopper->pid, "/proc/self/exe", &actions, NULL,
                           argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (code == 0)
        return 0;
    stopper->pid = 0;
    return error_set(err, code,
                     "perturb: cannot start the process that stops "
                     "this one: %s",
                     strerror(code));
}

int stopper_open(struct stopper *stopper, struct error *err)
{
    int orders[2], answers[2];
    *stopper = (struct stopper){.orders = -1, .answers = -1};
    if (pipe2(orders, O_CLOEXEC) != 0)
        return error_set(err, errno, "perturb: no pipe: %s", strerror(errno));
    if (pipe2(answers, O_CLOEXEC) != 0) {
        int code = errno;
        close(orders[0]);
        close(orders[1]);
        return error_set(err, code, "perturb: no pipe: %s", strerror(code));
    }
    stopper->orders = orders[1];
    stopper->answers = answers[0];
    int code = spawn(stopper, orders[0], answers[1], err);
    close(orders[0]);
    close(answers[1]);
    if (code != 0)
        stopper_close(stopper);
    return code;
}

void stopper_close(struct stopper *stopper)
{
    if (stopper->orders >= 0)
        close(stopper->orders);
    if (stopper->answers >= 0)
        close(stopper->answers);
    while (stopper->pid > 0 && waitpid(stopper->pid, NULL, 0) < 0 &&
           errno == EINTR) {
    }
    *stopper = (struct stopper){.orders = -1, .answers = -1};
}

static void give(const struct stopper *stopper, struct order order)
{
    if (write(stopper->orders, &order, sizeof(order)) != sizeof(order))
        abort(); /* it cannot end before us */
}

void stopper_arm(const struct stopper *stopper, double at_s, double seconds)
{
    give(stopper, (struct order){at_s, seconds});
}

bool stopper_disarm(const struct stopper *stopper, double *from_s, double *to_s)
{
    struct answer answer;
    ssize_t got;
    give(stopper, (struct order){-1, 0});
    while ((got = read(stopper->answers, &answer, sizeof(answer))) < 0 &&
           errno == EINTR) {
    }
    if (got != sizeof(answer))
        abort();
    *from_s = answer.from_s;
    *to_s = answer.to_s;
    return answer.from_s > 0;
}
