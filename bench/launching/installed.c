#include "bench/launching/installed.h"

#include "bench/launching/subprocess.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* A program that is installed is compiled without its build's folder, and with
 * that of libraries, relative to PREFIX where it is below it. */
#ifndef BUILD_TREE
#define BUILD_TREE ""
#endif
#ifndef BUILD_LIBDIR
#define BUILD_LIBDIR "lib"
#endif

/* The search looks into so many folders above the program: build/dlsbench, a
 * program in a folder below build/, or PREFIX/bin/dlsbench. */
enum { LEVELS_MAX = 3 };

static const char *const below[] = {"", "share/dlsbench/"};

enum { BELOW = sizeof(below) / sizeof(below[0]) };

static bool find_below(const char *top, const char *name, char *path,
                       size_t size)
{
    for (int i = 0; i < BELOW; i++) {
        char found[PATH_MAX];
        int length =
            snprintf(found, sizeof(found), "%s/%s%s", top, below[i], name);
        if (length >= 0 && (size_t)length < sizeof(found) &&
            (size_t)length < size && access(found, R_OK) == 0) {
            memcpy(path, found, (size_t)length + 1);
            return true;
        }
    }
    return false;
}

int installed_find(const char *name, char *path, size_t size)
{
    char top[PATH_MAX];
    struct error err;
    int code = subprocess_program(top, sizeof(top), &err);
    if (code == 0)
        *strrchr(top, '/') = '\0'; /* the program's own folder has none */
    for (int level = 0; code == 0 && level < LEVELS_MAX; level++) {
        char *slash = strrchr(top, '/');
        if (slash == NULL)
            break;
        *slash = '\0';
        if (find_below(top, name, path, size))
            return 0;
    }
    if (code != 0)
        return code;
    return BUILD_TREE[0] != '\0' && find_below(BUILD_TREE, name, path, size)
               ? 0
               : -ENOENT;
}

int installed_library(const char *name, char *path, size_t size)
{
    static const char *const folders[] = {BUILD_LIBDIR "/dlsbench", "lib",
                                          "build/lib"};
    bool whole = BUILD_LIBDIR[0] == '/';
    if (whole && find_below(BUILD_LIBDIR "/dlsbench", name, path, size))
        return 0;
    for (int i = whole; i < 3; i++) {
        char below_top[64 + sizeof(BUILD_LIBDIR)];
        snprintf(below_top, sizeof(below_top), "%s/%s", folders[i], name);
        if (installed_find(below_top, path, size) == 0)
            return 0;
    }
    return -ENOENT;
}
