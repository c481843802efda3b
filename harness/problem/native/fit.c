#include "harness/problem/fit.h"

#include "base/system/memory.h"
#include "base/text.h"

#include <errno.h>
#include <sys/statvfs.h>

static const double GIB = 0x1p30;

double fit_need(double process, double output, int ranks)
{
    return ranks * process + (ranks > 1 ? output : 0);
}

/* The available memory is read before any rank begins to allocate. */
static int check_memory(const char *name, double process, double output,
                        const struct comm *comm, struct error *err)
{
    int ranks = comm->host_ranks, code = 0;
    double need = fit_need(process, output, ranks);
    double available = memory_available();
    if (available >= 0 && need > available)
        code = error_set(err, ENOMEM,
                         "%.100s does not fit into memory: %d rank%s of a "
                         "host need%s up to %.2f GiB, available are %.2f GiB",
                         name, ranks, text_s(ranks), ranks == 1 ? "s" : "",
                         need / GIB, available / GIB);
    return comm_agree(comm, code, err);
}

int fit_spec(const struct kernel_ops *kernel, const struct spec *spec,
             const struct comm *comm, struct error *err)
{
    if (kernel->memory == NULL)
        return 0;
    return check_memory(spec->canonical, kernel->memory(spec), 0, comm, err);
}

int fit_output(const char *name, const struct kernel_ops *kernel,
               const void *instance, const struct comm *comm, struct error *err)
{
    double output = (double)kernel->iterations(instance) *
                    (double)kernel->output_bytes(instance);
    /* Every rank holds the data exchanged between time steps. */
    if (kernel->steps != NULL && kernel->steps->count(instance) > 1)
        return check_memory(
            name, output + (double)kernel->steps->state_bytes(instance), output,
            comm, err);
    /* Independent iterations: a rank has pages for those it ran only, and
     * together the ranks have the output about once. */
    if (kernel->dependence == NULL)
        return check_memory(name, output / comm->host_ranks, output, comm, err);
    struct kernel_grid grid;
    kernel->dependence->grid(instance, &grid);
    return check_memory(name, output + (double)grid.state_bytes, output, comm,
                        err);
}

/* MPI takes shared memory from here.  A page that finds no room ends the
 * process when it is touched. */
int fit_shared(const char *name, double output, const struct comm *comm,
               struct error *err)
{
    struct statvfs room;
    int code = 0;
    if (comm->host_rank == 0 && statvfs("/dev/shm", &room) == 0) {
        double available = (double)room.f_bavail * (double)room.f_frsize;
        if (output > available)
            code = error_set(err, ENOMEM,
                             "%.100s: collect shared needs %.2f GiB of shared "
                             "memory, /dev/shm has %.2f GiB left: use collect "
                             "master",
                             name, output / GIB, available / GIB);
    }
    return comm_agree(comm, code, err);
}

int fit_input(const char *name, double input, const struct comm *comm,
              struct error *err)
{
    return check_memory(name, 2 * input / comm->host_ranks, 0, comm, err);
}
