/* dlsbench-sim-smpi.so, loaded before SimGrid (bench/simgrid): leaves out
 * what SMPI does at each call of MPI and a simulation of ours does not need.
 *
 * The clock: at both ends of each call SMPI reads the clock of its thread,
 * which is a call of the kernel, to charge what the program computed in
 * between. Nothing is charged for that here (smpi/simulate-computation:no), so
 * that the clock stands still: half of the time of large simulations went
 * there.
 *
 * The numbers of messages: SMPI counts those between two ranks with one tag, at
 * both ends and by a name of three numbers that it writes each time, so that a
 * message in one mailbox of a rank does not overtake one in its other.  Here a
 * rank has one (smpi/async-small-thresh:0), which keeps the order.
 *
 * The lists of small blocks that malloc leaves apart: SimGrid frees larger ones
 * as often, and each time malloc joins all small ones again. */
#include <malloc.h>
#include <xbt/xbt_os_time.h>

__attribute__((constructor)) static void join_blocks_at_once(void)
{
    mallopt(M_MXFAST, 0);
}

void xbt_os_threadtimer_start(xbt_os_timer_t timer)
{
    (void)timer;
}

void xbt_os_threadtimer_stop(xbt_os_timer_t timer)
{
    (void)timer;
}

/* Of SMPI's class Comm, by the names that its compiler gives them. */
#define COMM(name) __asm__("_ZN7simgrid4smpi4Comm" name "Eiii")

unsigned smpi_sent(void *comm, int from, int to, int tag)
    COMM("23get_sent_messages_count");
void smpi_count_sent(void *comm, int from, int to, int tag)
    COMM("29increment_sent_messages_count");
unsigned smpi_received(void *comm, int from, int to, int tag)
    COMM("27get_received_messages_count");
void smpi_count_received(void *comm, int from, int to, int tag)
    COMM("33increment_received_messages_count");

unsigned smpi_sent(void *comm, int from, int to, int tag)
{
    (void)comm, (void)from, (void)to, (void)tag;
    return 0;
}

void smpi_count_sent(void *comm, int from, int to, int tag)
{
    (void)comm, (void)from, (void)to, (void)tag;
}

unsigned smpi_received(void *comm, int from, int to, int tag)
{
    (void)comm, (void)from, (void)to, (void)tag;
    return 0;
}

void smpi_count_received(void *comm, int from, int to, int tag)
{
    (void)comm, (void)from, (void)to, (void)tag;
}
