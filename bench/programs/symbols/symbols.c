/* Functions by the symbol table, lines and inlined calls by DWARF, both read
 * with elfutils' libdwfl.  An offset is an address as in the file's program
 * headers (p_vaddr). */
#include "bench/programs/symbols/symbols.h"

#include <dlfcn.h>
#include <dwarf.h>
#include <elfutils/libdwfl.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const bool symbols_have_lines = true;

/* Each file has its own address space. */
struct file {
    struct file *next;
    char *path;
    Dwfl *dwfl;
    Dwfl_Module *module; /* NULL: unreadable */
    struct span *span;   /* addresses with names; NULL: not known */
    int spans;
};

/* From a symbol's begin to the last end of the symbols so far. */
struct span {
    Dwarf_Addr from, to;
};

typedef char *demangle_fn(const char *, char *, size_t *, int *);

struct symbols {
    struct file *first;
    demangle_fn *demangle; /* from C++'s library; NULL: not loaded */
};

static const Dwfl_Callbacks callbacks = {
    .find_elf = dwfl_build_id_find_elf,
    .find_debuginfo = dwfl_standard_find_debuginfo,
    .section_address = dwfl_offline_section_address,
};

/* ---- files ---- */

static int by_begin(const void *a, const void *b)
{
    const struct span *x = a, *y = b;
    return (x->from > y->from) - (x->from < y->from);
}

/* libdw searches all symbols for each address; in a stripped file most have no
 * name.  In sorted order `to` is the last end so far: one binary search then
 * tells whether any symbol may have an address. */
static void find_spans(struct file *file)
{
    int count = dwfl_module_getsymtab(file->module);
    file->span = count > 0 ? calloc((size_t)count, sizeof(*file->span)) : NULL;
    for (int i = 0; file->span != NULL && i < count; i++) {
        GElf_Sym symbol;
        GElf_Addr at;
        if (dwfl_module_getsym_info(file->module, i, &symbol, &at, NULL, NULL,
                                    NULL) == NULL ||
            symbol.st_shndx == SHN_UNDEF)
            continue;
        file->span[file->spans++] = (struct span){
            at, symbol.st_size > 0 ? at + symbol.st_size : UINT64_MAX};
    }
    if (file->spans > 0)
        qsort(file->span, (size_t)file->spans, sizeof(*file->span), by_begin);
    for (int i = 1; i < file->spans; i++)
        if (file->span[i].to < file->span[i - 1].to)
            file->span[i].to = file->span[i - 1].to;
}

static bool may_have_name(struct file *file, uint64_t offset)
{
    if (file->span == NULL)
        find_spans(file);
    int low = 0, high = file->spans; /* the first span that begins after it */
    while (low < high) {
        int middle = (low + high) / 2;
        if (file->span[middle].from <= offset)
            low = middle + 1;
        else
            high = middle;
    }
    return file->span == NULL || (low > 0 && offset < file->span[low - 1].to);
}

static struct file *find_file(struct symbols *symbols, const char *path)
{
    struct file *file = symbols->first;
    while (file != NULL && strcmp(file->path, path) != 0)
        file = file->next;
    if (file != NULL)
        return file;
    file = calloc(1, sizeof(*file));
    if (file == NULL)
        return NULL;
    file->path = strdup(path);
    if (file->path != NULL)
        file->dwfl = dwfl_begin(&callbacks);
    if (file->dwfl != NULL) {
        dwfl_report_begin(file->dwfl);
        file->module =
            dwfl_report_elf(file->dwfl, file->path, file->path, -1, 0, true);
        dwfl_report_end(file->dwfl, NULL, NULL);
    }
    file->next = symbols->first;
    symbols->first = file;
    return file;
}

struct symbols *symbols_open(void)
{
    struct symbols *symbols = calloc(1, sizeof(*symbols));
    void *library = dlopen("libstdc++.so.6", RTLD_LAZY);
    void *found = library != NULL ? dlsym(library, "__cxa_demangle") : NULL;
    if (symbols != NULL)
        memcpy(&symbols->demangle, &found, sizeof(found));
    return symbols;
}

void symbols_close(struct symbols *symbols)
{
    struct file *file = symbols != NULL ? symbols->first : NULL;
    while (file != NULL) {
        struct file *next = file->next;
        if (file->dwfl != NULL)
            dwfl_end(file->dwfl);
        free(file->span);
        free(file->path);
        free(file);
        file = next;
    }
    free(symbols);
}

/* ---- places ---- */

/* Without what compilers add to the names of a loop's and other cut out
 * parts: ._omp_fn.0, .part.3, .omp_outlined. */
static void name_function(const struct symbols *symbols, const char *symbol,
                          char name[256])
{
    snprintf(name, 256, "%.*s",
             (int)(symbol[0] == '.' ? strlen(symbol) : strcspn(symbol, ".")),
             symbol);
    char *plain = symbols->demangle != NULL
                      ? symbols->demangle(name, NULL, NULL, NULL)
                      : NULL;
    if (plain != NULL)
        snprintf(name, 256, "%s", plain);
    free(plain);
}

/* A part that was inlined into another: where it was called. */
struct call {
    const char *file;
    int line;
};

enum { CALLS_MAX = 64 };

/* The parts that an address is in, from the outermost. */
struct calls {
    Dwarf_Addr address;
    Dwarf_Files *files;
    struct call call[CALLS_MAX];
    int count;
};

static void add_call(struct calls *calls, Dwarf_Die *inlined)
{
    Dwarf_Attribute attribute;
    Dwarf_Word file, line;
    if (calls->count == CALLS_MAX ||
        dwarf_formudata(dwarf_attr(inlined, DW_AT_call_file, &attribute),
                        &file) != 0 ||
        dwarf_formudata(dwarf_attr(inlined, DW_AT_call_line, &attribute),
                        &line) != 0)
        return;
    const char *name = dwarf_filesrc(calls->files, file, NULL, NULL);
    if (name != NULL)
        calls->call[calls->count++] = (struct call){name, (int)line};
}

/* A loop's function is nested in the function it was split from, which does not
 * include its addresses: all functions are searched. */
static bool may_have(Dwarf_Die *part, Dwarf_Addr address)
{
    switch (dwarf_tag(part)) {
    case DW_TAG_subprogram:
    case DW_TAG_namespace:
    case DW_TAG_module:
    case DW_TAG_class_type:
    case DW_TAG_structure_type:
        return true;
    case DW_TAG_lexical_block:
    case DW_TAG_inlined_subroutine:
        return dwarf_haspc(part, address) > 0;
    default:
        return false;
    }
}

static void find_calls(Dwarf_Die *parent, struct calls *calls)
{
    Dwarf_Die part;
    if (dwarf_child(parent, &part) != 0)
        return;
    do {
        if (!may_have(&part, calls->address))
            continue;
        if (dwarf_tag(&part) == DW_TAG_inlined_subroutine)
            add_call(calls, &part);
        find_calls(&part, calls);
    } while (dwarf_siblingof(&part, &part) == 0);
}

/* The innermost part that is in the file of the outermost: a loop over a vector
 * is where its function is, not in the header. */
static void leave_headers(Dwarf_Die *unit, Dwarf_Addr address,
                          struct symbols_place *place)
{
    struct calls calls = {.address = address};
    size_t count;
    if (unit == NULL || dwarf_getsrcfiles(unit, &calls.files, &count) != 0)
        return;
    find_calls(unit, &calls);
    for (int i = calls.count - 1; i >= 0; i--) {
        if (strcmp(place->file, calls.call[0].file) == 0)
            return;
        snprintf(place->file, sizeof(place->file), "%s", calls.call[i].file);
        place->line = calls.call[i].line;
        place->column = 0;
    }
}

/* If a compiler does not list the addresses of its units, all are searched. */
static void find_slowly(Dwfl_Module *module, uint64_t offset,
                        struct symbols_place *place)
{
    Dwarf_Die *unit = NULL;
    Dwarf_Addr bias;
    while ((unit = dwfl_module_nextcu(module, unit, &bias)) != NULL) {
        Dwarf_Line *line = dwarf_haspc(unit, offset - bias) > 0
                               ? dwarf_getsrc_die(unit, offset - bias)
                               : NULL;
        const char *source =
            line != NULL ? dwarf_linesrc(line, NULL, NULL) : NULL;
        if (source == NULL)
            continue;
        dwarf_lineno(line, &place->line);
        snprintf(place->file, sizeof(place->file), "%s", source);
        leave_headers(unit, offset - bias, place);
        return;
    }
}

void symbols_find(struct symbols *symbols, const char *path, uint64_t offset,
                  struct symbols_place *place)
{
    *place = (struct symbols_place){.line = 0};
    struct file *file = find_file(symbols, path);
    if (file == NULL || file->module == NULL)
        return;
    const char *symbol = may_have_name(file, offset)
                             ? dwfl_module_addrname(file->module, offset)
                             : NULL;
    if (symbol != NULL)
        name_function(symbols, symbol, place->function);
    Dwfl_Line *line = dwfl_module_getsrc(file->module, offset);
    const char *source = line != NULL
                             ? dwfl_lineinfo(line, NULL, &place->line,
                                             &place->column, NULL, NULL)
                             : NULL;
    Dwarf_Addr bias = 0;
    Dwarf_Die *unit = dwfl_module_addrdie(file->module, offset, &bias);
    if (source != NULL) {
        snprintf(place->file, sizeof(place->file), "%s", source);
        leave_headers(unit, offset - bias, place);
    } else {
        find_slowly(file->module, offset, place);
    }
}

/* ---- code ---- */

/* Bytes at an address in a file as it is loaded. */
static const unsigned char *bytes_at(Elf *elf, uint64_t address, size_t size)
{
    size_t parts = 0;
    elf_getphdrnum(elf, &parts);
    for (size_t i = 0; i < parts; i++) {
        GElf_Phdr part;
        if (gelf_getphdr(elf, (int)i, &part) == NULL ||
            part.p_type != PT_LOAD || address < part.p_vaddr ||
            address - part.p_vaddr + size > part.p_filesz)
            continue;
        Elf_Data *data = elf_getdata_rawchunk(
            elf, (int64_t)(part.p_offset + address - part.p_vaddr), size,
            ELF_T_BYTE);
        return data != NULL ? data->d_buf : NULL;
    }
    return NULL;
}

static int32_t number_at(const unsigned char *at)
{
    int32_t number;
    memcpy(&number, at, sizeof(number));
    return number;
}

/* Whether the loader puts the address of this function there. */
static bool is_slot_of(Elf *elf, uint64_t slot, const char *name)
{
    Elf_Scn *section = NULL;
    GElf_Shdr header, symbols;
    GElf_Rela entry;
    GElf_Sym symbol;
    while ((section = elf_nextscn(elf, section)) != NULL) {
        Elf_Data *data = NULL;
        if (gelf_getshdr(section, &header) == NULL ||
            header.sh_type != SHT_RELA ||
            (data = elf_getdata(section, NULL)) == NULL)
            continue;
        Elf_Scn *table = elf_getscn(elf, header.sh_link);
        Elf_Data *all = table != NULL ? elf_getdata(table, NULL) : NULL;
        if (all == NULL || gelf_getshdr(table, &symbols) == NULL)
            continue;
        for (int i = 0; gelf_getrela(data, i, &entry) != NULL; i++)
            if (entry.r_offset == slot &&
                gelf_getsym(all, (int)GELF_R_SYM(entry.r_info), &symbol) !=
                    NULL)
                return strcmp(elf_strptr(elf, symbols.sh_link, symbol.st_name),
                              name) == 0;
    }
    return false;
}

/* Whether the stub that calls go through leads to this function. */
static bool leads_to(Elf *elf, uint64_t stub, const char *name)
{
    const unsigned char *code = bytes_at(elf, stub, 16);
    size_t at = 0;
    if (code == NULL)
        return false;
    if (memcmp(code, "\xf3\x0f\x1e\xfa", 4) == 0)
        at = 4;
    at += code[at] == 0xf2;
    return code[at] == 0xff && code[at + 1] == 0x25 &&
           is_slot_of(elf, stub + at + 6 + (uint64_t)number_at(code + at + 2),
                      name);
}

/* "test r32,r32" among the first instructions. */
static bool tests_result(const unsigned char *code)
{
    for (int i = 0; i < 6; i++)
        if (code[i] == 0x85 && (code[i + 1] & 0xc0) == 0xc0)
            return true;
    return false;
}

/* Searches for e8 (a call), a test of its result, and a stub that leads to
 * omp_get_thread_num.  It does not decode instructions; the stub's relocation
 * makes a wrong match unlikely. */
bool symbols_has_master(struct symbols *symbols, const char *path,
                        uint64_t function, uint64_t from, uint64_t to)
{
    const struct file *file = find_file(symbols, path);
    GElf_Ehdr head;
    GElf_Sym symbol = {.st_size = 0};
    GElf_Off offset = 0;
    GElf_Addr bias = 0;
    Elf *elf = file != NULL && file->module != NULL
                   ? dwfl_module_getelf(file->module, &bias)
                   : NULL;
    if (elf == NULL || gelf_getehdr(elf, &head) == NULL ||
        head.e_machine != EM_X86_64 ||
        dwfl_module_addrinfo(file->module, function, &offset, &symbol, NULL,
                             NULL, NULL) == NULL)
        return false;
    size_t size = symbol.st_size;
    const unsigned char *code = bytes_at(elf, function, size);
    for (size_t i = 0; code != NULL && i + 12 < size; i++) {
        uint64_t next = function + i + 5;
        if (code[i] == 0xe8 && next >= from && next < to &&
            tests_result(code + i + 5) &&
            leads_to(elf, next + (uint64_t)number_at(code + i + 1),
                     "omp_get_thread_num"))
            return true;
    }
    return false;
}
