/* Platforms of divisible loads: the first line is the spec of an algorithm,
 * the rest the file; the plan is whole. */
#include "tests/fuzz/fuzz.h"

#include "bench/foretell/divisible_load/plan_command.h"
#include "sched/divisible/algorithm.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double LOAD = 1000;

enum { WORKERS_MAX = 64 };

static void check_plan(const struct divisible_plan *plan, int workers)
{
    double sum = 0;
    for (int i = 0; i < workers; i++)
        sum += divisible_plan_load(plan, i);
    fuzz_need(fabs(sum - LOAD) <= 1e-6 * LOAD, "a plan has all of the load");
    fuzz_need(plan->makespan > 0 && isfinite(plan->makespan),
              "a plan takes time");
}

static void make_plan(const char *text, const struct plan_platform *platform)
{
    struct divisible_choice choice;
    struct divisible_plan plan = {0};
    struct spec spec;
    struct error err = {""};
    if (!divisible_named(text) || platform->platform.workers > WORKERS_MAX)
        return;
    if (divisible_parse(text, &choice, &spec, &err) != 0 ||
        divisible_make(&choice, &platform->platform, LOAD, &plan, &err) != 0)
        fuzz_message(&err);
    else
        check_plan(&plan, platform->platform.workers);
    divisible_plan_free(&plan);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_file file;
    struct plan_platform platform;
    struct error err = {""};
    char *text = fuzz_text(data, size), *rest = text;
    const char *algorithm = fuzz_line(&rest);
    fuzz_file_open(&file, rest != NULL ? rest : "",
                   rest != NULL ? strlen(rest) : 0);
    const struct plan_source source = {.file = file.path};
    if (plan_platform_read(&source, true, LOAD, &platform, &err) != 0) {
        fuzz_message(&err);
    } else {
        make_plan(algorithm, &platform);
        plan_platform_free(&platform);
    }
    fuzz_file_close(&file);
    free(text);
    return 0;
}
