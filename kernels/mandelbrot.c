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
 * outer loop (fixed y, axis=im).  The test x2 + y2 < 2.0 is the paper's: 2.0
 * is compared with the square of the radius (4.0 is the usual test).  Where
 * nx or ny is 1 the formula would divide by 0; the point is xmin or ymin.
 *
 * No work is skipped: no test for the cardioid, no search for periods, no
 * symmetry.  The loop is there to be scheduled, and every step of the
 * reference is made.
 *
 * Speed.  The plain loop waits for one chain of about 10 cycles per step.
 * Measured against it, at 2048 x 2048 and maxiter 1000 (406 million steps) on
 * Zen 3 with AVX2: 7.2 times faster with gcc 12 and clang 14, nine tenths of
 * the time in the inner loop.
 * Here many points are under way at once, in SIMD lanes and in interleaved
 * vectors (mandelbrot_lanes.inc), limited by the vector pipes.  Points of one
 * line differ in cost by a factor of maxiter, so a lane whose orbit has ended
 * takes the next point of its line and never waits for its neighbours.  Most
 * points end within the first steps; these are computed in groups and never
 * get a lane.  Lanes are not filled from the next line: the cost of an
 * iteration would then depend on the chunk it is in, and schemes could not
 * be compared.
 *
 * Bits: a count depends only on its own point, in which the operations of the
 * paper are made in its order (no contraction), so that neither the lane nor
 * the chunk nor the instruction set matters. */
#include "kernels/kernel.h"

#include "kernels/support/image.h"
#include "kernels/support/memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define TARGET
#define LANES 2
#include "kernels/mandelbrot_lanes.inc"
#undef TARGET
#undef LANES
#ifdef __x86_64__
#define TARGET __attribute__((target("avx2")))
#define LANES 4
#include "kernels/mandelbrot_lanes.inc"
#undef TARGET
#undef LANES
#define TARGET __attribute__((target("avx512f")))
#define LANES 8
#include "kernels/mandelbrot_lanes.inc"
#undef TARGET
#undef LANES
#endif

enum {
    /* Steps that a group makes together: a glance that ends most groups, and
     * the test that a point must survive to get a lane. */
    GLANCE = 2,
    FILTER = 8,
    /* Steps between two looks for ended lanes. */
    STRETCH = 32,
    /* Groups and looks between two polls: 15 us at about 100 ns each. */
    POLL_INTERVAL = 150,
};

enum { SIZE, WIDTH, HEIGHT, MAXITER, AXIS, XMIN, XMAX, YMIN, YMAX, ESCAPE };

static const struct spec_param mandelbrot_params[] = {
    [SIZE] = {.key = "size",
              .type = SPEC_INTEGER,
              .fallback = "2048",
              .min = 1,
              .max = 1 << 24,
              .help = "points along each axis"},
    [WIDTH] = {.key = "width",
               .type = SPEC_INTEGER,
               .min = 1,
               .max = 1 << 24,
               .help = "points along x, if not size"},
    [HEIGHT] = {.key = "height",
                .type = SPEC_INTEGER,
                .min = 1,
                .max = 1 << 24,
                .help = "points along y, if not size"},
    [MAXITER] = {.key = "maxiter",
                 .type = SPEC_INTEGER,
                 .fallback = "1000",
                 .min = 0,
                 .max = INT32_MAX,
                 .help = "most steps of a point"},
    [AXIS] = {.key = "axis",
              .type = SPEC_CHOICE,
              .fallback = "re",
              .choices = "re|im",
              .help = "an iteration is a column, fixed x (re), or a line, "
                      "fixed y (im)"},
    [XMIN] = {.key = "xmin",
              .type = SPEC_REAL,
              .fallback = "-2",
              .min = -1000,
              .max = 1000,
              .help = "left end"},
    [XMAX] = {.key = "xmax",
              .type = SPEC_REAL,
              .fallback = "2",
              .min = -1000,
              .max = 1000,
              .help = "right end"},
    [YMIN] = {.key = "ymin",
              .type = SPEC_REAL,
              .fallback = "-2",
              .min = -1000,
              .max = 1000,
              .help = "lower end"},
    [YMAX] = {.key = "ymax",
              .type = SPEC_REAL,
              .fallback = "2",
              .min = -1000,
              .max = 1000,
              .help = "upper end"},
    [ESCAPE] = {.key = "escape",
                .type = SPEC_REAL,
                .fallback = "2",
                .min = 1e-6,
                .max = 1e6,
                .help = "a point ends at x*x + y*y >= escape"},
    {0},
};

struct mandelbrot {
    int64_t nx, ny;
    double xmin, xmax, ymin, ymax;
    double escape;
    int64_t maxiter;
    bool columns;    /* axis=re */
    double *cx, *cy; /* the points' coordinates, padded */
    mandelbrot_advance_fn *advance;
    int group; /* lanes that advance works on */
};

static double coordinate(int64_t i, int64_t n, double min, double max)
{
    return n == 1 ? min : min + (double)i * (max - min) / (double)(n - 1);
}

/* Groups read past the end: the padding repeats the last point. */
static double *make_axis(int64_t n, double min, double max)
{
    size_t padded = (size_t)n + MANDELBROT_LANES_MAX;
    double *c = malloc(padded * sizeof(*c));
    if (c == NULL)
        return NULL;
    for (size_t i = 0; i < padded; i++)
        c[i] = coordinate((int64_t)i < n ? (int64_t)i : n - 1, n, min, max);
    return c;
}

static void choose_advance(struct mandelbrot *m)
{
    m->advance = mandelbrot_advance_2;
    m->group = 2 * MANDELBROT_VECTORS;
#ifdef __x86_64__
    if (__builtin_cpu_supports("avx512f")) {
        m->advance = mandelbrot_advance_8;
        m->group = 8 * MANDELBROT_VECTORS;
    } else if (__builtin_cpu_supports("avx2")) {
        m->advance = mandelbrot_advance_4;
        m->group = 4 * MANDELBROT_VECTORS;
    }
#endif
}

static void mandelbrot_destroy(void *instance)
{
    struct mandelbrot *m = instance;
    free(m->cx);
    free(m->cy);
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

static void read_spec(struct mandelbrot *m, const struct spec *spec)
{
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
    read_spec(m, spec);
    choose_advance(m);
    double bytes = (double)(m->nx + m->ny + 2 * MANDELBROT_LANES_MAX) * 8;
    code = kernel_memory_check("mandelbrot", "the coordinates", bytes, err);
    if (code != 0)
        goto err_destroy;
    m->cx = make_axis(m->nx, m->xmin, m->xmax);
    m->cy = make_axis(m->ny, m->ymin, m->ymax);
    if (m->cx == NULL || m->cy == NULL) {
        code = error_set(err, ENOMEM, "kernel mandelbrot: out of memory");
        goto err_destroy;
    }
    *instance = m;
    return 0;

err_destroy:
    mandelbrot_destroy(m);
    return code;
}

static int64_t mandelbrot_iterations(const void *instance)
{
    const struct mandelbrot *m = instance;
    return m->columns ? m->nx : m->ny;
}

/* Points of an iteration. */
static int64_t line_points(const struct mandelbrot *m)
{
    return m->columns ? m->ny : m->nx;
}

static size_t mandelbrot_output_bytes(const void *instance)
{
    return (size_t)line_points(instance) * sizeof(int32_t);
}

/* Polls after a fixed amount of work, also from one line to the next. */
struct pace {
    const struct kernel_poll *poll;
    int due;
};

static void pace_tick(struct pace *pace)
{
    if (--pace->due > 0)
        return;
    pace->due = POLL_INTERVAL;
    kernel_poll(pace->poll);
}

/* The points of one line, in order, a group at a time. */
struct source {
    const struct mandelbrot *m;
    int64_t line; /* the iteration */
    int32_t *counts;
    int64_t next; /* first point after the group */
    int taken;    /* points of the group that were looked at */
    struct mandelbrot_orbits group;
};

static void start_group(struct source *s)
{
    const struct mandelbrot *m = s->m;
    struct mandelbrot_orbits *o = &s->group;
    double *along = m->columns ? o->cy : o->cx;
    double *across = m->columns ? o->cx : o->cy;
    const double *points = (m->columns ? m->cy : m->cx) + s->next;
    double fixed = (m->columns ? m->cx : m->cy)[s->line];
    for (int i = 0; i < m->group; i++) {
        along[i] = points[i];
        across[i] = fixed;
        o->x[i] = o->y[i] = 0;
        o->alive[i] = -1;
        o->count[i] = 0;
    }
}

static bool any_alive(const struct mandelbrot_orbits *o, int group)
{
    int64_t any = 0;
    for (int i = 0; i < group; i++)
        any |= o->alive[i];
    return any != 0;
}

/* Makes the first steps of the next group and writes all its counts; surviving
 * points are found in the group and write theirs again when they end. */
static void next_group(struct source *s)
{
    const struct mandelbrot *m = s->m;
    start_group(s);
    m->advance(&s->group, GLANCE, m->escape, m->maxiter);
    s->taken = m->group;
    if (any_alive(&s->group, m->group)) {
        m->advance(&s->group, FILTER - GLANCE, m->escape, m->maxiter);
        s->taken = 0;
    }
    int64_t left = line_points(m) - s->next;
    int n = left < m->group ? (int)left : m->group;
    for (int i = 0; i < n; i++) {
        int64_t count = s->group.count[i];
        s->counts[s->next + i] =
            (int32_t)(count < m->maxiter ? count : m->maxiter);
    }
    s->next += m->group;
}

/* Finds the next surviving point: its place in the group, or -1 at the end of
 * the line. */
static int next_point(struct source *s, struct pace *pace)
{
    const struct mandelbrot *m = s->m;
    int64_t points = line_points(m);
    for (;;) {
        while (s->taken < m->group) {
            int i = s->taken++;
            if (s->group.alive[i] != 0 && s->group.count[i] < m->maxiter &&
                s->next - m->group + i < points)
                return i;
        }
        if (s->next >= points)
            return -1;
        next_group(s);
        pace_tick(pace);
    }
}

/* Orbits under way, and the point that each lane works on. */
struct flight {
    struct mandelbrot_orbits orbits;
    int64_t point[MANDELBROT_LANES_MAX]; /* -1: idle */
    int busy;
};

/* An idle lane stays at the fixed point 0 and never counts to maxiter. */
static void fill_lane(struct flight *f, int lane, struct source *s,
                      struct pace *pace)
{
    struct mandelbrot_orbits *to = &f->orbits;
    const struct mandelbrot_orbits *from = &s->group;
    int i = next_point(s, pace);
    bool idle = i < 0;
    to->x[lane] = idle ? 0 : from->x[i];
    to->y[lane] = idle ? 0 : from->y[i];
    to->cx[lane] = idle ? 0 : from->cx[i];
    to->cy[lane] = idle ? 0 : from->cy[i];
    to->count[lane] = idle ? INT64_MIN / 2 : from->count[i];
    to->alive[lane] = -1;
    f->point[lane] = idle ? -1 : s->next - s->m->group + i;
    f->busy += !idle;
}

static void replace_ended(struct flight *f, struct source *s, struct pace *pace)
{
    const struct mandelbrot *m = s->m;
    for (int lane = 0; lane < m->group; lane++) {
        int64_t count = f->orbits.count[lane];
        if (f->orbits.alive[lane] != 0 && count < m->maxiter)
            continue;
        /* A lane may have counted past maxiter since the last look. */
        s->counts[f->point[lane]] =
            (int32_t)(count < m->maxiter ? count : m->maxiter);
        f->busy--;
        fill_lane(f, lane, s, pace);
    }
}

static void run_line(const struct mandelbrot *m, int64_t line, int32_t *counts,
                     struct pace *pace)
{
    struct source source = {
        .m = m, .line = line, .counts = counts, .taken = m->group};
    struct flight flight = {.busy = 0};
    for (int lane = 0; lane < m->group; lane++)
        fill_lane(&flight, lane, &source, pace);
    while (flight.busy > 0) {
        if (m->advance(&flight.orbits, STRETCH, m->escape, m->maxiter))
            replace_ended(&flight, &source, pace);
        pace_tick(pace);
    }
}

static void mandelbrot_run(const void *instance, void *scratch, int64_t start,
                           int64_t size, void *output,
                           const struct kernel_poll *poll)
{
    (void)scratch;
    const struct mandelbrot *m = instance;
    struct pace pace = {poll, POLL_INTERVAL};
    int32_t *counts = output;
    for (int64_t i = 0; i < size; i++)
        run_line(m, start + i, counts + i * line_points(m), &pace);
}

/* The paper's MSetLevel, as printed. */
static int32_t level(double cx, double cy, int64_t maxiter, double escape)
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
    int64_t points = line_points(m);
    for (int64_t line = start; line < start + size; line++) {
        for (int64_t point = 0; point < points; point++) {
            int64_t ix = m->columns ? line : point;
            int64_t iy = m->columns ? point : line;
            double cx = coordinate(ix, m->nx, m->xmin, m->xmax);
            double cy = coordinate(iy, m->ny, m->ymin, m->ymax);
            *counts++ = level(cx, cy, m->maxiter, m->escape);
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
    for (int64_t i = 0; i < line_points(instance); i++)
        steps += counts[i];
    return (double)steps;
}

static double mandelbrot_starts(const void *instance)
{
    return (double)line_points(instance);
}

static int mandelbrot_coarse(const void *instance, int64_t points,
                             void **coarse, struct error *err)
{
    const struct mandelbrot *m = instance;
    struct mandelbrot *few = malloc(sizeof(*few));
    if (few != NULL) {
        *few = *m;
        *(m->columns ? &few->ny : &few->nx) = points;
        few->cx = make_axis(few->nx, m->xmin, m->xmax);
        few->cy = make_axis(few->ny, m->ymin, m->ymax);
        *coarse = few;
        if (few->cx != NULL && few->cy != NULL)
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
