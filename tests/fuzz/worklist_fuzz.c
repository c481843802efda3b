/* The worklist of a launch. */
#include "tests/fuzz/fuzz.h"

#include "harness/check/worklist.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_file file;
    struct worklist work;
    struct error err = {""};
    fuzz_file_open(&file, data, size);
    char *text = worklist_read(file.path, &err);
    if (text == NULL || worklist_parse(text, &work, &err) != 0)
        fuzz_message(&err);
    else
        worklist_free(&work);
    free(text);
    fuzz_file_close(&file);
    return 0;
}
