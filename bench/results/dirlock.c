#include "bench/results/dirlock.h"

#include "base/stamp.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

/* Byte ranges of the file.  Each run has a line and locks it.  While a run
 * reads the lines to take one, it locks a byte beyond all lines. */
enum { LINE_SIZE = 200 };
static const off_t TURN = (off_t)1 << 40;

/* ---- ranges ---- */

static int lock_range(int fd, int how, short type, off_t start, off_t length)
{
    struct flock range = {.l_type = type,
                          .l_whence = SEEK_SET,
                          .l_start = start,
                          .l_len = length};
    return fcntl(fd, how, &range) == 0 ? 0 : -errno;
}

/* The first line from `start` on that another run has locked; -1: none. */
static off_t find_locked(int fd, off_t start)
{
    struct flock range = {.l_type = F_WRLCK,
                          .l_whence = SEEK_SET,
                          .l_start = start,
                          .l_len = TURN - start};
    if (fcntl(fd, F_OFD_GETLK, &range) != 0 || range.l_type == F_UNLCK)
        return -1;
    return range.l_start > start ? range.l_start : start;
}

/* ---- lines ---- */

static void write_line(int fd, off_t line, const struct shard *shard)
{
    char host[65], when[STAMP_TIME_SIZE], name[64], text[LINE_SIZE + 1];
    stamp_host_name(host, sizeof(host));
    stamp_time(time(NULL), when);
    shard_print(shard, name, sizeof(name));
    int length = snprintf(text, sizeof(text),
                          "host %s, process %ld, since %s, launches *-%s", host,
                          (long)getpid(), when, name);
    memset(text + length, ' ', (size_t)(LINE_SIZE - length));
    text[LINE_SIZE - 1] = '\n';
    /* A full disk takes the text, but not the lock. */
    if (pwrite(fd, text, LINE_SIZE, line) != LINE_SIZE)
        return;
}

/* Looks at all runs, and takes the first line that is free; *line. */
static int take_line(int fd, const char *directory, const struct shard *shard,
                     off_t *line, struct error *err)
{
    char text[LINE_SIZE + 1];
    struct shard other;
    *line = 0;
    for (off_t held = find_locked(fd, 0); held >= 0;
         held = find_locked(fd, held + LINE_SIZE)) {
        /* Without the blanks at its end. */
        ssize_t got = pread(fd, text, LINE_SIZE, held);
        text[got > 0 ? got : 0] = '\0';
        text[strcspn(text, "\n")] = '\0';
        for (size_t end = strlen(text); end > 0 && text[end - 1] == ' '; end--)
            text[end - 1] = '\0';
        if (shard_parse(text, &other) && !shard_overlaps(&other, shard)) {
            *line += *line == held ? LINE_SIZE : 0;
            continue;
        }
        return error_set(err, EBUSY,
                         "%s: another run is in it (%s): wait for its end, or "
                         "give another --out; only different layouts "
                         "(--shape) and shards of one number run together",
                         directory, text[0] ? text : "it does not say which");
    }
    return lock_range(fd, F_OFD_SETLK, F_WRLCK, *line, LINE_SIZE);
}

static int take_lock(int fd, const char *directory, const struct shard *shard,
                     struct error *err)
{
    off_t line;
    int code;
    while ((code = lock_range(fd, F_OFD_SETLKW, F_WRLCK, TURN, 1)) == -EINTR) {
    }
    if (code != 0)
        return code;
    code = take_line(fd, directory, shard, &line, err);
    if (code == 0)
        write_line(fd, line, shard);
    lock_range(fd, F_OFD_SETLK, F_UNLCK, TURN, 1);
    return code;
}

/* ---- file systems ---- */

/* Whether `name`, alone or with a value, is one of the options a,b=c,d. */
static bool find_option(const char *options, const char *name, char *option,
                        size_t size)
{
    size_t length = strlen(name);
    while (*options != '\0') {
        size_t word = strcspn(options, ", \n");
        if (word == length && strncmp(options, name, length) == 0) {
            snprintf(option, size, "%s", name);
            return true;
        }
        options += word;
        options += *options != '\0';
    }
    return false;
}

void dirlock_read_mounts(FILE *mounts, dev_t device, char *option, size_t size)
{
    static const char *const local[] = {"nolock", "local_lock=all",
                                        "local_lock=posix", "localflock"};
    char line[2 * PATH_MAX];
    option[0] = '\0';
    while (mounts != NULL && fgets(line, sizeof(line), mounts) != NULL) {
        unsigned major_number, minor_number;
        const char *rest = strstr(line, " - ");
        if (rest == NULL ||
            sscanf(line, "%*d %*d %u:%u", &major_number, &minor_number) != 2 ||
            makedev(major_number, minor_number) != device)
            continue;
        for (size_t i = 0; i < sizeof(local) / sizeof(local[0]); i++)
            if (find_option(rest + strlen(" - "), local[i], option, size))
                return;
    }
}

static void warn_of_local_locks(int fd, const char *directory)
{
    char option[32];
    struct stat info;
    FILE *mounts = fopen("/proc/self/mountinfo", "re");
    if (fstat(fd, &info) == 0)
        dirlock_read_mounts(mounts, info.st_dev, option, sizeof(option));
    else
        option[0] = '\0';
    if (mounts != NULL)
        fclose(mounts);
    if (option[0] != '\0')
        fprintf(stderr,
                "dlsbench: %s: other hosts do not see locks here (its file "
                "system is mounted with %s): nothing refuses a second run that "
                "is started there\n",
                directory, option);
}

int dirlock_take(const char *directory, const struct shard *shard,
                 struct error *err)
{
    char path[PATH_MAX];
    if ((size_t)snprintf(path, sizeof(path), "%s/.lock", directory) >=
        sizeof(path))
        return error_set(err, ENAMETOOLONG, "%s: the path is too long",
                         directory);
    int fd = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (fd < 0)
        return error_set(err, errno, "%s: cannot open: %s", path,
                         errno == ELOOP ? "it is a symbolic link; remove it"
                                        : strerror(errno));
    int code = take_lock(fd, directory, shard, err);
    if (code == -EBUSY) {
        close(fd);
        return code;
    }
    if (code != 0)
        fprintf(stderr,
                "dlsbench: %s: this file system has no locks (%s): nothing "
                "refuses a second run in it\n",
                directory, strerror(-code));
    else
        warn_of_local_locks(fd, directory);
    return fd;
}
