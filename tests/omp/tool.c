/* An OMPT tool of somebody else's: prints when its runtime begins.  In a
 * program (PROGRAM) beside a loop, or a library. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct start_result {
    int (*initialize)(void *lookup, int device, uint64_t *data);
    void (*finalize)(uint64_t *data);
    uint64_t data;
};

static int initialize(void *lookup, int device, uint64_t *data)
{
    (void)lookup, (void)device, (void)data;
    puts("tool");
    return 1;
}

static void finalize(uint64_t *data)
{
    (void)data;
}

struct start_result *ompt_start_tool(unsigned version, const char *runtime);

struct start_result *ompt_start_tool(unsigned version, const char *runtime)
{
    static struct start_result result = {initialize, finalize, 0};
    (void)version, (void)runtime;
    return &result;
}

#ifdef PROGRAM
int main(void)
{
    int sum = 0;
#pragma omp parallel for schedule(runtime) reduction(+ : sum) num_threads(2)
    for (int i = 0; i < 100; i++)
        sum += i;
    printf("%d\n", sum);
    return 0;
}
#endif
