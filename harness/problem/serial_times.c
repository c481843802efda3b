/* The latest passes of the serial loop, and how far they moved. */
#include "harness/problem/serial.h"

#include "base/stats.h"

int serial_times(const struct loop *loop, int from, double took_s[LOOP_PASSES])
{
    int last = loop->serial.passes, count = 0;
    for (int i = last - LOOP_PASSES > from ? last - LOOP_PASSES : from;
         i < last; i++)
        took_s[count++] = loop->serial.took_s[i % LOOP_PASSES];
    return count;
}

double serial_drift(const struct loop *loop)
{
    double took_s[LOOP_PASSES];
    int count = serial_times(loop, 0, took_s);
    return count > 0 ? stats_middle(took_s, count) / loop->serial_s : 1;
}
