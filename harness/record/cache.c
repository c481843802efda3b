#include "harness/record/cache.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

bool cache_folder(char *path, size_t size)
{
    const char *base = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    if (base != NULL && base[0] == '/')
        snprintf(path, size, "%s", base);
    else if (home != NULL && home[0] == '/')
        snprintf(path, size, "%s/.cache", home);
    else
        return false;
    mkdir(path, 0777);
    strncat(path, "/dlsbench", size - strlen(path) - 1);
    mkdir(path, 0777);
    return true;
}
