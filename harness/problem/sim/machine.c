#include "harness/problem/sim/machine.h"

#include "harness/process/need.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

struct machine {
    struct calibration calibration;
    const struct calibration_kind *kind; /* of the launch's shape */
    bool alike;
};

int machine_open(struct machine **out, const char *path, int which,
                 struct error *err)
{
    *out = NULL;
    if (path[0] == '\0')
        return 0;
    struct machine *machine = need_zeroed(1, sizeof(*machine));
    int code = calibration_load(path, &machine->calibration, err);
    if (code != 0) {
        free(machine);
        return code;
    }
    machine->kind = &machine->calibration.kind[which];
    if (machine->kind->workers == 0) {
        machine_close(machine);
        return error_set(err, EINVAL, "%s: there is no measurement of %s", path,
                         calibration_names[which]);
    }
    machine->alike = calibration_is_alike(machine->kind);
    *out = machine;
    return 0;
}

void machine_close(struct machine *machine)
{
    if (machine == NULL)
        return;
    calibration_free(&machine->calibration);
    free(machine);
}

double machine_power(const struct machine *machine, int place)
{
    if (machine == NULL || machine->alike || place >= machine->kind->workers)
        return 1;
    return machine->kind->worker[place].power;
}

const struct calibration_slices *machine_slices(const struct machine *machine)
{
    if (machine == NULL || !(machine->kind->slices.run > 0))
        return NULL;
    return &machine->kind->slices;
}

int machine_cost(const struct machine *machine, const struct kernel_ops *kernel,
                 const struct spec *spec, double points, double *operation_s,
                 double *start_s, struct error *err)
{
    const struct calibration_kind *kind = machine->kind;
    const struct calibration_kernel *found =
        calibration_kernel_near(kind, spec->canonical, points);
    *operation_s = *start_s = 0;
    for (int w = 0; found != NULL && w < kind->workers; w++) {
        double share = machine_power(machine, w) / kind->workers;
        *operation_s += share * found->cost[w].operation;
        *start_s += share * found->cost[w].start;
    }
    if (*operation_s > 0)
        return 0;
    return error_set(err, EINVAL,
                     "kernel %s is not in the calibration: run dlsbench "
                     "calibrate --kernel '%s'",
                     kernel->name, spec->canonical);
}

struct calibration_charged machine_blocks(const struct machine *machine,
                                          const char *spec, double points,
                                          int64_t h)
{
    struct calibration_charged charged = {1, 0, 0};
    const struct calibration_kind *kind = machine ? machine->kind : NULL;
    const struct calibration_kernel *found =
        kind ? calibration_kernel_near(kind, spec, points) : NULL;
    if (found == NULL)
        return charged;
    bool ranks = kind == &machine->calibration.kind[CALIBRATION_RANKS];
    return calibration_charged_beside(found, kind->workers,
                                      ranks ? &kind->charge : NULL, h);
}
