#include "harness/problem/verify.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { RIGHT = 1, WRONG = 100 };

/* One byte per iteration: a right one adds 1, a wrong one spoils the sum.
 * Saturates, so that doubled iterations never wrap round to 1. */
static void mark_extents(const struct loop *loop, const struct extent *extent,
                         int64_t count, uint8_t *marks)
{
    for (int64_t h = 0; h < count; h++) {
        for (int64_t i = extent[h].start; i < extent[h].start + extent[h].size;
             i++) {
            bool right =
                !loop->known[i] ||
                loop_checksum(loop, extent[h].memory, i) == loop->checksum[i];
            int sum = marks[i] + (right ? RIGHT : WRONG);
            marks[i] = (uint8_t)(sum > WRONG ? WRONG : sum);
        }
    }
}

int verify_output(const struct loop *loop, const struct comm *comm,
                  const struct extent *extent, int64_t count,
                  struct verdict *verdict, struct error *err)
{
    size_t n = (size_t)loop->iterations;
    uint8_t *marks = calloc(n, 1);
    uint64_t iterations = 0;
    int code = marks ? 0 : error_set(err, ENOMEM, "out of memory to verify");
    code = comm_agree(comm, code, err);
    if (code != 0) {
        free(marks);
        return code;
    }
    mark_extents(loop, extent, count, marks);
    for (int64_t h = 0; h < count; h++)
        iterations += (uint64_t)extent[h].size;
    /* With very many ranks the byte marks could wrap, but not the sum. */
    comm_sum_u64(comm, &iterations, 1);
    comm_sum_u8(comm, marks, n);
    verdict->wrong_iteration = -1;
    for (size_t i = 0; i < n && verdict->wrong_iteration < 0; i++)
        if (marks[i] != RIGHT)
            verdict->wrong_iteration = (int64_t)i;
    verdict->good = verdict->wrong_iteration < 0 && iterations == n;
    free(marks);
    return 0;
}

void verify_tally(const struct loop *loop, const struct comm *comm,
                  uint64_t tally[2], struct verdict *verdict)
{
    comm_sum_u64(comm, tally, 2);
    verdict->good = loop->kernel->check_tally(loop->instance, tally);
    verdict->wrong_iteration = -1;
}

void verify_poison(const struct loop *loop, const struct extent *extent,
                   int64_t count)
{
    for (int64_t h = 0; h < count; h++)
        memset(extent[h].memory + (size_t)extent[h].start * loop->output_bytes,
               LOOP_POISON, (size_t)extent[h].size * loop->output_bytes);
}
