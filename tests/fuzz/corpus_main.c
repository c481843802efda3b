/* Instead of libFuzzer: a fuzzer reads each file of its corpus once. */
#include "tests/fuzz/fuzz.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

static void replay(const char *path)
{
    uint8_t *data = NULL;
    size_t size;
    FILE *file = fopen(path, "rb"),
         *out = open_memstream((char **)&data, &size);
    fuzz_need(file != NULL && out != NULL, path);
    for (int c; (c = getc(file)) != EOF;)
        putc(c, out);
    fclose(file);
    fclose(out);
    /* So that the sanitizer's report comes after the name of its input. */
    printf("%s\n", path);
    fflush(stdout);
    LLVMFuzzerTestOneInput(data, size);
    free(data);
}

int main(int argc, char **argv)
{
    DIR *folder = argc == 2 ? opendir(argv[1]) : NULL;
    const struct dirent *entry;
    int count = 0;
    fuzz_need(folder != NULL, "usage: NAME_replay FOLDER");
    while ((entry = readdir(folder)) != NULL) {
        char path[4096];
        if (entry->d_name[0] == '.')
            continue;
        snprintf(path, sizeof(path), "%s/%s", argv[1], entry->d_name);
        replay(path);
        count++;
    }
    closedir(folder);
    fuzz_need(count > 0, "a corpus has files");
    return 0;
}
