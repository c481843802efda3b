/* How much input data there are, natively and in simulation. */
#include "harness/problem/loop_input.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>

int loop_input_count(struct loop *loop, struct error *err)
{
    int64_t n = loop->iterations;
    int64_t *before = calloc((size_t)n + 1, sizeof(*before));
    if (before == NULL)
        return error_set(err, ENOMEM,
                         "kernel %s: no memory for the sizes of "
                         "its input",
                         loop->name);
    for (int64_t i = 0; i < n; i++)
        before[i + 1] =
            before[i] + (int64_t)loop->kernel->input->bytes(loop->instance, i);
    loop->input_before = before;
    loop->input.before = before;
    if (before[n] / 8 <= INT_MAX)
        return 0;
    return error_set(err, E2BIG,
                     "kernel %s: %.1f GiB of input data, at most 16 GiB can "
                     "be sent",
                     loop->name, (double)before[n] / 0x1p30);
}
