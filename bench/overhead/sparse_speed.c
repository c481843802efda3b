/* Kernel spmv on one core: compared with a plain loop over the rows, and with
 * librsb (Debian librsb-dev), if it is found at run time: it loads an OpenMP
 * runtime that other sections must not see. */
#include "bench/overhead/contest.h"
#include "bench/overhead/overhead.h"

#include "base/random.h"
#include "harness/engine/engine.h"
#include "harness/process/need.h"
#include "kernels/kernel.h"
#include "kernels/support/sparse.h"

#include <dlfcn.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#if __has_include(<rsb.h>)
#include <rsb.h>
#define HAS_RSB 1
#endif

/* Products with the same matrix; `rsb` is NULL without librsb. */
struct product {
    const struct kernel_ops *ops;
    void *instance;
    struct sparse matrix;
    double *x, *y, *y_base;
    struct rsb *rsb;
};

static double run_kernel(void *arg)
{
    struct product *p = arg;
    double start = engine_now();
    p->ops->run(p->instance, NULL, 0, p->matrix.rows, p->y, NULL);
    return 1e9 * (engine_now() - start);
}

static double run_plain(void *arg)
{
    struct product *p = arg;
    double start = engine_now();
    const struct sparse *m = &p->matrix;
    for (int64_t row = 0; row < m->rows; row++) {
        double sum = 0;
        for (int64_t k = m->start[row]; k < m->start[row + 1]; k++)
            sum += m->value[k] * p->x[m->column[k]];
        p->y_base[row] = sum;
    }
    return 1e9 * (engine_now() - start);
}

/* ---- librsb ---- */

#ifdef HAS_RSB
#define CALL(library, name) ((__typeof__(&name))dlsym(library, #name))

struct rsb {
    void *library;
    struct rsb_mtx_t *matrix;
    __typeof__(&rsb_spmv) multiply;
};

static double run_rsb(void *arg)
{
    struct product *p = arg;
    const double one = 1, none = 0;
    double start = engine_now();
    p->rsb->multiply(RSB_TRANSPOSITION_N, &one, p->rsb->matrix, p->x, 1, &none,
                     p->y_base, 1);
    return 1e9 * (engine_now() - start);
}

static struct rsb_mtx_t *make_matrix(void *library, const struct sparse *m)
{
    rsb_err_t code = RSB_ERR_NO_ERROR;
    int64_t count = m->start[m->rows];
    rsb_coo_idx_t *row = need_zeroed((size_t)count + 1, sizeof(*row));
    for (int64_t r = 0; r < m->rows; r++)
        for (int64_t k = m->start[r]; k < m->start[r + 1]; k++)
            row[k] = (rsb_coo_idx_t)r;
    struct rsb_mtx_t *made = CALL(library, rsb_mtx_alloc_from_coo_const)(
        m->value, row, m->column, (rsb_nnz_idx_t)count,
        RSB_NUMERICAL_TYPE_DOUBLE, (rsb_coo_idx_t)m->rows,
        (rsb_coo_idx_t)m->rows, 0, 0, RSB_FLAG_NOFLAGS, &code);
    free(row);
    return made;
}

static struct rsb *open_rsb(const struct sparse *m)
{
    void *library = dlopen("librsb.so.0", RTLD_NOW | RTLD_LOCAL);
    rsb_int_t threads = 1;
    if (library == NULL)
        return NULL;
    struct rsb *rsb = need_zeroed(1, sizeof(*rsb));
    rsb->library = library;
    rsb->multiply = CALL(library, rsb_spmv);
    if (CALL(library, rsb_lib_init)(RSB_NULL_INIT_OPTIONS) ==
            RSB_ERR_NO_ERROR &&
        CALL(library, rsb_lib_set_opt)(RSB_IO_WANT_EXECUTING_THREADS,
                                       &threads) == RSB_ERR_NO_ERROR)
        rsb->matrix = make_matrix(library, m);
    return rsb;
}

/* The library stays loaded: an OpenMP runtime cannot be unloaded. */
static void close_rsb(struct rsb *rsb)
{
    if (rsb->matrix != NULL)
        CALL(rsb->library, rsb_mtx_free)(rsb->matrix);
    CALL(rsb->library, rsb_lib_exit)(RSB_NULL_EXIT_OPTIONS);
    free(rsb);
}

static bool has_matrix(const struct rsb *rsb)
{
    return rsb->matrix != NULL;
}
#else
static struct rsb *open_rsb(const struct sparse *m)
{
    (void)m;
    return NULL;
}

static double run_rsb(void *arg)
{
    (void)arg;
    return 0;
}

static void close_rsb(struct rsb *rsb)
{
    (void)rsb;
}

static bool has_matrix(const struct rsb *rsb)
{
    return rsb != NULL;
}
#endif

/* ---- the contest ---- */

/* One product. */
static int open_product(struct product *p, struct error *err)
{
    struct spec spec;
    *p = (struct product){.ops = NULL};
    int code = kernel_parse("spmv:rmat=18,steps=1", &p->ops, &spec, err);
    if (code == 0)
        code = p->ops->create(&spec, &p->instance, err);
    if (code == 0)
        code = sparse_rmat("bench", 18, 16, 1, &p->matrix, err);
    if (code != 0)
        return code;
    size_t n = (size_t)p->matrix.rows;
    uint64_t seed = 2; /* as in kernels/spmv.c */
    p->x = need_zeroed(n, sizeof(*p->x));
    p->y = need_zeroed(n, sizeof(*p->y));
    p->y_base = need_zeroed(n, sizeof(*p->y_base));
    for (size_t i = 0; i < n; i++)
        p->x[i] = random_real(&seed);
    p->rsb = open_rsb(&p->matrix);
    return 0;
}

/* Sums in another order differ in their last bits. */
static void compare_products(FILE *out, struct launch_context *context,
                             struct product *p, const char *base,
                             double (*run_base)(void *))
{
    double differs = 0;
    const struct contest row = {.name = "spmv:rmat=18",
                                .how = base,
                                .ours = run_kernel,
                                .bare = run_base,
                                .arg = p,
                                .aim = 1.3};
    contest_run(out, context, &row, 1, NULL);
    for (int64_t i = 0; i < p->matrix.rows; i++)
        differs = fmax(differs, fabs(p->y[i] - p->y_base[i]) /
                                    fmax(fabs(p->y[i]), 1e-300));
    if (!(differs < 1e-9))
        fprintf(out, "  spmv: the results differ by %g\n", differs);
}

void overhead_products(FILE *out, struct launch_context *context)
{
    struct product p;
    struct error err;
    if (open_product(&p, &err) != 0) {
        fprintf(out, "  spmv: %s\n", err.text);
    } else {
        compare_products(out, context, &p, "plain CSR", run_plain);
        if (p.rsb != NULL && has_matrix(p.rsb))
            compare_products(out, context, &p, "librsb", run_rsb);
        else
            fprintf(out, "  spmv:rmat=18: no librsb here (librsb-dev, when "
                         "the benchmark is built)\n");
    }
    if (p.rsb != NULL)
        close_rsb(p.rsb);
    if (p.instance != NULL)
        p.ops->destroy(p.instance);
    sparse_free(&p.matrix);
    free(p.x);
    free(p.y);
    free(p.y_base);
}
