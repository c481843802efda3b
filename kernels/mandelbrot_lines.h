/* Lines of the Mandelbrot set, many points at once: the fast body of kernel
 * mandelbrot.  A count depends only on its own point, in which the operations
 * of the formula are made in its order. */
#ifndef KERNELS_MANDELBROT_LINES_H
#define KERNELS_MANDELBROT_LINES_H

#include "kernels/kernel.h"
#include "kernels/mandelbrot_orbits.h"

/* A grid of points, cut into columns or lines. */
struct mandelbrot {
    int64_t nx, ny;
    double xmin, xmax, ymin, ymax;
    double escape;
    int64_t maxiter;
    bool columns;    /* a line has a fixed x */
    double *cx, *cy; /* the points' coordinates, padded */
    mandelbrot_advance_fn *advance;
    int group; /* lanes that advance works on */
};

/* The coordinate of point i of n. */
static inline double mandelbrot_coordinate(int64_t i, int64_t n, double min,
                                           double max)
{
    return n == 1 ? min : min + (double)i * (max - min) / (double)(n - 1);
}

/* Points of a line. */
static inline int64_t mandelbrot_points(const struct mandelbrot *m)
{
    return m->columns ? m->ny : m->nx;
}

/* Bytes of the coordinates of m->nx and m->ny points. */
double mandelbrot_axes_bytes(const struct mandelbrot *m);

/* Makes the coordinates and takes the widest vectors that this processor has;
 * the other fields are set before.  Returns 0 or -ENOMEM; mandelbrot_close
 * frees the coordinates in any case. */
int mandelbrot_open(struct mandelbrot *m);
void mandelbrot_close(struct mandelbrot *m);

/* The counts of lines [start, start + size), line after line. */
void mandelbrot_count(const struct mandelbrot *m, int64_t start, int64_t size,
                      int32_t *counts, const struct kernel_poll *poll);

#endif
