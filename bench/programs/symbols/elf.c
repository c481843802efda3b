/* Reads the file of a program by elfutils' libelf. */
#include "bench/programs/symbols/loaded.h"
#include "bench/programs/symbols/symbols.h"

#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* NULL: unreadable.  The caller closes both. */
static Elf *open_elf(const char *path, int *fd)
{
    *fd = open(path, O_RDONLY | O_CLOEXEC);
    return *fd >= 0 && elf_version(EV_CURRENT) != EV_NONE
               ? elf_begin(*fd, ELF_C_READ, NULL)
               : NULL;
}

static void close_elf(Elf *elf, int fd)
{
    if (elf != NULL)
        elf_end(elf);
    if (fd >= 0)
        close(fd);
}

bool loaded_build_id(const char *path, char text[LOADED_ID_SIZE])
{
    int fd;
    const void *found = NULL;
    Elf *elf = open_elf(path, &fd);
    bool has = elf != NULL && dwelf_elf_gnu_build_id(elf, &found) >= 8;
    for (int i = 0; has && i < 8; i++)
        snprintf(text + 2 * i, 3, "%02x", ((const unsigned char *)found)[i]);
    close_elf(elf, fd);
    return has;
}

bool loaded_loader(const char *path, char loader[PATH_MAX])
{
    int fd;
    Elf *elf = open_elf(path, &fd);
    size_t count = 0;
    bool is_elf = elf != NULL && elf_kind(elf) == ELF_K_ELF &&
                  elf_getphdrnum(elf, &count) == 0;
    loader[0] = '\0';
    for (size_t i = 0; is_elf && i < count; i++) {
        GElf_Phdr head;
        if (gelf_getphdr(elf, (int)i, &head) == NULL ||
            head.p_type != PT_INTERP || head.p_filesz >= PATH_MAX)
            continue;
        ssize_t got =
            pread(fd, loader, (size_t)head.p_filesz, (off_t)head.p_offset);
        loader[got > 0 ? got : 0] = '\0';
    }
    close_elf(elf, fd);
    return is_elf;
}

/* ---- symbols of a file ---- */

static bool table_defines(Elf *elf, Elf_Scn *section, const GElf_Shdr *header,
                          const char *name)
{
    Elf_Data *data = elf_getdata(section, NULL);
    size_t count = header->sh_entsize > 0
                       ? (size_t)(header->sh_size / header->sh_entsize)
                       : 0;
    for (size_t i = 0; data != NULL && i < count; i++) {
        GElf_Sym symbol;
        if (gelf_getsym(data, (int)i, &symbol) == NULL)
            break;
        const char *own = elf_strptr(elf, header->sh_link, symbol.st_name);
        if (own != NULL && symbol.st_shndx != SHN_UNDEF &&
            strcmp(own, name) == 0)
            return true;
    }
    return false;
}

bool symbols_defines(const char *path, const char *name)
{
    bool found = false;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || elf_version(EV_CURRENT) == EV_NONE)
        return false;
    Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
    Elf_Scn *section = NULL;
    while (elf != NULL && !found &&
           (section = elf_nextscn(elf, section)) != NULL) {
        GElf_Shdr header;
        if (gelf_getshdr(section, &header) != NULL &&
            (header.sh_type == SHT_SYMTAB || header.sh_type == SHT_DYNSYM))
            found = table_defines(elf, section, &header, name);
    }
    if (elf != NULL)
        elf_end(elf);
    close(fd);
    return found;
}
