#include "harness/engine/share.h"

#include "base/stats.h"
#include "harness/engine/engine.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

/* Seconds in the run queue: the second number of the thread's schedstat.  All
 * are 0 where the kernel has them switched off. */
static double read_ready(void)
{
    char text[96];
    unsigned long long ran, waited;
    int file = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return NAN;
    ssize_t size = read(file, text, sizeof(text) - 1);
    close(file);
    text[size > 0 ? size : 0] = '\0';
    if (sscanf(text, "%llu %llu", &ran, &waited) != 2 || ran == 0)
        return NAN;
    return 1e-9 * (double)waited;
}

void engine_share_mark(struct engine_share_mark *mark)
{
    struct timespec cpu = {0};
    struct rusage usage = {.ru_nvcsw = 0};
    mark->ready_s = read_ready();
    getrusage(RUSAGE_THREAD, &usage);
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &cpu);
    mark->cpu_s = (double)cpu.tv_sec + 1e-9 * (double)cpu.tv_nsec;
    mark->slept = usage.ru_nvcsw;
    mark->displaced = usage.ru_nivcsw;
    mark->now_s = engine_now();
}

/* Without schedstat, a thread that was never displaced lost nothing.  One that
 * was, but never slept, lost all the time in which it did not compute.
 * Otherwise the loss is unknown (NAN). */
struct engine_share engine_share_between(const struct engine_share_mark *from,
                                         const struct engine_share_mark *to)
{
    struct engine_share share = {.span_s = to->now_s - from->now_s,
                                 .cpu_s = to->cpu_s - from->cpu_s,
                                 .others_s = to->ready_s - from->ready_s,
                                 .slept = to->slept - from->slept,
                                 .displaced = to->displaced - from->displaced};
    if (isnan(share.others_s) && share.displaced == 0)
        share.others_s = 0;
    else if (isnan(share.others_s) && share.slept == 0)
        share.others_s = share.span_s - share.cpu_s;
    double most = fmax(share.span_s - share.cpu_s, 0);
    if (!isnan(share.others_s))
        share.others_s = fmin(fmax(share.others_s, 0), most);
    return share;
}

/* Four chains side by side keep the multiplier of the core busy. */
static double multiply(void)
{
    enum { ROUNDS = 2500, CHAINS = 4 };
    uint64_t x[CHAINS] = {1, 2, 3, 4};
    double start = engine_now();
    for (int round = 0; round < ROUNDS; round++)
#pragma GCC unroll 4
        for (int i = 0; i < CHAINS; i++) {
            x[i] = x[i] * 6364136223846793005u + 1442695040888963407u;
            __asm__ volatile("" : "+r"(x[i])); /* prevents optimization */
        }
    return engine_now() - start;
}

double engine_core_probe(void)
{
    double probe_s[3];
    for (int i = 0; i < 3; i++)
        probe_s[i] = multiply();
    return stats_middle(probe_s, 3);
}
