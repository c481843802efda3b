/* The loaded file that an address is in, found without the loader's lock: a
 * thread that opens a library holds it while the library's constructors run.
 * If one of them has a parallel region, the other threads of the team would
 * wait in dladdr for the thread that waits for them. */
#include "dls/omp/omp_internal.h"

#include <link.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct search {
    uint64_t address;
    struct module *found;
};

static bool has_address(const struct dl_phdr_info *info, uint64_t address)
{
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        if (part->p_type == PT_LOAD &&
            address - info->dlpi_addr - part->p_vaddr < part->p_memsz)
            return true;
    }
    return false;
}

/* The name of the program itself is empty here. */
static void copy_path(const char *name, char path[COUNTERS_NAME_MAX])
{
    ssize_t length = -1;
    if (name[0] != '\0') {
        snprintf(path, COUNTERS_NAME_MAX, "%s", name);
        return;
    }
    length = readlink("/proc/self/exe", path, COUNTERS_NAME_MAX - 1);
    path[length > 0 ? length : 0] = '\0';
}

/* ---- the build ---- */

/* The linker's build ID is in a note, whose parts are padded to whole words. */
static void read_note(const char *note, size_t size, size_t word,
                      char build_id[COUNTERS_ID_SIZE])
{
    ElfW(Nhdr) head;
    while (size >= sizeof(head)) {
        memcpy(&head, note, sizeof(head));
        size_t name = (head.n_namesz + word - 1) / word * word;
        size_t all =
            sizeof(head) + name + (head.n_descsz + word - 1) / word * word;
        const unsigned char *id =
            (const unsigned char *)note + sizeof(head) + name;
        if (all > size)
            return;
        if (head.n_type == NT_GNU_BUILD_ID && head.n_namesz == 4 &&
            memcmp(note + sizeof(head), "GNU", 4) == 0 && head.n_descsz >= 8) {
            for (int i = 0; i < 8; i++)
                snprintf(build_id + 2 * i, 3, "%02x", id[i]);
            return;
        }
        note += all;
        size -= all;
    }
}

/* Loaders map the notes; a tool may have cut them off. */
static void read_build(const struct dl_phdr_info *info,
                       char build_id[COUNTERS_ID_SIZE])
{
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        uint64_t place = info->dlpi_addr + part->p_vaddr;
        if (part->p_type == PT_NOTE && has_address(info, place) &&
            has_address(info, place + part->p_memsz - 1))
            read_note((const char *)(uintptr_t)place, part->p_memsz,
                      part->p_align == 8 ? 8 : 4, build_id);
    }
}

static void describe_module(const struct dl_phdr_info *info,
                            struct module *found)
{
    found->known = true;
    found->name = info->dlpi_name;
    found->base = info->dlpi_addr;
    found->unloaded = info->dlpi_subs;
    for (int i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
            found->dynamic =
                (const void *)(uintptr_t)(info->dlpi_addr +
                                          info->dlpi_phdr[i].p_vaddr);
}

static int look_into(struct dl_phdr_info *info, size_t size, void *arg)
{
    const struct search *search = arg;
    struct module *found = search->found;
    (void)size;
    if (!has_address(info, search->address))
        return 0;
    describe_module(info, found);
    copy_path(info->dlpi_name, found->path);
    read_build(info, found->build_id);
    return 1;
}

void module_find(const void *address, struct module *found)
{
    struct search search = {(uintptr_t)address, found};
    *found = (struct module){.known = false};
    dl_iterate_phdr(look_into, &search);
}

/* ---- symbols ---- */

/* The parts of a module's file that the loader reads. */
struct dynamic {
    const ElfW(Sym) * symbol;
    const char *string;
    const uint32_t *hash, *gnu_hash;
    bool stays; /* to the end of the process */
};

/* glibc has put addresses in place of most offsets. */
static const void *address_at(const struct module *module, ElfW(Addr) value)
{
    return (const void *)(uintptr_t)(value < module->base ? value + module->base
                                                          : value);
}

static struct dynamic read_dynamic(const struct module *module)
{
    struct dynamic found = {.symbol = NULL};
    const ElfW(Dyn) *entry = module->dynamic;
    for (; entry != NULL && entry->d_tag != DT_NULL; entry++) {
        const void *value = address_at(module, entry->d_un.d_ptr);
        if (entry->d_tag == DT_SYMTAB)
            found.symbol = value;
        else if (entry->d_tag == DT_STRTAB)
            found.string = value;
        else if (entry->d_tag == DT_HASH)
            found.hash = value;
        else if (entry->d_tag == DT_GNU_HASH)
            found.gnu_hash = value;
        else if (entry->d_tag == DT_FLAGS_1)
            found.stays = (entry->d_un.d_val & DF_1_NODELETE) != 0;
    }
    return found;
}

/* The length of the table is not stored: the last chain ends it. */
static uint32_t count_symbols(const struct dynamic *dynamic)
{
    const uint32_t *hash = dynamic->gnu_hash;
    uint32_t last = 0;
    if (dynamic->hash != NULL)
        return dynamic->hash[1];
    if (hash == NULL)
        return 0;
    uint32_t buckets = hash[0], first = hash[1];
    const uint32_t *bucket =
        hash + 4 + hash[2] * (sizeof(ElfW(Addr)) / sizeof(uint32_t));
    const uint32_t *chain = bucket + buckets;
    for (uint32_t i = 0; i < buckets; i++)
        last = bucket[i] > last ? bucket[i] : last;
    if (last < first)
        return first;
    while ((chain[last - first] & 1) == 0)
        last++;
    return last + 1;
}

/* Whether this module defines the function, not only uses it. */
static bool is_function(const ElfW(Sym) * symbol)
{
    return ELF64_ST_TYPE(symbol->st_info) == STT_FUNC &&
           symbol->st_shndx != SHN_UNDEF;
}

const char *module_symbol(const struct module *module, const void *address)
{
    const struct dynamic dynamic = read_dynamic(module);
    const char *name = NULL;
    uint64_t place = (uintptr_t)address - module->base;
    if (dynamic.symbol == NULL || dynamic.string == NULL)
        return NULL;
    for (uint32_t i = 0, all = count_symbols(&dynamic); i < all; i++) {
        const ElfW(Sym) *symbol = &dynamic.symbol[i];
        if (is_function(symbol) && place - symbol->st_value < symbol->st_size)
            name = dynamic.string + symbol->st_name;
    }
    return name;
}

const void *module_function(const struct module *module, const char *name)
{
    const struct dynamic dynamic = read_dynamic(module);
    if (dynamic.symbol == NULL || dynamic.string == NULL)
        return NULL;
    for (uint32_t i = 0, all = count_symbols(&dynamic); i < all; i++) {
        const ElfW(Sym) *symbol = &dynamic.symbol[i];
        if (is_function(symbol) &&
            strcmp(dynamic.string + symbol->st_name, name) == 0)
            return (const void *)(uintptr_t)(module->base + symbol->st_value);
    }
    return NULL;
}

struct defining {
    const char *name;
    struct module *found;
    int count;
};

static int look_for(struct dl_phdr_info *info, size_t size, void *arg)
{
    struct defining *defining = arg;
    struct module one = {.known = false};
    (void)size;
    describe_module(info, &one);
    if (module_function(&one, defining->name) == NULL)
        return 0;
    copy_path(info->dlpi_name, one.path);
    *defining->found = one;
    defining->count++;
    return 0;
}

bool module_that_defines(const char *name, struct module *found)
{
    struct defining defining = {name, found, 0};
    dl_iterate_phdr(look_for, &defining);
    return defining.count == 1 && read_dynamic(found).stays;
}
