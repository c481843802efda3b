/* A program's file: where it is, and whether its loader takes a library. */
#include "bench/programs/symbols/loaded.h"
#include "bench/programs/symbols/symbols.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

static bool is_program(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISREG(info.st_mode) &&
           access(path, X_OK) == 0;
}

int loaded_find(const char *name, char *path, size_t size, struct error *err)
{
    const char *at = getenv("PATH");
    struct stat info;
    if (name[0] == '\0')
        return error_set(err, ENOENT, "omp: the program's name is empty");
    if (strchr(name, '/') != NULL || at == NULL) {
        snprintf(path, size, "%s", name);
        if (is_program(path))
            return 0;
        if (stat(path, &info) != 0)
            return error_set(err, ENOENT, "omp: %s: %s", name, strerror(errno));
        return error_set(err, EACCES, "omp: %s: not an executable file", name);
    }
    while (*at != '\0') {
        int length = (int)strcspn(at, ":");
        snprintf(path, size, "%.*s%s%s", length, at, length > 0 ? "/" : "./",
                 name);
        if (is_program(path))
            return 0;
        at += length + (at[length] == ':');
    }
    return error_set(err, ENOENT, "omp: there is no program %s in PATH", name);
}

/* The first two reasons are those of the loader's secure mode (ld.so(8)), in
 * which it ignores such a library. */
const char *loaded_why_not(const char *path)
{
    struct stat info;
    char loader[PATH_MAX];
    if (stat(path, &info) == 0 && (info.st_mode & (S_ISUID | S_ISGID)) != 0)
        return "set-user-id and set-group-id programs load no library before "
               "them";
    if (getxattr(path, "security.capability", NULL, 0) > 0)
        return "programs with capabilities of their file load no library "
               "before them";
    if (symbols_defines(path, "GOMP_parallel") ||
        symbols_defines(path, "__kmpc_fork_call"))
        return "its OpenMP runtime is linked statically, and so out of reach; "
               "link it dynamically";
    if (!loaded_loader(path, loader))
        return NULL;
    if (loader[0] == '\0')
        return "it is linked statically, and such programs load no library; "
               "link it dynamically";
    return strstr(loader, "musl") != NULL
               ? "it has another C library (musl) than libdls-omp.so"
               : NULL;
}
