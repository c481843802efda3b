/* The common parts of the fuzzers.  Each is one file NAME_fuzz.c with a
 * function LLVMFuzzerTestOneInput.  It reads its input as the program reads it
 * from a user, and checks by fuzz_need what must hold for any input.
 * corpus/NAME/ has small inputs to begin with, and inputs of faults that were
 * fixed. */
#ifndef TESTS_FUZZ_H
#define TESTS_FUZZ_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Ends the process, which libFuzzer reports with the input, unless `good`. */
void fuzz_need(bool good, const char *what);

/* A message must be one line of text. */
void fuzz_message(const struct error *err);

/* The input as a text, which ends at its first zero byte; free it. */
char *fuzz_text(const uint8_t *data, size_t size);

/* The next line of a text, without its end, which is cut off; NULL: none. */
char *fuzz_line(char **text);

/* The input as a file in memory; its path lasts until fuzz_file_close. */
struct fuzz_file {
    int descriptor;
    char path[32];
};
void fuzz_file_open(struct fuzz_file *file, const void *data, size_t size);
void fuzz_file_close(struct fuzz_file *file);

#endif
