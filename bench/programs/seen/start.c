/* Runs the program as a child with the library preloaded.  Meanwhile it passes
 * signals on, answers questions about lines, and in the end waits for
 * orphans. */
#include "bench/programs/seen/start.h"

#include "base/text.h"
#include "bench/launching/installed.h"
#include "bench/launching/subprocess.h"
#include "bench/options/command.h"
#include "bench/programs/seen/lookup.h"
#include "dls/omp/omp_counters.h"
#include "harness/engine/engine.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- the program's file ---- */

int start_check(const struct start *start, char *path, size_t size,
                struct error *err)
{
    int code = loaded_find(start->words[0], path, size, err);
    const char *why = code == 0 && start->needs ? loaded_why_not(path) : NULL;
    return why == NULL ? code : error_set(err, EPERM, "omp: %s: %s", path, why);
}

/* ---- the program's environment ---- */

bool start_cuts(const char *loops)
{
    return text_is(loops, "static") || text_begins(loops, "checked");
}

void start_print_option(FILE *out, const char *loops)
{
    const char *names = strchr(loops, ':');
    if (text_is(loops, "dynamic"))
        fputs(" --loops dynamic", out);
    if (start_cuts(loops))
        fputs(" --loops static", out);
    if (text_begins(loops, "checked"))
        fputs(" --same-output", out);
    if (names != NULL) {
        fputs(" --critical", out);
        command_print_word(out, names + 1);
    }
}

static int find_library(const char *loops, char *path, size_t size,
                        struct error *err)
{
    const char *name =
        start_cuts(loops) ? "static/libdls-omp.so" : "libdls-omp.so";
    char found[PATH_MAX];
    if (installed_library(name, found, sizeof(found)) != 0)
        return error_set(err, ENOENT,
                         "omp: libdls-omp.so is not here; make builds it");
    char *whole = realpath(found, NULL);
    snprintf(path, size, "%s", whole != NULL ? whole : found);
    free(whole);
    return 0;
}

const char *start_library_text(const char *loops, char *path, size_t size)
{
    struct error ignored;
    if (find_library(loops, path, size, &ignored) != 0)
        snprintf(path, size, "libdls-omp.so");
    return path;
}

/* The loader splits LD_PRELOAD at blanks and colons, and expands dollars: for
 * such a folder, links the library into the run's own folder. */
static int link_library(const char *folder, char *path, size_t size,
                        struct error *err)
{
    char link[PATH_MAX];
    if (strpbrk(path, " \t\n:$") == NULL)
        return 0;
    snprintf(link, sizeof(link), "%s/libdls-omp.so", folder);
    if (symlink(path, link) != 0)
        return error_set(err, errno, "omp: %s: %s", link, strerror(errno));
    snprintf(path, size, "%s", link);
    return 0;
}

int start_preload(const char *folder, const char *loops, char *preload,
                  size_t size, struct error *err)
{
    char library[PATH_MAX];
    const char *before = getenv("LD_PRELOAD");
    bool any = before != NULL && before[0] != '\0';
    int code = find_library(loops, library, sizeof(library), err);
    if (code == 0)
        code = link_library(folder, library, sizeof(library), err);
    snprintf(preload, size, "%s%s%s", library, any ? ":" : "",
             any ? before : "");
    return code;
}

int start_read(const char *folder, const char *loops, const char *path,
               struct code_tables *tables, struct error *err)
{
    if (!start_cuts(loops))
        return 0;
    int code = tables_open(tables, folder, err);
    if (code != 0)
        return code;
    if (strchr(loops, ':') != NULL)
        tables_ask(tables, folder, strchr(loops, ':') + 1);
    tables_add_program(tables, path);
    tables_tell(tables);
    return tables_check(tables, false, err);
}

static void set_environment(const struct start *start, const char *preload,
                            const char *socket_path)
{
    setenv("LD_PRELOAD", preload, 1);
    setenv(COUNTERS_FOLDER, start->folder, 1);
    setenv(COUNTERS_LOOPS, start->loops, 1);
    setenv(COUNTERS_LOOKUP, socket_path, 1);
    setenv(COUNTERS_RECORD, start->records ? "1" : "", 1);
    /* Without a scheme nothing changes, even if the environment sets one. */
    unsetenv("DLS_SCHEDULE");
    if (start->scheme != NULL)
        setenv("DLS_SCHEDULE", start->scheme, 1);
}

/* ---- running ---- */

/* The signals passed on to the program: each ends a process that does not
 * expect it. */
static const int passed[] = {SIGHUP,  SIGINT,    SIGQUIT, SIGTERM, SIGUSR1,
                             SIGUSR2, SIGALRM,   SIGPROF, SIGIO,   SIGPWR,
                             SIGXCPU, SIGVTALRM, 0};

/* This process's state before it watched. */
struct before {
    sigset_t mask;
    void (*ended)(int); /* SIGCHLD: ignored, a child's end cannot be seen */
};

static int catch_signals(struct before *before)
{
    sigset_t set;
    before->ended = signal(SIGCHLD, SIG_DFL);
    sigemptyset(&set);
    sigaddset(&set, SIGCHLD);
    for (const int *number = passed; *number != 0; number++)
        sigaddset(&set, *number);
    sigprocmask(SIG_BLOCK, &set, &before->mask);
    return signalfd(-1, &set, SFD_CLOEXEC);
}

static void release_signals(const struct before *before)
{
    if (before->ended != SIG_ERR)
        signal(SIGCHLD, before->ended);
    sigprocmask(SIG_SETMASK, &before->mask, NULL);
}

/* `failed`: the pipe for the error if there is no program; it closes when the
 * program starts. */
static _Noreturn void run_child(const struct start *start, const char *path,
                                const struct before *before, int failed)
{
    release_signals(before);
    if (start->output != NULL) {
        int in = open("/dev/null", O_RDONLY),
            out = open(start->output, O_WRONLY | O_CREAT | O_TRUNC, 0600);
        if (in < 0 || out < 0 || dup2(in, STDIN_FILENO) < 0 ||
            dup2(out, STDOUT_FILENO) < 0)
            _exit(126);
        close(in);
        close(out);
    } else if (start->to_stderr) {
        dup2(STDERR_FILENO, STDOUT_FILENO);
    }
    execv(path, start->words);
    int code = errno;
    ssize_t sent = write(failed, &code, sizeof(code));
    _exit(sent > 0 ? 126 : 127);
}

/* Waits for the program's begin.  Returns 0 or -errno. */
static int check_began(int failed, pid_t child, const char *path,
                       struct error *err)
{
    int code;
    if (read(failed, &code, sizeof(code)) != (ssize_t)sizeof(code))
        return 0;
    waitpid(child, NULL, 0);
    /* The file is there: what its first line names is not. */
    return error_set(err, code, "omp: %s: %s%s", path, strerror(code),
                     code == ENOENT ? ": its interpreter" : "");
}

/* A terminal key reaches the whole group, including the program.  A signal to
 * the group looks like one to this process alone, so the program may get it
 * twice. */
static void pass_signal(int signals, pid_t child)
{
    struct signalfd_siginfo info;
    if (read(signals, &info, sizeof(info)) != (ssize_t)sizeof(info) ||
        info.ssi_signo == SIGCHLD)
        return;
    bool key = info.ssi_code == SI_KERNEL &&
               (info.ssi_signo == SIGINT || info.ssi_signo == SIGQUIT);
    if (!key || getpgid(child) != getpgrp())
        kill(child, (int)info.ssi_signo);
}

/* Whether the child has ended; it can still be waited for. */
static bool has_ended(pid_t child)
{
    siginfo_t info = {.si_pid = 0};
    int code = waitid(P_PID, (id_t)child, &info, WEXITED | WNOHANG | WNOWAIT);
    return (code != 0 && errno != EINTR) || info.si_pid == child;
}

static int watch_child(pid_t child, int signals, struct lookup *lookup,
                       struct start_end *end, struct error *err)
{
    pid_t ended;
    struct pollfd fds[] = {{.fd = signals, .events = POLLIN},
                           {.fd = lookup->listening[0], .events = POLLIN},
                           {.fd = lookup->listening[1], .events = POLLIN}};
    lookup->program = child;
    while (!has_ended(child)) {
        poll(fds, 3, loaded_look(&end->loaded, child));
        if (fds[0].revents != 0)
            pass_signal(signals, child);
        for (int i = 0; i < 2; i++)
            if (fds[1 + i].revents != 0)
                lookup_answer(lookup, i);
    }
    loaded_end(&end->loaded, child);
    while ((ended = waitpid(child, &end->status, 0)) != child)
        if (ended < 0 && errno != EINTR)
            return error_set(err, errno, "omp: the program's end: %s",
                             strerror(errno));
    return 0;
}

/* How long processes that the program began may outlive it. */
static const double OUTLIVING_S = 2;

/* Orphans become this process's children.  Returns whether any are left. */
static bool wait_for_others(int signals, struct lookup *lookup)
{
    struct signalfd_siginfo info;
    struct pollfd fds[] = {{.fd = signals, .events = POLLIN},
                           {.fd = lookup->listening[0], .events = POLLIN},
                           {.fd = lookup->listening[1], .events = POLLIN}};
    double until = engine_now() + OUTLIVING_S, left;
    for (;;) {
        pid_t ended;
        while ((ended = waitpid(-1, NULL, WNOHANG)) > 0)
            ;
        if (ended < 0)
            return false;
        if ((left = until - engine_now()) <= 0)
            return true;
        poll(fds, 3, (int)(1e3 * left) + 1);
        for (int i = 0; i < 2; i++)
            if (fds[1 + i].revents != 0)
                lookup_answer(lookup, i);
        if (fds[0].revents != 0 &&
            read(signals, &info, sizeof(info)) == (ssize_t)sizeof(info) &&
            info.ssi_signo != SIGCHLD)
            return true;
    }
}

/* Processors' time of the children that were waited for, and of theirs. */
static double children_cpu(void)
{
    struct rusage usage;
    getrusage(RUSAGE_CHILDREN, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

/* Signals are blocked before the fork, so that none is lost.  The pipe closes
 * by exec: what comes through it is the error of an exec that failed. */
int start_run(const struct start *start, const char *path,
              struct symbols *symbols, struct start_end *end, struct error *err)
{
    char preload[2 * PATH_MAX];
    struct before before;
    struct lookup lookup = {
        .folder = start->folder, .rules = &start->rules, .symbols = symbols};
    int code = start_preload(start->folder, start->loops, preload,
                             sizeof(preload), err);
    if (code == 0)
        code = lookup_open(&lookup, err);
    if (code != 0)
        return code;
    int signals = catch_signals(&before);
    double cpu_s = children_cpu();
    struct engine_moment began = engine_moment();
    int failed[2] = {-1, -1};
    fflush(NULL);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    pid_t child = pipe2(failed, O_CLOEXEC) == 0 ? fork() : -1;
    if (child == 0) {
        set_environment(start, preload, lookup.path);
        run_child(start, path, &before, failed[1]);
    }
    if (child < 0)
        code = error_set(err, errno, "omp: no process: %s", strerror(errno));
    close(failed[1]);
    if (child > 0)
        code = check_began(failed[0], child, path, err);
    end->began = child > 0 && code == 0;
    close(failed[0]);
    if (end->began)
        code = watch_child(child, signals, &lookup, end, err);
    end->pid = child;
    end->seconds = engine_now() - began.s;
    end->ticks = engine_ticks();
    end->tick_s = engine_tick_since(began);
    end->outlived = end->began && wait_for_others(signals, &lookup);
    end->cpu_s = children_cpu() - cpu_s;
    prctl(PR_SET_CHILD_SUBREAPER, 0);
    close(signals);
    lookup_close(&lookup);
    release_signals(&before);
    return code;
}

int start_pass_on(int status)
{
    if (WIFEXITED(status))
        return WEXITSTATUS(status);
    const struct rlimit none = {0, 0};
    sigset_t set;
    int number = WTERMSIG(status);
    fflush(NULL);
    setrlimit(RLIMIT_CORE, &none); /* only the program dumps core */
    signal(number, SIG_DFL);
    sigemptyset(&set);
    sigaddset(&set, number);
    sigprocmask(SIG_UNBLOCK, &set, NULL);
    raise(number);
    return 128 + number;
}
