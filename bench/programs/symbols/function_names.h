/* The names that users may write for a program's functions. */
#ifndef BENCH_PROGRAMS_SYMBOLS_FUNCTION_NAMES_H
#define BENCH_PROGRAMS_SYMBOLS_FUNCTION_NAMES_H

enum { NAMES_SIZE = 256, NAMES_PLAIN = 2, NAMES_ALIASES = 5 };

/* Writes the i-th name of a function with this demangled symbol, each shorter
 * than the one before: 0 whole, 1 without result and parameters, 2 also without
 * template arguments, 3 as in Fortran's source (kern of kern_), 4 also without
 * Fortran's module.  Returns `name`; it may equal the one before. */
const char *names_alias(const char *function, int i, char name[NAMES_SIZE]);

/* The name that is printed. */
static inline const char *names_plain(const char *function,
                                      char name[NAMES_SIZE])
{
    return names_alias(function, NAMES_PLAIN, name);
}

#endif
