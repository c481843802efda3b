/* Answers the library's questions, each in one message over its own connection.
 * The socket in the folder is for all who can reach it; by the abstract name
 * only the program's descendants may ask. */
#include "bench/programs/seen/lookup.h"

#include "bench/options/command.h"
#include "bench/programs/seen/source_lines.h"
#include "bench/programs/symbols/loaded.h"
#include "dls/omp/omp_counters.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

/* ---- the sockets ---- */

static int listen_at(const struct sockaddr_un *address, socklen_t length)
{
    int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    if (fd >= 0 && bind(fd, (const struct sockaddr *)address, length) == 0 &&
        listen(fd, 64) == 0)
        return fd;
    int code = errno;
    if (fd >= 0)
        close(fd);
    errno = code;
    return -1;
}

int lookup_open(struct lookup *lookup, struct error *err)
{
    struct sockaddr_un address;
    int code = 0;
    snprintf(lookup->path, sizeof(lookup->path), "%s/lookup", lookup->folder);
    int folder = counters_socket(lookup->path, &address);
    lookup->listening[0] =
        folder >= 0 ? listen_at(&address, sizeof(address)) : -1;
    if (lookup->listening[0] < 0)
        code =
            error_set(err, errno, "omp: %s: %s", lookup->path, strerror(errno));
    if (folder >= 0)
        close(folder);
    socklen_t length = counters_socket_name(lookup->path, &address);
    lookup->listening[1] = code == 0 ? listen_at(&address, length) : -1;
    return code;
}

void lookup_close(struct lookup *lookup)
{
    for (int i = 0; i < 2; i++)
        if (lookup->listening[i] >= 0)
            close(lookup->listening[i]);
    unlink(lookup->path);
}

/* ---- incoming messages ---- */

/* Links counters of a process without room for its file into the folder as
 * well.  This process keeps them until its end. */
static void keep_counters(const char *folder, int file)
{
    char path[PATH_MAX], link[64];
    snprintf(path, sizeof(path), "%s/memory-%d" COUNTERS_SUFFIX, folder, file);
    snprintf(link, sizeof(link), "/proc/self/fd/%d", file);
    if (symlink(link, path) != 0)
        command_say("omp: %s: a part of the report is lost: %s", path,
                    strerror(errno));
}

/* `file`: a descriptor came with it, or -1. */
static void receive_text(int fd, char *text, size_t size, int *file)
{
    _Alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof(*file))];
    struct iovec data = {text, size - 1};
    struct msghdr message = {.msg_iov = &data,
                             .msg_iovlen = 1,
                             .msg_control = control,
                             .msg_controllen = sizeof(control)};
    ssize_t got = recvmsg(fd, &message, MSG_CMSG_CLOEXEC);
    struct cmsghdr *head = got > 0 ? CMSG_FIRSTHDR(&message) : NULL;
    *file = -1;
    if (head != NULL && head->cmsg_type == SCM_RIGHTS)
        memcpy(file, CMSG_DATA(head), sizeof(*file));
    text[got > 0 ? got : 0] = '\0';
}

/* Anybody can ask by name. */
static bool may_ask(const struct lookup *lookup, int fd)
{
    struct ucred of = {.pid = 0};
    socklen_t size = sizeof(of);
    return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &of, &size) == 0 &&
           loaded_belongs(of.pid, lookup->program);
}

/* "offset flags module" is answered with "function<tab>file:line".  The
 * function has the name that a rule knows it by. */
static void find_place(const struct lookup *lookup, const char *text,
                       char *reply, size_t size)
{
    char name[NAMES_SIZE];
    struct symbols_place place;
    unsigned long long offset;
    unsigned flags;
    int module = 0;
    snprintf(reply, size, "\t");
    if (sscanf(text, "%llx %u %n", &offset, &flags, &module) < 2 || module == 0)
        return;
    bool exact = (flags & COUNTERS_COMBINED) != 0;
    symbols_find(lookup->symbols, text + module, offset - !exact, &place);
    const char *known = rules_find(lookup->rules, place.function);
    if (known == NULL)
        known = names_plain(place.function, name);
    if (place.file[0] != '\0')
        snprintf(reply, size, "%.255s\t%s:%d", known, place.file, place.line);
    else if (place.function[0] != '\0')
        snprintf(reply, size, "%.255s\t", known);
}

void lookup_answer(const struct lookup *lookup, int i)
{
    char text[768] = "", reply[768];
    const struct timeval patience = {.tv_sec = 1};
    int fd = accept4(lookup->listening[i], NULL, NULL, SOCK_CLOEXEC);
    int file = -1;
    if (fd < 0)
        return;
    if (i == 0 || may_ask(lookup, fd)) {
        setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
        receive_text(fd, text, sizeof(text), &file);
        if (file >= 0)
            keep_counters(lookup->folder, file);
        find_place(lookup, text, reply, sizeof(reply));
        send(fd, reply, strlen(reply), MSG_NOSIGNAL);
    }
    close(fd);
}
