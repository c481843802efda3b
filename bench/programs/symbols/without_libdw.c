/* Without elfutils a place is the file's name and the offset in it.  This file
 * reads the data of ELF files with 64 bits itself. */
#include "base/text.h"
#include "bench/programs/symbols/loaded.h"
#include "bench/programs/symbols/symbols.h"

#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

const bool symbols_have_lines = false;

struct symbols {
    char nothing;
};

struct symbols *symbols_open(void)
{
    return calloc(1, sizeof(struct symbols));
}

void symbols_close(struct symbols *symbols)
{
    free(symbols);
}

void symbols_find(struct symbols *symbols, const char *path, uint64_t offset,
                  struct symbols_place *place)
{
    (void)symbols;
    *place = (struct symbols_place){.line = 0};
    snprintf(place->function, sizeof(place->function), "%.200s+0x%llx",
             path_last(path), (unsigned long long)offset);
}

bool symbols_has_master(struct symbols *symbols, const char *path,
                        uint64_t function, uint64_t from, uint64_t to)
{
    (void)symbols, (void)path, (void)function, (void)from, (void)to;
    return false;
}

/* ---- a file in memory ---- */

struct image {
    const char *data; /* NULL: not a 64-bit program */
    size_t size;
    Elf64_Ehdr head;
};

/* `size` bytes at an offset; false: the file is too short. */
static bool read_at(const struct image *image, uint64_t at, void *to,
                    size_t size)
{
    if (at > image->size || size > image->size - at)
        return false;
    memcpy(to, image->data + at, size);
    return true;
}

static void image_open(struct image *image, const char *path)
{
    struct stat info;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    *image = (struct image){.data = NULL};
    if (fd < 0)
        return;
    if (fstat(fd, &info) == 0 && info.st_size > 0) {
        void *data =
            mmap(NULL, (size_t)info.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
        image->data = data != MAP_FAILED ? data : NULL;
        image->size = (size_t)info.st_size;
    }
    close(fd);
    if (image->data != NULL &&
        read_at(image, 0, &image->head, sizeof(image->head)) &&
        memcmp(image->head.e_ident, ELFMAG, SELFMAG) == 0 &&
        image->head.e_ident[EI_CLASS] == ELFCLASS64)
        return;
    if (image->data != NULL)
        munmap((void *)(uintptr_t)image->data, image->size);
    image->data = NULL;
}

static void image_close(struct image *image)
{
    if (image->data != NULL)
        munmap((void *)(uintptr_t)image->data, image->size);
}

/* The next segment of a type from *i on; false: none. */
static bool next_part(const struct image *image, uint32_t type, int *i,
                      Elf64_Phdr *part)
{
    for (; image->data != NULL && *i < image->head.e_phnum; ++*i)
        if (read_at(image, image->head.e_phoff + (uint64_t)*i * sizeof(*part),
                    part, sizeof(*part)) &&
            part->p_type == type)
            return true;
    return false;
}

bool loaded_loader(const char *path, char loader[PATH_MAX])
{
    struct image image;
    Elf64_Phdr part;
    int i = 0;
    memset(loader, 0, PATH_MAX);
    image_open(&image, path);
    if (next_part(&image, PT_INTERP, &i, &part) && part.p_filesz < PATH_MAX)
        read_at(&image, part.p_offset, loader, (size_t)part.p_filesz);
    bool is_elf = image.data != NULL;
    image_close(&image);
    return is_elf;
}

/* In one part with notes.  The name and the data of a build id's note are
 * padded to multiples of 4 bytes. */
static bool find_id(const struct image *image, const Elf64_Phdr *part,
                    unsigned char id[8])
{
    uint64_t at = part->p_offset, end = at + part->p_filesz;
    Elf64_Nhdr note;
    char name[4];
    while (at < end && read_at(image, at, &note, sizeof(note))) {
        uint64_t text = at + sizeof(note),
                 data = text + ((uint64_t)note.n_namesz + 3) / 4 * 4;
        if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
            note.n_descsz >= 8 && read_at(image, text, name, 4) &&
            memcmp(name, "GNU", 4) == 0)
            return read_at(image, data, id, 8);
        at = data + ((uint64_t)note.n_descsz + 3) / 4 * 4;
    }
    return false;
}

bool loaded_build_id(const char *path, char text[LOADED_ID_SIZE])
{
    struct image image;
    Elf64_Phdr part;
    unsigned char id[8];
    bool has = false;
    image_open(&image, path);
    for (int i = 0; !has && next_part(&image, PT_NOTE, &i, &part); i++)
        has = find_id(&image, &part, id);
    image_close(&image);
    for (int i = 0; has && i < 8; i++)
        snprintf(text + 2 * i, 3, "%02x", id[i]);
    return has;
}

/* ---- symbols ---- */

static bool read_section(const struct image *image, uint32_t i,
                         Elf64_Shdr *section)
{
    return i < image->head.e_shnum &&
           read_at(image, image->head.e_shoff + i * sizeof(*section), section,
                   sizeof(*section));
}

static bool table_defines(const struct image *image, const Elf64_Shdr *table,
                          const char *name)
{
    Elf64_Shdr names;
    Elf64_Sym symbol;
    size_t length = strlen(name) + 1;
    if (!read_section(image, table->sh_link, &names) || length > 64)
        return false;
    for (uint64_t at = 0; at + sizeof(symbol) <= table->sh_size;
         at += sizeof(symbol)) {
        char own[64];
        if (!read_at(image, table->sh_offset + at, &symbol, sizeof(symbol)))
            return false;
        if (symbol.st_shndx != SHN_UNDEF &&
            read_at(image, names.sh_offset + symbol.st_name, own, length) &&
            memcmp(own, name, length) == 0)
            return true;
    }
    return false;
}

bool symbols_defines(const char *path, const char *name)
{
    struct image image;
    Elf64_Shdr section;
    bool found = false;
    image_open(&image, path);
    for (uint32_t i = 0;
         image.data != NULL && !found && read_section(&image, i, &section); i++)
        if (section.sh_type == SHT_SYMTAB || section.sh_type == SHT_DYNSYM)
            found = table_defines(&image, &section, name);
    image_close(&image);
    return found;
}
