/* The compiler of this build, for records. */
#ifndef BASE_COMPILER_H
#define BASE_COMPILER_H

#ifdef __clang__
#define COMPILER "clang " __clang_version__
#else
#define COMPILER "gcc " __VERSION__
#endif

#endif
