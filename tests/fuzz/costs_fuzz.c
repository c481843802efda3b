/* Traces: what the iterations of a loop cost. */
#include "tests/fuzz/fuzz.h"

#include "kernels/support/cost_file.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_file file;
    struct error err = {""};
    double *cost = NULL;
    int64_t count = 0;
    fuzz_file_open(&file, data, size);
    if (costs_read("costs", file.path, 1, &cost, &count, &err) != 0)
        fuzz_message(&err);
    else
        fuzz_need(count >= 1 && cost[0] >= 0 && cost[count - 1] >= 0,
                  "costs are not negative");
    free(cost);
    fuzz_file_close(&file);
    return 0;
}
