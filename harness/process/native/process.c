#include "harness/process/process.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Returns the number of bytes read, 0 if the file is missing. */
static size_t read_entry(pid_t pid, const char *name, char *text, size_t size)
{
    char path[64];
    size_t used = 0;
    ssize_t got = 0;
    snprintf(path, sizeof(path), "/proc/%ld/%s", (long)pid, name);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    while (fd >= 0 && used < size &&
           (got = read(fd, text + used, size - used)) > 0)
        used += (size_t)got;
    if (fd >= 0)
        close(fd);
    return used;
}

bool process_read(pid_t pid, struct process *process)
{
    char text[512];
    size_t length = read_entry(pid, "stat", text, sizeof(text) - 1);
    text[length] = '\0';
    /* "12 (name) S 1 ...", where the name may hold anything. */
    const char *open = strchr(text, '('), *close = strrchr(text, ')');
    long parent;
    long long start;
    if (open == NULL || close == NULL ||
        sscanf(close + 1,
               " %*c %ld %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s "
               "%*s %*s %*s %*s %lld",
               &parent, &start) != 2)
        return false;
    *process = (struct process){pid, (pid_t)parent, start, ""};
    snprintf(process->name, sizeof(process->name), "%.*s",
             (int)(close - open - 1), open + 1);
    return true;
}

size_t process_words(pid_t pid, char *words, size_t size)
{
    size_t length = read_entry(pid, "cmdline", words, size - 1);
    words[length] = '\0';
    return length;
}

pid_t process_find(bool (*wanted)(pid_t pid, void *arg), void *arg)
{
    pid_t found = 0;
    DIR *all = opendir("/proc");
    const struct dirent *entry;
    while (all != NULL && found == 0 && (entry = readdir(all)) != NULL) {
        pid_t pid = (pid_t)strtol(entry->d_name, NULL, 10);
        if (pid > 0 && wanted(pid, arg))
            found = pid;
    }
    if (all != NULL)
        closedir(all);
    return found;
}
