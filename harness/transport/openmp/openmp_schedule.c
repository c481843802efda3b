#include "harness/transport/openmp/openmp_schedule.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

/* In the order of each table. */
enum { CHUNK, MONOTONIC, KIND };

#define CHUNK_KEY(usual, most, what) PARAM_WHOLE("chunk", usual, 1, most, what)
#define MONOTONIC_KEY                                                          \
    PARAM_WORD("monotonic", NULL, "on|off",                                    \
               "on: a thread's chunks ascend (off, as in OpenMP 5.0: the "     \
               "runtime may take them in any order, or steal)")

static const struct spec_param static_params[] = {
    CHUNK_KEY(NULL, 0x1p62,
              "iterations, dealt out in turns (without: one block a thread)"),
    {0}};
static const struct spec_param dynamic_params[] = {
    CHUNK_KEY("1", 0x1p62, "iterations of a chunk"), MONOTONIC_KEY, {0}};
static const struct spec_param guided_params[] = {
    CHUNK_KEY("1", 0x1p62, "iterations of the smallest chunk"),
    MONOTONIC_KEY,
    {0}};
/* omp_set_schedule takes an int. */
static const struct spec_param runtime_params[] = {
    CHUNK_KEY(NULL, INT_MAX, "iterations"),
    MONOTONIC_KEY,
    PARAM_WORD("kind", NULL, "static|dynamic|guided|auto",
               "without: kind and chunk of the variable OMP_SCHEDULE"),
    {0}};

const struct openmp_about openmp_schedules[] = {
    {"static", "schedule(static), without a word to the runtime",
     static_params},
    {"dynamic", "schedule(dynamic): libgomp counts as css does, libomp steals",
     dynamic_params},
    {"guided", "schedule(guided): libgomp's chunks are R/p, libomp's R/2p",
     guided_params},
    {"runtime", "schedule(runtime): what OMP_SCHEDULE says", runtime_params},
    {NULL, NULL, NULL},
};

static const struct openmp_about *find_schedule(const char *text)
{
    const struct openmp_about *about = openmp_schedules;
    char name[SPEC_NAME_MAX];
    if (spec_name("schedule", text, name, NULL) != 0)
        return NULL;
    while (about->name != NULL && strcmp(about->name, name) != 0)
        about++;
    return about->name != NULL ? about : NULL;
}

bool openmp_schedule_named(const char *text)
{
    return find_schedule(text) != NULL;
}

/* ---- OMP_SCHEDULE: [monotonic:|nonmonotonic:]kind[,chunk] ---- */

/* The variable as the keys of a spec: the runtimes read it without regard to
 * case and blanks. */
static int variable_spec(const char *variable, char *spec, size_t size,
                         struct error *err)
{
    char word[SPEC_TEXT_MAX] = "";
    size_t used = 0;
    for (const char *c = variable; *c != '\0' && used + 1 < sizeof(word); c++)
        if (!isspace((unsigned char)*c))
            word[used++] = (char)tolower((unsigned char)*c);
    word[used] = '\0';
    char *kind = strchr(word, ':'), *chunk = strchr(word, ',');
    bool monotonic = kind != NULL && strncmp(word, "monotonic:", 10) == 0;
    bool other = kind != NULL && strncmp(word, "nonmonotonic:", 13) == 0;
    if (chunk != NULL)
        *chunk++ = '\0';
    if (kind != NULL && !monotonic && !other)
        return error_set(err, EINVAL,
                         "scheme runtime: OMP_SCHEDULE is '%.80s', allowed: "
                         "[monotonic:|nonmonotonic:]static, dynamic, guided "
                         "or auto[,chunk]",
                         variable);
    snprintf(spec, size, "runtime:kind=%s%s%s%s", kind ? kind + 1 : word,
             chunk ? ",chunk=" : "", chunk ? chunk : "",
             monotonic ? ",monotonic=on" : "");
    return 0;
}

static int read_variable(const char *variable, struct spec *spec,
                         struct error *err)
{
    char text[SPEC_CANONICAL_MAX];
    struct error why;
    if (variable == NULL || variable[strspn(variable, " \t")] == '\0')
        return error_set(
            err, EINVAL,
            "scheme runtime: OMP_SCHEDULE is not set: set it (e.g. "
            "guided,4) or say runtime:kind=guided,chunk=4");
    int code = variable_spec(variable, text, sizeof(text), err);
    if (code != 0)
        return code;
    code = spec_parse("scheme", text, "runtime", runtime_params, spec, &why);
    if (code != 0)
        return error_set(err, EINVAL, "OMP_SCHEDULE is '%.80s': %s", variable,
                         why.text);
    return 0;
}

/* ---- specs ---- */

static void add_key(char canonical[SPEC_CANONICAL_MAX], const char *key,
                    const char *value)
{
    size_t used = strlen(canonical);
    snprintf(canonical + used, SPEC_CANONICAL_MAX - used, "%c%s=%s",
             strchr(canonical, ':') ? ',' : ':', key, value);
}

/* monotonic=off is the default. */
static void write_canonical(const struct spec *spec, bool open,
                            const struct openmp_schedule *schedule,
                            char canonical[SPEC_CANONICAL_MAX])
{
    char chunk[24];
    snprintf(chunk, sizeof(chunk), "%" PRId64, schedule->chunk);
    snprintf(canonical, SPEC_CANONICAL_MAX, "%s", spec->name);
    if (schedule->runtime && !open)
        add_key(canonical, "kind", spec->value[KIND].text);
    if (schedule->chunk > 0)
        add_key(canonical, "chunk", chunk);
    if (schedule->monotonic)
        add_key(canonical, "monotonic", "on");
}

int openmp_schedule_parse(const char *text, bool complete, const char *variable,
                          struct openmp_schedule *schedule,
                          char canonical[SPEC_CANONICAL_MAX], struct error *err)
{
    const struct openmp_about *about = find_schedule(text);
    struct spec spec;
    if (about == NULL)
        return error_set(err, EINVAL,
                         "schedule '%.80s' is unknown, OpenMP has static, "
                         "dynamic, guided and runtime",
                         text);
    int code =
        spec_parse("scheme", text, about->name, about->params, &spec, err);
    bool runtime = about->params == runtime_params;
    bool open = code == 0 && runtime && !spec.value[KIND].given;
    if (open && (spec.value[CHUNK].given || spec.value[MONOTONIC].given))
        return error_set(err, EINVAL,
                         "scheme runtime: chunk and monotonic go with kind=, "
                         "without it all is as OMP_SCHEDULE says");
    if (open && complete) {
        code = read_variable(variable, &spec, err);
        open = false;
    }
    if (code != 0)
        return code;
    const struct spec_value *monotonic = &spec.value[MONOTONIC];
    const char *kind = runtime ? spec.value[KIND].text : about->name;
    struct openmp_schedule read = {
        .kind = strcmp(kind, "static") == 0    ? OPENMP_STATIC
                : strcmp(kind, "dynamic") == 0 ? OPENMP_DYNAMIC
                : strcmp(kind, "guided") == 0  ? OPENMP_GUIDED
                                               : OPENMP_AUTO,
        .runtime = runtime,
        .chunk = spec.value[CHUNK].given ? spec.value[CHUNK].integer : 0,
        .monotonic = monotonic->given && strcmp(monotonic->text, "on") == 0};
    write_canonical(&spec, open, &read, canonical);
    *schedule = read;
    return 0;
}
