/* Preloaded, a machine that looks FASTER times as fast: its clocks run that
 * much slower, and what sleeps sleeps that much longer.  The calendar stays
 * as it is.  `make test FASTER=5` finds tests that assume a speed. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <poll.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <time.h>
#include <unistd.h>

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static int64_t times(void)
{
    const char *text = getenv("FASTER");
    int64_t n = text == NULL ? 1 : atoi(text);
    return n < 1 ? 1 : n;
}

static struct timespec scaled(const struct timespec *t, int64_t by,
                              int64_t over)
{
    __int128 ns = ((__int128)t->tv_sec * 1000000000 + t->tv_nsec) * by / over;
    return (struct timespec){.tv_sec = (time_t)(ns / 1000000000),
                             .tv_nsec = (long)(ns % 1000000000)};
}

static int is_slowed(clockid_t clock)
{
    return clock != CLOCK_REALTIME && clock != CLOCK_REALTIME_COARSE &&
           clock != CLOCK_TAI;
}

int clock_gettime(clockid_t clock, struct timespec *t)
{
    static __typeof__(&clock_gettime) next;
    static int64_t n;
    if (next == NULL) {
        n = times();
        next = NEXT(clock_gettime);
    }
    int code = next(clock, t);
    if (code == 0 && is_slowed(clock))
        *t = scaled(t, 1, n);
    return code;
}

int clock_nanosleep(clockid_t clock, int flags, const struct timespec *t,
                    struct timespec *left)
{
    int64_t n = (flags & TIMER_ABSTIME) && !is_slowed(clock) ? 1 : times();
    struct timespec longer = scaled(t, n, 1);
    int code = NEXT(clock_nanosleep)(clock, flags, &longer, left);
    if (code != 0 && left != NULL && !(flags & TIMER_ABSTIME))
        *left = scaled(left, 1, n);
    return code;
}

int nanosleep(const struct timespec *t, struct timespec *left)
{
    struct timespec longer = scaled(t, times(), 1);
    int code = NEXT(nanosleep)(&longer, left);
    if (code != 0 && left != NULL)
        *left = scaled(left, 1, times());
    return code;
}

int usleep(useconds_t us)
{
    struct timespec t = {us / 1000000, us % 1000000 * 1000};
    return nanosleep(&t, NULL);
}

unsigned sleep(unsigned seconds)
{
    struct timespec t = {(time_t)seconds, 0}, left = {0};
    return nanosleep(&t, &left) == 0 ? 0 : (unsigned)left.tv_sec;
}

unsigned alarm(unsigned seconds)
{
    unsigned n = (unsigned)times();
    return NEXT(alarm)(seconds * n) / n;
}

static int longer_ms(int ms)
{
    return ms <= 0 ? ms : (int)(ms * times());
}

int poll(struct pollfd *fds, nfds_t count, int ms)
{
    return NEXT(poll)(fds, count, longer_ms(ms));
}

int epoll_wait(int fd, struct epoll_event *events, int most, int ms)
{
    return NEXT(epoll_wait)(fd, events, most, longer_ms(ms));
}

int select(int count, fd_set *in, fd_set *out, fd_set *odd, struct timeval *t)
{
    struct timeval longer, *by = t;
    if (t != NULL) {
        int64_t us = ((int64_t)t->tv_sec * 1000000 + t->tv_usec) * times();
        longer = (struct timeval){us / 1000000, us % 1000000};
        by = &longer;
    }
    return NEXT(select)(count, in, out, odd, by);
}

static struct timeval shorter(struct timeval t)
{
    int64_t us = ((int64_t)t.tv_sec * 1000000 + t.tv_usec) / times();
    return (struct timeval){us / 1000000, us % 1000000};
}

int getrusage(__rusage_who_t who, struct rusage *usage)
{
    int code = NEXT(getrusage)(who, usage);
    usage->ru_utime = shorter(usage->ru_utime);
    usage->ru_stime = shorter(usage->ru_stime);
    return code;
}
