/* Hashes a program's stdout as a whole and line by line (XXH3).  The sum of the
 * lines' hashes does not depend on their order. */
#include "bench/programs/execution/output.h"

#include "harness/process/need.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

struct output {
    XXH3_state_t *whole, *line;
    uint64_t lines; /* sum of their hashes */
    int64_t size, in_line;
    char *text; /* the first OUTPUT_KEPT bytes, ended by a zero */
};

struct output *output_open(void)
{
    struct output *made = need_zeroed(1, sizeof(*made));
    made->whole = XXH3_createState();
    made->line = XXH3_createState();
    made->text = need_zeroed(OUTPUT_KEPT + 1, 1);
    if (made->whole == NULL || made->line == NULL)
        need_failed();
    XXH3_64bits_reset(made->whole);
    XXH3_64bits_reset(made->line);
    return made;
}

static void end_line(struct output *output)
{
    output->lines += XXH3_64bits_digest(output->line);
    XXH3_64bits_reset(output->line);
    output->in_line = 0;
}

void output_add(struct output *output, const char *data, size_t size)
{
    if (output->size < OUTPUT_KEPT) {
        size_t room = (size_t)(OUTPUT_KEPT - output->size);
        memcpy(output->text + output->size, data, size < room ? size : room);
    }
    output->size += (int64_t)size;
    XXH3_64bits_update(output->whole, data, size);
    while (size > 0) {
        const char *end = memchr(data, '\n', size);
        size_t part = end != NULL ? (size_t)(end - data) + 1 : size;
        XXH3_64bits_update(output->line, data, end != NULL ? part - 1 : part);
        output->in_line += (int64_t)part;
        if (end != NULL)
            end_line(output);
        data += part;
        size -= part;
    }
}

void output_end(struct output *output, char digest[OUTPUT_DIGEST])
{
    if (output->in_line > 0)
        end_line(output);
    snprintf(digest, OUTPUT_DIGEST, "%" PRId64 " %016" PRIx64 " %016" PRIx64,
             output->size, output->lines,
             (uint64_t)XXH3_64bits_digest(output->whole));
}

void output_close(struct output *output)
{
    if (output == NULL)
        return;
    XXH3_freeState(output->whole);
    XXH3_freeState(output->line);
    free(output->text);
    free(output);
}

/* ---- comparing two outputs ---- */

/* The hash of the whole is last in the digest: if only it differs, the lines
 * are the same and their order is not. */
enum output_match output_match(const char *a, const char *b)
{
    const char *last = strrchr(a, ' ');
    if (strcmp(a, b) == 0)
        return OUTPUT_SAME;
    return last != NULL && strncmp(a, b, (size_t)(last - a) + 1) == 0
               ? OUTPUT_LINES
               : OUTPUT_OTHER;
}

int output_is_empty(const char *digest)
{
    return strncmp(digest, "0 ", 2) == 0;
}

/* A number begins here, not in a word. */
static int is_number(const char *text, const char *at)
{
    if (at > text && (isalnum((unsigned char)at[-1]) || at[-1] == '_'))
        return 0;
    at += *at == '-' || *at == '+';
    at += *at == '.';
    return isdigit((unsigned char)*at);
}

/* Walks through both texts together.  Where both have a number, the numbers may
 * differ; all other characters must be the same. */
double output_differ(const struct output *a, const struct output *b)
{
    const char *x = a->text, *y = b->text;
    double most = 0;
    if (a->size > OUTPUT_KEPT || b->size > OUTPUT_KEPT)
        return NAN;
    while (*x != '\0' && *y != '\0') {
        if (is_number(a->text, x) && is_number(b->text, y)) {
            char *end_x, *end_y;
            double p = strtod(x, &end_x), q = strtod(y, &end_y);
            if (p != q)
                most = fmax(most, fabs(p - q) / fmax(fabs(p), fabs(q)));
            x = end_x;
            y = end_y;
        } else if (*x++ != *y++) {
            return NAN;
        }
    }
    return x - a->text == a->size && y - b->text == b->size ? most : NAN;
}
