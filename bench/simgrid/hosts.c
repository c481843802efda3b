#include "bench/simgrid/hosts.h"

#include "base/file.h"
#include "base/text.h"
#include "bench/simgrid/ask.h"
#include "harness/process/need.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void add_host(struct simulate_platform *platform, const char *name,
                     int cores, double speed)
{
    need_room(&platform->hosts, &platform->room, platform->count + 1,
              sizeof(*platform->hosts));
    platform->hosts[platform->count++] =
        (struct simulate_host){need_copy(name), cores, speed};
    platform->cores += cores;
}

void hosts_free(struct simulate_platform *platform)
{
    for (int i = 0; i < platform->count; i++)
        free(platform->hosts[i].name);
    free(platform->hosts);
    platform->hosts = NULL;
    platform->room = 0;
    platform->count = 0;
    platform->cores = 0;
}

/* A line of the answer: "@host CORES SPEED NAME". */
static void read_host(struct simulate_platform *platform, char *line)
{
    int cores, at = 0;
    double speed;
    line[strcspn(line, "\n")] = '\0';
    if (sscanf(line, "@host %d %lf%n", &cores, &speed, &at) != 2 ||
        line[at] != ' ')
        return;
    text_from_word(line + at + 1);
    add_host(platform, line + at + 1, cores, speed);
}

/* Ranks are placed by a file with a name on each line. */
static int check_names(const struct simulate_platform *platform,
                       struct error *err)
{
    for (int i = 0; i < platform->count; i++) {
        const char *name = platform->hosts[i].name;
        if (name[0] == '\0' || strpbrk(name, "\n\r") != NULL)
            return error_set(err, EINVAL,
                             "platform: %s: the name of host '%s' %s: give the "
                             "host another name",
                             platform->file, name,
                             name[0] == '\0' ? "is empty"
                                             : "has the end of a line");
    }
    return 0;
}

static int compare_hosts(const void *a, const void *b)
{
    const struct simulate_host *x = a, *y = b;
    return strverscmp(x->name, y->name);
}

/* Asks for the hosts in `file`. */
static int ask_hosts(const struct simulate *simulate,
                     struct simulate_platform *platform, const char *file,
                     struct error *err)
{
    char complaint[400] = "", *line = NULL;
    size_t room = 0;
    FILE *answer = ask_ranks(simulate, platform, file, 1, "", "--hosts");
    if (answer == NULL)
        return error_set(err, errno, "cannot start smpirun: %s",
                         strerror(errno));
    hosts_free(platform);
    while (getline(&line, &room, answer) > 0) {
        ask_keep_complaint(line, complaint, sizeof(complaint));
        read_host(platform, line);
    }
    free(line);
    pclose(answer);
    /* SimGrid sorts by name; machines of a cluster are numbered. */
    qsort(platform->hosts, (size_t)platform->count, sizeof(*platform->hosts),
          compare_hosts);
    if (platform->count > 0)
        return check_names(platform, err);
    return error_set(err, EINVAL, "platform: %s: SimGrid finds no hosts%s%s",
                     platform->file, complaint[0] ? ": " : "", complaint);
}

/* All hosts of a cluster equal the first; the hosts that SimGrid printed must
 * be where the tree has them. */
static bool add_others(struct simulate_platform *platform, int seen)
{
    const struct fat_tree *tree = &platform->tree;
    const struct simulate_host first = platform->hosts[0];
    char name[128];
    if (platform->count != seen)
        return false;
    for (int i = 0; i < tree->hosts; i++) {
        if (!fat_tree_name(tree, i, name, sizeof(name)))
            return false;
        if (i >= seen)
            add_host(platform, name, first.cores, first.speed);
        else if (strcmp(platform->hosts[i].name, name) != 0)
            return false;
    }
    return true;
}

/* SimGrid needs half a second for thousands of hosts, and little for the first
 * ones. False: it must read the whole file, or report its errors. */
static bool read_tree(const struct simulate *simulate,
                      struct simulate_platform *platform)
{
    struct error why;
    char path[64];
    if (!fat_tree_read(&platform->tree, platform->file))
        return false;
    int seen = fat_tree_fit(&platform->tree, 1);
    char *text = fat_tree_cut(&platform->tree, seen);
    int file = ask_open(text, strlen(text), &why);
    free(text);
    ask_path(file, path, sizeof(path));
    bool good = file >= 0 && ask_hosts(simulate, platform, path, &why) == 0 &&
                add_others(platform, seen);
    if (file >= 0)
        close(file);
    if (!good)
        fat_tree_free(&platform->tree);
    return good;
}

/* Errors that SimGrid does not explain: marks of editors, compressed files. */
static int check_start(const char *path, struct error *err)
{
    const char *why;
    char first[8];
    FILE *file = file_open(path, &why);
    if (file == NULL)
        return error_set(err, ENOENT, "platform: %s: %s", path, why);
    size_t length = fread(first, 1, sizeof(first), file);
    fclose(file);
    int code = file_check_start(first, length, err);
    if (code == 0 && length > 2 && memcmp(first, "\xEF\xBB\xBF", 3) == 0)
        code = error_set(err, EINVAL,
                         "it begins with a byte order mark, which SimGrid does "
                         "not read: save it without");
    return code == 0 ? 0 : error_prefix(err, code, "platform: %s", path);
}

int hosts_read(const struct simulate *simulate,
               struct simulate_platform *platform, struct error *err)
{
    int code = check_start(platform->file, err);
    if (code != 0)
        return code;
    if (read_tree(simulate, platform))
        return 0;
    return ask_hosts(simulate, platform, platform->file, err);
}
