/* Reads what of ELF is needed, by the System V ABI for x86-64: loaded parts,
 * relocations of imports, and the functions in .eh_frame_hdr.  The file is
 * mapped; every offset is checked before it is followed. */
#include "bench/programs/code/binary.h"

#include "bench/programs/code/imports.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct binary {
    const uint8_t *data;
    size_t size;
    const Elf64_Ehdr *head;
    const Elf64_Phdr *part;
    const Elf64_Shdr *section;
    char build_id[17];
    struct imports words, entries;
    struct binary_function *function;
    int64_t functions;
    const Elf64_Sym *symbol;
    uint64_t symbols;
    const char *names;
    uint64_t names_size;
    struct imports defined;
};

static bool fits_in_file(const struct binary *binary, uint64_t offset,
                         uint64_t size)
{
    return offset <= binary->size && size <= binary->size - offset;
}

const uint8_t *binary_bytes(const struct binary *binary, uint64_t at,
                            size_t *size)
{
    for (int i = 0; i < binary->head->e_phnum; i++) {
        const Elf64_Phdr *part = &binary->part[i];
        if (part->p_type != PT_LOAD || at < part->p_vaddr ||
            at - part->p_vaddr >= part->p_filesz)
            continue;
        uint64_t rest = part->p_filesz - (at - part->p_vaddr);
        if (*size > rest)
            *size = rest;
        return binary->data + part->p_offset + (at - part->p_vaddr);
    }
    return NULL;
}

bool binary_is_constant(const struct binary *binary, uint64_t at)
{
    for (int i = 0; i < binary->head->e_phnum; i++) {
        const Elf64_Phdr *part = &binary->part[i];
        if (part->p_type == PT_LOAD && at >= part->p_vaddr &&
            at - part->p_vaddr < part->p_filesz)
            return (part->p_flags & PF_W) == 0;
    }
    return false;
}

/* ---- sections ---- */

static const Elf64_Shdr *section_named(const struct binary *binary,
                                       const char *name)
{
    const Elf64_Shdr *names = &binary->section[binary->head->e_shstrndx];
    for (int i = 0; i < binary->head->e_shnum; i++) {
        const Elf64_Shdr *one = &binary->section[i];
        if (one->sh_name < names->sh_size && one->sh_type != SHT_NOBITS &&
            fits_in_file(binary, one->sh_offset, one->sh_size) &&
            strncmp((const char *)binary->data + names->sh_offset +
                        one->sh_name,
                    name, names->sh_size - one->sh_name) == 0)
            return one;
    }
    return NULL;
}

/* Whether all tables lie inside the file. */
static bool is_right(const struct binary *binary)
{
    const Elf64_Ehdr *head = binary->head;
    if (binary->size < sizeof(*head) ||
        memcmp(head->e_ident, ELFMAG, SELFMAG) != 0 ||
        head->e_ident[EI_CLASS] != ELFCLASS64 ||
        head->e_ident[EI_DATA] != ELFDATA2LSB || head->e_machine != EM_X86_64 ||
        head->e_phentsize != sizeof(Elf64_Phdr) ||
        head->e_shentsize != sizeof(Elf64_Shdr) ||
        head->e_shstrndx >= head->e_shnum || head->e_phoff % 8 != 0 ||
        head->e_shoff % 8 != 0 ||
        !fits_in_file(binary, head->e_phoff,
                      sizeof(Elf64_Phdr) * head->e_phnum) ||
        !fits_in_file(binary, head->e_shoff,
                      sizeof(Elf64_Shdr) * head->e_shnum))
        return false;
    const Elf64_Phdr *part = (const void *)(binary->data + head->e_phoff);
    for (int i = 0; i < head->e_phnum; i++)
        if (!fits_in_file(binary, part[i].p_offset, part[i].p_filesz))
            return false;
    const Elf64_Shdr *names =
        (const Elf64_Shdr *)(const void *)(binary->data + head->e_shoff) +
        head->e_shstrndx;
    return fits_in_file(binary, names->sh_offset, names->sh_size) &&
           names->sh_size > 0 &&
           binary->data[names->sh_offset + names->sh_size - 1] == '\0';
}

static void find_build_id(struct binary *binary)
{
    const Elf64_Shdr *note = section_named(binary, ".note.gnu.build-id");
    if (note == NULL || note->sh_size < 24)
        return;
    static const char digits[] = "0123456789abcdef";
    const uint8_t *id = binary->data + note->sh_offset + 16;
    for (int i = 0; i < 8; i++) {
        binary->build_id[2 * i] = digits[id[i] >> 4];
        binary->build_id[2 * i + 1] = digits[id[i] & 15];
    }
}

/* ---- imports ---- */

static const char *symbol_name(const struct binary *binary, uint64_t number)
{
    if (number >= binary->symbols ||
        binary->symbol[number].st_name >= binary->names_size)
        return NULL;
    return binary->names + binary->symbol[number].st_name;
}

static void find_symbols(struct binary *binary)
{
    const Elf64_Shdr *symbols = section_named(binary, ".dynsym"),
                     *names = section_named(binary, ".dynstr");
    if (symbols == NULL || names == NULL || names->sh_size == 0 ||
        binary->data[names->sh_offset + names->sh_size - 1] != '\0')
        return;
    binary->symbol = (const void *)(binary->data + symbols->sh_offset);
    binary->symbols = symbols->sh_size / sizeof(*binary->symbol);
    binary->names = (const char *)binary->data + names->sh_offset;
    binary->names_size = names->sh_size;
}

/* Words that the loader fills with the address of an import. */
static int find_words(struct binary *binary, const char *section)
{
    const Elf64_Shdr *table = section_named(binary, section);
    if (table == NULL)
        return 0;
    const Elf64_Rela *entry = (const void *)(binary->data + table->sh_offset);
    int code = 0;
    for (uint64_t i = 0; code == 0 && i < table->sh_size / sizeof(*entry);
         i++) {
        uint64_t type = ELF64_R_TYPE(entry[i].r_info),
                 number = ELF64_R_SYM(entry[i].r_info);
        const char *name = number != 0 ? symbol_name(binary, number) : NULL;
        if (name != NULL && (type == R_X86_64_GLOB_DAT ||
                             type == R_X86_64_JUMP_SLOT || type == R_X86_64_64))
            code = imports_add(&binary->words, entry[i].r_offset, name);
    }
    return code;
}

/* Each entry of the linkage table jumps through the word of its function. */
static int find_entries(struct binary *binary, const char *section,
                        uint64_t step)
{
    const Elf64_Shdr *table = section_named(binary, section);
    int code = 0;
    if (table == NULL)
        return 0;
    const uint8_t *code_at = binary->data + table->sh_offset;
    for (uint64_t o = 0; code == 0 && o + 6 <= table->sh_size; o++) {
        int32_t distance;
        if (code_at[o] != 0xff || code_at[o + 1] != 0x25)
            continue;
        memcpy(&distance, code_at + o + 2, sizeof(distance));
        const char *name =
            imports_at(&binary->words,
                       table->sh_addr + o + 6 + (uint64_t)(int64_t)distance);
        if (name != NULL)
            code = imports_add(&binary->entries,
                               table->sh_addr + o / step * step, name);
    }
    return code;
}

const char *binary_entry(const struct binary *binary, uint64_t at)
{
    return imports_at(&binary->entries, at);
}

const char *binary_word(const struct binary *binary, uint64_t at)
{
    return imports_at(&binary->words, at);
}

/* ---- names that the file defines ---- */

static int find_defined(struct binary *binary)
{
    int code = 0;
    for (uint64_t i = 1; code == 0 && i < binary->symbols; i++) {
        const char *name = symbol_name(binary, i);
        if (binary->symbol[i].st_shndx != SHN_UNDEF && name != NULL)
            code = imports_add(&binary->defined, 0, name);
    }
    imports_sort(&binary->defined, true);
    return code;
}

bool binary_defines(const struct binary *binary, const char *name)
{
    return imports_have(&binary->defined, name);
}

/* ---- functions ---- */

/* Also of stripped files, which keep what exceptions need. */
static int find_functions(struct binary *binary)
{
    const Elf64_Shdr *table = section_named(binary, ".eh_frame_hdr");
    if (table == NULL || table->sh_size < 12)
        return 0;
    const uint8_t *data = binary->data + table->sh_offset;
    uint32_t count;
    memcpy(&count, data + 8, sizeof(count));
    /* Pointers as linkers write them: to frames, a count, from the table. */
    if (data[0] != 1 || data[2] != 3 || data[3] != 0x3b ||
        count > (table->sh_size - 12) / 8)
        return 0;
    binary->function = malloc(sizeof(*binary->function) * (count + 1));
    if (binary->function == NULL)
        return -ENOMEM;
    for (uint32_t i = 0; i < count; i++) {
        int32_t pair[2];
        uint32_t size;
        size_t bytes = 16;
        memcpy(pair, data + 12 + 8 * i, sizeof(pair));
        const uint8_t *frame = binary_bytes(
            binary, table->sh_addr + (uint64_t)(int64_t)pair[1], &bytes);
        if (frame == NULL || bytes < 16)
            continue;
        memcpy(&size, frame + 12, sizeof(size));
        binary->function[binary->functions++] = (struct binary_function){
            table->sh_addr + (uint64_t)(int64_t)pair[0], size};
    }
    qsort(binary->function, (size_t)binary->functions,
          sizeof(*binary->function), imports_by_place);
    return 0;
}

bool binary_function(const struct binary *binary, uint64_t at,
                     struct binary_function *out)
{
    int64_t low = 0, high = binary->functions;
    while (low < high) {
        int64_t middle = (low + high) / 2;
        if (binary->function[middle].at <= at)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0 ||
        at - binary->function[low - 1].at >= binary->function[low - 1].size)
        return false;
    *out = binary->function[low - 1];
    return true;
}

/* ---- calls ---- */

static void find_places(const struct imports *all, const char *name,
                        struct binary_places *places)
{
    for (int64_t i = 0; i < all->count; i++)
        if (strcmp(all->one[i].name, name) == 0 &&
            places->count < BINARY_PLACES)
            places->at[places->count++] = all->one[i].at;
}

struct binary_places binary_places(const struct binary *binary,
                                   const char *name)
{
    struct binary_places places = {.count = 0};
    find_places(&binary->entries, name, &places);
    find_places(&binary->words, name, &places);
    return places;
}

/* CALL or JMP, direct (e8, e9) or through a word (ff 15, ff 25). */
static bool leads_to(const uint8_t *code, uint64_t at,
                     const struct binary_places *places)
{
    bool direct = code[0] == 0xe8 || code[0] == 0xe9;
    int32_t distance;
    if (!direct && (code[0] != 0xff || (code[1] != 0x15 && code[1] != 0x25)))
        return false;
    memcpy(&distance, code + 2 - direct, sizeof(distance));
    uint64_t to = at + 6 - direct + (uint64_t)(int64_t)distance;
    for (int i = 0; i < places->count; i++)
        if (places->at[i] == to)
            return true;
    return false;
}

bool binary_next_call(const struct binary *binary,
                      const struct binary_places *places, uint64_t *at)
{
    const Elf64_Shdr *text = section_named(binary, ".text");
    if (text == NULL || places->count == 0)
        return false;
    uint64_t o = *at < text->sh_addr ? 0 : *at - text->sh_addr + 1;
    const uint8_t *code = binary->data + text->sh_offset;
    for (; o + 6 <= text->sh_size; o++)
        if (leads_to(code + o, text->sh_addr + o, places)) {
            *at = text->sh_addr + o;
            return true;
        }
    return false;
}

/* ---- the file ---- */

static int read_tables(struct binary *binary)
{
    binary->part = (const void *)(binary->data + binary->head->e_phoff);
    binary->section = (const void *)(binary->data + binary->head->e_shoff);
    find_build_id(binary);
    find_symbols(binary);
    int code = find_words(binary, ".rela.plt");
    if (code == 0)
        code = find_words(binary, ".rela.dyn");
    imports_sort(&binary->words, false);
    if (code == 0)
        code = find_entries(binary, ".plt", 16);
    if (code == 0)
        code = find_entries(binary, ".plt.got", 8);
    if (code == 0)
        code = find_entries(binary, ".plt.sec", 16);
    imports_sort(&binary->entries, false);
    if (code == 0)
        code = find_defined(binary);
    return code == 0 ? find_functions(binary) : code;
}

int binary_open(const char *path, struct binary **out, struct error *err)
{
    struct stat about;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &about) != 0) {
        int code = errno;
        if (fd >= 0)
            close(fd);
        return error_set(err, code, "%s: %s", path, strerror(code));
    }
    struct binary *binary = calloc(1, sizeof(*binary));
    void *data =
        about.st_size > 0 && S_ISREG(about.st_mode)
            ? mmap(NULL, (size_t)about.st_size, PROT_READ, MAP_PRIVATE, fd, 0)
            : MAP_FAILED;
    close(fd);
    int code = binary == NULL ? -ENOMEM : -ENOEXEC;
    if (binary != NULL && data != MAP_FAILED) {
        binary->data = data;
        binary->size = (size_t)about.st_size;
        binary->head = data;
        code = is_right(binary) ? read_tables(binary) : -ENOEXEC;
    }
    if (code == 0)
        *out = binary;
    else if (binary != NULL)
        binary_close(binary);
    return code == 0 ? 0
                     : error_set(err, -code, "%s: %s", path, strerror(-code));
}

const char *binary_build_id(const struct binary *binary)
{
    return binary->build_id;
}

void binary_close(struct binary *binary)
{
    if (binary->data != NULL)
        munmap((void *)(uintptr_t)binary->data, binary->size);
    free(binary->words.one);
    free(binary->entries.one);
    free(binary->defined.one);
    free(binary->function);
    free(binary);
}
