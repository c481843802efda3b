/* Ends a rank when its launch ends.  Only for programs that a launcher starts:
 * a library must not do this to its program. */
#ifndef HARNESS_PROCESS_GUARD_H
#define HARNESS_PROCESS_GUARD_H

/* The first call of a rank, in its main thread.  The process then ends at once
 * when the thread that started it ends: otherwise a rank would keep measuring
 * after its proxy was killed.  It also ends, with one line on stderr, unless
 * guard_started is called within `limit_s` seconds (0: no limit), because
 * MPI_Init waits for ever for missing ranks. */
void guard_begin(double limit_s);

/* Call it when MPI is up. */
void guard_started(void);

#endif
