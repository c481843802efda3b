/* A digest of a program's stdout, which tells whether two runs have the same
 * answer, however long it is. */
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
/* Its end; nothing is added any more. */
void output_end(struct output *output, char digest[OUTPUT_DIGEST]);
void output_close(struct output *output); /* NULL is allowed */

enum output_match {
    OUTPUT_SAME,
    OUTPUT_LINES, /* the same lines, in another order: threads and ranks */
    OUTPUT_OTHER,
};

/* Compares two digests. */
enum output_match output_match(const char *a, const char *b);

/* Whether nothing was written. */
int output_is_empty(const char *digest);

/* Where two texts differ in numbers alone, by how much of their size at most;
 * NAN: they differ in more, or are too long to tell. */
double output_differ(const struct output *a, const struct output *b);

#endif
