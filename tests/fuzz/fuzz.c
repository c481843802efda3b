#include "tests/fuzz/fuzz.h"

#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

void fuzz_need(bool good, const char *what)
{
    if (good)
        return;
    fprintf(stderr, "fuzz: this does not hold: %s\n", what);
    abort();
}

void fuzz_message(const struct error *err)
{
    fuzz_need(err->text[0] != '\0', "an error has a text");
    fuzz_need(text_wrong_byte(err->text) < 0, "a message is one line of UTF-8");
}

char *fuzz_text(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    fuzz_need(text != NULL, "memory");
    memcpy(text, data, size);
    text[size] = '\0';
    return text;
}

char *fuzz_line(char **text)
{
    char *line = *text;
    if (line == NULL)
        return NULL;
    char *end = strchr(line, '\n');
    if (end != NULL)
        *end = '\0';
    *text = end != NULL ? end + 1 : NULL;
    return line;
}

void fuzz_file_open(struct fuzz_file *file, const void *data, size_t size)
{
    file->descriptor = memfd_create("fuzz", MFD_CLOEXEC);
    fuzz_need(file->descriptor >= 0 &&
                  write(file->descriptor, data, size) == (ssize_t)size,
              "a file in memory");
    snprintf(file->path, sizeof(file->path), "/proc/self/fd/%d",
             file->descriptor);
}

void fuzz_file_close(struct fuzz_file *file)
{
    close(file->descriptor);
}
