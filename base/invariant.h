/* Conditions that must hold for any timing of threads and messages.  Builds
 * with a sanitizer (make SAN=address, SAN=thread) end where one does not hold;
 * in all other builds it costs nothing, and the condition is not evaluated. */
#ifndef BASE_INVARIANT_H
#define BASE_INVARIANT_H

#ifdef DLSBENCH_SANITIZED
#include <assert.h>
#define invariant(condition) assert(condition)
#else
#define invariant(condition) ((void)sizeof((condition) ? 1 : 0))
#endif

#endif
