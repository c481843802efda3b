#include "dls/loop_report.h"

#include "base/file.h"
#include "base/system/whole.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

static int out_of_memory(dls_loop *loop)
{
    return error_set(&loop->error, ENOMEM, "dls: out of memory");
}

/* ---- open ---- */

bool report_is_asked(void)
{
    const char *dir = getenv("DLS_REPORT");
    return dir != NULL && dir[0] != '\0';
}

int report_ask(dls_loop *loop, const char *name)
{
    char path[PATH_MAX];
    if (!report_is_asked())
        return 0;
    const char *dir = getenv("DLS_REPORT");
    mkdir(dir, 0777);
    /* The program may change its folder. */
    if (realpath(dir, path) == NULL)
        return error_set(&loop->error, errno, "DLS_REPORT: %s: %s", dir,
                         strerror(errno));
    struct loop_report *report = loop->report = calloc(1, sizeof(*report));
    if (report == NULL)
        return out_of_memory(loop);
    report->name = strdup(name);
    report->dir = strdup(path);
    if (report->name == NULL || report->dir == NULL)
        return out_of_memory(loop);
    process_name(report->own);
    loop->measures = true;
    return 0;
}

void report_free(struct loop_report *report)
{
    if (report == NULL)
        return;
    free(report->fields.text);
    free(report->times);
    free(report->name);
    free(report->dir);
    free(report);
}

/* ---- the cell ---- */

/* Powers in the form of cells: n:v for n times v. */
static void add_powers(struct line *line, const struct report_form *form)
{
    char text[48];
    struct line list = {0};
    for (int w = 0, same; form->power != NULL && w < form->workers; w += same) {
        for (same = 1; w + same < form->workers &&
                       form->power[w + same] == form->power[w];
             same++)
            ;
        int length = same > 1 ? snprintf(text, sizeof(text), "%d:", same) : 0;
        snprintf(text + length, sizeof(text) - (size_t)length, "%.12g",
                 form->power[w]);
        line_raw(&list, w > 0 ? "," : "");
        line_raw(&list, text);
    }
    line_text(line, "power", list.text != NULL ? list.text : "");
    line->failed = line->failed || list.failed;
    free(list.text);
}

static void add_word(struct line *line, const char *key, const char *word)
{
    line_text(line, key, word != NULL ? word : "auto");
}

static int make_cell(dls_loop *loop, const struct report_form *form)
{
    struct loop_report *report = loop->report;
    struct line own = {0}, *line = &own;
    uint64_t hash = 0xcbf29ce484222325; /* FNV-1a */
    line_text(line, "kernel", report->name);
    line_text(line, "scheme", loop->spec.canonical);
    line_whole(line, "ranks", form->ranks);
    line_whole(line, "threads", form->threads);
    line_text(line, "transport", form->transport);
    line_text(line, "master",
              form->master != NULL ? form->master : "computing");
    add_word(line, "window", form->window);
    add_word(line, "victim", form->victim);
    line_text(line, "hierarchy", form->hierarchy);
    line_whole(line, "min_chunk", loop->min_chunk);
    add_powers(line, form);
    if (loop->cost != NULL)
        line_text(line, "costs", "given");
    for (size_t i = 0; i < line->used; i++)
        hash = (hash ^ (unsigned char)line->text[i]) * 0x100000001b3;
    snprintf(report->cell, sizeof(report->cell), "\"cell\":\"%016llx\"",
             (unsigned long long)hash);
    line_members(&report->fields, NULL, report->cell);
    line_members(&report->fields, NULL, own.text);
    free(own.text);
    return own.failed || report->fields.failed ? out_of_memory(loop) : 0;
}

/* ---- files ---- */

static int path_of(dls_loop *loop, const char *kind, const char *end,
                   char path[PATH_MAX])
{
    const struct loop_report *report = loop->report;
    int length = snprintf(path, PATH_MAX, "%s/%s-%s%s", report->dir, kind,
                          report->own, end);
    return length < PATH_MAX - 8 ? 0
                                 : error_set(&loop->error, ENAMETOOLONG,
                                             "%s: the path is too "
                                             "long",
                                             report->dir);
}

int report_file(dls_loop *loop, const char *kind, char path[PATH_MAX])
{
    struct flock lock = {.l_type = F_WRLCK};
    int code = path_of(loop, kind, ".jsonl", path);
    int file = code == 0 ? file_open_to_append(path, &loop->error) : code;
    while (file >= 0 && fcntl(file, F_OFD_SETLKW, &lock) != 0 && errno == EINTR)
        ;
    return file;
}

int report_failed(dls_loop *loop, int code)
{
    return code != 0 ? error_prefix(&loop->error, code, "DLS_REPORT") : 0;
}

int report_append(dls_loop *loop, int file, const char *path,
                  const struct line *lines)
{
    if (lines->failed)
        return out_of_memory(loop);
    return file_append(file, path, lines->text, lines->used, &loop->error);
}

static void describe_machine(struct line *line,
                             const struct loop_report *report)
{
    char text[4096];
    struct utsname system;
    line_begin(line);
    line_whole(line, "schema", RECORD_SCHEMA);
    line_text(line, "launch", report->own);
    line_text(line, "campaign", "libdls");
    process_command(text, sizeof(text));
    line_text(line, "command", text);
    stamp_time(time(NULL), text);
    line_text(line, "started", text);
    line_flag(line, "simulated", engine_simulated);
    line_text(line, "version", "libdls " DLS_VERSION);
    line_text(line, "compiler", STAMP_COMPILER);
    line_open(line, "places", '[');
    line_open(line, NULL, '{');
    stamp_host_name(text, sizeof(text));
    line_text(line, "host", text);
    line_close(line, '}');
    line_close(line, ']');
    line_open(line, "machine", '{');
    if (uname(&system) == 0) {
        line_text(line, "kernel", system.release);
        line_text(line, "architecture", system.machine);
    }
    line_close(line, '}');
    line_end(line);
}

/* The file of runs is locked. */
static int write_manifest(dls_loop *loop)
{
    char path[PATH_MAX];
    struct line line = {0};
    int code = path_of(loop, "manifest", ".json", path);
    if (code != 0 || access(path, F_OK) == 0)
        return code;
    describe_machine(&line, loop->report);
    code = line.failed ? out_of_memory(loop)
                       : file_whole(path, line.text, line.used, &loop->error);
    free(line.text);
    return code;
}

static int open_files(dls_loop *loop, bool leads)
{
    char path[PATH_MAX];
    int file = leads ? report_file(loop, "runs", path)
                     : report_file(loop, "workers", path);
    if (file < 0)
        return file;
    int code = leads ? write_manifest(loop) : 0;
    close(file);
    return code;
}

int report_open(dls_loop *loop, const struct report_form *form, bool leads,
                const char *launch)
{
    struct loop_report *report = loop->report;
    snprintf(report->launch, sizeof(report->launch), "%s",
             launch != NULL ? launch : report->own);
    int code = make_cell(loop, form);
    if (code == 0)
        code = open_files(loop, leads);
    return report_failed(loop, code);
}
