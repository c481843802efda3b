#include "harness/record/build.h"

#include "base/stamp.h"

#ifndef BUILD_VERSION
#define BUILD_VERSION "unknown"
#endif
#ifndef BUILD_FLAGS
#define BUILD_FLAGS "unknown"
#endif

const char *const build_version = BUILD_VERSION;
const char *const build_flags = BUILD_FLAGS;
const char *const build_compiler = STAMP_COMPILER;

const char *build_instruction_set(void)
{
#if defined(__x86_64__) && !defined(DLSBENCH_SANITIZED)
    if (__builtin_cpu_supports("avx512f"))
        return "avx512f";
    if (__builtin_cpu_supports("avx2"))
        return "avx2";
#endif
    return "baseline";
}
