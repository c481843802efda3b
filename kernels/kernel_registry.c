/* Kernels by name. */
#include "kernels/kernel.h"

#include "base/nearest.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define KERNEL(name) extern const struct kernel_ops kernel_##name##_ops;
#include "kernels/kernels.def"
#undef KERNEL

#define KERNEL(name) &kernel_##name##_ops,
const struct kernel_ops *const kernel_list[] = {
#include "kernels/kernels.def"
    NULL,
};
#undef KERNEL

enum {
    KERNELS = sizeof(kernel_list) / sizeof(kernel_list[0]), /* with the NULL */
};

const struct kernel_ops *kernel_find(const char *name, struct error *err)
{
    for (int i = 0; kernel_list[i] != NULL; i++)
        if (strcmp(kernel_list[i]->name, name) == 0)
            return kernel_list[i];
    const char *names[KERNELS] = {NULL};
    for (int i = 0; kernel_list[i] != NULL; i++)
        names[i] = kernel_list[i]->name;
    nearest_unknown(err, name, names, "dlsbench list kernels",
                    "unknown kernel '%s'", name);
    return NULL;
}

int kernel_parse(const char *text, const struct kernel_ops **ops,
                 struct spec *spec, struct error *err)
{
    char name[SPEC_NAME_MAX];
    int code = spec_name("kernel", text, name, err);
    if (code != 0)
        return code;
    const struct kernel_ops *found = kernel_find(name, err);
    if (found == NULL)
        return -EINVAL;
    code = spec_parse("kernel", text, found->name, found->params, spec, err);
    if (code == 0)
        *ops = found;
    return code;
}

int kernel_outline(const struct kernel_ops *ops, const struct spec *spec,
                   void **instance, struct error *err)
{
    bool outlined = ops->cost != NULL && ops->cost->outline != NULL;
    return outlined ? ops->cost->outline(spec, instance, err)
                    : ops->create(spec, instance, err);
}
