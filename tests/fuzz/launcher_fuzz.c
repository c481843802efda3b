/* Templates of launchers. */
#include "tests/fuzz/fuzz.h"

#include "bench/launching/launcher.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *const tail[] = {"dlsbench", "launch", NULL};
    struct error err = {""};
    char *text = fuzz_text(data, size);
    char **argv = launcher_argv(text, 12, 3, tail, &err);
    if (argv == NULL) {
        fuzz_message(&err);
    } else {
        int words = 0;
        while (argv[words] != NULL)
            words++;
        fuzz_need(words >= 3 && strcmp(argv[words - 1], "launch") == 0,
                  "the program's words come last");
    }
    launcher_free(argv);
    free(text);
    return 0;
}
