#include "base/system/groups.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Small, since the stacks of other programs' threads may be. */
enum { PATH_SIZE = 1024 };

struct visit {
    const char *root, *controller;
    groups_look *look;
    void *into;
};

static FILE *open_below(const char *root, const char *path)
{
    char full[2 * PATH_SIZE];
    snprintf(full, sizeof(full), "%s%s", root, path);
    return fopen(full, "re");
}

static bool has_word(const char *list, const char *word)
{
    size_t length = strlen(word);
    for (; *list != '\0'; list += strcspn(list, ","), list += *list != '\0')
        if (strcspn(list, ",") == length && strncmp(list, word, length) == 0)
            return true;
    return false;
}

/* ---- mounts ---- */

/* A place where a hierarchy is mounted, and the group that is at its top. */
struct mount {
    char top[PATH_SIZE], point[PATH_SIZE];
};

/* Blanks and backslashes of paths are written as \ooo. */
static void unescape_path(char *text)
{
    char *to = text;
    for (unsigned code; *text != '\0'; to++) {
        bool is = *text == '\\' && sscanf(text + 1, "%3o", &code) == 1;
        *to = is ? (char)code : *text;
        text += is ? 4 : 1;
    }
    *to = '\0';
}

/* Whether a line of mountinfo is a mount of this version and controller:
 *
 *   31 30 0:28 / /sys/fs/cgroup/cpu rw,relatime - cgroup cgroup rw,cpu */
static bool read_mount(const char *line, int version, const char *controller,
                       struct mount *mount)
{
    char type[32], options[512];
    const char *dash = strstr(line, " - ");
    if (dash == NULL || sscanf(dash, " - %31s %*s %511s", type, options) != 2 ||
        strcmp(type, version == 1 ? "cgroup" : "cgroup2") != 0 ||
        (version == 1 && !has_word(options, controller)) ||
        sscanf(line, "%*d %*d %*s %1023s %1023s", mount->top, mount->point) !=
            2)
        return false;
    unescape_path(mount->top);
    unescape_path(mount->point);
    return strlen(mount->point) < PATH_SIZE - 1;
}

/* Bytes of `path` above the groups that the mount shows; -1: it shows
 * others. */
static long top_length(const struct mount *mount, const char *path)
{
    size_t length = strlen(mount->top);
    if (strcmp(mount->top, "/") == 0)
        return 0;
    bool inside = strncmp(path, mount->top, length) == 0 &&
                  (path[length] == '/' || path[length] == '\0');
    return inside ? (long)length : -1;
}

/* The mount that shows the group `path`, or else one that shows others. */
static bool find_mount(const struct visit *visit, int version, const char *path,
                       struct mount *found)
{
    char *line = NULL;
    size_t size = 0;
    bool any = false;
    struct mount mount;
    FILE *file = open_below(visit->root, "/proc/self/mountinfo");
    while (file != NULL && (!any || top_length(found, path) < 0) &&
           getline(&line, &size, file) > 0)
        if (read_mount(line, version, visit->controller, &mount)) {
            *found = mount;
            any = true;
        }
    free(line);
    if (file != NULL)
        fclose(file);
    return any;
}

/* ---- groups ---- */

/* Visits a group and all above it, up to the top of the mount.  Folders may be
 * missing: then the path is the host's, and the container's group is at the
 * top.  False: the path is too long. */
static bool visit_parents(const struct visit *visit, const struct mount *mount,
                          const char *path, int version)
{
    char folder[2 * PATH_SIZE];
    size_t end = strlen(visit->root) + strlen(mount->point);
    if (end + strlen(path) >= sizeof(folder))
        return false;
    snprintf(folder, sizeof(folder), "%s%s%s", visit->root, mount->point,
             strcmp(path, "/") == 0 ? "" : path);
    for (;;) {
        visit->look(visit->into, folder, version);
        char *slash = strrchr(folder, '/');
        if (slash == NULL || (size_t)(slash - folder) < end)
            return true;
        *slash = '\0';
    }
}

/* A line of /proc/self/cgroup is number:controllers:path; in version 2 the
 * controllers are empty. */
static bool visit_line(const struct visit *visit, char *line, char *why,
                       size_t size)
{
    struct mount mount;
    line[strcspn(line, "\n")] = '\0';
    char *controllers = strchr(line, ':');
    char *path = controllers != NULL ? strchr(controllers + 1, ':') : NULL;
    if (path == NULL)
        return true;
    *path++ = '\0';
    controllers++;
    int version = *controllers == '\0' ? 2 : 1;
    if (version == 1 && !has_word(controllers, visit->controller))
        return true;
    bool found = find_mount(visit, version, path, &mount);
    long above = found ? top_length(&mount, path) : -1;
    bool seen = found && visit_parents(visit, &mount,
                                       above >= 0 ? path + above : "", version);
    if ((seen && above >= 0) || strcmp(path, "/") == 0)
        return true;
    snprintf(why, size, "no folder shows the control group %.80s", path);
    return false;
}

bool groups_visit(const char *root, const char *controller, groups_look *look,
                  void *into, char *why, size_t size)
{
    const struct visit visit = {root, controller, look, into};
    char *line = NULL;
    size_t room = 0;
    bool known = true;
    FILE *file = open_below(root, "/proc/self/cgroup");
    if (file == NULL) {
        int code = errno;
        FILE *status = open_below(root, "/proc/self/status");
        if (status != NULL)
            fclose(status);
        snprintf(why, size, "/proc/self/cgroup: %s", strerror(code));
        return status != NULL && code == ENOENT;
    }
    while (getline(&line, &room, file) > 0)
        known = visit_line(&visit, line, why, size) && known;
    free(line);
    fclose(file);
    return known;
}
