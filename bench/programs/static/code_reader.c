/* Finds the regions of a file, which are the functions that calls of
 * GOMP_parallel get as first argument, and has each of them judged. */
#include "bench/programs/static/code_reader.h"

#include "base/list.h"
#include "base/system/allowed.h"
#include "bench/programs/code/imports.h"
#include "bench/programs/static/region_class.h"
#include "harness/engine/engine.h"

#include <errno.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#ifdef WITH_CAPSTONE
#include <capstone/capstone.h>

bool reader_can(void)
{
    return true;
}

/* The value of the first argument before a call: the region's function. */
static uint64_t find_argument(const struct insn *insn, int64_t call)
{
    uint8_t wanted = REG_RDI;
    for (int64_t i = call - 1; i >= 0 && i > call - 60; i--) {
        const struct operand *op = insn[i].op;
        if (insn[i].count < 2 || op[0].type != OPERAND_REG ||
            op[0].reg != wanted || !op[0].writes)
            continue;
        if (insn[i].id == X86_INS_LEA && op[1].base == REG_RIP)
            return insn[i].at + insn[i].size + (uint64_t)op[1].value;
        if ((insn[i].id == X86_INS_MOV || insn[i].id == X86_INS_MOVABS) &&
            op[1].type == OPERAND_NUMBER)
            return (uint64_t)op[1].value;
        if (insn[i].id != X86_INS_MOV || op[1].type != OPERAND_REG)
            return 0;
        wanted = op[1].reg;
    }
    return 0;
}
#else
bool reader_can(void)
{
    return false;
}

static uint64_t find_argument(const struct insn *insn, int64_t call)
{
    (void)insn;
    (void)call;
    return 0;
}
#endif

/* A function that several calls name is one region. */
static void merge_regions(struct reader_file *file)
{
    int64_t kept = 0;
    if (file->regions > 0)
        qsort(file->region, (size_t)file->regions, sizeof(*file->region),
              imports_by_place);
    for (int64_t i = 0; i < file->regions; i++)
        if (i == 0 || file->region[i].at != file->region[kept - 1].at)
            file->region[kept++] = file->region[i];
    file->regions = kept;
}

/* The function whose address `lea` or `mov` loads into the first argument just
 * before the call and after the previous one, as gcc does. 0: none. */
static uint64_t find_near(const struct binary *binary, uint64_t call,
                          uint64_t before)
{
    enum { NEAR = 120, LONGEST = 7 };
    uint64_t from = call - before < NEAR ? before : call - NEAR;
    size_t size = call - from;
    const uint8_t *code = binary_bytes(binary, from, &size);
    for (size_t o = size; code != NULL && o >= LONGEST; o--) {
        const uint8_t *insn = code + o - LONGEST;
        struct binary_function function;
        int32_t number;
        memcpy(&number, insn + 3, sizeof(number));
        uint64_t to = from + o + (uint64_t)(int64_t)number;
        if (memcmp(insn, "\x48\x8d\x3d", 3) != 0) {
            if (insn[2] != 0xbf)
                continue;
            to = (uint32_t)number;
        }
        if (binary_function(binary, to, &function) && function.at == to)
            return to;
    }
    return 0;
}

/* find_near for any registers and any number of instructions in between. */
static uint64_t find_far(struct code *code, uint64_t at)
{
    struct binary_function function;
    int64_t count;
    const struct insn *insn = binary_function(code_image(code), at, &function)
                                  ? code_read(code, &function, &count)
                                  : NULL;
    int64_t call = insn != NULL ? code_index(insn, count, at) : -1;
    return call >= 0 ? find_argument(insn, call) : 0;
}

/* In the order of the calls.  Where the argument is not found, there is no
 * region: it is measured, and not cut. */
static int find_regions(const struct binary *binary, struct reader_file *file)
{
    const struct binary_places places = binary_places(binary, "GOMP_parallel");
    struct code *code = code_open(binary);
    uint64_t at = 0, before = 0;
    int result = 0;
    while (result == 0 && binary_next_call(binary, &places, &at)) {
        uint64_t region = find_near(binary, at, before);
        if (region == 0 && code != NULL)
            region = find_far(code, at);
        if (region != 0)
            result = list_grow(&file->region, &file->room, file->regions + 1,
                               sizeof(*file->region));
        if (region != 0 && result == 0)
            file->region[file->regions++] = (struct reader_region){
                .at = region, .class = '-', .word = "code"};
        before = at;
    }
    code_close(code);
    merge_regions(file);
    return result;
}

/* ---- by several threads ---- */

enum { READERS = 8, REGIONS_AT_ONCE = 16 };

/* Shared by the readers, each of which takes the next few regions. */
struct reading {
    const struct binary *binary;
    struct reader_file *file;
    _Atomic int64_t next;
};

static void read_some(int thread, void *arg)
{
    struct reading *reading = arg;
    struct code *code = code_open(reading->binary);
    int64_t from, all = reading->file->regions;
    (void)thread;
    while (code != NULL &&
           (from = atomic_fetch_add(&reading->next, REGIONS_AT_ONCE)) < all)
        for (int64_t i = from; i < from + REGIONS_AT_ONCE && i < all; i++)
            region_classify(code, &reading->file->region[i]);
    code_close(code);
}

/* At most one for each processor that this process may use. */
static int find_readers(int64_t regions)
{
    struct allowed allowed;
    if (regions <= REGIONS_AT_ONCE)
        return 1;
    allowed_read("", &allowed);
    int64_t most = allowed_count(&allowed.mask);
    if (most > (regions - 1) / REGIONS_AT_ONCE)
        most = (regions - 1) / REGIONS_AT_ONCE;
    return most < 1 ? 1 : most > READERS ? READERS : (int)most;
}

static void read_regions(const struct binary *binary, struct reader_file *file)
{
    struct reading reading = {.binary = binary, .file = file};
    /* States are freed often: returning their pages each time costs a sixth. */
    mallopt(M_TRIM_THRESHOLD, 1 << 30);
    mallopt(M_MMAP_THRESHOLD, 32 << 20);
    int readers = find_readers(file->regions);
    struct engine_team *team;
    struct error err;
    if (readers > 1 && engine_team_start(&team, readers, &err) == 0) {
        engine_team_run(team, read_some, &reading);
        engine_team_stop(team);
    }
    read_some(0, &reading);               /* where there is no team */
    mallopt(M_TRIM_THRESHOLD, 128 << 10); /* glibc's defaults */
    mallopt(M_MMAP_THRESHOLD, 128 << 10);
    malloc_trim(0);
}

int reader_read(const char *path, struct reader_file *out, struct error *err)
{
    struct binary *binary;
    *out = (struct reader_file){.regions = 0};
    int result = binary_open(path, &binary, err);
    if (result == -ENOEXEC)
        return 0;
    if (result != 0)
        return result;
    memcpy(out->build_id, binary_build_id(binary), sizeof(out->build_id));
    result = find_regions(binary, out);
    if (result == 0)
        read_regions(binary, out);
    binary_close(binary);
    return result == 0
               ? 0
               : error_set(err, -result, "%s: %s", path, strerror(-result));
}

void reader_free(struct reader_file *file)
{
    free(file->region);
    *file = (struct reader_file){.regions = 0};
}
