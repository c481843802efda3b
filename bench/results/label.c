#include "bench/results/label.h"

#include "kernels/kernel.h"
#include "sched/schemes/scheme_registry.h"

#include <stdio.h>
#include <string.h>

/* Whether spec is `name` or begins with `name:`. */
static bool spec_names(const char *spec, const char *name)
{
    size_t length = strlen(name);
    return strncmp(spec, name, length) == 0 && strchr(":", spec[length]);
}

int label_kernel_position(const char *spec)
{
    int i = 0;
    while (kernel_list[i] != NULL && !spec_names(spec, kernel_list[i]->name))
        i++;
    return i;
}

int label_scheme_position(const char *spec)
{
    int i = 0;
    while (sched_schemes[i] != NULL &&
           !spec_names(spec, sched_schemes[i]->name))
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

void label_layout(char *label, const struct cell *c)
{
    add_number(label, "", c->ranks);
    add_number(label, c->ranks == 1 ? " rank x " : " ranks x ", c->threads);
    label_add(label, c->threads == 1 ? " thread" : " threads", "");
}

void label_cell(char *label, const struct cell *c)
{
    char words[LABEL_SIZE];
    cell_words(c, words, sizeof(words));
    label_layout(label, c);
    label_add(label, words, "");
}

void label_settings(char *label, const struct cell *c)
{
    char words[LABEL_SIZE];
    struct cell way = *c;
    way.sync_interval = 0;
    way.sync_choice = "given";
    way.power = way.load = "";
    way.perturb = "none";
    way.reissue = 0;
    cell_words(&way, words, sizeof(words));
    label_add(label, words, "");
}

void label_conditions(char *label, const struct cell *c)
{
    char words[LABEL_SIZE];
    cell_condition_words(c, words, sizeof(words));
    label_add(label, words, "");
}
