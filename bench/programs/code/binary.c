#include "bench/programs/code/binary.h"

#include "base/list.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct import {
    uint64_t at;
    const char *name;
};

struct imports {
    struct import *one;
    int64_t count, room;
};

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
};

static bool fits(const struct binary *binary, uint64_t offset, uint64_t size)
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
            fits(binary, one->sh_offset, one->sh_size) &&
            strncmp((const char *)binary->data + names->sh_offset +
                        one->sh_name,
                    name, names->sh_size - one->sh_name) == 0)
            return one;
    }
    return NULL;
}

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
        !fits(binary, head->e_phoff, sizeof(Elf64_Phdr) * head->e_phnum) ||
        !fits(binary, head->e_shoff, sizeof(Elf64_Shdr) * head->e_shnum))
        return false;
    const Elf64_Phdr *part = (const void *)(binary->data + head->e_phoff);
    for (int i = 0; i < head->e_phnum; i++)
        if (!fits(binary, part[i].p_offset, part[i].p_filesz))
            return false;
    const Elf64_Shdr *names =
        (const Elf64_Shdr *)(const void *)(binary->data + head->e_shoff) +
        head->e_shstrndx;
    return fits(binary, names->sh_offset, names->sh_size) &&
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

static int by_place(const void *a, const void *b)
{
    uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;
    return (left > right) - (left < right);
}

static const char *find_import(const struct imports *all, uint64_t at)
{
    const struct import *found =
        all->count > 0 ? bsearch(&at, all->one, (size_t)all->count,
                                 sizeof(*all->one), by_place)
                       : NULL;
    return found != NULL ? found->name : NULL;
}

static int add_import(struct imports *all, uint64_t at, const char *name)
{
    int code =
        list_grow(&all->one, &all->room, all->count + 1, sizeof(*all->one));
    if (code == 0)
        all->one[all->count++] = (struct import){at, name};
    return code;
}

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
            code = add_import(&binary->words, entry[i].r_offset, name);
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
            find_import(&binary->words,
                        table->sh_addr + o + 6 + (uint64_t)(int64_t)distance);
        if (name != NULL)
            code = add_import(&binary->entries,
                              table->sh_addr + o / step * step, name);
    }
    return code;
}

const char *binary_entry(const struct binary *binary, uint64_t at)
{
    return find_import(&binary->entries, at);
}

const char *binary_word(const struct binary *binary, uint64_t at)
{
    return find_import(&binary->words, at);
}

bool binary_defines(const struct binary *binary, const char *name)
{
    for (uint64_t i = 1; i < binary->symbols; i++)
        if (binary->symbol[i].st_shndx != SHN_UNDEF &&
            binary->symbol[i].st_name < binary->names_size &&
            strcmp(binary->names + binary->symbol[i].st_name, name) == 0)
            return true;
    return false;
}

/* ---- functions ---- */

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
          sizeof(*binary->function), by_place);
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

static bool leads_to(const struct binary *binary, const uint8_t *code,
                     uint64_t at, const char *name)
{
    int32_t distance;
    const char *found = NULL;
    if (code[0] == 0xe8 || code[0] == 0xe9) {
        memcpy(&distance, code + 1, sizeof(distance));
        found = binary_entry(binary, at + 5 + (uint64_t)(int64_t)distance);
    } else if (code[0] == 0xff && (code[1] == 0x15 || code[1] == 0x25)) {
        memcpy(&distance, code + 2, sizeof(distance));
        found = binary_word(binary, at + 6 + (uint64_t)(int64_t)distance);
    }
    return found != NULL && strcmp(found, name) == 0;
}

bool binary_next_call(const struct binary *binary, const char *name,
                      uint64_t *at)
{
    const Elf64_Shdr *text = section_named(binary, ".text");
    if (text == NULL)
        return false;
    uint64_t o = *at < text->sh_addr ? 0 : *at - text->sh_addr + 1;
    const uint8_t *code = binary->data + text->sh_offset;
    for (; o + 6 <= text->sh_size; o++)
        if ((code[o] == 0xe8 || code[o] == 0xe9 || code[o] == 0xff) &&
            leads_to(binary, code + o, text->sh_addr + o, name)) {
            *at = text->sh_addr + o;
            return true;
        }
    return false;
}

/* ---- the file ---- */

static int fill(struct binary *binary)
{
    binary->part = (const void *)(binary->data + binary->head->e_phoff);
    binary->section = (const void *)(binary->data + binary->head->e_shoff);
    find_build_id(binary);
    find_symbols(binary);
    int code = find_words(binary, ".rela.plt");
    if (code == 0)
        code = find_words(binary, ".rela.dyn");
    if (binary->words.count > 0)
        qsort(binary->words.one, (size_t)binary->words.count,
              sizeof(*binary->words.one), by_place);
    if (code == 0)
        code = find_entries(binary, ".plt", 16);
    if (code == 0)
        code = find_entries(binary, ".plt.got", 8);
    if (code == 0)
        code = find_entries(binary, ".plt.sec", 16);
    if (binary->entries.count > 0)
        qsort(binary->entries.one, (size_t)binary->entries.count,
              sizeof(*binary->entries.one), by_place);
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
        code = is_right(binary) ? fill(binary) : -ENOEXEC;
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
    free(binary->function);
    free(binary);
}
