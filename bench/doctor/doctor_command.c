/* dlsbench doctor: a line for each check, bad ones first. */
#include "bench/doctor/doctor.h"
#include "bench/options/command.h"
#include "bench/options/options.h"
#include "bench/options/table.h"
#include "harness/engine/engine.h"

#include <stdio.h>

struct asked {
    int format;
};

#define OPTIONS_OF struct asked

static const char *const formats[] = {TABLE_FORMATS, NULL};

static const struct options_entry entries[] = {
    OPTION_WORD("format", TABLE_FORMAT_WORDS, format, formats,
                "default table; else a row for each check, and nothing else"),
    {.name = NULL},
};

static const struct options_page page = {
    .name = "doctor",
    .summary = "Says what this machine does to measurements: who else uses its "
               "cores, what limits this process, and whether ranks start.  It "
               "takes about three seconds and changes nothing.",
    .details = "bad: measurements mean nothing, or nothing can be started.  "
               "warn: they are worse than they could be.  The exit code is 1 "
               "when a check is bad.",
    .examples = "dlsbench doctor\n"
                "srun -N 1 --exclusive dlsbench doctor\n"
                "dlsbench doctor --format json",
    .tables = (const struct options_entry *const[]){entries, NULL}};

static const char *const words[] = {"bad", "warn", "fine"};

/* Bad ones first. */
static void print_lines(const struct doctor *doctor)
{
    char line[720];
    for (int health = HEALTH_BAD; health <= HEALTH_FINE; health++)
        for (int i = 0; i < doctor->count; i++) {
            const struct finding *finding = &doctor->list[i];
            if ((int)finding->health != health)
                continue;
            snprintf(line, sizeof(line), "%-4s  %s: %s", words[health],
                     finding->name, finding->text);
            table_heading(stdout, 0, line);
        }
    int bad = doctor_count(doctor, HEALTH_BAD);
    int warnings = doctor_count(doctor, HEALTH_WARNING);
    printf("%s: %d bad, %d to mend if you can, %d fine\n",
           bad > 0        ? "do not measure now"
           : warnings > 0 ? "measurements may vary more than they need"
                          : "ready to measure",
           bad, warnings, doctor_count(doctor, HEALTH_FINE));
}

static void write_rows(const struct doctor *doctor, enum table_format format)
{
    struct table table;
    table_open(&table, 0, 3);
    for (int i = 0; i < doctor->count; i++) {
        table_add(table_under(&table, "health"), "%s",
                  words[doctor->list[i].health]);
        table_add(table_under(&table, "check"), "%s", doctor->list[i].name);
        table_add(table_under(&table, "text"), "%s", doctor->list[i].text);
    }
    table_write(&table, format, stdout);
    table_free(&table);
}

int doctor_command(int argc, char **argv)
{
    struct error err = {""};
    struct asked in = {-1};
    struct doctor doctor;
    if (options_read(&page, argc, argv, &in, &err) != 0)
        return command_fail(COMMAND_USAGE, &err);
    doctor_open(&doctor, "");
    doctor_cores(&doctor);
    doctor_quota(&doctor);
    doctor_pressure(&doctor);
    doctor_machine(&doctor);
    doctor_srun(&doctor);
    doctor_ranks(&doctor);
    doctor_variables(&doctor);
    doctor_limits(&doctor);
    doctor_counters(&doctor);
    doctor_governor(&doctor);
    doctor_clock_source(&doctor, 1e9 * engine_measure_clock());
    if (in.format > TABLE_TEXT)
        write_rows(&doctor, in.format);
    else
        print_lines(&doctor);
    return doctor_count(&doctor, HEALTH_BAD) == 0 ? COMMAND_OK : COMMAND_FAILED;
}
