/* The sources and tools from which this program was built. */
#ifndef HARNESS_RECORD_BUILD_H
#define HARNESS_RECORD_BUILD_H

extern const char *const build_version;  /* git describe, "-dirty" */
extern const char *const build_compiler; /* name and version */
extern const char *const build_flags;

/* The best instruction set that kernels may choose on this machine. */
const char *build_instruction_set(void);

#endif
