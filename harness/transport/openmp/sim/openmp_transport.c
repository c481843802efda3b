/* A runtime's own code is not simulated: its rules say so. */
#include "harness/transport/openmp/openmp_internal.h"

const struct transport_ops transport_openmp_ops = {
    .rules = &openmp_rules,
};
