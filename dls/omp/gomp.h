/* The private declarations of gomp*.c: the types of libgomp's entries, and how
 * a loop begins. */
#ifndef DLS_OMP_GOMP_H
#define DLS_OMP_GOMP_H

#include "dls/omp/frames.h"

#define CALLER __builtin_return_address(0)

typedef unsigned long long ull;

typedef bool start_fn(long, long, long, long, long, long *, long *, uintptr_t *,
                      void **);
typedef bool ull_start_fn(bool, ull, ull, ull, long, ull, ull *, ull *,
                          uintptr_t *, void **);
typedef bool chunked_fn(long, long, long, long, long *, long *);
typedef bool plain_fn(long, long, long, long *, long *);
typedef bool ull_chunked_fn(bool, ull, ull, ull, ull, ull *, ull *);
typedef bool ull_plain_fn(bool, ull, ull, ull, ull *, ull *);
typedef bool next_fn(long *, long *);
typedef bool ull_next_fn(ull *, ull *);
typedef void parallel_fn(void (*)(void *), void *, unsigned, unsigned);

/* The bounds of a loop as passed to its entry. */
struct bounds {
    bool wide; /* unsigned long long */
    bool up;
    uint64_t first, end, step;
};

/* The runtime's own function; without one the program ends. */
void (*gomp_real(const struct runtime *runtime,
                 enum runtime_entry entry))(void);
#define REAL(type, runtime, name) ((type *)gomp_real(runtime, ENTRY_##name))

/* The runtime for a call without a known loop; _here: inside a region. */
const struct runtime *gomp_runtime_of(const void *caller, bool by_llvm);
const struct runtime *gomp_runtime_here(const void *caller);

/* Whether this library follows the visits of a loop. */
bool gomp_is_known(const struct loop_site *site, const struct clause *clause);

/* Pushes a frame for the call from this address.  Returns gomp_is_known; if
 * true, call gomp_begin next. */
bool gomp_push(const void *address, const struct clause *clause,
               struct frame **out);

/* Begins the visit.  If the chunks are not ours, the runtime may give the first
 * one in `from` and `to` (NULL: no).  Returns whether it has. */
bool gomp_begin(struct frame *frame, const struct bounds *bounds,
                const struct clause *clause, void *from, void *to);

#endif
