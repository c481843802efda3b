/* Error diffusion after Floyd and Steinberg over some columns of some rows,
 * several rows under way together.
 *
 * Gray is counted in sixteenths of the 255 levels: black is 0, white 4080.  A
 * pixel's value is its gray plus what its neighbours pass on,
 *     (7 e(r, c-1) + 3 e(r-1, c+1) + 5 e(r-1, c) + e(r-1, c-1) + 8) >> 4,
 * where e is a pixel's error: its value less 4080 if it became white, which it
 * does from 2040 on.  Outside the image e is 0.  The weighted errors are added
 * first and then rounded once, so that the order of the pixels does not
 * matter.  |e| <= 2040, hence the sum is at most 16 * 2040 + 8 and fits into
 * 16 bits. */
#ifndef KERNELS_SUPPORT_ERROR_DIFFUSION_H
#define KERNELS_SUPPORT_ERROR_DIFFUSION_H

#include <stdint.h>

enum {
    DIFFUSION_ROWS = 8, /* most rows under way together */
    DIFFUSION_WHITE = 4080,
    DIFFUSION_HALF = 2040,
    /* Gray values that can be read before the first and after the last one of
     * an image; they do not matter. */
    DIFFUSION_PAD = 32,
    /* Pixels of a piece of work about: 16 us. */
    DIFFUSION_PIECE = 4096 * DIFFUSION_ROWS,
};

/* The errors of the last two columns that a row has done. */
struct diffusion_carry {
    int16_t last, before;
};

struct diffusion {
    int64_t cols;                  /* of the image */
    const uint16_t *gray;          /* first row */
    uint8_t *pixels;               /* first row; 0 or 255 */
    const int16_t *up;             /* errors of the row above, -1 to cols */
    int16_t *down;                 /* errors of the last row; may be up if
                                      there are at least two rows */
    struct diffusion_carry *carry; /* one per row, from block to block */
    int64_t from, to;
    int64_t ahead; /* distance to the next rows that will be run, in pixels */
    /* Called after every piece of work; required. */
    void (*done)(void *arg, int64_t pixels);
    void *arg;
};

/* Row k (0 <= k < rows <= DIFFUSION_ROWS) does columns [from - k, to - k)
 * within the image.  Reads `up` only as far as column `to`. */
void diffusion_run(struct diffusion *d, int rows);

/* The same for any number of rows, without down and ahead.  The errors of row k
 * - 1 are k * stride behind `errors`, kept for every DIFFUSION_ROWS-th row and
 * the last; the errors above the first row are read from `up`. */
void diffusion_run_block(const struct diffusion *d, int64_t rows,
                         int16_t *errors, int64_t stride);

/* How many of `rows` rows, from the first on, diffusion_run_band can do: where
 * the block is neither too narrow nor near the image's edges.  0: none. */
int64_t diffusion_band(const struct diffusion *d, int64_t rows);

/* As diffusion_run_block for rows that diffusion_band allows, faster.  Pixels
 * to the right of the block may be spoilt, not beyond the end of a row. */
void diffusion_run_band(const struct diffusion *d, int64_t rows,
                        int16_t *errors, int64_t stride);

#endif
