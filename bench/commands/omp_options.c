/* The options of dlsbench omp, and which of them go together.  They end at
 * `--`; the program and its arguments follow. */
#include "bench/commands/omp_options.h"

#include "bench/commands/omp_on.h"
#include "bench/options/options.h"
#include "bench/options/table.h"
#include "bench/programs/try/try.h"
#include "harness/process/need.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

enum { LOOPS_STATIC = 2 };
static const char *const loops_words[] = {"runtime", "dynamic", "static", NULL};
static const char *const formats[] = {TABLE_FORMATS, NULL};

#define OPTIONS_OF struct omp_input

static const struct options_entry entries[] = {
    OPTION_TEXT("scheme", "S", scheme,
                "hand out the loops' chunks by this scheme, or @FILE: by rules "
                "`name = scheme`, where the name is a function, file:line or "
                "*; rnd:seed=1..100: run it under each seed until --check "
                "fails or it prints something else"),
    OPTION_WORD("loops", "WHICH", loops, loops_words,
                "runtime: only loops with schedule(runtime) get the scheme "
                "(default); dynamic: also those with dynamic and guided; "
                "static: also those that gcc compiled in, where the machine "
                "code (x86-64) shows nothing against it; the output is "
                "compared with that of a run without changes"),
    OPTION_TEXT(
        "out", "DIR", out,
        "append the loops to this result directory, for dlsbench summary and "
        "tables (a name without '/': in results/omp/)"),
    OPTION_WORD("format", TABLE_FORMAT_WORDS, format, formats,
                "the report also as rows on stdout: the program, its loops and "
                "parts of regions; the program's stdout then goes to stderr"),
    OPTION_TEXT("try", "LIST", list,
                "run the program as it is and with each of these changes, in "
                "shuffled rounds into --out (PROGRAM-TIME), then with the best "
                "of them together, and say what to use: SCHEME, schemes (all "
                "of them), threads, places, waiting, OMP_...=VALUE, or all"),
    OPTION_WHOLE("repetitions", "N", repetitions, 1, 10000,
                 "rounds of --try (10)"),
    OPTION_TEXT("check", "COMMAND", check,
                "a shell command after each run, exit code 0 for a right "
                "answer; the file $DLS_OUTPUT has the program's stdout; "
                "stopped after 10 times the program's time plus 10 s"),
    OPTION_FLAG("same-output", same,
                "--loops static: also loops that only the program's output can "
                "prove right"),
    OPTION_TEXT("critical", "REGION,...", critical,
                "--loops static: also the regions with these names in the "
                "report, or in functions of these names, whose critical "
                "section then runs once for each block: "
                "right for adding up sums, wrong for counting threads; needs "
                "--same-output or --check"),
    OPTION_FLAG("resume", resume, "--try: continue the runs in --out"),
    OPTION_TEXT("record", "DIR", record,
                "write what each iteration of the loops takes into files for "
                "dlsbench run --kernel trace:file=...; the loops run under "
                "dynamic,1, with --scheme css:chunk=K under dynamic,K"),
    OPTION_TEXT("on", "P,...", on,
                "what each scheme would do with this many threads, by a replay "
                "of the records of --record; without --record the records are "
                "not kept; without a program those of --record DIR are read; "
                "with --out, a folder of results, its report shows it"),
    OPTION_TEXT(
        "suggest", "FILE", suggest,
        "run nothing: print a patch of this source file (C, C++, Fortran) that "
        "adds schedule(runtime) to its loops without a schedule"),
    OPTION_TEXT("static", "FILE", code,
                "run nothing: read the machine code of this program or library "
                "(gcc's, x86-64), and list its parallel regions whose static "
                "loops could be cut into smaller blocks"),
    {.name = NULL},
};

static const struct options_page page = {
    .name = "omp",
    .words = "-- PROGRAM [ARGUMENT...]",
    .summary = "Runs an OpenMP program as it is, and reports its loops: time, "
               "imbalance, and whether another schedule could matter.",
    .details =
        "The program is not compiled anew: a library loaded before it "
        "(libdls-omp.so) takes its calls to the OpenMP runtime.  Without "
        "--scheme nothing is changed, and DLS_SCHEDULE is ignored.  With it "
        "the chunks of loops come from a scheme (dlsbench list schemes), or "
        "from `steal`, work stealing between the threads.  Ordered and "
        "doacross loops are never changed.\n"
        "\n"
        "The report goes to stderr.  The program's own output stays as it is, "
        "and its exit code or signal is passed on.  Static loops are timed "
        "from one barrier to the next.\n"
        "\n"
        "With --try and with several seeds the program runs many times, its "
        "stdout goes to the check and its stdin is empty.  Of MPI the launcher "
        "is the program: -- mpiexec -n 4 ./solver.  Exit codes are then 0; 1: "
        "a run or its check failed (the verdict is still complete), or nothing "
        "could be tried; 2: wrong usage, or a program that fails without a "
        "seed, too.",
    .examples =
        "dlsbench omp -- ./solver input\n"
        "dlsbench omp --scheme awf-c -- ./solver input\n"
        "dlsbench omp --scheme @rules --loops dynamic -- ./solver input\n"
        "dlsbench omp --scheme fss --loops static -- ./solver input\n"
        "dlsbench omp --scheme fss --out schemes -- ./solver input\n"
        "dlsbench omp --try all --check 'cmp out.txt ref.txt' --out tried -- "
        "./solver input\n"
        "dlsbench omp --scheme rnd:seed=1..100 --check 'cmp out.txt ref.txt' "
        "-- ./solver\n"
        "dlsbench omp --record costs -- ./solver input\n"
        "dlsbench omp --record costs --on 16,64 -- ./solver input\n"
        "dlsbench omp --record costs --on 128 --out tried\n"
        "dlsbench omp --suggest solver.c | patch -p0\n"
        "dlsbench omp --static ./solver",
    .tables = (const struct options_entry *const[]){entries, NULL}};

/* The options end at `--`. */
static int find_program(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "--") == 0)
            return i;
    return argc;
}

/* NULL: no such option, for instance --help. */
static const struct options_entry *find_entry(const char *option)
{
    const char *name = option + strspn(option, "-");
    for (const struct options_entry *e = entries; e->name != NULL; e++)
        if (strncmp(name, e->name, strcspn(name, "=")) == 0)
            return e;
    return NULL;
}

/* Without `--` before it, a program would be read as an option.  After an
 * unknown option nothing can be decided. */
static bool lacks_mark(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        const struct options_entry *e = find_entry(argv[i]);
        if (argv[i][0] != '-')
            return true;
        if (e == NULL)
            return false;
        i += e->type != OPTIONS_FLAG && strchr(argv[i], '=') == NULL;
    }
    return false;
}

/* Checks the options for several runs against the others. */
static int check_several(const struct omp_input *in, struct error *err)
{
    const char *why = NULL;
    if (in->list != NULL && in->scheme != NULL)
        why = "--try and --scheme: one of them is allowed";
    else if (in->list != NULL && in->out == NULL && in->resume)
        why = "--resume continues the runs of a folder: --out DIR is missing";
    else if (in->list == NULL && (in->repetitions > 0 || in->resume))
        why = "--repetitions and --resume are for --try";
    else if (in->list == NULL && in->check != NULL && !in->seeds)
        why = "--check is for --try and for several seeds (--scheme "
              "rnd:seed=1..100)";
    else if (in->format != TABLE_TEXT && (in->list != NULL || in->seeds))
        why = "--format is for the report of one run; --try writes "
              "answers.json into --out";
    else if (in->format != TABLE_TEXT && (in->suggest || in->code))
        why = "--format is for the report of a run; --suggest and --static "
              "run no program";
    else if (in->same && in->loops != LOOPS_STATIC)
        why = "--same-output is for --loops static";
    else if (in->critical != NULL &&
             (in->loops != LOOPS_STATIC || (!in->same && in->check == NULL)))
        why = "--critical is for --loops static with --same-output or --check: "
              "only the output can tell whether the critical section may run "
              "more often";
    else if (in->same && in->scheme == NULL && in->list == NULL)
        why = "--same-output compares a run under a scheme: --scheme or --try "
              "is missing";
    else if (in->seeds && in->out != NULL)
        why = "--out is for one scheme and for --try, not for several seeds";
    else if ((in->suggest || in->code) &&
             (in->list || in->seeds || (in->suggest && in->code)))
        why = "--suggest and --static run no program, and read one file";
    return why == NULL ? 0 : error_set(err, EINVAL, "omp: %s", why);
}

/* Checks the options for records.  `runs`: there is a program. */
static int check_records(const struct omp_input *in, bool runs,
                         struct error *err)
{
    const char *why = NULL;
    if (in->record == NULL && in->on == NULL)
        return 0;
    if (in->list != NULL || in->seeds)
        why = "--record and --on are for one run";
    else if (in->loops == LOOPS_STATIC)
        why = "--record and --on need the costs of single iterations, which "
              "static loops do not show";
    else if (in->suggest != NULL || in->code != NULL)
        why = "--suggest and --static run no program";
    else if (runs && in->scheme != NULL &&
             strncmp(in->scheme, "css:chunk=", 10) != 0)
        why = "--record and --on change the schedule to dynamic,1; --scheme "
              "css:chunk=K is also allowed";
    else if (!runs && in->on != NULL && in->record == NULL)
        why = "--on: a program is missing, or --record DIR with records to "
              "read";
    else if (!runs && in->on != NULL && (in->scheme || in->loops >= 0))
        why = "--on reads the records of --record without a program: --scheme "
              "and --loops were for their recording";
    if (why != NULL)
        return error_set(err, EINVAL, "omp: %s", why);
    return in->on != NULL ? omp_on_check(in->on, err) : 0;
}

int omp_read(int argc, char **argv, struct omp_input *in, struct start *start,
             struct error *err)
{
    int words = find_program(argc, argv);
    if (lacks_mark(words, argv))
        return error_set(err, EINVAL,
                         "omp: '--' is missing before the program: dlsbench "
                         "omp [OPTION...] -- PROGRAM [ARGUMENT...]%s",
                         strncmp(argv[1], "--on", 4) == 0
                             ? "; records are read by --record DIR"
                             : "");
    in->loops = -1;
    int code = options_read(&page, words, argv, in, err);
    in->seeds = code == 0 && in->scheme != NULL && try_has_seeds(in->scheme);
    if (code == 0)
        code = check_several(in, err);
    if (code == 0)
        code = check_records(in, words + 1 < argc, err);
    in->reads = in->on != NULL && words == argc;
    bool alone = in->suggest != NULL || in->code != NULL;
    if (code == 0 && alone && words < argc)
        code = error_set(err, EINVAL,
                         "omp: --%s %s runs no program: without what is "
                         "behind '--'",
                         in->suggest ? "suggest" : "static",
                         in->suggest ? in->suggest : in->code);
    if (code == 0 && !alone && !in->reads && words + 1 >= argc)
        code = error_set(err, EINVAL,
                         "omp: a program is missing: dlsbench omp [OPTION...] "
                         "-- PROGRAM [ARGUMENT...]");
    if (code == 0 && in->reads && in->format != TABLE_TEXT)
        code = error_set(err, EINVAL,
                         "omp: --format is for the report of a run: a program "
                         "is missing");
    if (code != 0 || alone || in->reads)
        return code;
    start->words = argv + words + 1;
    if (in->critical != NULL)
        in->named = need_text("checked:%s", in->critical);
    start->loops = loops_words[in->loops >= 0 ? in->loops : 0];
    /* The reader of machine code is not proven: an answer that a cut loop
     * changed must not go unseen. */
    in->compares = in->loops == LOOPS_STATIC && in->scheme != NULL;
    if (in->loops == LOOPS_STATIC && (in->same || in->check != NULL))
        start->loops = in->critical == NULL ? "checked" : in->named;
    start->records = in->record != NULL || in->on != NULL;
    start->to_stderr = in->format != TABLE_TEXT;
    if (start->records && in->scheme == NULL)
        in->scheme = "css:chunk=1";
    start->scheme = in->scheme;
    return 0;
}
