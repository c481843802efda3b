/* Sparse square matrices by rows (CSR): from a Matrix Market file, or random
 * with a power law. */
#ifndef KERNELS_SUPPORT_SPARSE_H
#define KERNELS_SUPPORT_SPARSE_H

#include "base/error.h"
#include "base/spec.h"

#include <stdint.h>

struct sparse {
    int64_t rows;    /* and columns, less than 2^31 */
    int64_t *start;  /* of each row, rows + 1 entries */
    int32_t *column; /* ascending in a row, each once */
    double *value;
};

/* Reads a Matrix Market file, which gzip may have compressed: matrix
 * coordinate, real, integer or pattern (all values 1), general, symmetric or
 * skew-symmetric.  Repeated entries are added.  `what`, as "kernel
 * spmv", begins messages, which name file and line.  Returns 0, -ENOENT,
 * -EINVAL, -EIO or -ENOMEM with a text. */
int sparse_read(const char *what, const char *path, struct sparse *matrix,
                struct error *err);

/* A recursive matrix (R-MAT) of 2^scale rows: degree * 2^scale entries, each in
 * the quadrant .57, .19, .19 or .05 again and again (Graph500), of random value
 * in [0, 1); entries that fall on one place are added.  Returns 0 or -ENOMEM.
 */
int sparse_rmat(const char *what, int scale, int64_t degree, uint64_t seed,
                struct sparse *matrix, struct error *err);

/* A kernel's matrix by its spec: a file, or a random one of 2^rmat rows with
 * `degree` entries drawn for each. */
struct sparse_keys {
    const char *what, *noun; /* "kernel spmv", "matrix" */
    const struct spec_value *file, *rmat, *degree;
    int64_t usual_rmat, usual_degree;
    double mirrored; /* entries that one draw makes at most */
    uint64_t seed;
};

/* Makes the matrix.  Returns as sparse_read does, and -EINVAL if both a file
 * and a random matrix are requested. */
int sparse_open(const struct sparse_keys *keys, struct sparse *matrix,
                struct error *err);

/* Checks the keys: reads the file, or estimates the memory of a random matrix.
 * Returns as sparse_open does. */
int sparse_examine(const struct sparse_keys *keys, struct error *err);

void sparse_free(struct sparse *matrix);

/* ---- private: sparse_file.c makes entries, sparse.c rows of them ---- */

struct sparse_entry {
    int32_t row, column;
    double value;
};

/* Takes the entries, in any order; they are the caller's again afterwards.
 * Returns 0 or -ENOMEM. */
int sparse_make(const char *what, int64_t rows,
                const struct sparse_entry *entry, int64_t count,
                struct sparse *matrix, struct error *err);

/* Whether a matrix of so many rows and entries can be made here.  Returns 0 or
 * -ENOMEM. */
int sparse_fits(const char *what, double rows, double entries,
                struct error *err);

#endif
