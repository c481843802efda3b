/* libdls over ranks for C++17: dls_mpi.h has the manual, and dls.hpp the chunks.
 *
 *     dls::mpi_loop loop(comm, "fss", iterations, threads);
 *     // in each thread of this rank:
 *     for (dls::chunk chunk : loop.chunks(worker))
 *         ...
 *
 * Constructor, again, collect and destructor are collective.  Errors that all
 * ranks return are thrown in all ranks; an exception of the program's own that
 * leaves the loop in one rank alone ends in the destructor, which waits for the
 * others to close theirs.
 *
 * A loop over chunks that is left early calls dls_leave.  Where that refuses the
 * last worker of a rank (dls_mpi.h says when), the worker has not left: again
 * then throws EBUSY, and the destructor is what remains. */
#ifndef DLS_MPI_HPP
#define DLS_MPI_HPP

#include "dls.hpp"
#include "dls_mpi.h"

namespace dls {

/* Where a chunk's input is: that of iteration `first`, and the others behind
 * it. */
template <typename T> struct input {
    const T *data;
    int64_t first;
    const T &operator[](int64_t iteration) const {
        return data[iteration - first];
    }
};

/* T values for each iteration, as input or output. */
template <typename T> dls_data data_of(T *memory, size_t per_iteration = 1) {
    dls_data data{};
    data.size = sizeof(data);
    data.bytes = per_iteration * sizeof(T);
    data.memory =
        const_cast<void *>(static_cast<const volatile void *>(memory));
    return data;
}

class mpi_loop : public loop {
public:
    mpi_loop(MPI_Comm comm, const std::string &scheme, int64_t iterations,
             int workers, const dls_options *options = nullptr,
             const dls_mpi_options *mpi = nullptr)
        : loop(opened(comm, scheme, iterations, workers, options, mpi)) {}

    /* The same with input or output, either null. */
    mpi_loop(MPI_Comm comm, const std::string &scheme, int64_t iterations,
             int workers, const dls_data *input, const dls_data *output,
             const dls_options *options = nullptr, dls_mutex *mutex = nullptr)
        : loop(opened(comm, scheme, iterations, workers, options, input, output,
                      mutex)) {}

    /* Serves other ranks; false when none will ask any more. */
    bool poll() {
        int code = dls_poll(get());
        check(code);
        return code == 1;
    }
    /* The input of this worker's chunk; one T for each iteration. */
    template <typename T> dls::input<T> input(int worker) {
        const void *data = nullptr;
        int64_t first = 0;
        check(dls_input(get(), worker, &data, &first));
        return {static_cast<const T *>(data), first};
    }
    void collect(int root) { check(dls_collect(get(), root)); }

private:
    static handle opened(MPI_Comm comm, const std::string &scheme,
                         int64_t iterations, int workers,
                         const dls_options *options,
                         const dls_mpi_options *mpi) {
        handle out{nullptr, 0};
        out.code = dls_mpi_open(&out.loop, comm, scheme.c_str(), iterations,
                                workers, options, mpi);
        return out;
    }
    static handle opened(MPI_Comm comm, const std::string &scheme,
                         int64_t iterations, int workers,
                         const dls_options *options, const dls_data *input,
                         const dls_data *output, dls_mutex *mutex) {
        dls_mpi_options mpi{};
        mpi.size = sizeof(mpi);
        mpi.mutex = mutex;
        mpi.input = input;
        mpi.output = output;
        return opened(comm, scheme, iterations, workers, options, &mpi);
    }
};

} // namespace dls

#endif
