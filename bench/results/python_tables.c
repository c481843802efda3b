#include "bench/results/python_tables.h"

#include "base/file.h"
#include "base/folder.h"
#include "bench/launching/installed.h"
#include "bench/options/command.h"
#include "harness/check/choice.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Exit code of a child that could not become Python, as of a shell. */
enum { NO_PROGRAM = 127 };

static const char program[] = "analysis/tables.py";

/* ---- when ---- */

/* Whether the list of events is neither the word for all nor for none. */
static bool names_events(const char *path)
{
    const char *why;
    FILE *file = file_open(path, &why);
    if (file == NULL)
        return false;
    json_t *manifest = json_loadf(file, 0, NULL);
    fclose(file);
    const json_t *policy = json_object_get(manifest, "policy");
    const char *events = json_string_value(json_object_get(policy, "events"));
    bool named = events != NULL && strcmp(events, "none") != 0 &&
                 strcmp(events, "default") != 0;
    json_decref(manifest);
    return named;
}

static bool any_names_events(const char *dir)
{
    bool named = false;
    struct folder found;
    if (folder_find(dir, "manifest-", ".json", &found, NULL) != 0)
        return false;
    for (int i = 0; i < found.count && !named; i++)
        named = names_events(found.path[i]);
    folder_free(&found);
    return named;
}

bool python_tables_fit(const struct results *results, const char *dir)
{
    int intervals = 0;
    for (int i = 0; i < results->count; i++) {
        const struct cell *cell = &results->list[i].cell;
        if (strcmp(cell->perturb, "none") != 0 || choice_named(cell->scheme))
            return true;
        intervals += cell->sync_interval > 0;
    }
    return intervals > 1 || any_names_events(dir);
}

/* ---- how ---- */

/* Returns its exit code; it prints its own messages. */
static int run_python(char *const argv[])
{
    int status;
    fflush(stdout);
    pid_t pid = fork();
    if (pid == 0) {
        sigset_t none;
        sigemptyset(&none);
        sigprocmask(SIG_SETMASK, &none, NULL);
        execvp(argv[0], argv);
        _exit(NO_PROGRAM);
    }
    if (pid < 0)
        return NO_PROGRAM;
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            return NO_PROGRAM;
    return WIFEXITED(status) ? WEXITSTATUS(status) : NO_PROGRAM;
}

void python_tables_print(const struct results *results, const char *dir,
                         bool store)
{
    char path[PATH_MAX] = "";
    char *const argv[] = {"python3",
                          path,
                          "--ending",
                          store ? "--store" : (char *)dir,
                          store ? (char *)dir : NULL,
                          NULL};
    if (!python_tables_fit(results, dir))
        return;
    bool there = installed_find(program, path, sizeof(path)) == 0;
    if (!there || run_python(argv) == NO_PROGRAM)
        command_say("more tables need Python with pandas: %s --ending --store "
                    "%s",
                    there ? path : program, dir);
}
