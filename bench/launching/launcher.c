#include "bench/launching/launcher.h"

#include "base/text.h"
#include "harness/process/need.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { WORDS_MAX = 128, WORD_SIZE = 4096 };

bool launcher_can_start(const char *program)
{
    const char *path = getenv("PATH");
    char file[WORD_SIZE];
    if (strchr(program, '/') != NULL)
        return access(program, X_OK) == 0;
    while (path != NULL && *path != '\0') {
        size_t length = strcspn(path, ":");
        snprintf(file, sizeof(file), "%.*s/%s", (int)length, path, program);
        if (access(file, X_OK) == 0)
            return true;
        path += length + (path[length] == ':');
    }
    return false;
}

/* The first method of `methods` that this site's srun lists in `srun
 * --mpi=list`; names there have versions, as pmix_v4.  An empty text: it lists
 * none of them; NULL: it lists nothing. */
static const char *site_method(const char *const methods[])
{
    char list[4096];
    FILE *srun = popen("srun --mpi=list 2>&1", "r");
    size_t read = srun != NULL ? fread(list, 1, sizeof(list) - 1, srun) : 0;
    list[read] = '\0';
    bool listed = srun != NULL && pclose(srun) == 0;
    for (; *methods != NULL; methods++)
        for (const char *at = list; (at = strstr(at, *methods)) != NULL; at++)
            if (at > list && strchr(" \t\n", at[-1]) != NULL)
                return *methods;
    return listed ? "" : NULL;
}

const char *launcher_srun_method(void)
{
    static const char *const mpich[] = {"pmi2", "pmix", "cray_shasta", NULL};
    static const char *const others[] = {"pmix", NULL};
    return launcher_can_start("srun")
               ? site_method(strcmp(BUILD_MPI, "mpich") == 0 ? mpich : others)
               : NULL;
}

/* In a Slurm job.  Open MPI's mpiexec uses Slurm by itself, on every site. */
static bool by_srun(char *text)
{
    const char *parts = getenv("SLURM_HET_SIZE"), *method = NULL;
    if (strcmp(BUILD_MPI, "mpich") == 0 && getenv("SLURM_JOB_ID") != NULL)
        method = launcher_srun_method();
    if (method == NULL || method[0] == '\0')
        return false;
    snprintf(text, LAUNCHER_SIZE, "srun --mpi=%s %s -c {threads}", method,
             parts != NULL && text_is(parts, "2") ? "--het-group=0,1"
                                                  : "-n {ranks}");
    return true;
}

/* The user's choice for every run. */
static bool by_file(char *text)
{
    char path[PATH_MAX];
    const char *base = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
    bool own = base != NULL && base[0] == '/';
    snprintf(path, sizeof(path), "%s%s/dlsbench/launcher",
             own    ? base
             : home ? home
                    : "",
             own ? "" : "/.config");
    FILE *file = fopen(path, "r");
    bool read = file != NULL && fgets(text, LAUNCHER_SIZE, file) != NULL;
    if (file != NULL)
        fclose(file);
    return read && *text_trim(text) != '\0';
}

const char *launcher_default(char text[LAUNCHER_SIZE])
{
    const char *given = getenv("DLSBENCH_LAUNCHER");
    if (given != NULL && given[0] != '\0')
        return given;
    if (by_file(text))
        return text_trim(text);
    return by_srun(text) ? text : BUILD_LAUNCHER;
}

void launcher_inside(bool oversubscribe)
{
    static const char *const outer[] = {
        "SLURM_CPU_BIND", "SLURM_CPU_BIND_LIST", "SLURM_CPU_BIND_TYPE",
        "SLURM_CPUS_PER_TASK", "SLURM_NTASKS_PER_NODE"};
    if (oversubscribe)
        setenv("SLURM_OVERCOMMIT", "1", 0);
    if (getenv("SLURM_STEP_ID") == NULL)
        return;
    setenv("SLURM_OVERLAP", "1", 0);
    for (size_t i = 0; i < sizeof(outer) / sizeof(outer[0]); i++)
        unsetenv(outer[i]);
}

bool launcher_is_local(const char *template)
{
    /* A batch system, or a list of hosts for mpiexec, means other hosts. */
    static const char *const elsewhere[] = {"SLURM_JOB_ID",
                                            "PBS_NODEFILE",
                                            "PBS_JOBID",
                                            "PALS_APID",
                                            "LSB_JOBID",
                                            "FLUX_JOB_ID",
                                            "COBALT_JOBID",
                                            "PE_HOSTFILE",
                                            "HYDRA_HOST_FILE",
                                            "OMPI_MCA_orte_default_hostfile",
                                            "PRTE_MCA_prte_default_hostfile"};
    for (size_t i = 0; i < sizeof(elsewhere) / sizeof(elsewhere[0]); i++)
        if (getenv(elsewhere[i]) != NULL)
            return false;
    return strcmp(template, BUILD_LAUNCHER) == 0;
}

/* Appends the number of a {word}; returns the characters read. */
static size_t take_brace(const char *text, int ranks, int threads, char *word,
                         size_t *used, bool *has_ranks, struct error *err)
{
    const char *names[] = {"{ranks}", "{threads}"};
    const int values[] = {ranks, threads};
    for (int i = 0; i < 2; i++) {
        size_t length = strlen(names[i]);
        if (strncmp(text, names[i], length) != 0)
            continue;
        *used +=
            (size_t)snprintf(word + *used, WORD_SIZE - *used, "%d", values[i]);
        *has_ranks = *has_ranks || i == 0;
        return length;
    }
    error_set(err, EINVAL,
              "--launcher: unknown '%.*s', allowed: {ranks}, {threads}",
              (int)(strcspn(text, "}") + 1), text);
    return 0;
}

/* One word from *text into `word`; the length, 0 at the end, -1 on errors. */
static int take_word(const char **text, int ranks, int threads, char *word,
                     bool *has_ranks, struct error *err)
{
    const char *t = *text + strspn(*text, " \t");
    const char *begin = t;
    size_t used = 0;
    char quote = '\0';
    while (*t != '\0' && (quote != '\0' || strchr(" \t", *t) == NULL)) {
        if (used + 16 >= WORD_SIZE)
            return error_set(err, E2BIG, "--launcher: a word is too long");
        if (*t == '{') {
            size_t read =
                take_brace(t, ranks, threads, word, &used, has_ranks, err);
            if (read == 0)
                return -EINVAL;
            t += read;
        } else if (*t == quote) {
            quote = '\0';
            t++;
        } else if (quote == '\0' && (*t == '\'' || *t == '"')) {
            quote = *t++;
        } else {
            word[used++] = *t++;
        }
    }
    word[used] = '\0';
    *text = t;
    if (quote != '\0')
        return error_set(err, EINVAL, "--launcher: %c is not closed", quote);
    return t > begin;
}

/* The parts of a heterogeneous job know their ranks themselves. */
static bool knows_ranks(char *const *argv)
{
    for (; *argv != NULL; argv++)
        if (strncmp(*argv, "--het-group", strlen("--het-group")) == 0)
            return true;
    return false;
}

static int fill_words(const char *template, int ranks, int threads,
                      const char *const *tail, char **argv, struct error *err)
{
    char word[WORD_SIZE];
    bool has_ranks = false;
    int n = 0, more;
    while ((more = take_word(&template, ranks, threads, word, &has_ranks,
                             err)) > 0) {
        if (n == WORDS_MAX)
            return error_set(err, E2BIG, "--launcher: too many words");
        argv[n++] = need_copy(word);
    }
    if (more < 0)
        return more;
    if (n == 0)
        return error_set(err, EINVAL, "--launcher: it is empty");
    if (!has_ranks && !knows_ranks(argv))
        return error_set(err, EINVAL,
                         "--launcher: {ranks} is missing, which means the "
                         "number of ranks, as in 'mpiexec.mpich -n {ranks}'");
    for (; *tail != NULL && n < WORDS_MAX + 8; tail++)
        argv[n++] = need_copy(*tail);
    return 0;
}

char **launcher_argv(const char *template, int ranks, int threads,
                     const char *const *tail, struct error *err)
{
    char **argv = need_zeroed(WORDS_MAX + 9, sizeof(*argv));
    if (fill_words(template, ranks, threads, tail, argv, err) == 0)
        return argv;
    launcher_free(argv);
    return NULL;
}

void launcher_free(char **argv)
{
    for (char **word = argv; word != NULL && *word != NULL; word++)
        free(*word);
    free(argv);
}

int launcher_check(const char *template, struct error *err)
{
    const char *const none[] = {NULL};
    char **argv = launcher_argv(template, 1, 1, none, err);
    if (argv == NULL)
        return -EINVAL;
    int code = 0;
    if (!launcher_can_start(argv[0]))
        code = error_set(err, ENOENT,
                         "launcher: '%s' is not found; install the MPI that "
                         "dlsbench was built with or name another with "
                         "--launcher '... -n {ranks}'",
                         argv[0]);
    launcher_free(argv);
    return code;
}
