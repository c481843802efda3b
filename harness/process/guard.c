#include "harness/process/guard.h"

#include <math.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

static void on_alarm(int number)
{
    static const char text[] =
        "dlsbench: the ranks of this launch did not all start in time\n";
    (void)number;
    if (write(STDERR_FILENO, text, sizeof(text) - 1) < 0)
        _exit(2);
    _exit(1);
}

void guard_begin(double limit_s)
{
    struct sigaction alarmed = {.sa_handler = on_alarm};
    pid_t parent = getppid();
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    /* The parent may have ended before PR_SET_PDEATHSIG was set. */
    if (getppid() != parent)
        _exit(1);
    if (limit_s <= 0)
        return;
    sigaction(SIGALRM, &alarmed, NULL);
    alarm((unsigned)fmin(ceil(limit_s), 1e9));
}

void guard_started(void)
{
    alarm(0);
}
