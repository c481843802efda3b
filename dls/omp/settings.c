/* Reads the variables DLS_..., and the rules of a file. */
#include "dls/omp/omp_internal.h"

#include "base/text.h"
#include "dls/dls_internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static struct settings the;
static char rules_file[256]; /* from DLS_SCHEDULE */
static char wrong_loops[64]; /* from COUNTERS_LOOPS; empty: it is valid */

/* Before main: the program may change its environment. */
static __attribute__((constructor)) void read_environment(void)
{
    const char *folder = getenv(COUNTERS_FOLDER),
               *loops = getenv(COUNTERS_LOOPS);
    const char *schedule = getenv("DLS_SCHEDULE");
    the.folder = folder != NULL && folder[0] != '\0' ? folder : NULL;
    const char *record = getenv(COUNTERS_RECORD);
    the.records = the.folder != NULL && record != NULL && record[0] != '\0';
    const char *strips = getenv(COUNTERS_STRIPS);
    the.strips = the.folder != NULL && strips != NULL && strips[0] != '\0';
    the.schedules = schedule != NULL && schedule[0] != '\0';
    the.rules = the.schedules && schedule[0] == '@';
    if (the.rules)
        snprintf(rules_file, sizeof(rules_file), "%.255s", schedule + 1);
    the.dynamic = loops != NULL && strcmp(loops, "dynamic") == 0;
    the.checked = loops != NULL && strncmp(loops, "checked", 7) == 0;
    if (the.checked || (loops != NULL && strcmp(loops, "static") == 0))
        the.tables = getenv(COUNTERS_TABLES);
    if (!the.dynamic && the.tables == NULL && loops != NULL &&
        strcmp(loops, "runtime") != 0)
        snprintf(wrong_loops, sizeof(wrong_loops), "%.63s", loops);
}

const struct settings *settings(void)
{
    return &the;
}

void settings_say(const char *format, ...)
{
    static char said[sizeof(struct error)]; /* prints a line only once */
    struct error line;
    va_list args;
    va_start(args, format);
    vsnprintf(line.text, sizeof(line.text), format, args);
    va_end(args);
    if (strcmp(said, line.text) == 0)
        return;
    /* Prints first: a thread that finds the line here may end the process. */
    dprintf(STDERR_FILENO, "libdls-omp: %s\n", line.text);
    memcpy(said, line.text, sizeof(said));
}

void *settings_need(void *memory, const char *what)
{
    if (memory == NULL) {
        settings_say("out of memory for %s", what);
        _Exit(1);
    }
    return memory;
}

/* ---- the names of a loop ---- */

/* Through its file or, if that is invisible, its abstract name. */
static int connect_lookup(void)
{
    struct sockaddr_un address;
    const char *path = getenv(COUNTERS_LOOKUP);
    if (path == NULL)
        return -1;
    int folder = counters_socket(path, &address);
    int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    bool connected = folder >= 0 && connect(fd, (struct sockaddr *)&address,
                                            sizeof(address)) == 0;
    if (!connected) {
        socklen_t length = counters_socket_name(path, &address);
        connected = connect(fd, (struct sockaddr *)&address, length) == 0;
    }
    if (folder >= 0)
        close(folder);
    if (connected)
        return fd;
    if (fd >= 0)
        close(fd);
    return -1;
}

bool settings_hand_over(int file)
{
    char text[] = "counters";
    _Alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof(file))] = {0};
    struct iovec data = {text, sizeof(text)};
    struct msghdr message = {.msg_iov = &data,
                             .msg_iovlen = 1,
                             .msg_control = control,
                             .msg_controllen = sizeof(control)};
    struct cmsghdr *head = CMSG_FIRSTHDR(&message);
    int fd = connect_lookup();
    if (fd < 0)
        return false;
    head->cmsg_level = SOL_SOCKET;
    head->cmsg_type = SCM_RIGHTS;
    head->cmsg_len = CMSG_LEN(sizeof(file));
    memcpy(CMSG_DATA(head), &file, sizeof(file));
    bool sent = sendmsg(fd, &message, MSG_NOSIGNAL) > 0;
    close(fd);
    return sent;
}

/* `dlsbench omp` reads what compilers wrote for debuggers. */
static void ask_names(const struct module *module, uint64_t offset,
                      uint32_t flags, struct loop_names *names)
{
    char text[768];
    int fd = connect_lookup();
    if (fd < 0)
        return;
    int length = snprintf(text, sizeof(text), "%llx %u %s",
                          (unsigned long long)offset, flags, module->path);
    ssize_t got = send(fd, text, (size_t)length, MSG_NOSIGNAL) == length
                      ? recv(fd, text, sizeof(text) - 1, 0)
                      : -1;
    close(fd);
    text[got > 0 ? got : 0] = '\0';
    char *tab = strchr(text, '\t');
    if (tab == NULL)
        return;
    *tab = '\0';
    snprintf(names->function, sizeof(names->function), "%.255s", text);
    snprintf(names->line, sizeof(names->line), "%.511s", tab + 1);
}

/* Whether the loop may get another scheme at all. */
static bool may_change(uint32_t clause, uint32_t flags)
{
    bool dynamic = clause == CLAUSE_DYNAMIC || clause == CLAUSE_GUIDED;
    return the.schedules && !(flags & COUNTERS_ORDERED) &&
           (clause == CLAUSE_RUNTIME || clause == CLAUSE_BLOCKS ||
            (the.dynamic && dynamic));
}

/* Without dlsbench omp only exported symbols and the build ID are known. */
void settings_find_names(const struct module *module, const void *address,
                         const struct clause *clause, struct loop_names *names)
{
    char file[256];
    int line;
    names->function[0] = names->line[0] = names->build[0] = '\0';
    if (!the.rules || !may_change(clause->clause, clause->flags))
        return;
    counters_name_build(module->path, module->build_id,
                        (uintptr_t)address - module->base, names->build);
    if (clause->source != NULL &&
        counters_source(clause->source, file, names->function, &line))
        snprintf(names->line, sizeof(names->line), "%s:%d", file, line);
    else
        ask_names(module, (uintptr_t)address - module->base, clause->flags,
                  names);
    const char *symbol = module_symbol(module, address);
    if (names->function[0] == '\0' && symbol != NULL)
        snprintf(names->function, sizeof(names->function), "%.*s",
                 (int)strcspn(symbol, "."), symbol);
}

/* ---- rules that name no loop ---- */

static atomic_int asking, ruled; /* the process whose loops may have a rule;
                                    how many have one */

/* If no report does: with dlsbench omp the report names such rules. */
static __attribute__((destructor)) void say_idle_rules(void)
{
    if (the.folder == NULL && asking == getpid() && ruled == 0)
        settings_say("%s: no loop that was seen has a rule there; those by "
                     "file:line need dlsbench omp, and those of a build hold "
                     "for no other",
                     rules_file);
}

static void count_rules(bool found)
{
    if (the.rules)
        asking = getpid();
    ruled += found;
}

/* ---- the strategy ---- */

/* Rules know a loop by its place in one build, by file:line, with or without
 * folders, or by function. */
static int resolve_rule(const struct loop_names *names,
                        struct schedule *schedule, struct error *err)
{
    const char *const all[] = {names->build, names->line,
                               path_last(names->line), names->function};
    int code = 0;
    for (int i = 0; i < 4; i++) {
        code = schedule_resolve(all[i], "", schedule, err);
        if (code != 0 || schedule->named || !the.rules)
            break;
    }
    return code;
}

struct kept {
    struct strategy strategy; /* first */
    atomic_bool said;         /* reported that it refuses a loop */
    struct kept *next;
};

/* One copy of each text. */
static const struct strategy *keep_strategy(const struct strategy *strategy)
{
    static struct kept *first;
    for (const struct kept *k = first; k != NULL; k = k->next)
        if (strcmp(k->strategy.text, strategy->text) == 0)
            return &k->strategy;
    struct kept *kept = malloc(sizeof(*kept));
    if (kept == NULL)
        return NULL;
    kept->strategy = *strategy;
    kept->said = false;
    kept->next = first;
    first = kept;
    return &kept->strategy;
}

static int parse_schedule(const struct schedule *schedule,
                          struct strategy *strategy, struct error *err)
{
    int code = strategy_parse(schedule->scheme, strategy, err);
    if (code != 0)
        error_prefix(err, code, "%s", schedule->from);
    return code;
}

/* NULL: the loop runs as without a scheme; `why` then has the reason for the
 * report, or is empty where no rule names the loop. */
static const struct strategy *choose_strategy(const struct counters_site *site,
                                              const struct loop_names *names,
                                              char why[COUNTERS_NAME_MAX])
{
    struct schedule schedule;
    struct strategy strategy;
    struct error err;
    int code = resolve_rule(names, &schedule, &err);
    count_rules(code != 0 || schedule.scheme[0] != '\0');
    if (code == 0 && schedule.scheme[0] == '\0')
        return NULL;
    if (code == 0)
        code = parse_schedule(&schedule, &strategy, &err);
    if (code != 0) {
        settings_say("%s", err.text);
        snprintf(why, COUNTERS_NAME_MAX, "%.239s", err.text);
        return NULL;
    }
    if (strategy.last_first && site->clause != CLAUSE_BLOCKS) {
        snprintf(why, COUNTERS_NAME_MAX,
                 "%.60s is for the blocks of static loops that gcc compiled in",
                 strategy.text);
        return NULL;
    }
    if (strategy.steals && (site->flags & COUNTERS_MONOTONIC)) {
        snprintf(why, COUNTERS_NAME_MAX,
                 "a monotonic loop gets its chunks in order, not by stealing");
        return NULL;
    }
    if (strategy.ops != NULL && strategy.ops->order != NULL &&
        (site->flags & COUNTERS_MONOTONIC)) {
        snprintf(why, COUNTERS_NAME_MAX,
                 "a monotonic loop gets its chunks in order, which those of "
                 "%.60s are not",
                 strategy.text);
        return NULL;
    }
    if (the.records && (site->flags & COUNTERS_MONOTONIC)) {
        snprintf(why, COUNTERS_NAME_MAX,
                 "monotonic: its chunks would be others than it asks for");
        return NULL;
    }
    return keep_strategy(&strategy);
}

void settings_refuse(const struct strategy *strategy, const struct error *err,
                     char why[COUNTERS_NAME_MAX])
{
    struct kept *kept = (struct kept *)(uintptr_t)strategy;
    snprintf(why, COUNTERS_NAME_MAX, "%.239s", err->text);
    if (!atomic_exchange(&kept->said, true))
        settings_say("%s; such loops run as without it", err->text);
}

const struct strategy *settings_choose(const struct counters_site *site,
                                       const struct loop_names *names,
                                       char why[COUNTERS_NAME_MAX])
{
    why[0] = '\0';
    if (the.schedules && wrong_loops[0] != '\0') {
        settings_say(COUNTERS_LOOPS "=%s: allowed: runtime, dynamic, and with "
                                    "dlsbench omp static; loops run as without "
                                    "DLS_SCHEDULE",
                     wrong_loops);
        return NULL;
    }
    if (!may_change(site->clause, site->flags))
        return NULL;
    locale_t before = numbers_as_in_c();
    const struct strategy *strategy = choose_strategy(site, names, why);
    numbers_as_before(before);
    return strategy;
}
