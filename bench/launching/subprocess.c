#include "bench/launching/subprocess.h"

#include "base/stamp.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { LINE_SIZE = 4096, READ_SIZE = 1 << 16, TICK_MS = 200 };

static const double DRAIN_S = 1; /* for output after the child's end */

struct stream {
    int fd; /* -1 after its end */
    size_t used;
    char line[LINE_SIZE];
    void (*take)(void *arg, const char *line);
    void (*bytes)(void *arg, const char *data, size_t size);
    void *arg;
};

struct child {
    struct reaper reaper;
    struct stream out, err;
    bool stopping, over;
    double deadline; /* of draining */
    struct subprocess_end end;
    struct reaper_end last;
};

double subprocess_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int subprocess_program(char *path, size_t size, struct error *err)
{
    ssize_t length = readlink("/proc/self/exe", path, size - 1);
    if (length < 0)
        return error_set(err, errno, "/proc/self/exe: %s", strerror(errno));
    path[length] = '\0';
    return 0;
}

/* ---- start ---- */

static void close_pair(int pair[2])
{
    for (int i = 0; i < 2; i++)
        if (pair[i] >= 0)
            close(pair[i]);
}

static int spawn_reaper(char *const argv[], struct child *child,
                        struct error *err)
{
    int out[2] = {-1, -1}, mes[2] = {-1, -1}, code;
    if (pipe2(out, O_CLOEXEC) != 0 || pipe2(mes, O_CLOEXEC) != 0)
        code = error_set(err, errno, "cannot start %s: %s", argv[0],
                         strerror(errno));
    else
        code = reaper_start(argv, out[1], mes[1], &child->reaper, err);
    if (code != 0) {
        close_pair(out);
        close_pair(mes);
        return code;
    }
    close(out[1]);
    close(mes[1]);
    child->out.fd = out[0];
    child->err.fd = mes[0];
    return 0;
}

/* ---- output ---- */

static void flush_line(struct stream *stream)
{
    stream->line[stream->used] = '\0';
    stream->used = 0;
    stream->take(stream->arg, stream->line);
}

/* Lines longer than the buffer arrive in pieces. */
static void read_stream(struct stream *stream)
{
    char buffer[READ_SIZE];
    ssize_t got = read(stream->fd, buffer, sizeof(buffer));
    if (got < 0 && (errno == EINTR || errno == EAGAIN))
        return;
    if (got > 0 && stream->bytes != NULL) {
        stream->bytes(stream->arg, buffer, (size_t)got);
        return;
    }
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

static void stop_child(struct child *child)
{
    if (child->stopping || child->over)
        return;
    child->stopping = true;
    /* Launchers complain at length about ranks that end on a signal. */
    child->err.take = ignore_line;
    kill(child->reaper.pid, SIGTERM);
}

static bool is_finished(const struct child *child)
{
    bool silent = child->out.fd < 0 && child->err.fd < 0;
    return child->over && (silent || subprocess_now() >= child->deadline);
}

static void step_child(struct child *child, const struct stops *stops,
                       const struct subprocess_watcher *watcher)
{
    struct pollfd polled[] = {{.fd = child->out.fd, .events = POLLIN},
                              {.fd = child->err.fd, .events = POLLIN},
                              {.fd = child->reaper.report, .events = POLLIN},
                              {.fd = stops->signals, .events = POLLIN},
                              {.fd = stops->job, .events = POLLIN}};
    if (child->end.interrupted)
        polled[4].fd = -1; /* it stays readable */
    poll(polled, 5, TICK_MS);
    if ((polled[3].revents != 0 || polled[4].revents != 0) &&
        stops_came(stops)) {
        child->end.interrupted = true;
        stop_child(child);
    }
    if (polled[0].revents != 0)
        read_stream(&child->out);
    if (polled[1].revents != 0)
        read_stream(&child->err);
    if (polled[2].revents != 0) {
        reaper_finish(&child->reaper, &child->last);
        child->reaper.report = -1;
        child->over = true;
        child->deadline = subprocess_now() + DRAIN_S;
    }
    if (watcher->tick(watcher->arg) <= 0 && !child->stopping && !child->over) {
        child->end.timed_out = true;
        stop_child(child);
    }
}

static int judge_end(const struct child *child, const char *program,
                     struct error *err)
{
    char host[65];
    if (child->last.reason != 0)
        return error_set(err, child->last.reason, "cannot start %s: %s",
                         program, strerror(child->last.reason));
    if (child->last.remain == 0)
        return 0;
    stamp_host_name(host, sizeof(host));
    return error_set(err, EBUSY,
                     "%s: process %ld of the last launch does not end: nothing "
                     "is started while it runs",
                     host, (long)child->last.remain);
}

int subprocess_run(char *const argv[], const struct stops *stops,
                   const struct subprocess_watcher *watcher,
                   struct subprocess_end *end, struct error *err)
{
    struct child child = {
        .out = {.take = watcher->output,
                .bytes = watcher->bytes,
                .arg = watcher->arg},
        .err = {.take = watcher->message, .arg = watcher->arg},
    };
    int code = spawn_reaper(argv, &child, err);
    if (code != 0)
        return code;
    while (!is_finished(&child))
        step_child(&child, stops, watcher);
    if (child.out.fd >= 0)
        close(child.out.fd);
    if (child.err.fd >= 0)
        close(child.err.fd);
    child.end.status = child.last.status;
    child.end.usage = child.last.usage;
    *end = child.end;
    return judge_end(&child, argv[0], err);
}

void subprocess_describe(int status, char *text, int size)
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
