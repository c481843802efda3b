/* Specs of kernels, schemes, plans, OpenMP schedules and auto: a canonical text
 * must stay as it is. */
#include "tests/fuzz/fuzz.h"

#include "harness/cell/cell.h"
#include "harness/check/scheme_kind.h"
#include "kernels/kernel.h"
#include "sched/divisible/algorithm.h"

#include <stdlib.h>
#include <string.h>

static void check_kernel(const char *text)
{
    const struct kernel_ops *kernel;
    struct spec spec, again;
    struct error err = {""};
    if (kernel_parse(text, &kernel, &spec, &err) != 0) {
        fuzz_message(&err);
        return;
    }
    fuzz_need(kernel_parse(spec.canonical, &kernel, &again, &err) == 0,
              err.text);
    fuzz_need(strcmp(spec.canonical, again.canonical) == 0,
              "the canonical form of a kernel is its own");
    for (int i = 0; kernel->params[i].key != NULL; i++)
        fuzz_need(kernel->params[i].type != SPEC_TEXT ||
                      strcmp(spec.value[i].text, again.value[i].text) == 0,
                  "and has its texts");
    fuzz_need(spec_length(spec.canonical) == strlen(spec.canonical),
              "a list of one kernel has one kernel");
}

static void check_scheme(const char *text)
{
    struct scheme scheme, again;
    struct error err = {""};
    if (scheme_parse(text, &scheme, &err) != 0) {
        fuzz_message(&err);
        return;
    }
    const char *canonical = scheme.pair.canonical;
    fuzz_need(scheme_parse(canonical, &again, &err) == 0, err.text);
    fuzz_need(strcmp(canonical, again.pair.canonical) == 0,
              "the canonical form of a scheme is its own");
}

static void check_plan(const char *text)
{
    struct divisible_choice choice;
    struct spec spec;
    struct error err = {""};
    if (divisible_named(text) && divisible_parse(text, &choice, &spec, &err))
        fuzz_message(&err);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = fuzz_text(data, size);
    check_kernel(text);
    check_scheme(text);
    check_plan(text);
    free(text);
    return 0;
}
