/* How cells are simulated: the fields, their text and their JSON. */
#include "harness/cell/cell_fields.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SECTION(field) offsetof(struct cell, simulation.field)

/* The numbers, all of them real.  request_cost is a chunk from a dedicated
 * master less the ping-pong, measured with make bench-overhead on the machine
 * of the README. */
static const struct {
    const char *name;
    size_t offset;
    double fallback, min, max;
} numbers[] = {
    {"cp", SECTION(cp), 0, 1e-15, 1e6},
    {"request_cost", SECTION(request_cost), 0.2e-6, 0, 1},
    {"result_bytes", SECTION(result_bytes), 0, 1, 1e12},
    {"boundary_bytes", SECTION(boundary_bytes), 0, 1, 1e6},
};

enum { NUMBERS = sizeof(numbers) / sizeof(numbers[0]) };

static double *number(struct cell *cell, int i)
{
    return (double *)((char *)cell + numbers[i].offset);
}

static double value(const struct cell *cell, int i)
{
    return *(const double *)((const char *)cell + numbers[i].offset);
}

void cell_simulation_defaults(struct cell *cell)
{
    cell->simulation = (struct cell_simulation){.platform = ""};
    for (int i = 0; i < NUMBERS; i++)
        *number(cell, i) = numbers[i].fallback;
}

static int set_platform(struct cell *cell, const char *text, struct error *err)
{
    size_t size = sizeof(cell->simulation.platform);
    int code = cell_text_check("platform", text, size, err);
    if (code == 0)
        snprintf(cell->simulation.platform, size, "%s", text);
    return code;
}

int cell_simulation_set(struct cell *cell, const char *field, const char *text,
                        struct error *err)
{
    if (strcmp(field, "platform") == 0)
        return set_platform(cell, text, err);
    for (int i = 0; i < NUMBERS; i++) {
        char *end;
        if (strcmp(field, numbers[i].name) != 0)
            continue;
        double read = strtod(text, &end);
        bool good = end != text && *end == '\0' && read >= numbers[i].min &&
                    read <= numbers[i].max;
        if (!good)
            return error_set(err, EINVAL,
                             "%s: '%s' must be a number from %g to %g", field,
                             text, numbers[i].min, numbers[i].max);
        *number(cell, i) = read;
        return 0;
    }
    return -ENOENT;
}

/* What does not apply is written in one way only. */
void cell_simulation_check(struct cell *cell)
{
    if (cell->simulation.platform[0] == '\0')
        cell_simulation_defaults(cell);
}

void cell_simulation_text(const struct cell *cell, char *text, size_t size)
{
    text[0] = '\0';
    if (cell->simulation.platform[0] == '\0')
        return;
    snprintf(text, size, "|%s", cell->simulation.platform);
    for (int i = 0; i < NUMBERS; i++) {
        size_t used = strlen(text);
        snprintf(text + used, size - used, "|%.17g", value(cell, i));
    }
}

int cell_simulation_compare(const struct cell *a, const struct cell *b)
{
    int order = strcmp(a->simulation.platform, b->simulation.platform);
    for (int i = 0; order == 0 && i < NUMBERS; i++)
        order = (value(a, i) > value(b, i)) - (value(a, i) < value(b, i));
    return order;
}

void cell_simulation_words(const struct cell *cell, char *text, size_t size)
{
    const char *path = cell->simulation.platform;
    const char *slash = strrchr(path, '/');
    const char *name = slash != NULL ? slash + 1 : path;
    text[0] = '\0';
    if (path[0] == '\0')
        return;
    snprintf(text, size, "%.*s", (int)strcspn(name, "."), name);
    for (int i = 0; i < NUMBERS; i++) {
        size_t used = strlen(text);
        if (value(cell, i) != numbers[i].fallback)
            snprintf(text + used, size - used, ", %s %g", numbers[i].name,
                     value(cell, i));
    }
}

/* ---- JSON ---- */

void cell_simulation_to_json(const struct cell *cell, json_t *object)
{
    if (cell->simulation.platform[0] == '\0')
        return;
    json_object_set_new(object, "platform",
                        json_string(cell->simulation.platform));
    for (int i = 0; i < NUMBERS; i++)
        json_object_set_new(object, numbers[i].name,
                            value(cell, i) == 0 && numbers[i].min > 0
                                ? json_null()
                                : json_real(value(cell, i)));
}

int cell_simulation_from_json(const json_t *object, struct cell *cell,
                              struct error *err)
{
    const char *platform =
        json_string_value(json_object_get(object, "platform"));
    if (platform == NULL)
        return 0;
    for (int i = 0; i < NUMBERS; i++) {
        const json_t *read = json_object_get(object, numbers[i].name);
        if (json_is_number(read))
            *number(cell, i) = json_number_value(read);
    }
    return set_platform(cell, platform, err);
}
