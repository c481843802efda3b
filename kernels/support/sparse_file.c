/* Matrix Market files (Boisvert, Pozo and Remington, NISTIR 5935, 1996). */
#include "kernels/support/sparse.h"

#include "base/file.h"
#include "base/text.h"
#include "kernels/support/unpack.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct parser {
    struct file_lines lines;
    double bytes; /* the most that the contents can have */
    bool pattern, symmetric, skew;
    int64_t rows, promised; /* entries that the file says it has */
    struct sparse_entry *entry;
    int64_t count; /* entries so far, with mirrored ones */
};

/* The next line that is neither empty nor a comment; -ENODATA: the end. */
static int next_line(struct parser *r, struct error *err)
{
    int code;
    while ((code = file_next_line(&r->lines, err)) > 0) {
        const char *text = r->lines.text + strspn(r->lines.text, " \t");
        if (*text != '\0' && *text != '%')
            return 0;
    }
    return code == 0 ? -ENODATA : code;
}

static int read_kind(struct parser *r, const char *field, const char *symmetry,
                     struct error *err)
{
    r->pattern = strcasecmp(field, "pattern") == 0;
    r->skew = strcasecmp(symmetry, "skew-symmetric") == 0;
    r->symmetric = r->skew || strcasecmp(symmetry, "symmetric") == 0;
    if (!r->pattern && strcasecmp(field, "real") != 0 &&
        strcasecmp(field, "integer") != 0)
        return error_set(err, EINVAL,
                         "entries are '%.20s', allowed are real, integer and "
                         "pattern",
                         field);
    if (!r->symmetric && strcasecmp(symmetry, "general") != 0)
        return error_set(err, EINVAL,
                         "the matrix is '%.20s', allowed are general, "
                         "symmetric and skew-symmetric",
                         symmetry);
    return 0;
}

static int read_header(struct parser *r, struct error *err)
{
    char word[5][32] = {""};
    int code = file_next_line(&r->lines, err);
    if (code < 0)
        return code;
    r->lines.number = 1;
    if (code == 0 ||
        sscanf(r->lines.text, "%31s %31s %31s %31s %31s", word[0], word[1],
               word[2], word[3], word[4]) != 5 ||
        strcasecmp(word[0], "%%MatrixMarket") != 0 ||
        strcasecmp(word[1], "matrix") != 0)
        return error_set(err, EINVAL,
                         "the first line must be '%%%%MatrixMarket matrix "
                         "coordinate FIELD SYMMETRY'");
    if (strcasecmp(word[2], "coordinate") != 0)
        return error_set(err, EINVAL,
                         "the format is '%.20s', allowed is coordinate",
                         word[2]);
    return read_kind(r, word[3], word[4], err);
}

/* Reads a whole number at *text and moves *text past it. */
static bool read_whole(char **text, int64_t *value)
{
    char *end;
    errno = 0;
    *value = strtoll(*text, &end, 10);
    bool good = end != *text && errno == 0;
    *text = end;
    return good;
}

static bool at_end(const char *text)
{
    return text[strspn(text, " \t")] == '\0';
}

/* No file can have more entries than it has bytes for them. */
static int check_size(const struct parser *r, int64_t columns,
                      struct error *err)
{
    if (r->rows != columns)
        return error_set(err, EINVAL,
                         "the matrix has %lld rows and %lld columns, it must "
                         "be square",
                         (long long)r->rows, (long long)columns);
    if (r->rows < 1 || r->rows > INT32_MAX)
        return error_set(err, EINVAL, "%lld rows, allowed are 1 to %d",
                         (long long)r->rows, INT32_MAX);
    if (r->promised < 0)
        return error_set(err, EINVAL, "%lld entries", (long long)r->promised);
    if ((double)r->promised > r->bytes / 4)
        return error_set(err, EINVAL,
                         "%lld entries are promised, more than a file of %.0f "
                         "bytes can have",
                         (long long)r->promised, r->bytes);
    return 0;
}

static int read_size(struct parser *r, const char *what, struct error *err)
{
    int64_t columns;
    struct error why;
    int code = next_line(r, err);
    if (code == -ENODATA)
        return error_set(err, EINVAL, "the line of sizes is missing");
    if (code != 0)
        return code;
    char *text = r->lines.text;
    if (!read_whole(&text, &r->rows) || !read_whole(&text, &columns) ||
        !read_whole(&text, &r->promised) || !at_end(text))
        return error_set(err, EINVAL,
                         "a line of sizes must be 'ROWS COLUMNS ENTRIES'");
    code = check_size(r, columns, err);
    if (code != 0)
        return code;
    double entries = (double)r->promised * (r->symmetric ? 2 : 1);
    code = sparse_fits(what, (double)r->rows, entries, &why);
    if (code == 0)
        r->entry = malloc(((size_t)entries + 1) * sizeof(*r->entry));
    /* The caller names the file: what precedes the colon is dropped. */
    const char *behind = code != 0 ? strstr(why.text, ": ") : NULL;
    if (code != 0 || r->entry == NULL)
        return error_set(err, ENOMEM, "%s",
                         behind != NULL ? behind + 2 : "out of memory");
    return 0;
}

static int read_entry(struct parser *r, struct error *err)
{
    char *text = r->lines.text, *end;
    int64_t row, column;
    double value = 1;
    bool good = read_whole(&text, &row) && read_whole(&text, &column);
    if (good && !r->pattern) {
        value = text_real(text, &end);
        good = end != text;
        text = end;
    }
    if (!good || !at_end(text))
        return error_set(err, EINVAL, "'%.40s' is not 'ROW COLUMN%s'",
                         r->lines.text, r->pattern ? "" : " VALUE");
    if (row < 1 || row > r->rows || column < 1 || column > r->rows)
        return error_set(err, EINVAL,
                         "entry (%lld, %lld) is outside of %lld rows and "
                         "columns",
                         (long long)row, (long long)column, (long long)r->rows);
    if (!isfinite(value))
        return error_set(err, EINVAL, "the value %g is not a finite number",
                         value);
    if (r->skew && row == column && value != 0)
        return error_set(err, EINVAL,
                         "a skew-symmetric matrix has no diagonal, and this is "
                         "entry (%lld, %lld)",
                         (long long)row, (long long)column);
    r->entry[r->count++] =
        (struct sparse_entry){(int32_t)(row - 1), (int32_t)(column - 1), value};
    if (r->symmetric && row != column)
        r->entry[r->count++] =
            (struct sparse_entry){(int32_t)(column - 1), (int32_t)(row - 1),
                                  r->skew ? -value : value};
    return 0;
}

static int read_entries(struct parser *r, struct error *err)
{
    for (int64_t n = 0;; n++) {
        int code = next_line(r, err);
        if (code == -ENODATA && n == r->promised)
            return 0;
        if (code == -ENODATA)
            return error_set(err, EINVAL,
                             "the file ends after %lld of %lld entries",
                             (long long)n, (long long)r->promised);
        if (code == 0 && n == r->promised)
            code = error_set(err, EINVAL, "more entries than the %lld promised",
                             (long long)r->promised);
        if (code == 0)
            code = read_entry(r, err);
        if (code != 0)
            return code;
    }
}

int sparse_read(const char *what, const char *path, struct sparse *matrix,
                struct error *err)
{
    struct parser r = {.count = 0};
    int code = unpack_open(what, path, &r.lines.file, &r.bytes, err);
    if (code != 0)
        return code;
    code = read_header(&r, err);
    if (code == 0)
        code = read_size(&r, what, err);
    if (code == 0)
        code = read_entries(&r, err);
    if (code != 0)
        unpack_blame(r.lines.file, err);
    if (code != 0)
        error_prefix(err, code, "%s: %s:%ld", what, path, r.lines.number);
    else
        code = sparse_make(what, r.rows, r.entry, r.count, matrix, err);
    fclose(r.lines.file);
    file_free_lines(&r.lines);
    free(r.entry);
    return code;
}
