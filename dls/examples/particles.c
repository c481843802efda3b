/* Cells with particles: a cell is an iteration.  Its particles, any number, are
 * sent to the worker that has its chunk, and their new places are sent back.
 *
 *     mpicc particles.c $(pkg-config --cflags --libs libdls-mpich) -lm
 *     mpiexec -n 4 ./a.out gss */
#include <dls_mpi.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CELLS = 400, MOST = 50, STEPS = 3 };

struct particle {
    double place, speed;
};

/* Rank 0 has all cells; the other ranks have those that they moved. */
struct cell {
    int64_t count;
    struct particle particle[MOST];
};

/* ---- a cell as bytes: the count, then the particles ---- */

static size_t measure(void *arg, int64_t i)
{
    const struct cell *cell = arg;
    return sizeof(int64_t) + (size_t)cell[i].count * sizeof(struct particle);
}

static void pack(void *arg, int64_t i, void *to)
{
    const struct cell *cell = arg;
    memcpy(to, &cell[i], measure(arg, i));
}

static void unpack(void *arg, int64_t i, const void *from, size_t bytes)
{
    struct cell *cell = arg;
    memcpy(&cell[i], from, bytes);
}

/* ---- the loop ---- */

static void fill(struct cell *cell)
{
    for (int64_t i = 0; i < CELLS; i++) {
        cell[i].count = i * i * 31 % MOST;
        for (int64_t k = 0; k < cell[i].count; k++)
            cell[i].particle[k] =
                (struct particle){(double)(i + k), sin((double)(i * k))};
    }
}

/* Particles push each other: a cell with twice as many takes four times as
 * long. */
static void move(struct cell *cell)
{
    for (int64_t a = 0; a < cell->count; a++) {
        double push = 0;
        for (int64_t b = 0; b < cell->count; b++)
            push += cell->particle[b].place - cell->particle[a].place;
        cell->particle[a].speed += 1e-3 * push;
    }
    for (int64_t a = 0; a < cell->count; a++)
        cell->particle[a].place += 1e-2 * cell->particle[a].speed;
}

static int step(dls_loop *loop, struct cell *cell)
{
    int64_t begin, end, first;
    const void *input;
    int code;
    while ((code = dls_next(loop, 0, &begin, &end)) == 1) {
        code = dls_input(loop, 0, &input, &first);
        if (code != 0)
            return code;
        const char *at = input;
        for (int64_t i = first; i < end; i++) {
            int64_t count;
            memcpy(&count, at, sizeof(count));
            size_t bytes =
                sizeof(count) + (size_t)count * sizeof(struct particle);
            memcpy(&cell[i], at, bytes);
            at += bytes;
            move(&cell[i]);
        }
    }
    return code != 0 ? code : dls_collect(loop, 0);
}

static void print(const struct cell *cell)
{
    double sum = 0;
    int64_t count = 0;
    for (int64_t i = 0; i < CELLS; i++) {
        count += cell[i].count;
        for (int64_t k = 0; k < cell[i].count; k++)
            sum += cell[i].particle[k].place;
    }
    printf("%lld particles, sum of places %.17g\n", (long long)count, sum);
}

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    struct cell *cell = calloc(CELLS, sizeof(*cell));
    if (rank == 0)
        fill(cell);
    const dls_data data = {.size = sizeof(data),
                           .measure = measure,
                           .pack = pack,
                           .unpack = unpack,
                           .arg = cell};
    const dls_mpi_options mpi = {
        .size = sizeof(mpi), .input = &data, .output = &data};
    dls_loop *loop;
    int code = dls_mpi_open(&loop, MPI_COMM_WORLD, argc > 1 ? argv[1] : "gss",
                            CELLS, 1, NULL, &mpi);
    for (int s = 0; code == 0 && s < STEPS; s++) {
        if (s > 0)
            code = dls_again(loop, CELLS);
        if (code == 0)
            code = step(loop, cell);
    }
    if (code != 0 && rank == 0)
        fprintf(stderr, "%s\n", dls_error(loop));
    if (code == 0 && rank == 0)
        print(cell);
    dls_close(loop, NULL);
    free(cell);
    MPI_Finalize();
    return code != 0;
}
