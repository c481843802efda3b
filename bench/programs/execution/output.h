/* A digest of a program's stdout of any length, which shows whether two runs
 * have the same answer. */
#ifndef BENCH_PROGRAMS_EXECUTION_OUTPUT_H
#define BENCH_PROGRAMS_EXECUTION_OUTPUT_H

#include <stddef.h>
#include <stdint.h>

enum {
    OUTPUT_DIGEST = 64,    /* bytes of a digest's text */
    OUTPUT_KEPT = 1 << 20, /* bytes kept to compare numbers */
};

struct output;

struct output *output_open(void);
void output_add(struct output *output, const char *data, size_t size);
/* Ends the output and writes its digest. */
void output_end(struct output *output, char digest[OUTPUT_DIGEST]);
void output_close(struct output *output); /* NULL is allowed */

enum output_match {
    OUTPUT_SAME,
    OUTPUT_LINES, /* the same lines, in another order */
    OUTPUT_OTHER,
};

/* Compares two digests. */
enum output_match output_match(const char *a, const char *b);

/* Whether the output was empty. */
int output_is_empty(const char *digest);

/* The largest relative difference of two texts that differ only in numbers.
 * NAN: they differ in more, or are too long to compare. */
double output_differ(const struct output *a, const struct output *b);

#endif
