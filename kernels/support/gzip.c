#include "kernels/support/gzip.h"

#include <errno.h>
#include <limits.h>
#include <unistd.h>
#include <zlib.h>

static ssize_t read_contents(void *cookie, char *to, size_t size)
{
    int got = gzread(cookie, to, size < INT_MAX ? (unsigned)size : INT_MAX);
    if (got < 0)
        errno = EIO;
    return got;
}

static int close_contents(void *cookie)
{
    return gzclose(cookie) == Z_OK ? 0 : EOF;
}

FILE *gzip_open(FILE *file, bool *packed)
{
    int first = getc(file), second = getc(file);
    *packed = first == 0x1f && second == 0x8b;
    rewind(file);
    if (!*packed)
        return file;
    int copy = dup(fileno(file));
    fclose(file);
    if (copy < 0)
        return NULL;
    lseek(copy, 0, SEEK_SET);
    gzFile contents = gzdopen(copy, "rb");
    if (contents == NULL) {
        close(copy);
        return NULL;
    }
    const cookie_io_functions_t calls = {.read = read_contents,
                                         .close = close_contents};
    FILE *stream = fopencookie(contents, "r", calls);
    if (stream == NULL)
        gzclose(contents);
    return stream;
}
