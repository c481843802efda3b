/* The Mandelbrot set over ranks and their OpenMP threads: a row is an
 * iteration, and rank 0 collects the picture.
 *
 *     mpicc -fopenmp mandelbrot.c $(pkg-config --cflags --libs libdls-mpich)
 *     mpiexec -n 4 ./a.out fss */
#include <dls_mpi.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROWS = 300, COLUMNS = 300, STEPS = 500 };

static int escape(double cr, double ci)
{
    double zr = 0, zi = 0;
    int step = 0;
    for (; step < STEPS && zr * zr + zi * zi < 4; step++) {
        double r = zr * zr - zi * zi + cr;
        zi = 2 * zr * zi + ci;
        zr = r;
    }
    return step;
}

static void compute_row(int *picture, int64_t row)
{
    for (int column = 0; column < COLUMNS; column++)
        picture[row * COLUMNS + column] =
            escape(-2 + 3.0 * column / COLUMNS, -1.5 + 3.0 * row / ROWS);
}

static long long sum_of(const int *picture)
{
    long long sum = 0;
    for (int i = 0; i < ROWS * COLUMNS; i++)
        sum += picture[i];
    return sum;
}

int main(int argc, char **argv)
{
    int level, rank, code;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int threads = omp_get_max_threads();
    int *picture = calloc((size_t)ROWS * COLUMNS, sizeof(*picture));
    const dls_data rows = {.size = sizeof(rows),
                           .bytes = COLUMNS * sizeof(*picture),
                           .memory = picture};
    const dls_mpi_options mpi = {.size = sizeof(mpi), .output = &rows};
    dls_loop *loop;
    code = dls_mpi_open(&loop, MPI_COMM_WORLD, argc > 1 ? argv[1] : "fss", ROWS,
                        threads, NULL, &mpi);
    if (code != 0 && rank == 0)
        fprintf(stderr, "%s\n", dls_error(loop));
#pragma omp parallel num_threads(threads)
    {
        int64_t begin, end;
        while (dls_next(loop, omp_get_thread_num(), &begin, &end) == 1)
            for (int64_t row = begin; row < end; row++)
                compute_row(picture, row);
    }
    if (code == 0)
        code = dls_collect(loop, 0);
    if (code == 0 && rank == 0)
        printf("%lld steps\n", sum_of(picture));
    dls_close(loop, NULL);
    free(picture);
    MPI_Finalize();
    return code != 0;
}
