/* The usual changes of a program's environment, by variables of the OpenMP
 * specification.  A value that the environment already has is not tried. */
#include "bench/programs/samples/candidates.h"

#include "base/text.h"
#include "bench/options/command.h"
#include "harness/process/need.h"
#include "harness/topo/topo.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { SETTING_MAX = 160 }; /* bytes: the setting also appears in results */

/* Whether all variables have these values already. */
static bool is_set(const char *setting)
{
    char *all = need_copy(setting), *at = all, *word;
    bool set = true;
    while ((word = strsep(&at, " ")) != NULL) {
        char *value = strchr(word, '=');
        *value++ = '\0';
        const char *now = getenv(word);
        set = set && now != NULL && strcasecmp(now, value) == 0;
    }
    free(all);
    return set;
}

static void add_setting(struct candidates *candidates, enum factor factor,
                        const char *setting)
{
    if (!is_set(setting))
        candidates_add(candidates, factor, setting, NULL, setting);
}

/* ---- threads ---- */

static void add_threads(struct candidates *candidates, int threads, int own)
{
    char text[64];
    if (threads < 1 || threads == own)
        return;
    snprintf(text, sizeof(text), "OMP_NUM_THREADS=%d", threads);
    add_setting(candidates, FACTOR_THREADS, text);
}

/* The threads of a program that sets no number itself. */
static int own_threads(const struct topo *topo)
{
    const char *set = getenv("OMP_NUM_THREADS");
    return set != NULL ? atoi(set) : topo_processors(topo);
}

/* One thread, half of the cores, all cores, and all hardware threads, as far as
 * the quota allows. */
static void add_numbers(struct candidates *candidates, const struct topo *topo)
{
    int processors = topo_processors(topo), cores = topo_cores(topo);
    const struct allowed *allowed = topo_allowed(topo);
    int own = own_threads(topo);
    add_threads(candidates, 1, own);
    if (cores >= 4)
        add_threads(candidates, cores / 2, own);
    if (isfinite(allowed->quota) && allowed->quota < cores)
        add_threads(candidates, (int)fmax(floor(allowed->quota), 1), own);
    add_threads(candidates, cores, own);
    add_threads(candidates, processors, own);
}

/* ---- places ---- */

/* The processors that share a socket or a cache with the first one, and as many
 * threads at most.  Returns why not, or NULL. */
static const char *add_near(struct candidates *candidates,
                            const struct topo *topo, bool socket)
{
    const struct allowed *allowed = topo_allowed(topo);
    struct topo_position first = {.processor = -1};
    bool others = false, fits;
    int count = 0;
    char *list, *text;
    size_t size;
    FILE *out = need_stream(&list, &size);
    for (int i = 0; i < ALLOWED_PROCESSORS; i++) {
        if (!allowed_has(&allowed->mask, i))
            continue;
        struct topo_position position = topo_position(topo, i);
        bool begins = first.processor < 0;
        if (begins)
            first = position;
        bool near = socket ? position.socket == first.socket
                           : position.cache == first.cache;
        if (near)
            fprintf(out, "%s%d", begins ? "" : ",", i);
        count += near;
        others = others || !near;
    }
    fclose(out);
    if (own_threads(topo) > count)
        text = need_text("OMP_NUM_THREADS=%d OMP_PROC_BIND=close "
                         "OMP_PLACES={%s}",
                         count, list);
    else
        text = need_text("OMP_PROC_BIND=close OMP_PLACES={%s}", list);
    fits = strlen(text) < SETTING_MAX;
    if (others && count > 1 && fits)
        add_setting(candidates, FACTOR_PLACES, text);
    free(list);
    free(text);
    return !others     ? "all processors here share one"
           : count < 2 ? "each processor here has its own"
           : !fits     ? "its processors are too many to name"
                       : NULL;
}

static void say_left(const char *what, const char *why)
{
    if (why != NULL)
        command_say("omp: --try places: no place of one %s is tried: %s", what,
                    why);
}

void candidates_add_usual(struct candidates *candidates, enum factor factor)
{
    struct topo *topo;
    struct error ignored;
    if (factor == FACTOR_WAITING) {
        add_setting(candidates, factor, "OMP_WAIT_POLICY=passive");
        add_setting(candidates, factor, "OMP_WAIT_POLICY=active");
        return;
    }
    if (topo_open(&topo, &ignored) != 0)
        return;
    if (factor == FACTOR_THREADS) {
        add_numbers(candidates, topo);
    } else {
        add_setting(candidates, FACTOR_PLACES,
                    "OMP_PROC_BIND=close OMP_PLACES=cores");
        add_setting(candidates, FACTOR_PLACES,
                    "OMP_PROC_BIND=spread OMP_PLACES=cores");
        say_left("socket", add_near(candidates, topo, true));
        say_left("cache", add_near(candidates, topo, false));
    }
    topo_close(topo);
}
