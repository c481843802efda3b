/* Finds campaigns by short name: `workstation` is a file of this program's
 * source tree or installation. */
#include "bench/campaign/campaign.h"

#include "base/nearest.h"
#include "bench/launching/installed.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { NAMES_MAX = 128 }; /* campaigns that a message lists */

static const char ENDING[] = ".yaml";

static int is_campaign(const struct dirent *entry)
{
    size_t length = strlen(entry->d_name), ending = strlen(ENDING);
    return length > ending &&
           strcmp(entry->d_name + length - ending, ENDING) == 0;
}

/* The short names in a folder, sorted; the caller frees all.  Below 0: none. */
static int list_names(const char *folder, struct dirent ***list)
{
    *list = NULL;
    int count = scandir(folder, list, is_campaign, alphasort);
    for (int i = 0; i < count; i++)
        *strrchr((*list)[i]->d_name, '.') = '\0';
    return count;
}

static int unknown_campaign(const char *name, const char *folder,
                            struct error *err)
{
    struct dirent **list;
    const char *names[NAMES_MAX + 1] = {NULL};
    int count = list_names(folder, &list);
    for (int i = 0; i < count && i < NAMES_MAX; i++)
        names[i] = list[i]->d_name;
    nearest_unknown(err, name, names, "",
                    "campaign: there is no file and no campaign '%s'", name);
    for (int i = 0; i < count; i++)
        free(list[i]);
    free(list);
    return -ENOENT;
}

int campaign_find(const char *text, char *path, size_t size, struct error *err)
{
    char folder[PATH_MAX];
    bool is_name = strpbrk(text, "/.") == NULL && access(text, F_OK) != 0;
    int length = snprintf(path, size, "%s", text);
    if (is_name &&
        installed_find("bench/campaigns", folder, sizeof(folder)) == 0) {
        length = snprintf(path, size, "%s/%s%s", folder, text, ENDING);
        if (length > 0 && (size_t)length < size && access(path, F_OK) != 0)
            return unknown_campaign(text, folder, err);
    }
    if (length < 0 || (size_t)length >= size)
        return error_set(err, ENAMETOOLONG, "%s: the name is too long", text);
    return 0;
}

void campaign_print_names(FILE *out)
{
    char folder[PATH_MAX];
    struct dirent **list = NULL;
    int count = installed_find("bench/campaigns", folder, sizeof(folder)) == 0
                    ? list_names(folder, &list)
                    : 0;
    for (int i = 0; i < count; i++) {
        fprintf(out, "%s\ta campaign that comes with DLSBench\n",
                list[i]->d_name);
        free(list[i]);
    }
    free(list);
}
