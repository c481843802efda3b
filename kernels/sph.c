/* sph: density and force of particles that collapse over time steps.
 *
 *   FOR i = 0 TO PARTICLES - 1:  over neighbours j with r < h, q = r / h:
 *       D(i) = SUM (1 - q^2)^3
 *       F(i) = SUM B (1/D'(i) + 1/D'(j)) (1 - q)^2 (X(i) - X(j)) / r
 *
 * Smoothed particle hydrodynamics in gather form (Monaghan 1992), with the
 * density D' of the step before, so one loop does both.  In step 0, D' is that
 * of the start.  Between two steps the particles fall towards the centre:
 *       V += dt (F - K (X - centre)),  X += dt V
 * As they come together each gets more neighbours, in the middle the most.  So
 * costs drift from step to step, for schemes that learn between steps.
 *
 * Neighbours are found by cells of length h, and summed up in the order of
 * cells, then of particles: the bits are the same in every chunk.  An operation
 * is an examined pair. */
#include "kernels/kernel.h"

#include "base/random.h"
#include "kernels/support/memory_check.h"
#include "kernels/support/particle_cells.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { PIECE = 4096 }; /* pairs between two polls, about 20 us */

static const double K = 1, DT = 0.05;

enum { SIZE, STEPS, SEED };

static const struct spec_param sph_params[] = {
    [SIZE] = PARAM_WHOLE("size", "16", 2, 512,
                         "particles along an edge of the cube; size^3 in all"),
    [STEPS] = PARAM_WHOLE("steps", "20", 1, 10000, "time steps"),
    [SEED] = PARAM_WHOLE("seed", "1", 0, 0x1p53, "seed of the first places"),
    {0},
};

struct sph {
    struct particles all;
    int steps;
    uint64_t seed;
    struct field first; /* one piece of memory; starts at particle */
};

/* ---- the instance ---- */

static void sph_destroy(void *instance)
{
    struct sph *s = instance;
    free(s->first.particle);
    free(s);
}

static int64_t sph_count(const struct spec *spec)
{
    int64_t size = spec->value[SIZE].integer;
    return size * size * size;
}

/* The particles at the start, and those of a step. */
static double sph_memory(const struct spec *spec)
{
    double cells = (double)(spec->value[SIZE].integer / 2 + 1);
    return 2 * (88 * (double)sph_count(spec) + 8 * cells * cells * cells);
}

/* Places particles on a lattice, each a little off its point. */
static void place_particles(struct sph *s, int64_t size, struct field *f)
{
    uint64_t seed = s->seed + 1;
    for (int64_t i = 0; i < s->all.count; i++) {
        const int64_t at[] = {i / size / size, i / size % size, i % size};
        for (int k = 0; k < 3; k++) {
            double off = 0.5 + 0.4 * (random_real(&seed) - 0.5);
            f->particle[i].x[k] = ((double)at[k] + off) / (double)size;
            f->velocity[i][k] = 0;
        }
        f->particle[i].inverse = 1;
    }
    particles_sort(&s->all, f);
}

static int sph_create(const struct spec *spec, void **instance,
                      struct error *err)
{
    int64_t size = spec->value[SIZE].integer;
    int code =
        kernel_memory_check("sph", "the particles", sph_memory(spec), err);
    if (code != 0)
        return code;
    struct sph *s = calloc(1, sizeof(*s));
    if (s == NULL)
        return error_set(err, ENOMEM, "kernel sph: out of memory");
    s->all.count = sph_count(spec);
    s->all.cells = size > 3 ? (int)(size / 2) : 1;
    s->steps = (int)spec->value[STEPS].integer;
    s->seed = (uint64_t)spec->value[SEED].integer;
    void *memory = calloc(1, particles_bytes(&s->all));
    if (memory == NULL) {
        sph_destroy(s);
        return error_set(err, ENOMEM, "kernel sph: out of memory");
    }
    s->first = particles_field(&s->all, memory);
    place_particles(s, size, &s->first);
    for (int64_t i = 0; i < s->all.count; i++) {
        double out[4];
        particles_gather(&s->all, &s->first, i, out);
        s->first.particle[i].inverse = 1 / out[0];
    }
    particles_sort(&s->all, &s->first);
    *instance = s;
    return 0;
}

static int64_t sph_iterations(const void *instance)
{
    const struct sph *s = instance;
    return s->all.count;
}

static size_t sph_output_bytes(const void *instance)
{
    (void)instance;
    return 4 * sizeof(double);
}

/* ---- steps ---- */

static int step_count(const void *instance)
{
    const struct sph *s = instance;
    return s->steps;
}

static size_t step_bytes(const void *instance)
{
    const struct sph *s = instance;
    return particles_bytes(&s->all);
}

static void step_begin(const void *instance, void *state)
{
    const struct sph *s = instance;
    memcpy(state, s->first.particle, particles_bytes(&s->all));
}

static void step_run(const void *instance, const void *state, int64_t start,
                     int64_t size, void *output, const struct kernel_poll *poll)
{
    const struct sph *s = instance;
    const struct field f = particles_field(&s->all, state);
    double(*out)[4] = output;
    int64_t due = PIECE;
    for (int64_t i = 0; i < size; i++) {
        due -= particles_gather(&s->all, &f, start + i, out[i]);
        if (due > 0)
            continue;
        kernel_poll(poll);
        due = PIECE;
    }
}

static void move_particle(struct particle *p, double velocity[3],
                          const double out[4])
{
    p->inverse = 1 / out[0];
    for (int k = 0; k < 3; k++) {
        velocity[k] += DT * (out[k + 1] - K * (p->x[k] - 0.5));
        p->x[k] += DT * velocity[k];
    }
}

static void step_advance(const void *instance, void *state, const void *output)
{
    const struct sph *s = instance;
    const double(*out)[4] = output;
    struct field f = particles_field(&s->all, state);
    for (int64_t i = 0; i < s->all.count; i++)
        move_particle(&f.particle[i], f.velocity[i], out[i]);
    particles_sort(&s->all, &f);
}

/* Moved and sorted, a particle takes as long as 5.6 to 8.2 pairs, measured. */
static double advance_operations(const void *instance)
{
    const struct sph *s = instance;
    return 6 * (double)s->all.count;
}

static double step_operations(const void *instance, const void *state,
                              int64_t iteration)
{
    const struct sph *s = instance;
    const struct field f = particles_field(&s->all, state);
    return particles_pairs(&s->all, &f, iteration);
}

static void sph_run(const void *instance, void *scratch, int64_t start,
                    int64_t size, void *output, const struct kernel_poll *poll)
{
    (void)scratch;
    const struct sph *s = instance;
    step_run(s, s->first.particle, start, size, output, poll);
}

static double sph_operations(const void *instance, int64_t iteration)
{
    const struct sph *s = instance;
    return particles_pairs(&s->all, &s->first, iteration);
}

/* ---- the reference: neighbours from a sorted list, no cells ---- */

struct keyed {
    int64_t cell, number;
};

static int compare_keyed(const void *a, const void *b)
{
    const struct keyed *x = a, *y = b;
    if (x->cell != y->cell)
        return x->cell < y->cell ? -1 : 1;
    return (x->number > y->number) - (x->number < y->number);
}

static void plain_sum(const struct sph *s, const struct particle *particle,
                      const struct keyed *list, int64_t i, double out[4])
{
    int from[3], to[3], at[3];
    memset(out, 0, 4 * sizeof(*out));
    particles_reach(&s->all, particle[i].x, from, to);
    for (at[0] = from[0]; at[0] <= to[0]; at[0]++)
        for (at[1] = from[1]; at[1] <= to[1]; at[1]++)
            for (at[2] = from[2]; at[2] <= to[2]; at[2]++) {
                int64_t low = 0, high = s->all.count,
                        cell = particles_cell_at(&s->all, at);
                while (low < high) {
                    int64_t middle = (low + high) / 2;
                    if (list[middle].cell < cell)
                        low = middle + 1;
                    else
                        high = middle;
                }
                for (; low < s->all.count && list[low].cell == cell; low++)
                    particles_add(&particle[i], &particle[list[low].number],
                                  1.0 / s->all.cells, out);
            }
}

static void plain_steps(const struct sph *s, struct particle *particle,
                        double (*velocity)[3], struct keyed *list,
                        int64_t start, int64_t size, double (*out)[4])
{
    int64_t n = s->all.count;
    for (int step = 0; step < s->steps; step++) {
        for (int64_t i = 0; step > 0 && i < n; i++)
            move_particle(&particle[i], velocity[i], out[i]);
        for (int64_t i = 0; i < n; i++)
            list[i] = (struct keyed){particles_cell(&s->all, particle[i].x), i};
        qsort(list, (size_t)n, sizeof(*list), compare_keyed);
        for (int64_t i = 0; i < size; i++)
            plain_sum(s, particle, list, start + i, out[i]);
    }
}

/* With several steps the call has all particles, with one step any range. */
static void sph_reference(const void *instance, int64_t start, int64_t size,
                          void *output)
{
    const struct sph *s = instance;
    size_t n = (size_t)s->all.count;
    struct particle *particle = malloc(n * sizeof(*particle));
    double(*velocity)[3] = calloc(n, sizeof(*velocity));
    struct keyed *list = malloc(n * sizeof(*list));
    if (particle != NULL && velocity != NULL && list != NULL) {
        memcpy(particle, s->first.particle, n * sizeof(*particle));
        plain_steps(s, particle, velocity, list, start, size, output);
    } /* else the check finds the wrong result */
    free(particle);
    free(velocity);
    free(list);
}

static const struct kernel_steps sph_steps = {
    .count = step_count,
    .state_bytes = step_bytes,
    .begin = step_begin,
    .run = step_run,
    .advance = step_advance,
    .advance_operations = advance_operations,
    .operations = step_operations,
};

/* For most pairs only the distance is computed. */
static const struct kernel_cost sph_cost = {
    .operation = "pair of particles",
    .flops = 10,
    .operations = sph_operations,
};

const struct kernel_ops kernel_sph_ops = {
    .name = "sph",
    .summary = "density and force of particles that collapse: costs drift",
    .citation = "Monaghan, Annu. Rev. Astron. Astrophys. 30, 1992",
    .params = sph_params,
    .memory = sph_memory,
    .count = sph_count,
    .create = sph_create,
    .destroy = sph_destroy,
    .iterations = sph_iterations,
    .output_bytes = sph_output_bytes,
    .run = sph_run,
    .reference = sph_reference,
    .cost = &sph_cost,
    .steps = &sph_steps,
};
