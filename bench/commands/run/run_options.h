/* The options of dlsbench run and sim, and their evaluation. */
#ifndef BENCH_COMMANDS_RUN_RUN_OPTIONS_H
#define BENCH_COMMANDS_RUN_RUN_OPTIONS_H

#include "bench/campaign/campaign.h"
#include "bench/launching/launcher.h"
#include "bench/results/rundir.h"
#include "bench/simgrid/simulate.h"
#include "harness/cell/cell_field.h"

#include <stdbool.h>
#include <stdint.h>

enum { RUN_MEASURES_MAX = 24 };

enum run_as { AS_RUN, AS_SIM, AS_REPLAY };

struct run_options {
    const char *file; /* campaign; NULL: one cell from options */
    const char *launcher;
    char launcher_text[LAUNCHER_SIZE]; /* if it is not given */
    const char *calibration;           /* NULL: the default place */
    bool dry_run;
    int format;            /* of the results, or of the dry run: table.h */
    const char *from;      /* result directory for estimates, or NULL */
    int64_t cores;         /* the value of `cores` in layouts; 0: not given */
    const char *topology;  /* of the nodes that run it; NULL: this machine's */
    struct topo_room room; /* in that topology, or in so many cores */
    struct layout shape;   /* only cells of this shape; 0x0: all */
    struct rundir_options dir;
    struct campaign_setup setup;
    char nodes[160]; /* a setting, for layouts by nodes; empty: not given */
    char speeds[SIZING_SPEEDS_MAX + 8]; /* a setting, for sizes by time */
    const char *field;   /* the first option for a single cell; NULL: none */
    bool ranks, threads; /* given for a single cell */
    bool simulated;      /* dlsbench sim, or replay (setup.replayed) */
    struct simulate simulate;
    struct cell cell;
    struct policy policy;
    bool max_given;
    int measures; /* settings of a campaign, key=value */
    char measure[RUN_MEASURES_MAX][sizeof(((struct policy *)0)->events) + 32];
};

/* Reads the command line of dlsbench run, sim or replay.  Returns 0 or
 * -EINVAL. */
int run_options_read(int argc, char **argv, enum run_as as,
                     struct run_options *options, struct error *err);

/* Reads only the options of the table, into options that have the defaults.
 * Returns 0 or -EINVAL. */
int run_table_read(int argc, char **argv, struct run_options *options,
                   struct error *err);

/* The option for a field of a cell: '-' replaces '_'. */
void run_option_name(const char *field, char *name, size_t size);

/* Sets a field of the cell from an option.  From a list, such as `--scheme
 * ss,gss`, the cell gets the first item; all items are checked, and stored to
 * be crossed as in a campaign.  A word with '=' belongs to the kernel or scheme
 * before it, as in css:chunk=16,ss.  Returns 0 or -EINVAL. */
int run_lists_set(struct run_options *options, const struct cell_field *field,
                  const char *text, struct error *err);

/* The campaign of these options, before its shard is taken. */
int run_options_campaign(struct run_options *options, struct campaign *campaign,
                         struct error *err);

/* With --save: whether every kernel has a picture.  Returns 0 or -EINVAL. */
int run_check_save(const struct campaign *campaign, struct error *err);

/* Prints what a replay of the campaign leaves out. */
void run_say_left_out(const struct campaign *campaign);

/* Prints what would run: as a table, or as CSV with a line for each cell and
 * its status in --out (this sorts the cells).  Returns the exit code. */
int run_dry(const struct run_options *options, struct campaign *campaign);

/* dlsbench replay CAMPAIGN; run_replay replays one loop, with options that
 * campaigns do not have and that may be abbreviated. */
bool run_is_campaign(int argc, char **argv);
int run_replay(int argc, char **argv);

/* The command line, quoted for a shell; free it.  With `dir`: the command that
 * resumes this directory. */
char *run_command_line(int argc, char **argv, const char *dir);

#endif
