/* Head and rows of PGM files, without checks: by netpbm's library or, without
 * it, by our code for P5.  False: the file is damaged, or errno says why it
 * cannot be written. */
#ifndef KERNELS_SUPPORT_PGM_H
#define KERNELS_SUPPORT_PGM_H

#include "kernels/support/image.h"

#include <stdbool.h>
#include <stdio.h>

enum { PGM_MOST = 65535 };

/* Whether numbers as text (P2) are read. */
extern const bool pgm_reads_plain;

bool pgm_read_head(FILE *file, struct image *image);
bool pgm_read_row(FILE *file, const struct image *image, bool plain,
                  unsigned *values);

/* `values`: room for a row. */
bool pgm_write(FILE *file, const struct image *image, unsigned *values,
               image_row_fn *row, const void *arg);

#endif
