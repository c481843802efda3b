/* Orbits of the Mandelbrot set in the lanes of a few vectors. */
#ifndef KERNELS_MANDELBROT_ORBITS_H
#define KERNELS_MANDELBROT_ORBITS_H

#include <stdbool.h>
#include <stdint.h>

enum {
    /* Vectors computed together: of 8 lanes, of fewer. */
    MANDELBROT_VECTORS_8 = 5,
    MANDELBROT_VECTORS = 3,
    MANDELBROT_LANES_MAX = 8 * MANDELBROT_VECTORS_8,
};

/* Orbits in flight, one per lane; LANES times the vectors are in use. */
struct mandelbrot_orbits {
    _Alignas(64) double x[MANDELBROT_LANES_MAX];
    double y[MANDELBROT_LANES_MAX];
    double cx[MANDELBROT_LANES_MAX];
    double cy[MANDELBROT_LANES_MAX];
    int64_t alive[MANDELBROT_LANES_MAX]; /* -1: not escaped yet, else 0 */
    int64_t count[MANDELBROT_LANES_MAX];
};

/* Makes `steps` steps of every active orbit.  Returns whether a lane has ended:
 * its orbit escaped or counted to maxiter. */
typedef bool mandelbrot_advance_fn(struct mandelbrot_orbits *o, int steps,
                                   double escape, int64_t maxiter);

#endif
