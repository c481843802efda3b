/* Conditions that must hold for any timing of threads and messages.  Builds
 * with a sanitizer (make SAN=address, SAN=thread) abort if one does not hold.
 * Other builds do not evaluate the condition, so it costs nothing. */
#ifndef BASE_INVARIANT_H
#define BASE_INVARIANT_H

#ifdef DLSBENCH_SANITIZED
#include <assert.h>
#define invariant(condition) assert(condition)
#else
#define invariant(condition) ((void)sizeof((condition) ? 1 : 0))
#endif

#endif
