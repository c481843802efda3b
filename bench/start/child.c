#include "bench/start/child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { LINE_SIZE = 4096, TICK_MS = 200 };

static const double TERM_S = 5;  /* from SIGTERM to SIGKILL */
static const double DRAIN_S = 1; /* for output after the child's end */

struct stream {
    int fd; /* -1 after its end */
    size_t used;
    char line[LINE_SIZE];
    void (*take)(void *arg, const char *line);
    void *arg;
};

struct child {
    pid_t pid;
    struct stream out, err;
    bool reaped, stopping, killed;
    double deadline; /* of the next step of stopping, or of draining */
    struct child_end end;
};

double child_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int child_program(char *path, size_t size, struct error *err)
{
    ssize_t length = readlink("/proc/self/exe", path, size - 1);
    if (length < 0)
        return error_set(err, errno, "/proc/self/exe: %s", strerror(errno));
    path[length] = '\0';
    return 0;
}

/* ---- signals ---- */

static void watched_signals(sigset_t *set)
{
    sigemptyset(set);
    sigaddset(set, SIGINT);
    sigaddset(set, SIGTERM);
    sigaddset(set, SIGHUP);
    sigaddset(set, SIGCHLD);
}

int child_signals(struct error *err)
{
    sigset_t set;
    watched_signals(&set);
    int fd = -1;
    if (sigprocmask(SIG_BLOCK, &set, NULL) == 0)
        fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    if (fd < 0)
        return error_set(err, errno, "cannot watch signals: %s",
                         strerror(errno));
    return fd;
}

bool child_interrupted(int signals)
{
    struct signalfd_siginfo info;
    bool stop = false;
    while (read(signals, &info, sizeof(info)) == sizeof(info))
        stop = stop || info.ssi_signo != SIGCHLD;
    return stop;
}

/* ---- start ---- */

/* In the child.  When the driver dies without a word, so does the launcher,
 * which takes its ranks with it. */
static void start(char *const argv[], int out, int err, int report)
{
    sigset_t set;
    int null = open("/dev/null", O_RDONLY);
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    watched_signals(&set);
    sigprocmask(SIG_UNBLOCK, &set, NULL);
    if (null >= 0)
        dup2(null, STDIN_FILENO);
    dup2(out, STDOUT_FILENO);
    dup2(err, STDERR_FILENO);
    execvp(argv[0], argv);
    int reason = errno;
    if (write(report, &reason, sizeof(reason)) < 0)
        _exit(126);
    _exit(127);
}

static void close_pair(int pair[2])
{
    for (int i = 0; i < 2; i++)
        if (pair[i] >= 0)
            close(pair[i]);
}

/* The third pipe closes when exec succeeds, else it carries errno. */
static int spawn(char *const argv[], struct child *child, struct error *err)
{
    int out[2] = {-1, -1}, mes[2] = {-1, -1}, report[2] = {-1, -1};
    int reason = 0;
    if (pipe2(out, O_CLOEXEC) != 0 || pipe2(mes, O_CLOEXEC) != 0 ||
        pipe2(report, O_CLOEXEC) != 0 || (child->pid = fork()) < 0) {
        reason = errno;
        close_pair(out);
        close_pair(mes);
        close_pair(report);
        return error_set(err, reason, "cannot start %s: %s", argv[0],
                         strerror(reason));
    }
    if (child->pid == 0)
        start(argv, out[1], mes[1], report[1]);
    setpgid(child->pid, child->pid);
    close(out[1]);
    close(mes[1]);
    close(report[1]);
    child->out.fd = out[0];
    child->err.fd = mes[0];
    ssize_t got = read(report[0], &reason, sizeof(reason));
    close(report[0]);
    if (got != sizeof(reason))
        return 0;
    waitpid(child->pid, NULL, 0);
    close(out[0]);
    close(mes[0]);
    return error_set(err, reason, "cannot start %s: %s", argv[0],
                     strerror(reason));
}

/* ---- output ---- */

static void flush_line(struct stream *stream)
{
    stream->line[stream->used] = '\0';
    stream->used = 0;
    stream->take(stream->arg, stream->line);
}

/* Lines that are too long come in pieces. */
static void read_stream(struct stream *stream)
{
    char buffer[LINE_SIZE];
    ssize_t got = read(stream->fd, buffer, sizeof(buffer));
    if (got < 0 && (errno == EINTR || errno == EAGAIN))
        return;
    for (ssize_t i = 0; i < got; i++) {
        if (buffer[i] == '\n') {
            flush_line(stream);
            continue;
        }
        if (stream->used == LINE_SIZE - 1)
            flush_line(stream);
        stream->line[stream->used++] = buffer[i];
    }
    if (got > 0)
        return;
    if (stream->used > 0)
        flush_line(stream);
    close(stream->fd);
    stream->fd = -1;
}

/* ---- stop ---- */

static void ignore_line(void *arg, const char *line)
{
    (void)arg;
    (void)line;
}

static void stop(struct child *child)
{
    if (child->stopping)
        return;
    child->stopping = true;
    child->deadline = child_now() + TERM_S;
    /* Launchers complain at length about ranks that end on a signal. */
    child->err.take = ignore_line;
    kill(-child->pid, SIGTERM);
}

static void reap(struct child *child)
{
    if (child->reaped ||
        waitpid(child->pid, &child->end.status, WNOHANG) != child->pid)
        return;
    child->reaped = true;
    child->deadline = child_now() + DRAIN_S;
}

static bool finished(const struct child *child)
{
    bool silent = child->out.fd < 0 && child->err.fd < 0;
    return child->reaped && (silent || child_now() >= child->deadline);
}

static void step(struct child *child, int signals,
                 const struct child_watcher *watcher)
{
    struct pollfd polled[] = {{.fd = signals, .events = POLLIN},
                              {.fd = child->out.fd, .events = POLLIN},
                              {.fd = child->err.fd, .events = POLLIN}};
    poll(polled, 3, TICK_MS);
    if (polled[0].revents != 0 && child_interrupted(signals)) {
        child->end.interrupted = true;
        stop(child);
    }
    if (polled[1].revents != 0)
        read_stream(&child->out);
    if (polled[2].revents != 0)
        read_stream(&child->err);
    reap(child);
    if (watcher->tick(watcher->arg) <= 0 && !child->stopping &&
        !child->reaped) {
        child->end.timed_out = true;
        stop(child);
    }
    if (child->stopping && !child->reaped && !child->killed &&
        child_now() >= child->deadline) {
        child->killed = true;
        kill(-child->pid, SIGKILL);
    }
}

int child_run(char *const argv[], int signals,
              const struct child_watcher *watcher, struct child_end *end,
              struct error *err)
{
    struct child child = {
        .out = {.take = watcher->output, .arg = watcher->arg},
        .err = {.take = watcher->message, .arg = watcher->arg},
    };
    int code = spawn(argv, &child, err);
    if (code != 0)
        return code;
    while (!finished(&child))
        step(&child, signals, watcher);
    kill(-child.pid, SIGKILL); /* what the launcher may have left behind */
    if (child.out.fd >= 0)
        close(child.out.fd);
    if (child.err.fd >= 0)
        close(child.err.fd);
    *end = child.end;
    return 0;
}

void child_describe(int status, char *text, int size)
{
    int code = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
    int signal_number = WIFSIGNALED(status) ? WTERMSIG(status)
                        : code > 128        ? code - 128
                                            : 0;
    if (signal_number > 0 && signal_number < NSIG)
        snprintf(text, (size_t)size, "signal %d (%s)", signal_number,
                 strsignal(signal_number));
    else
        snprintf(text, (size_t)size, "exit code %d", code);
}
