/* dlsbench-sim-smpi.so, loaded before SimGrid (bench/simgrid): removes work of
 * SMPI at each call of MPI that our simulations do not need.
 *
 * The clock: at both ends of each call SMPI reads the clock of its thread, a
 * system call, to charge the computing in between.  We charge nothing for that
 * (smpi/simulate-computation:no), so the clock always shows the same time.
 * This took half the time of large simulations.
 *
 * The numbers of messages: SMPI counts the messages between two ranks with one
 * tag, at both ends, under a name of three numbers.  This keeps a message in
 * one mailbox of a rank from overtaking one in its other.  Here a rank has one
 * mailbox (smpi/async-small-thresh:0), which keeps the order.
 *
 * Small blocks of malloc: SimGrid frees larger blocks as often, and each time
 * malloc would join all small ones of its separate lists again. */
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

/* Members of SMPI's class Comm, by the names that its compiler gives them. */
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
