/* Particles in the unit cube, and their neighbours by cells of length h. */
#ifndef KERNELS_SUPPORT_PARTICLE_CELLS_H
#define KERNELS_SUPPORT_PARTICLE_CELLS_H

#include <stddef.h>
#include <stdint.h>

struct particle {
    double x[3];
    double inverse; /* 1 / D' */
};

/* Between two steps.  After it, in one piece: particles by number, velocities,
 * particles by cell, where each cell begins. */
struct field {
    struct particle *particle, *sorted;
    double (*velocity)[3];
    int64_t *start; /* of cells + 1 */
};

struct particles {
    int64_t count;
    int cells; /* along an edge of the cube: h is 1 / cells */
};

size_t particles_bytes(const struct particles *p);

/* The parts of a field in memory of so many bytes. */
struct field particles_field(const struct particles *p, const void *memory);

/* The cell of a place; places outside of the cube belong to its outer cells. */
int64_t particles_cell(const struct particles *p, const double x[3]);
int64_t particles_cell_at(const struct particles *p, const int at[3]);

/* Fills sorted and start from particle: by cell, in each in the order of their
 * numbers. */
void particles_sort(const struct particles *p, struct field *f);

/* Cells [from, to] along each edge whose particles may be nearer than h. */
void particles_reach(const struct particles *p, const double x[3], int from[3],
                     int to[3]);

/* Adds what particle j is to i: density, and force in three directions. */
void particles_add(const struct particle *i, const struct particle *j, double h,
                   double sum[4]);

/* The sums of particle i over its neighbours, in the order of cells and in each
 * of numbers.  Returns the pairs that it looked at. */
int64_t particles_gather(const struct particles *p, const struct field *f,
                         int64_t i, double out[4]);

/* Their number without the work. */
double particles_pairs(const struct particles *p, const struct field *f,
                       int64_t i);

#endif
