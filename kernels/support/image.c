#include "kernels/support/image.h"

#include "base/file.h"
#include "kernels/support/pgm.h"
#include "kernels/support/unpack.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct image_reader {
    FILE *file;
    const char *who, *path; /* owned by the caller */
    struct image image;
    bool plain; /* numbers as text */
    int64_t next_row;
    double most; /* the most bytes that it can have */
};

/* ---- reading ---- */

/* The library would also take other kinds of images. */
static int check_magic(struct image_reader *r, struct error *err)
{
    int first = getc(r->file), second = getc(r->file);
    /* An editor's byte order mark. */
    if (first == 0xEF && second == 0xBB && getc(r->file) == 0xBF) {
        first = getc(r->file);
        second = getc(r->file);
    }
    /* Compressed files cannot be read twice.  These two bytes can be put back:
     * they are still in the stream's memory. */
    r->plain = second == '2';
    if (first == 'P' && r->plain && !pgm_reads_plain)
        return error_set(err, EINVAL,
                         "kernel %s: image '%s' is a plain PGM file (P2), and "
                         "this dlsbench was built without netpbm, which reads "
                         "it: convert it to P5",
                         r->who, r->path);
    if (first == 'P' && (second == '2' || second == '5') &&
        ungetc(second, r->file) == second && ungetc(first, r->file) == first)
        return 0;
    if (ferror(r->file))
        return error_set(err, EINVAL, "kernel %s: image: %s: %s", r->who,
                         r->path, file_why(errno));
    return error_set(
        err, EINVAL,
        "kernel %s: image '%s' is not a PGM file: it does not start with "
        "P2 or P5",
        r->who, r->path);
}

/* The file's length says whether all rows can be there, before memory is
 * allocated: one or two bytes a pixel; in a plain file at least a digit per
 * pixel and a separator between two. */
static int check_length(struct image_reader *r, struct error *err)
{
    long head = ftell(r->file); /* -1: compressed contents */
    double pixels = (double)r->image.rows * (double)r->image.cols;
    double want =
        r->plain ? 2 * pixels - 1 : pixels * (r->image.most > 255 ? 2 : 1);
    double have = r->most - (head > 0 ? (double)head : 0);
    if (have >= want)
        return 0;
    return error_set(err, EINVAL,
                     "kernel %s: image '%s' is cut short: %lld rows of %lld "
                     "pixels are at least %.0f bytes, it has %.0f",
                     r->who, r->path, (long long)r->image.rows,
                     (long long)r->image.cols, want, have);
}

static int read_head(struct image_reader *r, struct error *err)
{
    int code = check_magic(r, err);
    if (code != 0)
        return code;
    const struct image *image = &r->image;
    if (!pgm_read_head(r->file, &r->image) || image->cols < 1 ||
        image->rows < 1 || image->most < 1 || image->most > PGM_MOST)
        return error_set(err, EINVAL,
                         "kernel %s: image '%s' is damaged: its head does not "
                         "give a possible width and height and a maximum up to "
                         "%d",
                         r->who, r->path, PGM_MOST);
    return check_length(r, err);
}

int image_open(struct image_reader **reader, const char *who, const char *path,
               struct image *image, struct error *err)
{
    struct image_reader *r = calloc(1, sizeof(*r));
    if (r == NULL)
        return error_set(err, ENOMEM, "kernel %s: out of memory", who);
    r->who = who;
    r->path = path;
    char what[64];
    snprintf(what, sizeof(what), "kernel %.40s: image", r->who);
    int code = unpack_open(what, r->path, &r->file, &r->most, err);
    if (code == 0)
        code = read_head(r, err);
    if (code != 0) {
        image_close(r);
        return code;
    }
    *image = r->image;
    *reader = r;
    return 0;
}

int image_read_row(struct image_reader *reader, unsigned *gray,
                   struct error *err)
{
    if (!pgm_read_row(reader->file, &reader->image, reader->plain, gray))
        return error_set(
            err, EINVAL,
            "kernel %s: image '%s' is damaged or cut short in row %lld "
            "of %lld",
            reader->who, reader->path, (long long)reader->next_row + 1,
            (long long)reader->image.rows);
    for (int64_t i = 0; i < reader->image.cols; i++)
        if (gray[i] > reader->image.most)
            return error_set(
                err, EINVAL,
                "kernel %s: image '%s' is damaged: row %lld has a value "
                "above its maximum %u",
                reader->who, reader->path, (long long)reader->next_row + 1,
                reader->image.most);
    reader->next_row++;
    /* Even a damaged file may have given all rows. */
    int code = reader->next_row == reader->image.rows
                   ? unpack_blame(reader->file, err)
                   : 0;
    return code == 0 ? 0
                     : error_prefix(err, code, "kernel %s: image '%s'",
                                    reader->who, reader->path);
}

void image_close(struct image_reader *reader)
{
    if (reader->file != NULL)
        fclose(reader->file);
    free(reader);
}

/* ---- writing ---- */

int image_write(const char *who, const char *path, const struct image *image,
                image_row_fn *row, const void *arg, struct error *err)
{
    size_t length = strlen(path);
    if (length <= 4 || strcmp(path + length - 4, ".pgm") != 0)
        return error_set(err, EINVAL,
                         "kernel %s: the image's file '%s' must end in .pgm",
                         who, path);
    unsigned *values = calloc((size_t)image->cols, sizeof(*values));
    if (values == NULL)
        return error_set(err, ENOMEM, "kernel %s: out of memory", who);
    FILE *file = fopen(path, "wb");
    if (file == NULL) {
        free(values);
        return error_set(err, EIO,
                         "kernel %s: image '%s' cannot be written: %s", who,
                         path, strerror(errno));
    }
    errno = 0;
    bool good = pgm_write(file, image, values, row, arg);
    int reason = errno;
    good = fclose(file) == 0 && good;
    reason = reason != 0 ? reason : errno;
    free(values);
    if (good)
        return 0;
    unlink(path);
    return error_set(err, EIO, "kernel %s: image '%s' could not be written: %s",
                     who, path, strerror(reason != 0 ? reason : EIO));
}
