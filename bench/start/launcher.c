#include "bench/start/launcher.h"

#include "harness/guard/need.h"

#include <errno.h>
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

const char *launcher_default(void)
{
    /* Whether srun and another MPI understand each other depends on the site;
     * its own mpiexec asks Slurm by itself. */
    bool srun = BUILD_SRUN && getenv("SLURM_JOB_ID") != NULL &&
                launcher_can_start("srun");
    const char *groups = getenv("SLURM_HET_SIZE");
    if (srun && groups != NULL && strcmp(groups, "2") == 0)
        return "srun --mpi=pmi2 --het-group=0,1 -c {threads}";
    if (srun)
        return "srun --mpi=pmi2 -n {ranks} -c {threads}";
    return BUILD_LAUNCHER;
}

bool launcher_is_local(const char *template)
{
    /* A batch system, or a list of hosts for mpiexec, means other hosts. */
    static const char *const elsewhere[] = {"SLURM_JOB_ID",
                                            "PBS_NODEFILE",
                                            "LSB_JOBID",
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

static int fill(const char *template, int ranks, int threads,
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
    if (fill(template, ranks, threads, tail, argv, err) == 0)
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
