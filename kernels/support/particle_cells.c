#include "kernels/support/particle_cells.h"

#include <math.h>
#include <string.h>

/* The factor of the pressure. */
static const double B = 0.02;

static int64_t cell_count(const struct particles *p)
{
    return (int64_t)p->cells * p->cells * p->cells;
}

size_t particles_bytes(const struct particles *p)
{
    size_t n = (size_t)p->count;
    return n * (2 * sizeof(struct particle) + 3 * sizeof(double)) +
           ((size_t)cell_count(p) + 1) * sizeof(int64_t);
}

struct field particles_field(const struct particles *p, const void *memory)
{
    size_t n = (size_t)p->count;
    struct field f = {.particle = (struct particle *)(uintptr_t)memory};
    f.sorted = f.particle + n;
    f.velocity = (double(*)[3])(f.sorted + n);
    f.start = (int64_t *)(f.velocity + n);
    return f;
}

/* ---- cells ---- */

static int line_cell(const struct particles *p, double x)
{
    int c = (int)floor(fmin(fmax(x, 0), 1) * p->cells);
    return c < p->cells ? c : p->cells - 1;
}

int64_t particles_cell_at(const struct particles *p, const int at[3])
{
    return ((int64_t)at[0] * p->cells + at[1]) * p->cells + at[2];
}

int64_t particles_cell(const struct particles *p, const double x[3])
{
    const int at[] = {line_cell(p, x[0]), line_cell(p, x[1]),
                      line_cell(p, x[2])};
    return particles_cell_at(p, at);
}

void particles_sort(const struct particles *p, struct field *f)
{
    int64_t cells = cell_count(p);
    memset(f->start, 0, ((size_t)cells + 1) * sizeof(*f->start));
    for (int64_t i = 0; i < p->count; i++)
        f->start[particles_cell(p, f->particle[i].x)]++;
    int64_t before = 0;
    for (int64_t c = 0; c <= cells; c++) {
        int64_t count = f->start[c];
        f->start[c] = before;
        before += count;
    }
    for (int64_t i = 0; i < p->count; i++)
        f->sorted[f->start[particles_cell(p, f->particle[i].x)]++] =
            f->particle[i];
    memmove(f->start + 1, f->start, (size_t)cells * sizeof(*f->start));
    f->start[0] = 0;
}

void particles_reach(const struct particles *p, const double x[3], int from[3],
                     int to[3])
{
    for (int d = 0; d < 3; d++) {
        int c = line_cell(p, x[d]);
        from[d] = c > 0 ? c - 1 : 0;
        to[d] = c + 1 < p->cells ? c + 1 : c;
    }
}

/* ---- one particle ---- */

static inline void add_pair(const struct particle *i, const struct particle *j,
                            double h, double out[4])
{
    double d[3], square = 0;
    for (int k = 0; k < 3; k++) {
        d[k] = i->x[k] - j->x[k];
        square += d[k] * d[k];
    }
    double rest = 1 - square / (h * h);
    if (rest <= 0)
        return;
    out[0] += rest * rest * rest;
    if (square == 0)
        return; /* the particle itself */
    double r = sqrt(square), far = 1 - r / h;
    double force = B * (i->inverse + j->inverse) * (far * far) / r;
    for (int k = 0; k < 3; k++)
        out[k + 1] += force * d[k];
}

void particles_add(const struct particle *i, const struct particle *j, double h,
                   double sum[4])
{
    add_pair(i, j, h, sum);
}

int64_t particles_gather(const struct particles *p, const struct field *f,
                         int64_t i, double out[4])
{
    const struct particle own = f->particle[i];
    double sum[4] = {0}, h = 1.0 / p->cells;
    int from[3], to[3], at[3];
    int64_t pairs = 0;
    particles_reach(p, own.x, from, to);
    for (at[0] = from[0]; at[0] <= to[0]; at[0]++)
        for (at[1] = from[1]; at[1] <= to[1]; at[1]++) {
            at[2] = from[2]; /* cells of a line are neighbours in memory */
            int64_t cell = particles_cell_at(p, at);
            int64_t k = f->start[cell];
            int64_t end = f->start[cell + to[2] - from[2] + 1];
            pairs += end - k;
            for (; k < end; k++)
                add_pair(&own, &f->sorted[k], h, sum);
        }
    memcpy(out, sum, sizeof(sum));
    return pairs;
}

double particles_pairs(const struct particles *p, const struct field *f,
                       int64_t i)
{
    int from[3], to[3], at[3];
    int64_t pairs = 0;
    particles_reach(p, f->particle[i].x, from, to);
    for (at[0] = from[0]; at[0] <= to[0]; at[0]++)
        for (at[1] = from[1]; at[1] <= to[1]; at[1]++) {
            at[2] = from[2];
            int64_t cell = particles_cell_at(p, at);
            pairs += f->start[cell + to[2] - from[2] + 1] - f->start[cell];
        }
    return (double)pairs;
}
