/* The command line as text, for manifests and for how to resume. */
#include "bench/commands/run/run_options.h"

#include "bench/options/command.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* How many words of argv belong to --out or --resume at this place. */
static int replaced_words(const char *word)
{
    size_t length = strcspn(word, "=");
    if (length >= 4 && strncmp(word, "--out", length) == 0)
        return word[length] == '=' ? 1 : 2;
    if (length >= 5 && strncmp(word, "--resume", length) == 0)
        return 1;
    return 0;
}

char *run_command_line(int argc, char **argv, const char *dir)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (out == NULL)
        return NULL;
    /* argv[0] is "dlsbench run" or "dlsbench sim". */
    const char *command = strrchr(argv[0], ' ');
    fprintf(out, "%s%s", program_invocation_name, command ? command : " run");
    for (int i = 1; i < argc;) {
        int skip = dir != NULL ? replaced_words(argv[i]) : 0;
        if (skip == 0)
            command_print_word(out, argv[i]);
        i += skip > 0 ? skip : 1;
    }
    if (dir != NULL) {
        fputs(" --out", out);
        if (strchr(dir, '/') == NULL)
            fprintf(out, " ./%s", dir);
        else
            command_print_word(out, dir);
        fputs(" --resume", out);
    }
    fclose(out);
    return text;
}
