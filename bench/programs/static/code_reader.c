#include "bench/programs/static/code_reader.h"

#include "base/list.h"
#include "bench/programs/static/region_class.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#ifdef WITH_CAPSTONE
#include <capstone/capstone.h>

bool reader_can(void)
{
    return true;
}

/* What the first argument was set to before a call: the region's function. */
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

static int add_region(struct reader_file *file, uint64_t at)
{
    for (int64_t i = 0; i < file->regions; i++)
        if (file->region[i].at == at)
            return 0;
    int code = list_grow(&file->region, &file->room, file->regions + 1,
                         sizeof(*file->region));
    if (code == 0)
        file->region[file->regions++] = (struct reader_region){.at = at};
    return code;
}

static int find_regions(const struct binary *binary, struct code *code,
                        struct reader_file *file)
{
    uint64_t at = 0;
    int result = 0;
    while (result == 0 && binary_next_call(binary, "GOMP_parallel", &at)) {
        struct binary_function function;
        int64_t count;
        const struct insn *insn = binary_function(binary, at, &function)
                                      ? code_read(code, &function, &count)
                                      : NULL;
        int64_t call = insn != NULL ? code_index(insn, count, at) : -1;
        uint64_t region = call >= 0 ? find_argument(insn, call) : 0;
        if (region != 0)
            result = add_region(file, region);
    }
    return result;
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
    struct code *code = code_open(binary);
    memcpy(out->build_id, binary_build_id(binary), sizeof(out->build_id));
    if (code != NULL)
        result = find_regions(binary, code, out);
    for (int64_t i = 0; result == 0 && i < out->regions; i++)
        verdict_find(code, &out->region[i]);
    code_close(code);
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
