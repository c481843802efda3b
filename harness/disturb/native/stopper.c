#include "harness/disturb/stopper.h"

#include "harness/engine/engine.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* An order: planned stops by time; the answer: past ones; an empty order
 * cancels the rest.  Short enough to be written to a pipe at once. */
struct order {
    int count;
    struct stopper_stop list[STOPPER_MAX];
};
_Static_assert(sizeof(struct order) <= PIPE_BUF, "whole");

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

/* The first stops of the order, as they were, until there is another order. */
static struct order obey_order(pid_t parent, const struct order *order)
{
    struct order done = {0};
    double held_s = 0; /* until then, by those before */
    for (int i = 0; i < order->count; i++) {
        struct stopper_stop stop = order->list[i];
        if (!wait_for(stop.from_s))
            break;
        double now = engine_now();
        /* A stopper that wakes up late still stops the worker for the full
         * time. */
        if (stop.from_s >= held_s)
            stop.to_s += now - stop.from_s;
        stop.from_s = now;
        if (stop.from_s >= stop.to_s)
            continue;
        held_s = stop.to_s;
        kill(parent, SIGSTOP);
        engine_sleep(stop.to_s - engine_now());
        kill(parent, SIGCONT);
        stop.to_s = engine_now();
        done.list[done.count++] = stop;
    }
    return done;
}

int stopper_serve(const char *text)
{
    pid_t parent = (pid_t)atol(text);
    struct order order;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    /* The parent may have died before PR_SET_PDEATHSIG was set. */
    if (getppid() != parent)
        return 1;
    close_range(STDERR_FILENO + 1, ~0U, 0);
    while (read(STDIN_FILENO, &order, sizeof(order)) == sizeof(order)) {
        if (order.count == 0)
            continue;
        order = obey_order(parent, &order);
        if (write(STDOUT_FILENO, &order, sizeof(order)) != sizeof(order))
            return 1;
    }
    return 0;
}

/* ---- ours ---- */

static int spawn_stopper(struct stopper *stopper, int in, int out,
                         struct error *err)
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
    int code = spawn_stopper(stopper, orders[0], answers[1], err);
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

static void give_order(const struct stopper *stopper, const struct order *order)
{
    if (write(stopper->orders, order, sizeof(*order)) != sizeof(*order))
        abort(); /* it cannot end before us */
}

static int compare_stops(const void *a, const void *b)
{
    const struct stopper_stop *x = a, *y = b;
    return (x->from_s > y->from_s) - (x->from_s < y->from_s);
}

void stopper_arm(const struct stopper *stopper, const struct stopper_stop *list,
                 int count)
{
    struct order order = {.count = count};
    memcpy(order.list, list, (size_t)count * sizeof(*list));
    qsort(order.list, (size_t)count, sizeof(*list), compare_stops);
    give_order(stopper, &order);
}

int stopper_disarm(const struct stopper *stopper,
                   struct stopper_stop list[STOPPER_MAX])
{
    struct order done;
    ssize_t got;
    give_order(stopper, &(struct order){0});
    while ((got = read(stopper->answers, &done, sizeof(done))) < 0 &&
           errno == EINTR) {
    }
    if (got != sizeof(done))
        abort();
    memcpy(list, done.list, (size_t)done.count * sizeof(*list));
    return done.count;
}
