#include "bench/results/label.h"

#include "kernels/kernel.h"
#include "sched/sched.h"
#include "sched/schemes/registry.h"

#include <stdio.h>
#include <string.h>

static bool is(const char *a, const char *b)
{
    return strcmp(a, b) == 0;
}

/* Whether spec is `name` or begins with `name:`. */
static bool names(const char *spec, const char *name)
{
    size_t length = strlen(name);
    return strncmp(spec, name, length) == 0 && strchr(":", spec[length]);
}

int label_kernel_position(const char *spec)
{
    int i = 0;
    while (kernel_list[i] != NULL && !names(spec, kernel_list[i]->name))
        i++;
    return i;
}

int label_scheme_position(const char *spec)
{
    int i = 0;
    while (sched_schemes[i] != NULL && !names(spec, sched_schemes[i]->name))
        i++;
    return i;
}

void label_add(char *label, const char *first, const char *second)
{
    size_t used = strlen(label);
    snprintf(label + used, LABEL_SIZE - used, "%s%s", first, second);
}

static void add_number(char *label, const char *what, long long number)
{
    char text[32];
    snprintf(text, sizeof(text), "%lld", number);
    label_add(label, what, text);
}

static void add_real(char *label, const char *what, double number)
{
    char text[32];
    snprintf(text, sizeof(text), "%g", number);
    label_add(label, what, text);
}

void label_layout(char *label, const struct cell *c)
{
    add_number(label, "", c->ranks);
    add_number(label, c->ranks == 1 ? " rank x " : " ranks x ", c->threads);
    label_add(label, c->threads == 1 ? " thread" : " threads", "");
}

static void add_unusual(char *label, const struct cell *c, bool master)
{
    if (is(c->data, "sent"))
        label_add(label, ", data sent", "");
    if (master && is(c->collect, "local"))
        label_add(label, ", collect ", c->collect);
    if (master && !c->prefetch)
        label_add(label, ", no prefetch", "");
    if (!is(c->bind, "compact"))
        label_add(label, ", bind ", c->bind);
    if (c->smt)
        label_add(label, ", smt", "");
    if (c->rank_per[0] != '\0')
        label_add(label, ", rank per ", c->rank_per);
    if (!is(c->memory, "touch"))
        label_add(label, ", memory ", c->memory);
    if (!is(c->timing, "worker"))
        label_add(label, ", timing ", c->timing);
    if (is(c->protocol, "subproblem"))
        label_add(label, ", protocol ", c->protocol);
    if (is(c->placement, "replan"))
        label_add(label, ", placement ", c->placement);
    if (c->min_chunk > 1)
        add_number(label, ", min-chunk ", c->min_chunk);
}

void label_way(char *label, const struct cell *c)
{
    char simulation[sizeof(c->simulation.platform) + 128];
    bool master = is(c->transport, "master");
    label_add(label, ", ", c->transport);
    if (master)
        label_add(label, " ", c->master);
    if (!is(c->window, "auto"))
        label_add(label, " ", c->window);
    if (!is(c->openmp, "auto"))
        label_add(label, " ", c->openmp);
    if (!is(c->victim, "auto"))
        label_add(label, " ", c->victim);
    label_add(label, ", ", c->hierarchy);
    add_unusual(label, c, master);
    cell_simulation_words(c, simulation, sizeof(simulation));
    if (simulation[0] != '\0')
        label_add(label, ", on ", simulation);
}

void label_machine(char *label, const struct cell *c)
{
    if (c->sync_interval > 0)
        add_number(label, ", sync interval ", c->sync_interval);
    if (!is(c->sync_choice, "given"))
        label_add(label, " by ", c->sync_choice);
    if (c->power[0] != '\0')
        label_add(label, ", power ", c->power);
    if (c->load[0] != '\0')
        label_add(label, ", non-dedicated, load ", c->load);
    if (!is(c->perturb, "none"))
        label_add(label, ", perturbed by ", c->perturb);
    if (c->reissue > 0)
        add_real(label, ", reissue ", c->reissue);
}
