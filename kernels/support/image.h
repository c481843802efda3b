/* Grayscale images as files that a person can look at: PGM, by netpbm's
 * library.  Not for several threads at once: the library keeps one error
 * handler for the process. */
#ifndef KERNELS_SUPPORT_IMAGE_H
#define KERNELS_SUPPORT_IMAGE_H

#include "base/error.h"

#include <stdint.h>

struct image {
    int64_t rows, cols;
    unsigned most; /* white; 0 is black */
};

/* An image file that is being read. */
struct image_reader;

/* Opens a PGM file (P2 or P5, 8 or 16 bits) and reads its size.  Returns 0,
 * -ENOENT, -EIO, -ENOMEM or -EINVAL with a text that opens with "kernel `who`"
 * and names the file. */
int image_open(struct image_reader **reader, const char *who, const char *path,
               struct image *image, struct error *err);

/* Reads the next row of image->cols values up to image->most.  Returns 0 or
 * -EINVAL with a text. */
int image_read_row(struct image_reader *reader, unsigned *gray,
                   struct error *err);

void image_close(struct image_reader *reader);

/* Gives one row of an image to be written. */
typedef void image_row_fn(const void *arg, int64_t row, unsigned *gray);

/* Writes a PGM file (P5) whose name must end in .pgm; `most` is at most 65535.
 * A file that could not be finished is removed.  Returns 0, -EINVAL, -EIO or
 * -ENOMEM with a text. */
int image_write(const char *who, const char *path, const struct image *image,
                image_row_fn *row, const void *arg, struct error *err);

#endif
