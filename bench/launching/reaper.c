#include "bench/launching/reaper.h"

#include "bench/launching/stops.h"
#include "bench/launching/subprocess.h"
#include "harness/process/process.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static const double TERM_S = 5;    /* from SIGTERM to SIGKILL */
static const double REMAIN_S = 60; /* for what SIGKILL does not end at once */
static const double LOOK_S = 0.02; /* between two looks at the remaining
                                      processes */

/* ---- the end of all children ---- */

/* Whether pid is a child that began at `since` or later.  A dead child counts
 * until someone waits for it: left to the first process of the system, its
 * entry might stay for ever. */
static bool is_child(pid_t pid, void *since)
{
    struct process process;
    return process_read(pid, &process) && process.parent == getpid() &&
           process.start >= *(long long *)since;
}

static bool kill_child(pid_t pid, void *since)
{
    if (is_child(pid, since))
        kill(pid, SIGKILL);
    return false;
}

/* Waits until a child changes, a signal arrives or the time is over; returns
 * the signal or -1. */
static int pause_for(double seconds)
{
    sigset_t set;
    struct timespec time = {.tv_sec = (time_t)seconds};
    time.tv_nsec = (long)((seconds - (double)time.tv_sec) * 1e9);
    sigemptyset(&set);
    sigaddset(&set, SIGCHLD);
    sigaddset(&set, SIGTERM);
    return sigtimedwait(&set, NULL, &time);
}

/* Waits for these children, and kills them after `grace_s`; their children
 * become children of this process, a subreaper.  Returns 0, or a child that
 * does not end. */
static pid_t end_children(double grace_s, long long since)
{
    double begin = subprocess_now(), now = begin;
    pid_t pid = 0;
    while (now < begin + grace_s + REMAIN_S) {
        while ((pid = waitpid(-1, NULL, WNOHANG)) > 0) {
        }
        if (pid < 0 && errno == ECHILD)
            return 0;
        pid = process_find(is_child, &since);
        if (pid == 0)
            return 0;
        if (now >= begin + grace_s)
            process_find(kill_child, &since);
        pause_for(LOOK_S);
        now = subprocess_now();
    }
    return pid;
}

/* ---- the reaper ---- */

/* Moves the descriptors to OUT, ERR and REPORT and closes all others, so that
 * neither the lock of a result directory nor a user's pipe waits for the
 * reaper. */
enum { OUT = STDERR_FILENO + 1, ERR, REPORT, OTHERS };

static void keep_descriptors(int out, int err, int report)
{
    const int kept[] = {out, err, report};
    int high[3], null = open("/dev/null", O_RDWR);
    for (int i = 0; i < 3; i++)
        high[i] = fcntl(kept[i], F_DUPFD_CLOEXEC, OTHERS);
    for (int fd = STDIN_FILENO; null >= 0 && fd <= STDERR_FILENO; fd++)
        dup2(null, fd);
    for (int i = 0; i < 3; i++)
        dup3(high[i], OUT + i, O_CLOEXEC);
    close_range(OTHERS, ~0U, 0);
}

/* In the launcher's process, before it is the launcher. */
static void become_launcher(char *const argv[], int failed, pid_t reaper)
{
    sigset_t none;
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != reaper)
        _exit(1);
    sigemptyset(&none);
    dup2(OUT, STDOUT_FILENO);
    dup2(ERR, STDERR_FILENO);
    sigprocmask(SIG_SETMASK, &none, NULL);
    execvp(argv[0], argv);
    int reason = errno;
    if (write(failed, &reason, sizeof(reason)) < 0)
        _exit(126);
    _exit(127);
}

/* The pipe closes if exec succeeds; otherwise it carries errno. */
static pid_t start_launcher(char *const argv[], int *reason)
{
    int failed[2] = {-1, -1};
    pid_t pid = -1, reaper = getpid();
    if (pipe2(failed, O_CLOEXEC) == 0)
        pid = fork();
    if (pid == 0)
        become_launcher(argv, failed[1], reaper);
    *reason = errno;
    close(failed[1]);
    if (pid > 0 && read(failed[0], reason, sizeof(*reason)) == 0)
        *reason = 0;
    close(failed[0]);
    if (pid > 0)
        setpgid(pid, pid);
    return pid;
}

/* Waits for the launcher, and reaps orphans of the launch. */
static int await_launcher(pid_t launcher)
{
    double deadline = INFINITY;
    bool signalled = false;
    for (;;) {
        int status;
        pid_t pid;
        while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
            if (pid == launcher)
                return status;
        int number = pause_for(signalled ? LOOK_S : 3600);
        if (number == SIGTERM && !signalled) {
            signalled = true;
            deadline = subprocess_now() + TERM_S;
            kill(-launcher, SIGTERM);
        }
        if (subprocess_now() >= deadline)
            kill(-launcher, SIGKILL);
    }
}

static double seconds_of(const struct timeval *time)
{
    return (double)time->tv_sec + 1e-6 * (double)time->tv_usec;
}

static void keep_launcher(char *const argv[], pid_t driver)
{
    struct reaper_end end = {.status = 0};
    sigset_t set;
    stops_signals(&set);
    sigaddset(&set, SIGCHLD);
    sigprocmask(SIG_BLOCK, &set, NULL);
    setpgid(0, 0);
    prctl(PR_SET_NAME, "dlsbench-reaper");
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != driver)
        _exit(1);
    pid_t launcher = start_launcher(argv, &end.reason);
    close(OUT);
    close(ERR);
    if (launcher > 0)
        end.status = await_launcher(launcher);
    end.remain = end_children(0, 0);
    /* Of the children waited for, and of those that they waited for. */
    struct rusage all;
    if (getrusage(RUSAGE_CHILDREN, &all) == 0) {
        end.usage.cpu_s = seconds_of(&all.ru_utime) + seconds_of(&all.ru_stime);
        end.usage.preempted = all.ru_nivcsw;
    }
    _exit(write(REPORT, &end, sizeof(end)) != sizeof(end));
}

/* ---- the driver's part ---- */

int reaper_start(char *const argv[], int out, int err_fd, struct reaper *reaper,
                 struct error *err)
{
    int report[2];
    pid_t driver = getpid();
    if (pipe2(report, O_CLOEXEC) != 0)
        return error_set(err, errno, "cannot start %s: %s", argv[0],
                         strerror(errno));
    reaper->pid = fork();
    if (reaper->pid == 0) {
        keep_descriptors(out, err_fd, report[1]);
        keep_launcher(argv, driver);
    }
    int reason = errno;
    close(report[1]);
    reaper->report = report[0];
    if (reaper->pid > 0)
        return 0;
    close(report[0]);
    return error_set(err, reason, "cannot start %s: %s", argv[0],
                     strerror(reason));
}

void reaper_finish(struct reaper *reaper, struct reaper_end *end)
{
    struct process process = {.start = 0};
    int status = 0;
    bool whole = read(reaper->report, end, sizeof(*end)) == sizeof(*end);
    close(reaper->report);
    process_read(reaper->pid, &process);
    while (waitpid(reaper->pid, &status, 0) < 0 && errno == EINTR) {
    }
    if (whole)
        return;
    /* The launcher has received SIGTERM then, and its remaining processes are
     * ours. */
    *end = (struct reaper_end){.status = status,
                               .remain = end_children(TERM_S, process.start)};
}
