#include "bench/results/rundir.h"

#include "base/file.h"
#include "base/folder.h"
#include "base/system/whole.h"
#include "base/text.h"
#include "bench/campaign/campaign.h"
#include "bench/campaign/policy.h"
#include "bench/results/dirlock.h"
#include "bench/results/folders.h"
#include "harness/process/earlier.h"
#include "harness/record/record.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

/* Less free space counts as full: a run of many cells needs some of it. */
static const double FREE_BYTES_MIN = 1 << 20;

#define MAKE_AGAIN "campaign.yaml back, which --prepare --out NEW/ makes again"

static int file_path(char *out, size_t size, const char *dir, const char *name,
                     struct error *err)
{
    if ((size_t)snprintf(out, size, "%s/%s", dir, name) < size)
        return 0;
    return error_set(err, ENAMETOOLONG, "%s: the path is too long", dir);
}

/* ---- the directory ---- */

/* An unnamed file, which disappears if this process is killed; `name` is then
 * empty.  Not every file system supports it. */
static int open_unnamed(const char *folder, char name[PATH_MAX])
{
    name[0] = '\0';
    int fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0666);
    if (fd >= 0)
        return fd;
    char own[40];
    snprintf(own, sizeof(own), ".dlsbench-%d", (int)getpid());
    if (file_path(name, PATH_MAX, folder, own, NULL) != 0)
        return -ENAMETOOLONG;
    file_discard(name);
    return file_new(name);
}

/* A written file tells more than permissions do (root, full or read-only
 * file systems). */
static int check_writable(const char *path, struct error *err)
{
    char probe[PATH_MAX], block[4096] = {0};
    struct statvfs fs;
    if (statvfs(path, &fs) == 0 &&
        (double)fs.f_bavail * (double)fs.f_frsize < FREE_BYTES_MIN)
        return error_set(err, ENOSPC,
                         "%s: the file system is too full: %.0f kB are free, "
                         "%.0f kB are needed",
                         path, (double)fs.f_bavail * (double)fs.f_frsize / 1e3,
                         FREE_BYTES_MIN / 1e3);
    int fd = open_unnamed(path, probe);
    if (fd >= 0 && probe[0] != '\0')
        file_discard(probe);
    errno = fd < 0 ? -fd : EIO;
    bool wrote = fd >= 0 && write(fd, block, sizeof(block)) == sizeof(block) &&
                 fsync(fd) == 0;
    int reason = errno;
    if (fd >= 0)
        close(fd);
    if (!wrote)
        return error_set(err, reason, "%s: cannot write results here: %s", path,
                         strerror(reason));
    return 0;
}

/* A folder that cannot be read may have any. */
static bool has_files(const char *path, const char *begin, const char *end)
{
    struct folder found;
    if (folder_find(path, begin, end, &found, NULL) != 0)
        return true;
    bool any = found.count > 0;
    folder_free(&found);
    return any;
}

/* An existing directory can be used to resume, or for another shard.  A run
 * killed before it stored its campaign leaves only hidden files, which are not
 * counted; any other folder without a campaign is not ours. */
static int check_existing(const struct rundir *dir,
                          const struct rundir_options *options,
                          struct error *err)
{
    char mine[80], part[64], path[PATH_MAX];
    if (!has_files(dir->path, "", ""))
        return 0;
    int code = file_path(path, sizeof(path), dir->path, "campaign.yaml", err);
    if (code != 0)
        return code;
    if (access(path, F_OK) != 0)
        return error_set(err, EEXIST,
                         "%s holds files but no campaign.yaml, so that run "
                         "cannot continue it: give another --out, or "
                         "put " MAKE_AGAIN,
                         dir->path);
    if (options->resume || options->prepare)
        return 0;
    shard_print(&options->shard, part, sizeof(part));
    snprintf(mine, sizeof(mine), "-%s.json", part);
    if (options->shard.count > 1 && !has_files(dir->path, "manifest-", mine))
        return 0;
    return error_set(
        err, EEXIST,
        "%s exists: give --resume to continue it, or another --out", dir->path);
}

/* ---- campaign.yaml ---- */

/* False with errno on failure; an existing file is no failure. */
static bool give_name(int fd, const char *part, const char *path)
{
    char unnamed[32];
    snprintf(unnamed, sizeof(unnamed), "/proc/self/fd/%d", fd);
    int code = part[0] != '\0' ? link(part, path)
                               : linkat(AT_FDCWD, unnamed, AT_FDCWD, path,
                                        AT_SYMLINK_FOLLOW);
    return code == 0 || errno == EEXIST;
}

/* Written completely before it gets its name: shards may begin together. */
static int store_text(const char *folder, const char *path, const char *text,
                      struct error *err)
{
    char part[PATH_MAX];
    int fd = open_unnamed(folder, part);
    errno = fd < 0 ? -fd : EIO;
    FILE *file = fd >= 0 ? fdopen(fd, "w") : NULL;
    bool wrote = file != NULL && fputs(text, file) >= 0 && fflush(file) == 0 &&
                 give_name(fd, part, path);
    int reason = errno;
    if (fd >= 0 && part[0] != '\0')
        file_discard(part);
    if (file != NULL)
        fclose(file);
    if (!wrote)
        return error_set(err, reason, "%s: cannot write: %s", path,
                         strerror(reason));
    return 0;
}

/* The part that differs; NULL: none.  A stored text without a name had its
 * file's, which is no longer known. */
static const char *find_difference(const struct campaign *stored,
                                   const struct campaign *whole)
{
    if (gain_count(stored, whole) < 0)
        return "other cells";
    if (stored->named && strcmp(stored->name, whole->name) != 0)
        return "another name";
    if (stored->cells != whole->cells && !whole->seeded)
        return NULL;
    /* A campaign with new cells keeps its first seed. */
    bool kept = stored->seeded && !whole->seeded;
    return stored->seed != whole->seed && !kept ? "another seed" : NULL;
}

static bool holds_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "re");
    int c = EOF;
    while (file != NULL && (c = getc_unlocked(file)) > '\0' &&
           c == (unsigned char)*text)
        text++;
    if (file != NULL)
        fclose(file);
    return file != NULL && c == EOF && *text == '\0';
}

/* The stored campaign must be the one to run, or a part of it.  It is, without
 * another look at its cells, where its text is the same. */
static int check_campaign(struct rundir *dir, const char *path,
                          const struct campaign *whole,
                          const struct campaign_setup *setup, struct error *err)
{
    const struct campaign_setup plain = {.cores = setup->cores,
                                         .room = setup->room,
                                         .replayed = setup->replayed};
    struct campaign stored;
    dir->seed = whole->seed;
    dir->gained = 0;
    if (holds_text(path, whole->text))
        return 0;
    struct error why;
    int code = campaign_load(path, &plain, &stored, &why);
    if (code != 0)
        return error_set(err, -code, "%s; if it is damaged, put " MAKE_AGAIN,
                         why.text);
    const char *other = find_difference(&stored, whole);
    const char *setting = policy_difference(&stored.asked, &whole->asked);
    dir->seed = stored.seed;
    dir->gained = gain_count(&stored, whole);
    campaign_free(&stored);
    if (other != NULL)
        return error_set(err, EINVAL,
                         "%s holds another campaign (its campaign.yaml "
                         "has %s): give the same campaign or another --out",
                         dir->path, other);
    if (setting != NULL)
        return error_set(err, EINVAL,
                         "%s is measured with another setting of %s (in its "
                         "campaign.yaml): give the same or another --out",
                         dir->path, setting);
    return 0;
}

/* Cells that were not there before, by --resume only. */
static int take_gained(const struct rundir *dir, const char *path,
                       const struct campaign *whole,
                       const struct campaign_setup *setup,
                       const struct rundir_options *options, struct error *err)
{
    if (dir->gained == 0)
        return 0;
    if (!options->resume && !options->prepare)
        return error_set(
            err, EEXIST,
            "%s holds a part of this campaign, which has %d cell%s more: give "
            "--resume to continue it, or another --out",
            dir->path, dir->gained, text_s(dir->gained));
    char *text = gain_text(whole, dir->seed, setup, err);
    if (text == NULL)
        return -EINVAL;
    int code = file_whole(path, text, strlen(text), err);
    free(text);
    return code;
}

/* Files of two schema versions in one directory could not be read as one. */
static int check_schema(const char *dir, struct error *err)
{
    struct folder found;
    int code = folder_find(dir, "manifest-", ".json", &found, err);
    for (int i = 0; code == 0 && i < found.count; i++) {
        const char *why;
        FILE *file = file_open(found.path[i], &why);
        json_t *manifest = file != NULL ? json_loadf(file, 0, NULL) : NULL;
        if (file != NULL)
            fclose(file);
        const json_t *schema = json_object_get(manifest, "schema");
        if (schema != NULL && json_integer_value(schema) != RECORD_SCHEMA)
            code = error_set(err, EPROTO,
                             "%s: its schema is not %d: another version of "
                             "dlsbench made this result directory; continue "
                             "with that one, or give another --out",
                             found.path[i], RECORD_SCHEMA);
        json_decref(manifest);
    }
    folder_free(&found);
    return code;
}

int rundir_campaign_path(const struct campaign *whole,
                         const struct rundir_options *options, char *path,
                         size_t size)
{
    struct rundir dir;
    int code = rundir_choose(&dir, whole->name, options->out, NULL);
    return code == 0 ? file_path(path, size, dir.path, "campaign.yaml", NULL)
                     : code;
}

/* --resume needs an existing directory. */
static int check_resume(const struct rundir *dir,
                        const struct rundir_options *options, struct error *err)
{
    if (!options->resume)
        return 0;
    if (access(dir->path, F_OK) != 0)
        return error_set(err, ENOENT,
                         "%s does not exist: there is nothing to resume",
                         dir->path);
    int code = rundir_check_line(dir->path, err);
    if (code == 0)
        code = check_existing(dir, options, err);
    return code == 0 ? check_schema(dir->path, err) : code;
}

int rundir_find(struct rundir *dir, const struct campaign *whole,
                const struct campaign_setup *setup,
                const struct rundir_options *options, bool *found,
                struct error *err)
{
    char path[PATH_MAX];
    *dir = (struct rundir){.shard = options->shard};
    int code = rundir_choose(dir, whole->name, options->out, err);
    if (code == 0)
        code = check_resume(dir, options, err);
    if (code == 0)
        code = file_path(path, sizeof(path), dir->path, "campaign.yaml", err);
    if (code != 0)
        return code;
    *found = access(path, F_OK) == 0;
    return *found ? check_campaign(dir, path, whole, setup, err) : 0;
}

/* From here on it is ours: earlier checks are repeated, and killed launches no
 * longer add to it. */
static int enter_directory(struct rundir *dir,
                           const struct rundir_options *options,
                           struct error *err)
{
    dir->lock = dirlock_take(dir->path, &dir->shard, err);
    if (dir->lock < 0)
        return dir->lock;
    int code = check_existing(dir, options, err);
    if (code == 0)
        code =
            earlier_await(dir->full, &dir->shard, NULL, EARLIER_LIMIT_S, err);
    return code;
}

/* Another shard may store its campaign first: its text stays, and the last
 * check compares this campaign with it. */
int rundir_open(struct rundir *dir, const struct campaign *whole,
                const struct campaign_setup *setup,
                const struct rundir_options *options, struct error *err)
{
    char path[PATH_MAX];
    bool new = false;
    *dir = (struct rundir){.shard = options->shard};
    int code = rundir_choose(dir, whole->name, options->out, err);
    if (code == 0)
        code = check_resume(dir, options, err);
    if (code == 0)
        code = rundir_check_line(dir->path, err);
    if (code != 0)
        return code;
    size_t there = folders_there(dir->path);
    code = folders_make(dir->path, &new, err);
    if (code == 0 && !new)
        code = check_existing(dir, options, err);
    if (code == 0 && !new)
        code = check_schema(dir->path, err);
    if (code == 0)
        code = check_writable(dir->path, err);
    if (code == 0 && realpath(dir->path, dir->full) == NULL)
        code = error_set(err, errno, "%s: %s", dir->path, strerror(errno));
    if (code == 0)
        code = rundir_check_line(dir->full, err);
    if (code == 0)
        code = file_path(path, sizeof(path), dir->path, "campaign.yaml", err);
    if (code == 0 && access(path, F_OK) == 0)
        code = check_campaign(dir, path, whole, setup, err);
    if (code == 0 && !options->prepare)
        code = enter_directory(dir, options, err);
    if (code == 0)
        code = take_gained(dir, path, whole, setup, options, err);
    int gained = dir->gained;
    if (code == 0)
        code = store_text(dir->path, path, whole->text, err);
    if (code == 0)
        code = check_campaign(dir, path, whole, setup, err);
    dir->gained = gained; /* the stored one has them now */
    if (code != 0)
        folders_remove(dir->path, there);
    return code;
}
