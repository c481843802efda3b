/* mandelbrot: the Mandelbrot set, irregular cost.
 *
 *   FOR iy = 0 TO ny-1:  cy = ymin + iy*(ymax - ymin)/(ny - 1)
 *     FOR ix = 0 TO nx-1:  cx = xmin + ix*(xmax - xmin)/(nx - 1)
 *       MSet[ix][iy] = MSetLevel(cx, cy, maxiter)
 *   MSetLevel:  x = y = x2 = y2 = 0, iter = 0
 *     WHILE iter < maxiter AND x2 + y2 < 2.0:
 *       temp = x2 - y2 + cx;  y = 2*x*y + cy;  x = temp
 *       x2 = x*x;  y2 = y*y;  iter = iter + 1
 *
 * Han and Chronopoulos, Scalable Loop Self-Scheduling Schemes Implemented on
 * Large-Scale Clusters, section V.  An iteration is a column (fixed x,
 * axis=re), "the smallest schedulable unit" of the paper, or a line of its
 * outer loop (fixed y, axis=im).  The test x2 + y2 < 2.0 is the paper's: 2.0 is
 * compared with the square of the radius (4.0 is the usual test).  If nx or ny
 * is 1 the formula would divide by 0; the point is then xmin or ymin.
 *
 * No work is skipped: no test for the cardioid, no search for periods, no
 * symmetry.  The loop exists to be scheduled, so every step of the reference is
 * computed.
 *
 * kernels/mandelbrot_lines.c computes many points at once.
 *
 * Bits: a count depends only on its point, with the operations of the paper in
 * its order (no contraction).  Lane, chunk and instruction set do not
 * matter. */
#include "kernels/kernel.h"

#include "kernels/mandelbrot_lines.h"
#include "kernels/support/image.h"
#include "kernels/support/memory_check.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { SIZE, WIDTH, HEIGHT, MAXITER, AXIS, XMIN, XMAX, YMIN, YMAX, ESCAPE };

static const struct spec_param mandelbrot_params[] = {
    [SIZE] = PARAM_WHOLE("size", "2048", 1, 1 << 24, "points along each axis"),
    [WIDTH] =
        PARAM_WHOLE("width", NULL, 1, 1 << 24, "points along x, if not size"),
    [HEIGHT] =
        PARAM_WHOLE("height", NULL, 1, 1 << 24, "points along y, if not size"),
    [MAXITER] =
        PARAM_WHOLE("maxiter", "1000", 0, INT32_MAX, "most steps of a point"),
    [AXIS] = PARAM_WORD("axis", "re", "re|im",
                        "an iteration is a column, fixed x (re), or a line, "
                        "fixed y (im)"),
    [XMIN] = PARAM_REAL("xmin", "-2", -1000, 1000, "left end"),
    [XMAX] = PARAM_REAL("xmax", "2", -1000, 1000, "right end"),
    [YMIN] = PARAM_REAL("ymin", "-2", -1000, 1000, "lower end"),
    [YMAX] = PARAM_REAL("ymax", "2", -1000, 1000, "upper end"),
    [ESCAPE] = PARAM_REAL("escape", "2", 1e-6, 1e6,
                          "a point ends at x*x + y*y >= escape"),
    {0},
};

static void mandelbrot_destroy(void *instance)
{
    struct mandelbrot *m = instance;
    mandelbrot_close(m);
    free(m);
}

static int check_domain(const struct spec *spec, struct error *err)
{
    for (int axis = XMIN; axis <= YMIN; axis += YMIN - XMIN)
        if (spec->value[axis].real > spec->value[axis + 1].real)
            return error_set(
                err, EINVAL, "kernel mandelbrot: %s=%g is above %s=%g",
                mandelbrot_params[axis].key, spec->value[axis].real,
                mandelbrot_params[axis + 1].key, spec->value[axis + 1].real);
    return 0;
}

static int mandelbrot_create(const struct spec *spec, void **instance,
                             struct error *err)
{
    int code = check_domain(spec, err);
    if (code != 0)
        return code;
    struct mandelbrot *m = calloc(1, sizeof(*m));
    if (m == NULL)
        return error_set(err, ENOMEM, "kernel mandelbrot: out of memory");
    const struct spec_value *value = spec->value;
    m->nx = value[value[WIDTH].given ? WIDTH : SIZE].integer;
    m->ny = value[value[HEIGHT].given ? HEIGHT : SIZE].integer;
    m->maxiter = value[MAXITER].integer;
    m->columns = strcmp(value[AXIS].text, "re") == 0;
    m->xmin = value[XMIN].real;
    m->xmax = value[XMAX].real;
    m->ymin = value[YMIN].real;
    m->ymax = value[YMAX].real;
    m->escape = value[ESCAPE].real;
    code = kernel_memory_check("mandelbrot", "the coordinates",
                               mandelbrot_axes_bytes(m), err);
    if (code == 0 && mandelbrot_open(m) != 0)
        code = error_set(err, ENOMEM, "kernel mandelbrot: out of memory");
    if (code == 0)
        *instance = m;
    else
        mandelbrot_destroy(m);
    return code;
}

static int64_t mandelbrot_iterations(const void *instance)
{
    const struct mandelbrot *m = instance;
    return m->columns ? m->nx : m->ny;
}

static size_t mandelbrot_output_bytes(const void *instance)
{
    return (size_t)mandelbrot_points(instance) * sizeof(int32_t);
}

static void mandelbrot_run(const void *instance, void *scratch, int64_t start,
                           int64_t size, void *output,
                           const struct kernel_poll *poll)
{
    (void)scratch;
    mandelbrot_count(instance, start, size, output, poll);
}

/* The paper's MSetLevel, as printed. */
static int32_t count_level(double cx, double cy, int64_t maxiter, double escape)
{
    double x = 0, y = 0, x2 = 0, y2 = 0;
    int32_t iter = 0;
    while (iter < maxiter && x2 + y2 < escape) {
        double temp = x2 - y2 + cx;
        y = 2 * x * y + cy;
        x = temp;
        x2 = x * x;
        y2 = y * y;
        iter++;
    }
    return iter;
}

static void mandelbrot_reference(const void *instance, int64_t start,
                                 int64_t size, void *output)
{
    const struct mandelbrot *m = instance;
    int32_t *counts = output;
    int64_t points = mandelbrot_points(m);
    for (int64_t line = start; line < start + size; line++) {
        for (int64_t point = 0; point < points; point++) {
            int64_t ix = m->columns ? line : point;
            int64_t iy = m->columns ? point : line;
            double cx = mandelbrot_coordinate(ix, m->nx, m->xmin, m->xmax);
            double cy = mandelbrot_coordinate(iy, m->ny, m->ymin, m->ymax);
            *counts++ = count_level(cx, cy, m->maxiter, m->escape);
        }
    }
}

/* ---- a picture ---- */

struct picture {
    const struct mandelbrot *m;
    const int32_t *counts;
};

/* The set itself is black; the longer a point takes to escape, the brighter
 * it is, and the first few steps make most of the difference. */
static void picture_row(const void *arg, int64_t row, unsigned *gray)
{
    const struct picture *p = arg;
    const struct mandelbrot *m = p->m;
    for (int64_t ix = 0; ix < m->nx; ix++) {
        int64_t iy = m->ny - 1 - row; /* y grows upwards */
        int64_t at = m->columns ? ix * m->ny + iy : iy * m->nx + ix;
        int32_t count = p->counts[at];
        gray[ix] =
            count == m->maxiter ? 0 : 255 - (unsigned)(510 / (count + 2));
    }
}

static int mandelbrot_save(const void *instance, const void *output,
                           const char *path, struct error *err)
{
    const struct mandelbrot *m = instance;
    const struct image image = {.rows = m->ny, .cols = m->nx, .most = 255};
    const struct picture picture = {m, output};
    return image_write("mandelbrot", path, &image, picture_row, &picture, err);
}

/* ---- cost ---- */

static double mandelbrot_counted(const void *instance, const void *output)
{
    const int32_t *counts = output;
    int64_t steps = 0;
    for (int64_t i = 0; i < mandelbrot_points(instance); i++)
        steps += counts[i];
    return (double)steps;
}

static double mandelbrot_starts(const void *instance)
{
    return (double)mandelbrot_points(instance);
}

static int mandelbrot_coarse(const void *instance, int64_t points,
                             void **coarse, struct error *err)
{
    const struct mandelbrot *m = instance;
    struct mandelbrot *few = malloc(sizeof(*few));
    if (few != NULL) {
        *few = *m;
        *(m->columns ? &few->ny : &few->nx) = points;
        *coarse = few;
        if (mandelbrot_open(few) == 0)
            return 0;
        mandelbrot_destroy(few);
    }
    return error_set(err, ENOMEM, "kernel mandelbrot: out of memory");
}

/* Four additions or subtractions, three products and the comparison's sum. */
static const struct kernel_cost mandelbrot_cost = {
    .operation = "step",
    .flops = 8,
    .starts = mandelbrot_starts,
    .counted = mandelbrot_counted,
    .coarse = mandelbrot_coarse,
};

const struct kernel_ops kernel_mandelbrot_ops = {
    .name = "mandelbrot",
    .summary = "Mandelbrot set by columns or lines, irregular cost",
    .citation = "Han and Chronopoulos, Scalable Loop Self-Scheduling Schemes "
                "Implemented on Large-Scale Clusters, section V",
    .params = mandelbrot_params,
    .create = mandelbrot_create,
    .destroy = mandelbrot_destroy,
    .iterations = mandelbrot_iterations,
    .output_bytes = mandelbrot_output_bytes,
    .run = mandelbrot_run,
    .reference = mandelbrot_reference,
    .cost = &mandelbrot_cost,
    .save = mandelbrot_save,
};
