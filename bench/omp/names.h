/* The names of a function that a program's symbols have. */
#ifndef BENCH_OMP_NAMES_H
#define BENCH_OMP_NAMES_H

enum { NAMES_SIZE = 256, NAMES_ALIASES = 5 };

/* Writes the i-th name of a function with this demangled symbol, from the whole
 * to the shortest: 0 whole, 1 without result and parameters, 2 without the
 * template's arguments, too, 3 as Fortran's source has it (kern of kern_),
 * 4 without Fortran's module, too.  Returns `name`; it may be that before it.
 */
const char *names_alias(const char *function, int i, char name[NAMES_SIZE]);

/* The one that is shown. */
static inline const char *names_plain(const char *function,
                                      char name[NAMES_SIZE])
{
    return names_alias(function, 2, name);
}

#endif
