#include "kernels/support/unpack.h"

#include "base/file.h"
#include "base/system/memory.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#ifdef WITH_ZLIB
#include <zlib.h>
#endif
#ifdef WITH_LZMA
#include <lzma.h>
#endif
#ifdef WITH_ZSTD
#include <zstd.h>
#include <zstd_errors.h>
#endif

/* zlib: GZIP_RATIO is the most bytes that one compressed byte can represent. */
enum { INPUT = 1 << 16, GZIP_RATIO = 1032, BLAMED = 64 << 20 };

/* The rest of input and output. */
struct piece {
    const unsigned char *in;
    size_t in_left;
    char *out;
    size_t out_left;
};

enum step { MORE, MEMBER_ENDS };

struct unpack;

/* One kind of compression.  `step` unpacks what it can; it returns an enum step
 * or a negative errno. */
struct packer {
    const char *name, *option; /* the build option that leaves it out */
    const char *magic;
    int (*open)(struct unpack *u);
    int (*step)(struct unpack *u, struct piece *piece);
    void (*close)(struct unpack *u);
};

struct unpack {
    const struct packer *packer;
    FILE *from;
    double left;  /* bytes that the contents may still grow by */
    bool between; /* between two members */
    struct piece piece;
    union {
#ifdef WITH_ZLIB
        z_stream zlib;
#endif
#ifdef WITH_LZMA
        lzma_stream lzma;
#endif
#ifdef WITH_ZSTD
        ZSTD_DStream *zstd;
#endif
        char none;
    } with;
    unsigned char input[INPUT];
};

/* ---- gzip ---- */

#ifdef WITH_ZLIB
static int zlib_open(struct unpack *u)
{
    return inflateInit2(&u->with.zlib, 16 + MAX_WBITS) == Z_OK ? 0 : -ENOMEM;
}

static int zlib_step(struct unpack *u, struct piece *p)
{
    z_stream *z = &u->with.zlib;
    z->next_in = (unsigned char *)p->in;
    z->avail_in = (unsigned)p->in_left;
    z->next_out = (unsigned char *)p->out;
    z->avail_out = (unsigned)p->out_left;
    int code = inflate(z, Z_NO_FLUSH);
    *p = (struct piece){z->next_in, z->avail_in, (char *)z->next_out,
                        z->avail_out};
    if (code == Z_STREAM_END)
        return inflateReset(z) == Z_OK ? MEMBER_ENDS : -EBADMSG;
    if (code == Z_MEM_ERROR)
        return -ENOMEM;
    return code == Z_OK || code == Z_BUF_ERROR ? MORE : -EBADMSG;
}

static void zlib_close(struct unpack *u)
{
    inflateEnd(&u->with.zlib);
}
#define ZLIB_CALLS zlib_open, zlib_step, zlib_close
#else
#define ZLIB_CALLS NULL, NULL, NULL
#endif

/* ---- xz ---- */

#ifdef WITH_LZMA
static int lzma_open(struct unpack *u)
{
    const lzma_stream begin = LZMA_STREAM_INIT;
    u->with.lzma = begin;
    return lzma_stream_decoder(&u->with.lzma, UINT64_MAX, 0) == LZMA_OK
               ? 0
               : -ENOMEM;
}

static int lzma_step(struct unpack *u, struct piece *p)
{
    lzma_stream *z = &u->with.lzma;
    z->next_in = p->in;
    z->avail_in = p->in_left;
    z->next_out = (unsigned char *)p->out;
    z->avail_out = p->out_left;
    lzma_ret code = lzma_code(z, LZMA_RUN);
    *p = (struct piece){z->next_in, z->avail_in, (char *)z->next_out,
                        z->avail_out};
    if (code == LZMA_STREAM_END)
        return lzma_stream_decoder(z, UINT64_MAX, 0) == LZMA_OK ? MEMBER_ENDS
                                                                : -ENOMEM;
    if (code == LZMA_MEM_ERROR)
        return -ENOMEM;
    return code == LZMA_OK || code == LZMA_BUF_ERROR ? MORE : -EBADMSG;
}

static void lzma_close(struct unpack *u)
{
    lzma_end(&u->with.lzma);
}
#define LZMA_CALLS lzma_open, lzma_step, lzma_close
#else
#define LZMA_CALLS NULL, NULL, NULL
#endif

/* ---- zstd ---- */

#ifdef WITH_ZSTD
/* Any window is allowed: memory limits it, as it limits the contents. */
static int zstd_open(struct unpack *u)
{
    u->with.zstd = ZSTD_createDStream();
    if (u->with.zstd == NULL)
        return -ENOMEM;
    ZSTD_bounds bounds = ZSTD_dParam_getBounds(ZSTD_d_windowLogMax);
    ZSTD_DCtx_setParameter(u->with.zstd, ZSTD_d_windowLogMax,
                           bounds.upperBound);
    return 0;
}

static int zstd_step(struct unpack *u, struct piece *p)
{
    ZSTD_inBuffer in = {p->in, p->in_left, 0};
    ZSTD_outBuffer out = {p->out, p->out_left, 0};
    size_t code = ZSTD_decompressStream(u->with.zstd, &out, &in);
    *p = (struct piece){p->in + in.pos, p->in_left - in.pos, p->out + out.pos,
                        p->out_left - out.pos};
    if (ZSTD_isError(code))
        return ZSTD_getErrorCode(code) == ZSTD_error_memory_allocation
                   ? -ENOMEM
                   : -EBADMSG;
    return code == 0 ? MEMBER_ENDS : MORE;
}

static void zstd_close(struct unpack *u)
{
    ZSTD_freeDStream(u->with.zstd);
}
#define ZSTD_CALLS zstd_open, zstd_step, zstd_close
#else
#define ZSTD_CALLS NULL, NULL, NULL
#endif

/* ---- all kinds of compression ---- */

static const struct packer packers[] = {
    {"gzip", "ZLIB", "\x1F\x8B", ZLIB_CALLS},
    {"xz", "LZMA",
     "\xFD"
     "7zXZ",
     LZMA_CALLS},
    {"zstd", "ZSTD", "\x28\xB5\x2F\xFD", ZSTD_CALLS},
};

/* Reads input if the buffer is empty; false: the file ended. */
static bool fill_input(struct unpack *u)
{
    if (u->piece.in_left == 0) {
        u->piece.in = u->input;
        u->piece.in_left = fread(u->input, 1, INPUT, u->from);
    }
    return u->piece.in_left > 0;
}

/* After a member comes another one, the end, or zeros that fill a block. */
static int begin_member(struct unpack *u)
{
    do {
        while (u->piece.in_left > 0 && *u->piece.in == 0) {
            u->piece.in++;
            u->piece.in_left--;
        }
    } while (u->piece.in_left == 0 && fill_input(u));
    if (u->piece.in_left == 0)
        return 0;
    u->between = false;
    return *u->piece.in == (unsigned char)u->packer->magic[0] ? 0 : -EILSEQ;
}

static int fail_with(int code)
{
    errno = -code;
    return -1;
}

static ssize_t read_contents(void *cookie, char *to, size_t size)
{
    struct unpack *u = cookie;
    u->piece.out = to;
    u->piece.out_left = size < INPUT ? size : INPUT;
    size_t room = u->piece.out_left;
    while (u->piece.out_left == room) {
        int code = u->between ? begin_member(u) : 0;
        bool more = code == 0 && fill_input(u);
        if (code == 0 && ferror(u->from))
            code = -EIO;
        if (code == 0 && !more && !u->between)
            code = -ENODATA;
        if (code == 0 && !more)
            return 0;
        if (code == 0)
            code = u->packer->step(u, &u->piece);
        if (code < 0)
            return fail_with(code);
        u->between = code == MEMBER_ENDS;
    }
    size_t got = room - u->piece.out_left;
    u->left -= (double)got;
    return u->left < 0 ? fail_with(-EFBIG) : (ssize_t)got;
}

static int close_contents(void *cookie)
{
    struct unpack *u = cookie;
    u->packer->close(u);
    fclose(u->from);
    free(u);
    return 0;
}

static const struct packer *find_packer(FILE *file)
{
    char begin[8];
    size_t length = fread(begin, 1, sizeof(begin), file);
    rewind(file);
    for (size_t i = 0; i < sizeof(packers) / sizeof(packers[0]); i++) {
        size_t n = strlen(packers[i].magic);
        if (length >= n && memcmp(begin, packers[i].magic, n) == 0)
            return &packers[i];
    }
    return NULL;
}

/* Takes over the file; NULL: out of memory. */
static FILE *open_contents(FILE *file, const struct packer *packer, double most)
{
    const cookie_io_functions_t calls = {.read = read_contents,
                                         .close = close_contents};
    struct unpack *u = calloc(1, sizeof(*u));
    if (u != NULL) {
        u->packer = packer;
        u->from = file;
        u->left = most;
        if (packer->open(u) == 0) {
            FILE *stream = fopencookie(u, "r", calls);
            if (stream != NULL)
                return stream;
            packer->close(u);
        }
    }
    free(u);
    return NULL;
}

int unpack_open_within(const char *what, const char *path, double memory,
                       FILE **file, double *most, struct error *err)
{
    const char *why;
    struct stat status;
    FILE *plain = file_open(path, &why);
    if (plain == NULL) {
        int code = errno == ENOENT || errno == ENOTDIR ? ENOENT
                   : errno == ENOMEM                   ? ENOMEM
                                                       : EINVAL;
        return error_set(err, code, "%s: %s: %s", what, path, why);
    }
    const struct packer *packer = find_packer(plain);
    double size =
        fstat(fileno(plain), &status) == 0 ? (double)status.st_size : INFINITY;
    if (packer != NULL) {
        double ratio = packer == packers ? GZIP_RATIO : INFINITY;
        size = fmin(size * ratio, memory >= 0 ? memory : INFINITY);
    }
    if (most != NULL)
        *most = size;
    *file = plain;
    if (packer == NULL)
        return 0;
    if (packer->open == NULL) {
        fclose(plain);
        return error_set(err, EINVAL,
                         "%s: %s: compressed by %s, and this dlsbench was "
                         "built without it (%s): unpack the file first",
                         what, path, packer->name, packer->option);
    }
    *file = open_contents(plain, packer, size);
    if (*file != NULL)
        return 0;
    fclose(plain);
    return error_set(err, ENOMEM, "%s: %s: out of memory", what, path);
}

int unpack_open(const char *what, const char *path, FILE **file, double *most,
                struct error *err)
{
    return unpack_open_within(what, path, memory_available(), file, most, err);
}

/* Only decompressed streams have no file descriptor. */
int unpack_blame(FILE *file, struct error *err)
{
    if (fileno(file) >= 0 || ferror(file))
        return 0;
    for (long i = 0; i < BLAMED && getc_unlocked(file) != EOF; i++)
        continue;
    return ferror(file) ? error_set(err, EINVAL, "%s", file_why(errno)) : 0;
}
