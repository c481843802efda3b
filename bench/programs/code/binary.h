/* A program's file or library as bench/programs/static needs it: its code,
 * where functions begin, and which imported function a call leads to. */
#ifndef BENCH_PROGRAMS_CODE_BINARY_H
#define BENCH_PROGRAMS_CODE_BINARY_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct binary;

struct binary_function {
    uint64_t at, size;
};

/* Reads the file.  Returns 0; -ENOEXEC: it is not for x86-64 (nothing to read);
 * or another negative errno with a text. */
int binary_open(const char *path, struct binary **out, struct error *err);
void binary_close(struct binary *binary);

/* The first 16 digits of its build id; empty: it has none. */
const char *binary_build_id(const struct binary *binary);

/* The bytes at an address, at most `*size`; sets `*size` to their number.
 * NULL: none. */
const uint8_t *binary_bytes(const struct binary *binary, uint64_t at,
                            size_t *size);

/* Whether the address is read-only. */
bool binary_is_constant(const struct binary *binary, uint64_t at);

/* The function that an address is in; false: it is in none. */
bool binary_function(const struct binary *binary, uint64_t at,
                     struct binary_function *out);

/* The imported function of an entry of the linkage table, or of the word that
 * has its address; NULL: there is none. */
const char *binary_entry(const struct binary *binary, uint64_t at);
const char *binary_word(const struct binary *binary, uint64_t at);

/* The addresses through which an import is called: entries of the linkage
 * table, and words that have its address. */
enum { BINARY_PLACES = 8 };
struct binary_places {
    uint64_t at[BINARY_PLACES];
    int count;
};
struct binary_places binary_places(const struct binary *binary,
                                   const char *name);

/* Finds the next call to one of these addresses, after *at.  False: no more. */
bool binary_next_call(const struct binary *binary,
                      const struct binary_places *places, uint64_t *at);

/* Whether the file defines an imported or exported name itself. */
bool binary_defines(const struct binary *binary, const char *name);

#endif
