/* The gray image that error diffusion works on: read from a file or made.
 * Values are 0 (black) to DIFFUSION_WHITE. */
#ifndef KERNELS_SUPPORT_GRAY_H
#define KERNELS_SUPPORT_GRAY_H

#include "base/error.h"

#include <stdint.h>

enum { GRAY_SIZE_MAX = 1 << 24 }; /* rows, columns */

struct gray {
    int64_t rows, cols;
    uint16_t *value;  /* rows * cols, with DIFFUSION_PAD more around them */
    uint16_t *memory; /* to be freed */
};

/* Reads a PGM file.  rows and cols are 0, or what they must be.  Checks that
 * image, output and errors fit into memory.  Returns 0, -ENOENT, -EIO,
 * -EINVAL or -ENOMEM with a text. */
int gray_read(struct gray *gray, const char *who, const char *path,
              int64_t rows, int64_t cols, struct error *err);

/* Makes an image with smooth and sharp parts and a little noise, the same on
 * every machine.  Returns 0 or -ENOMEM. */
int gray_make(struct gray *gray, const char *who, int64_t rows, int64_t cols,
              uint64_t seed, struct error *err);

/* Bytes of the image with output and errors. */
double gray_memory(int64_t rows, int64_t cols);

void gray_free(struct gray *gray);

#endif
