/* dlsbench-sim-clock.so, loaded before SimGrid (bench/simulate): at both ends
 * of each call of MPI, SMPI reads the clock of its thread, which is a call of
 * the kernel, to charge what the program computed in between.  In simulations
 * nothing is charged for that (smpi/simulate-computation:no), so that the clock
 * stands still: half of the time of large ones went there. */
#include <xbt/xbt_os_time.h>

void xbt_os_threadtimer_start(xbt_os_timer_t timer)
{
    (void)timer;
}

void xbt_os_threadtimer_stop(xbt_os_timer_t timer)
{
    (void)timer;
}
