/* The private parts of gomp*.c: the types of libgomp's entries, and how a loop
 * begins. */
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

/* The bounds of a loop as its entry got them. */
struct bounds {
    bool wide; /* unsigned long long */
    bool up;
    uint64_t first, end, step;
};

/* The real entry; one that is not there ends the program. */
void (*gomp_real(const struct runtime *runtime,
                 enum runtime_entry entry))(void);
#define REAL(type, runtime, name) ((type *)gomp_real(runtime, ENTRY_##name))

/* For calls without a loop that is known, in a region or not. */
const struct runtime *gomp_runtime_of(const void *caller, bool by_llvm);
const struct runtime *gomp_runtime_here(const void *caller);

/* Whether the visits of a loop are ours to know. */
bool gomp_is_known(const struct site *site, const struct clause *clause);

/* The frame of a call from this address; returns gomp_is_known, and then
 * gomp_begin must follow. */
bool gomp_push(const void *address, const struct clause *clause,
               struct frame **out);

/* The visit begins.  Where the chunks are not ours the runtime may give its
 * first (from NULL: it does not): returns whether it has. */
bool gomp_begin(struct frame *frame, const struct bounds *bounds,
                const struct clause *clause, void *from, void *to);

#endif
