#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static FILE *refuse_file(int descriptor, int code, const char **why)
{
    if (descriptor >= 0)
        close(descriptor);
    errno = code;
    *why = code == EINVAL ? "not a regular file" : strerror(code);
    return NULL;
}

FILE *file_open(const char *path, const char **why)
{
    struct stat status;
    /* Not blocking: without it to open a pipe waits for a writer. */
    int descriptor = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (descriptor < 0 || fstat(descriptor, &status) != 0)
        /* ENXIO is a socket's or a device's. */
        return refuse_file(descriptor, errno == ENXIO ? EINVAL : errno, why);
    if (!S_ISREG(status.st_mode))
        return refuse_file(descriptor, EINVAL, why);
    FILE *file = fdopen(descriptor, "r");
    return file != NULL ? file : refuse_file(descriptor, errno, why);
}

bool file_is_readable(const char *path, const char **why)
{
    FILE *file = file_open(path, why);
    if (file != NULL)
        fclose(file);
    return file != NULL;
}

void file_discard(const char *path)
{
    int before = errno;
    if (remove(path) != 0 && errno != ENOENT)
        remove(path);
    errno = before;
}

bool file_first_line(const char *path, char *text, size_t size)
{
    FILE *file = fopen(path, "r");
    bool read = file != NULL && fgets(text, (int)size, file) != NULL;
    if (file != NULL)
        fclose(file);
    if (read)
        text[strcspn(text, "\n")] = '\0';
    return read;
}

/* ---- lines of others ---- */

const char *file_why(int code)
{
    switch (code) {
    case ENODATA:
        return "the compressed data end too early: the file is cut off";
    case EBADMSG:
        return "the compressed data are damaged";
    case EILSEQ:
        return "other bytes follow the compressed data";
    case EFBIG:
        return "the compressed data need more than the available memory";
    default:
        return strerror(code);
    }
}

static const char mark[] = "\xEF\xBB\xBF";

void file_skip_mark(FILE *file)
{
    char first[3];
    if (fread(first, 1, 3, file) != 3 || memcmp(first, mark, 3) != 0)
        rewind(file);
}

int file_check_start(const char *text, size_t length, struct error *err)
{
    static const struct {
        const char *bytes, *why;
    } others[] = {
        {"\xFF\xFE", "UTF-16 text: save it as UTF-8"},
        {"\xFE\xFF", "UTF-16 text: save it as UTF-8"},
        {"\x1F\x8B", "compressed by gzip: unpack it first"},
        {"\xFD"
         "7zXZ",
         "compressed by xz: unpack it first"},
        {"\x28\xB5\x2F\xFD", "compressed by zstd: unpack it first"},
        {"BZh", "compressed by bzip2: unpack it first"},
        {"PK\x03\x04", "a zip archive: unpack it first"},
    };
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        size_t n = strlen(others[i].bytes);
        if (length >= n && memcmp(text, others[i].bytes, n) == 0)
            return error_set(err, EINVAL, "this is %s", others[i].why);
    }
    return 0;
}

int file_next_line(struct file_lines *lines, struct error *err)
{
    size_t length = 0;
    int c = 0;
    if (lines->text == NULL &&
        (lines->text = malloc(FILE_LINE_MAX + 1)) == NULL)
        return error_set(err, ENOMEM, "out of memory");
    char *text = lines->text;
    errno = 0;
    while (length < FILE_LINE_MAX && (c = getc_unlocked(lines->file)) > 0 &&
           c != '\n' && c != '\r')
        text[length++] = (char)c;
    text[length] = '\0';
    if (c == EOF && length == 0 && !ferror(lines->file))
        return 0;
    lines->number++;
    if (c == EOF && ferror(lines->file))
        return error_set(err, EIO, "%s", file_why(errno != 0 ? errno : EIO));
    if (lines->number == 1) {
        int code = file_check_start(text, length, err);
        size_t skip = strncmp(text, mark, 3) == 0 ? 3 : 0;
        memmove(text, text + skip, length + 1 - skip);
        if (code != 0)
            return code;
    }
    if (c == 0)
        return error_set(err, EINVAL, "a zero byte, this is not a text file");
    if (length == FILE_LINE_MAX)
        return error_set(err, EINVAL, "the line is longer than %d bytes",
                         FILE_LINE_MAX);
    /* A \n may follow the \r. */
    if (c == '\r' && (c = getc_unlocked(lines->file)) != '\n' && c != EOF)
        ungetc(c, lines->file);
    return 1;
}

void file_free_lines(struct file_lines *lines)
{
    free(lines->text);
    lines->text = NULL;
}

/* ---- lines that we append ---- */

static int write_all(int descriptor, const char *text, size_t length)
{
    while (length > 0) {
        ssize_t written = write(descriptor, text, length);
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            return -errno;
        text += written;
        length -= (size_t)written;
    }
    return 0;
}

static int end_torn_line(int descriptor)
{
    struct stat status;
    char last;
    if (fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode) ||
        status.st_size == 0 ||
        pread(descriptor, &last, 1, status.st_size - 1) != 1 || last == '\n')
        return 0;
    return write_all(descriptor, "\n", 1);
}

int file_open_to_append(const char *path, struct error *err)
{
    int descriptor =
        open(path, O_RDWR | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (descriptor < 0 && errno == ELOOP)
        return error_set(err, ELOOP, "%s: it is a symbolic link; remove it",
                         path);
    if (descriptor < 0)
        return error_set(err, errno, "%s: cannot open for writing: %s", path,
                         strerror(errno));
    int code = end_torn_line(descriptor);
    if (code == 0)
        return descriptor;
    close(descriptor);
    return error_set(err, -code, "%s: cannot write: %s", path, strerror(-code));
}

int file_append(int descriptor, const char *path, const char *text,
                size_t length, struct error *err)
{
    int code = write_all(descriptor, text, length);
    return code == 0 ? 0
                     : error_set(err, -code, "%s: cannot write: %s", path,
                                 strerror(-code));
}
