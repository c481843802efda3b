/* The waves of the heat kernel: columns of a few rows, computed together. */
#ifndef KERNELS_SUPPORT_HEAT_WAVE_H
#define KERNELS_SUPPORT_HEAT_WAVE_H

#include <stdint.h>

/* The fixed values at the ends of each row. */
#define HEAT_LEFT 1.5
#define HEAT_RIGHT 1.25

/* Most rows under way together. */
enum { HEAT_WAVE = 4 };

/* Columns [from, to) of some rows of one time step. */
struct heat_strip {
    const double *old;  /* first row, the step before; may be `now` */
    double *now;        /* first row, this step */
    const double *up;   /* row above, this step */
    const double *down; /* row below, the step before */
    int64_t cols;       /* of the grid; from one row to the next */
    int64_t from, to;
    int64_t ahead; /* distance to the next strip; 0: in the cache anyway */
};

/* Runs a strip of 1 to HEAT_WAVE rows, with at least as many columns. */
typedef void heat_wave_fn(const struct heat_strip *s, int rows);

/* HEAT_WAVE_COPIES copies of one function, for this machine, and for all; the
 * bits are the same.  Where other workers write the rows below, they take turns
 * (heat_wave.c says why). */
enum { HEAT_WAVE_COPIES = 8 };
heat_wave_fn *const *heat_wave_choose(void);
heat_wave_fn *const *heat_wave_plain(void);

/* The copy for the strip with number `turn` of a block.  The number of strips
 * between two uses of one copy always changes. */
static inline heat_wave_fn *heat_wave_turn(heat_wave_fn *const *copies,
                                           int64_t turn)
{
    return copies[turn * (turn + 1) / 2 % HEAT_WAVE_COPIES];
}

#endif
