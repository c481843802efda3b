#include "bench/commands/calibrate_for.h"

#include <errno.h>
#include <string.h>

/* In its place; the same width again changes nothing. */
static int add_width(struct measure_kernel *kernel, int64_t h,
                     struct error *err)
{
    int at = 0;
    while (at < kernel->widths && kernel->width[at] < h)
        at++;
    if (at < kernel->widths && kernel->width[at] == h)
        return 0;
    if (kernel->widths == CALIBRATION_BLOCKS)
        return error_set(err, E2BIG,
                         "calibrate: kernel %s has more than %d sync intervals",
                         kernel->spec, (int)CALIBRATION_BLOCKS);
    memmove(kernel->width + at + 1, kernel->width + at,
            (size_t)(kernel->widths - at) * sizeof(*kernel->width));
    kernel->width[at] = h;
    kernel->widths++;
    return 0;
}

static struct measure_kernel *find_kernel(struct calibrate_request *request,
                                          const char *spec, struct error *err)
{
    for (int k = 0; k < request->kernels; k++)
        if (strcmp(request->kernel[k].spec, spec) == 0)
            return &request->kernel[k];
    if (request->kernels == CALIBRATE_KERNELS_MAX) {
        error_set(err, E2BIG, "calibrate: more than %d kernels",
                  (int)CALIBRATE_KERNELS_MAX);
        return NULL;
    }
    struct measure_kernel *kernel = &request->kernel[request->kernels++];
    *kernel = (struct measure_kernel){.spec = spec};
    return kernel;
}

int calibrate_for(const struct campaign *campaign,
                  struct calibrate_request *request, struct error *err)
{
    request->only = true;
    for (int i = 0; i < campaign->all.count; i++) {
        const struct cell *cell = &campaign->all.cells[i];
        struct measure_kernel *kernel = find_kernel(request, cell->kernel, err);
        if (kernel == NULL)
            return -E2BIG;
        int code = cell->sync_interval > 0
                       ? add_width(kernel, cell->sync_interval, err)
                       : 0;
        if (code != 0)
            return code;
    }
    return 0;
}
