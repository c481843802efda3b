/* The names that users may give to functions of a program's symbols. */
#ifndef BENCH_PROGRAMS_SYMBOLS_FUNCTION_NAMES_H
#define BENCH_PROGRAMS_SYMBOLS_FUNCTION_NAMES_H

enum { NAMES_SIZE = 256, NAMES_PLAIN = 2, NAMES_ALIASES = 5 };

/* Writes the i-th name of a function with this demangled symbol, from the whole
 * to the shortest: 0 whole, 1 without result and parameters, 2 also without the
 * template's arguments, 3 as Fortran's source has it (kern of kern_),
 * 4 also without Fortran's module.  Returns `name`; it may be that before it.
 */
const char *names_alias(const char *function, int i, char name[NAMES_SIZE]);

/* The one that is shown. */
static inline const char *names_plain(const char *function,
                                      char name[NAMES_SIZE])
{
    return names_alias(function, NAMES_PLAIN, name);
}

#endif
