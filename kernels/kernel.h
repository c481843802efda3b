/* Kernels: the loop bodies that are scheduled.
 *
 * Pure: no MPI, no threads, no input or output while running.  A kernel is
 * one file that ends in one `const struct kernel_ops`, plus one line in
 * kernels/kernels.def.  An instance is read-only after create and is used by
 * many workers at once. */
#ifndef KERNELS_KERNEL_H
#define KERNELS_KERNEL_H

#include "base/error.h"
#include "base/spec.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Every machine computes the same bits: kernels are compiled with
 * -ffp-contract=off, and a function marked KERNEL_CLONES is compiled for
 * several instruction sets and chosen when the program is loaded.  (The
 * choice is made before sanitizers are ready, so there it is left out.)
 * Kernels with explicit vectors choose in create, by __builtin_cpu_supports,
 * and keep a pointer in the instance. */
#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__) &&                   \
    !defined(__SANITIZE_THREAD__) && !defined(DLSBENCH_SANITIZED)
#define KERNEL_CLONES                                                          \
    __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define KERNEL_CLONES
#endif

/* A master that also computes serves requests between slices of its work. */
struct kernel_poll {
    void (*call)(void *arg);
    void *arg;
};

static inline void kernel_poll(const struct kernel_poll *poll)
{
    if (poll != NULL)
        poll->call(poll->arg);
}

struct kernel_ops {
    /* Short name: file, option, result column and plot use this one. */
    const char *name;
    const char *summary;             /* one line, for `dlsbench list kernels` */
    const char *citation;            /* where the loop comes from */
    const struct spec_param *params; /* keys of the spec; required */

    /* Makes an instance with its input data (same spec, same data, on every
     * machine and in every process).  Returns 0, -EINVAL, -ENOENT, -EIO or
     * -ENOMEM with a text; what does not fit into memory is refused here.
     * Required, as is destroy. */
    int (*create)(const struct spec *spec, void **instance, struct error *err);
    void (*destroy)(void *instance);

    /* I, at least 1.  Required. */
    int64_t (*iterations)(const void *instance);

    /* Bytes of output per iteration; 0: the kernel keeps a tally instead of
     * output (null).  Required. */
    size_t (*output_bytes)(const void *instance);

    /* Bytes of private memory that each worker needs (aligned to 64, zeroed
     * before every repetition); NULL: none. */
    size_t (*scratch_bytes)(const void *instance);

    /* Runs iterations [start, start + size).  `output` points at the output
     * of iteration `start`; iteration i writes only its own output_bytes.
     * Called by many workers at once with ranges that do not overlap, and
     * with any division into ranges: the bits must not depend on it.  poll
     * may be NULL; otherwise kernel_poll(poll) must be called at least about
     * every 20 us of work, also inside a long iteration, and not much more
     * often than every microsecond or so (matmul: 200 us, see there).  A run
     * shorter than that need not poll.  The cost of an iteration should not
     * depend on the chunk it is in: schemes could not be compared.  output
     * and scratch may be NULL when their size is 0.  Required. */
    void (*run)(const void *instance, void *scratch, int64_t start,
                int64_t size, void *output, const struct kernel_poll *poll);

    /* The serial reference, plain and by another method than run, with the
     * same bits as result.  Required when there is output. */
    void (*reference)(const void *instance, int64_t start, int64_t size,
                      void *output);

    /* Kernels without output: the first 16 bytes of scratch are two tallies,
     * added up over all workers modulo 2^64; says whether the sums are those
     * of a loop in which every iteration ran exactly once. */
    bool (*check_tally)(const void *instance, const uint64_t tally[2]);
};

/* All kernels in the order of kernels.def, NULL ends the list.  There
 * KERNEL(name) stands for `const struct kernel_ops kernel_name_ops`. */
extern const struct kernel_ops *const kernel_list[];

/* Finds the kernel that a spec names and parses its keys.  Unknown names are
 * an error that lists the kernels and the nearest.  Returns 0 or -EINVAL. */
int kernel_parse(const char *text, const struct kernel_ops **ops,
                 struct spec *spec, struct error *err);

#endif
