/* The Mandelbrot set over ranks and their threads in C++: a row is an
 * iteration, and rank 0 collects the picture.
 *
 *     mpicxx -std=c++17 -pthread mandelbrot.cpp \
 *         $(pkg-config --cflags --libs libdls-mpich)
 *     mpiexec -n 4 ./a.out fss */
#include <dls_mpi.hpp>
#include <iostream>
#include <numeric>
#include <thread>
#include <vector>

constexpr int rows = 300, columns = 300, steps = 500, threads = 2;

static int escape(double cr, double ci)
{
    double zr = 0, zi = 0;
    int step = 0;
    for (; step < steps && zr * zr + zi * zi < 4; step++) {
        double r = zr * zr - zi * zi + cr;
        zi = 2 * zr * zi + ci;
        zr = r;
    }
    return step;
}

static void compute(dls::mpi_loop &loop, int worker, std::vector<int> &picture)
{
    for (dls::chunk chunk : loop.chunks(worker))
        for (int64_t row = chunk.begin; row < chunk.end; row++)
            for (int column = 0; column < columns; column++)
                picture[row * columns + column] = escape(
                    -2 + 3.0 * column / columns, -1.5 + 3.0 * row / rows);
}

static void run(const char *scheme)
{
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    std::vector<int> picture(rows * columns);
    const dls_data output = dls::data_of(picture.data(), columns);
    dls::mpi_loop loop(MPI_COMM_WORLD, scheme, rows, threads, nullptr, &output);
    std::thread other(compute, std::ref(loop), 1, std::ref(picture));
    compute(loop, 0, picture);
    other.join();
    loop.collect(0);
    if (rank == 0)
        std::cout << std::accumulate(picture.begin(), picture.end(), 0LL)
                  << " steps\n";
}

int main(int argc, char **argv)
{
    int level, code = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    try {
        run(argc > 1 ? argv[1] : "fss");
    } catch (const dls::error &error) {
        std::cerr << error.what() << "\n";
        code = 1;
    }
    MPI_Finalize();
    return code;
}
