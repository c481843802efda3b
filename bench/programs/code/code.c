/* Instructions by capstone; each function is decoded once.  Calls and jumps
 * lead to addresses, or to imported names. */
#include "bench/programs/code/code.h"

#include "base/list.h"

#include <stdlib.h>
#include <string.h>

#ifdef WITH_CAPSTONE
#include <capstone/capstone.h>

/* A function that was read, sorted by its address; without `insn` it cannot be
 * decoded. */
struct kept {
    uint64_t at;
    struct insn *insn;
    int64_t count;
    struct code_note note;
};

/* `one` is used again for each instruction; `reg` has our number of each of
 * capstone's registers. */
struct code {
    const struct binary *binary;
    csh handle;
    cs_insn *one;
    struct kept *kept;
    int64_t count, room;
    uint8_t reg[X86_REG_ENDING];
};

/* ---- registers ---- */

static void name_registers(uint8_t reg[X86_REG_ENDING])
{
    static const uint16_t low[8][5] = {
        {X86_REG_RAX, X86_REG_EAX, X86_REG_AX, X86_REG_AL, X86_REG_AH},
        {X86_REG_RCX, X86_REG_ECX, X86_REG_CX, X86_REG_CL, X86_REG_CH},
        {X86_REG_RDX, X86_REG_EDX, X86_REG_DX, X86_REG_DL, X86_REG_DH},
        {X86_REG_RBX, X86_REG_EBX, X86_REG_BX, X86_REG_BL, X86_REG_BH},
        {X86_REG_RSP, X86_REG_ESP, X86_REG_SP, X86_REG_SPL, X86_REG_SPL},
        {X86_REG_RBP, X86_REG_EBP, X86_REG_BP, X86_REG_BPL, X86_REG_BPL},
        {X86_REG_RSI, X86_REG_ESI, X86_REG_SI, X86_REG_SIL, X86_REG_SIL},
        {X86_REG_RDI, X86_REG_EDI, X86_REG_DI, X86_REG_DIL, X86_REG_DIL}};
    memset(reg, REG_OTHER, X86_REG_ENDING);
    reg[X86_REG_INVALID] = REG_NONE;
    for (unsigned i = 0; i < 8; i++) {
        for (int k = 0; k < 5; k++)
            reg[low[i][k]] = (uint8_t)i;
        reg[X86_REG_R8 + i] = reg[X86_REG_R8D + i] = reg[X86_REG_R8W + i] =
            reg[X86_REG_R8B + i] = (uint8_t)(8 + i);
    }
    for (unsigned i = 0; i < 32; i++)
        reg[X86_REG_XMM0 + i] = reg[X86_REG_YMM0 + i] = reg[X86_REG_ZMM0 + i] =
            (uint8_t)(REG_VECTOR + i);
    reg[X86_REG_EFLAGS] = REG_FLAGS;
    reg[X86_REG_RIP] = REG_RIP;
}

/* ---- instructions ---- */

/* What asks the system or the processor is strange: two blocks of iterations
 * need not get the same answer. */
static uint8_t flow_of(const cs_insn *one)
{
    switch (one->id) {
    case X86_INS_CALL:
        return FLOW_CALL;
    case X86_INS_JMP:
        return FLOW_JUMP;
    case X86_INS_RET:
    case X86_INS_UD2:
    case X86_INS_HLT:
    case X86_INS_INT3:
        return FLOW_END;
    case X86_INS_SYSCALL:
    case X86_INS_SYSENTER:
    case X86_INS_INT:
    case X86_INS_RDFSBASE:
    case X86_INS_RDGSBASE:
    case X86_INS_WRFSBASE:
    case X86_INS_WRGSBASE:
    case X86_INS_RDTSC:
    case X86_INS_RDTSCP:
    case X86_INS_CPUID:
    case X86_INS_RDRAND:
    case X86_INS_RDSEED:
    case X86_INS_LOOP:
    case X86_INS_LOOPE:
    case X86_INS_LOOPNE:
    case X86_INS_JECXZ:
    case X86_INS_JRCXZ:
    case X86_INS_XBEGIN:
    case X86_INS_LCALL:
    case X86_INS_LJMP:
    case X86_INS_IRETQ:
    case X86_INS_ENTER:
        return FLOW_STRANGE;
    default:
        for (int i = 0; i < one->detail->groups_count; i++)
            if (one->detail->groups[i] == X86_GRP_JUMP)
                return FLOW_BRANCH;
        return FLOW_ON;
    }
}

static struct operand operand_of(const struct code *code, const cs_x86_op *op)
{
    struct operand out = {.bytes = op->size,
                          .reg = REG_NONE,
                          .base = REG_NONE,
                          .index = REG_NONE,
                          .reads = (op->access & CS_AC_READ) != 0,
                          .writes = (op->access & CS_AC_WRITE) != 0};
    if (op->type == X86_OP_REG) {
        out.type = OPERAND_REG;
        out.reg = code->reg[op->reg];
    } else if (op->type == X86_OP_IMM) {
        out.type = OPERAND_NUMBER;
        out.value = op->imm;
    } else if (op->type == X86_OP_MEM) {
        out.type = OPERAND_MEMORY;
        out.base = code->reg[op->mem.base];
        out.index = code->reg[op->mem.index];
        out.scale = (uint8_t)op->mem.scale;
        out.value = op->mem.disp;
        out.segment =
            op->mem.segment == X86_REG_FS || op->mem.segment == X86_REG_GS;
    }
    return out;
}

static uint64_t bits_of(const struct code *code, const cs_regs regs, int count)
{
    uint64_t bits = 0;
    for (int i = 0; i < count; i++)
        if (code->reg[regs[i]] < REG_COUNT)
            bits |= UINT64_C(1) << code->reg[regs[i]];
    return bits;
}

/* Registers whose values are not tracked: opcodes D8 to DF are x87's. */
static bool uses_others(const struct insn *insn, const cs_x86 *x86)
{
    for (int i = 0; i < insn->count; i++)
        if (insn->op[i].type == OPERAND_REG && insn->op[i].reg == REG_OTHER)
            return true;
    return (x86->opcode[0] & 0xf8) == 0xd8 || insn->id == X86_INS_LDMXCSR ||
           insn->id == X86_INS_VLDMXCSR || insn->id == X86_INS_STMXCSR ||
           insn->id == X86_INS_VSTMXCSR;
}

/* For instructions without information from capstone: all operands are read,
 * and the first one is written. */
static void assume_access(struct insn *insn)
{
    for (int i = 0; i < insn->count; i++) {
        struct operand *op = &insn->op[i];
        op->reads = true;
        op->writes = i == 0;
        uint8_t used[] = {op->reg, op->base, op->index};
        for (int k = 0; k < 3; k++)
            if (used[k] < REG_COUNT)
                insn->reads |= UINT64_C(1) << used[k];
        if (i == 0 && op->reg < REG_COUNT)
            insn->writes |= UINT64_C(1) << op->reg;
    }
    insn->writes |= UINT64_C(1) << REG_FLAGS;
}

static struct insn convert_instruction(struct code *code)
{
    const cs_insn *one = code->one;
    const cs_x86 *x86 = &one->detail->x86;
    struct insn out = {.at = one->address,
                       .id = one->id,
                       .size = (uint8_t)one->size,
                       .count = x86->op_count > 4 ? 4 : x86->op_count,
                       .flow = flow_of(one),
                       .lock = x86->prefix[0] == X86_PREFIX_LOCK};
    cs_regs reads, writes;
    uint8_t read = 0, written = 0;
    if (cs_regs_access(code->handle, one, reads, &read, writes, &written) != 0)
        out.flow = FLOW_STRANGE;
    out.reads = bits_of(code, reads, read);
    out.writes = bits_of(code, writes, written);
    bool known = out.count == 0;
    for (int i = 0; i < out.count; i++) {
        out.op[i] = operand_of(code, &x86->operands[i]);
        known = known || out.op[i].reads || out.op[i].writes;
    }
    out.other = uses_others(&out, x86);
    /* Capstone's information on AVX is not relied on. */
    if (out.flow == FLOW_ON && (!known || one->mnemonic[0] == 'v'))
        assume_access(&out);
    return out;
}

static struct insn *decode_function(struct code *code,
                                    const struct binary_function *function,
                                    int64_t *count)
{
    struct insn *all = NULL;
    int64_t room = 0;
    size_t left = function->size;
    uint64_t at = function->at;
    const uint8_t *bytes = binary_bytes(code->binary, at, &left);
    *count = 0;
    if (bytes == NULL || left < function->size)
        return NULL;
    while (left > 0) {
        if (!cs_disasm_iter(code->handle, &bytes, &left, &at, code->one) ||
            list_grow(&all, &room, *count + 1, sizeof(*all)) != 0) {
            free(all);
            return NULL;
        }
        all[(*count)++] = convert_instruction(code);
    }
    return all;
}

struct code *code_open(const struct binary *binary)
{
    struct code *code = calloc(1, sizeof(*code));
    if (code == NULL)
        return NULL;
    code->binary = binary;
    if (cs_open(CS_ARCH_X86, CS_MODE_64, &code->handle) != CS_ERR_OK) {
        free(code);
        return NULL;
    }
    cs_option(code->handle, CS_OPT_DETAIL, CS_OPT_ON);
    code->one = cs_malloc(code->handle);
    name_registers(code->reg);
    return code;
}

void code_close(struct code *code)
{
    if (code == NULL)
        return;
    for (int64_t i = 0; i < code->count; i++)
        free(code->kept[i].insn);
    free(code->kept);
    cs_free(code->one, 1);
    cs_close(&code->handle);
    free(code);
}

static int64_t find_kept(const struct code *code, uint64_t at)
{
    int64_t low = 0, high = code->count;
    while (low < high) {
        int64_t middle = (low + high) / 2;
        if (code->kept[middle].at < at)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

struct code_note *code_note(struct code *code, uint64_t at)
{
    int64_t i = find_kept(code, at);
    return i < code->count && code->kept[i].at == at ? &code->kept[i].note
                                                     : NULL;
}

const struct insn *code_read(struct code *code,
                             const struct binary_function *function,
                             int64_t *count)
{
    int64_t low = find_kept(code, function->at);
    if (low == code->count || code->kept[low].at != function->at) {
        if (list_grow(&code->kept, &code->room, code->count + 1,
                      sizeof(*code->kept)) != 0)
            return NULL;
        memmove(&code->kept[low + 1], &code->kept[low],
                sizeof(*code->kept) * (size_t)(code->count - low));
        code->kept[low] = (struct kept){.at = function->at};
        code->kept[low].insn =
            decode_function(code, function, &code->kept[low].count);
        code->count++;
    }
    *count = code->kept[low].count;
    return code->kept[low].insn;
}
#else
struct code {
    const struct binary *binary;
};

struct code *code_open(const struct binary *binary)
{
    (void)binary;
    return NULL;
}

void code_close(struct code *code)
{
    (void)code;
}

const struct insn *code_read(struct code *code,
                             const struct binary_function *function,
                             int64_t *count)
{
    (void)code;
    (void)function;
    *count = 0;
    return NULL;
}

struct code_note *code_note(struct code *code, uint64_t at)
{
    (void)code;
    (void)at;
    return NULL;
}
#endif

const struct binary *code_image(const struct code *code)
{
    return code->binary;
}

int64_t code_index(const struct insn *insn, int64_t count, uint64_t at)
{
    int64_t low = 0, high = count;
    while (low < high) {
        int64_t middle = (low + high) / 2;
        if (insn[middle].at < at)
            low = middle + 1;
        else
            high = middle;
    }
    return low < count && insn[low].at == at ? low : -1;
}

struct target code_target(const struct binary *binary, const struct insn *insn)
{
    struct target target = {NULL, 0};
    const struct operand *op = &insn->op[0];
    if (insn->count == 0)
        return target;
    if (op->type == OPERAND_NUMBER) {
        target.name = binary_entry(binary, (uint64_t)op->value);
        if (target.name == NULL)
            target.at = (uint64_t)op->value;
    } else if (op->type == OPERAND_MEMORY && op->base == REG_RIP &&
               op->index == REG_NONE) {
        target.name =
            binary_word(binary, insn->at + insn->size + (uint64_t)op->value);
    }
    return target;
}

bool names_return(const char *name)
{
    static const char *const stops[] = {"abort",
                                        "exit",
                                        "_exit",
                                        "__stack_chk_fail",
                                        "__assert_fail",
                                        "_ZSt9terminatev",
                                        "_Unwind_Resume",
                                        "__cxa_throw",
                                        "__cxa_rethrow",
                                        "__cxa_throw_bad_array_new_length",
                                        "__cxa_call_unexpected",
                                        "_gfortran_runtime_error",
                                        "_gfortran_runtime_error_at",
                                        "_gfortran_os_error_at",
                                        "_gfortran_os_error",
                                        "_gfortran_stop_string",
                                        "_gfortran_error_stop_string"};
    static const char *const throws[] = {"_ZSt16__throw", "_ZSt17__throw",
                                         "_ZSt19__throw", "_ZSt20__throw",
                                         "_ZSt24__throw", "_ZSt28__throw"};
    for (size_t i = 0; i < sizeof(stops) / sizeof(stops[0]); i++)
        if (strcmp(name, stops[i]) == 0)
            return false;
    for (size_t i = 0; i < sizeof(throws) / sizeof(throws[0]); i++)
        if (strncmp(name, throws[i], strlen(throws[i])) == 0)
            return false;
    return true;
}
