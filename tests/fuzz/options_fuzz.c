/* Command lines, a word a line: run, sim or plan, and their options. */
#include "tests/fuzz/fuzz.h"

#include "bench/commands/run/run_options.h"
#include "bench/foretell/divisible_load/plan_command.h"

#include <stdlib.h>
#include <string.h>

enum { WORDS_MAX = 100 };

/* These print a text and end the program. */
static bool ends(const char *word)
{
    return strncmp(word, "--h", 3) == 0 || strncmp(word, "--u", 3) == 0 ||
           strncmp(word, "--v", 3) == 0 || strncmp(word, "-?", 2) == 0 ||
           strncmp(word, "-h", 2) == 0 || strncmp(word, "-V", 2) == 0 ||
           strcmp(word, "--") == 0;
}

static void read_run(int argc, char **argv, bool simulated)
{
    struct run_options *options = calloc(1, sizeof(*options));
    struct campaign campaign;
    struct error err = {""};
    fuzz_need(options != NULL, "memory");
    if (run_options_read(argc, argv, simulated, options, &err) != 0) {
        fuzz_message(&err);
    } else {
        options->setup.cores = 4;
        if (run_options_campaign(options, &campaign, &err) == 0)
            campaign_free(&campaign);
        else
            fuzz_message(&err);
    }
    json_decref(options->cell.texts);
    free(options);
}

static void read_plan(int argc, char **argv)
{
    struct plan_request request;
    struct error err = {""};
    if (plan_request_read(argc, argv, &request, &err) != 0)
        fuzz_message(&err);
    else
        plan_request_free(&request);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *argv[WORDS_MAX + 1] = {NULL}, *text = fuzz_text(data, size);
    char *rest = text, *word;
    int argc = 0;
    while (argc < WORDS_MAX && (word = fuzz_line(&rest)) != NULL)
        if (!ends(word))
            argv[argc++] = word;
    if (argc > 0 && strcmp(argv[0], "dlsbench plan") == 0)
        read_plan(argc, argv);
    else if (argc > 0)
        read_run(argc, argv, strcmp(argv[0], "dlsbench sim") == 0);
    free(text);
    return 0;
}
