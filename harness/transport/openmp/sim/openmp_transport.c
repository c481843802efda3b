/* A runtime's own code is not simulated; the rules say so. */
#include "harness/transport/openmp/openmp_internal.h"

const struct transport_ops transport_openmp_ops = {
    .rules = &openmp_rules,
};
