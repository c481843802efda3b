/* The plan of a launch. */
#include "tests/fuzz/fuzz.h"

#include "harness/check/plan.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_file file;
    struct plan plan;
    struct error err = {""};
    fuzz_file_open(&file, data, size);
    char *text = plan_read(file.path, &err);
    if (text == NULL || plan_parse(text, &plan, &err) != 0)
        fuzz_message(&err);
    else
        plan_free(&plan);
    free(text);
    fuzz_file_close(&file);
    return 0;
}
