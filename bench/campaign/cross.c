#include "bench/campaign/cross.h"

#include "base/file.h"
#include "base/text.h"
#include "bench/campaign/sizing.h"
#include "bench/foretell/replay/replay_cell.h"
#include "bench/options/given_costs.h"
#include "harness/cell/binding.h"
#include "harness/cell/cell_field.h"
#include "harness/process/need.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int text_place_prefix(struct error *err, int code, struct text_place place)
{
    if (place.line == 0)
        return error_prefix(err, code, "%s", place.origin);
    return error_prefix(err, code, "%s:%d:%d", place.origin, place.line,
                        place.column);
}

/* ---- fields and values ---- */

static void drop_field(struct cross *cross, const char *name)
{
    for (int i = 0; i < cross->count; i++) {
        if (!text_is(cross->fields[i].name, name))
            continue;
        free(cross->fields[i].values);
        cross->count--;
        memmove(&cross->fields[i], &cross->fields[i + 1],
                (size_t)(cross->count - i) * sizeof(cross->fields[0]));
        return;
    }
}

struct cross_field *cross_field_add(struct cross *cross, const char *name,
                                    struct error *err)
{
    const struct cell_field *known = cell_field_find(name);
    if (known == NULL) {
        struct cell scratch;
        cell_defaults(&scratch, NULL);
        cell_set(&scratch, name, "", err);
        return NULL;
    }
    drop_field(cross, name);
    if (text_is(name, "layout")) {
        drop_field(cross, "ranks");
        drop_field(cross, "threads");
    }
    if (cross->count == CROSS_FIELDS_MAX) {
        error_set(err, E2BIG, "more than %d fields", CROSS_FIELDS_MAX);
        return NULL;
    }
    struct cross_field *field = &cross->fields[cross->count++];
    *field = (struct cross_field){.name = known->name};
    return field;
}

/* A kernel that reads a file would fail in the launch: say so here. */
static int check_kernel(const char *text, struct error *err)
{
    const struct kernel_ops *ops;
    struct spec spec;
    int code = kernel_parse(text, &ops, &spec, err);
    if (code != 0)
        return code;
    for (int i = 0; ops->params[i].key != NULL; i++) {
        const char *file = spec.value[i].text;
        const char *why;
        if (ops->params[i].type != SPEC_TEXT || !spec.value[i].given)
            continue;
        if (!file_is_readable(file, &why))
            return error_set(err, EINVAL, "kernel %s: cannot read %s: %s",
                             ops->name, file, why);
    }
    return ops->examine != NULL ? ops->examine(&spec, err) : 0;
}

static int check_value(const char *field, const char *text, struct error *err)
{
    struct cell scratch;
    struct scheme scheme;
    struct hierarchy levels;
    char plain[SPEC_CANONICAL_MAX];
    cell_defaults(&scratch, NULL);
    if (text_is(field, "kernel")) {
        sizing_any(text, plain);
        return check_kernel(plain, err);
    }
    if (words_by_nodes(field, text)) {
        words_put_nodes(1, 1, text, plain, sizeof(plain));
        return cell_set(&scratch, field, plain, err);
    }
    if (text_is(field, "scheme"))
        return scheme_parse(text, &scheme, err);
    if (text_is(field, "hierarchy"))
        return hierarchy_parse(text, &levels, err);
    return cell_set(&scratch, field, text, err);
}

int cross_value_add(const struct cross *cross, struct cross_field *field,
                    const char *text, struct text_place place,
                    struct error *err)
{
    struct cross_value value = {.place = place};
    if (strlen(text) + 16 >= sizeof(value.text))
        return text_place_prefix(
            err,
            error_set(err, EINVAL, "%s: the value is too long", field->name),
            place);
    words_put_cores(cross->cores, field->name, text, value.text,
                    sizeof(value.text));
    int code = check_value(field->name, value.text, err);
    if (code != 0)
        return text_place_prefix(err, code, place);
    need_room(&field->values, &field->room, field->count + 1, sizeof(value));
    field->values[field->count++] = value;
    return 0;
}

static bool has_field(const struct cross *cross, const char *name)
{
    for (int i = 0; i < cross->count; i++)
        if (text_is(cross->fields[i].name, name))
            return true;
    return false;
}

/* Whether the shape is in one field, or this number in its own. */
static bool gives_shape(const struct cross *cross, const char *name)
{
    return has_field(cross, "layout") || has_field(cross, name);
}

bool cross_by_nodes(const struct cross *cross)
{
    for (int i = 0; i < cross->count; i++)
        for (int v = 0; v < cross->fields[i].count; v++)
            if (words_by_nodes(cross->fields[i].name,
                               cross->fields[i].values[v].text))
                return true;
    return false;
}

int cross_merge(struct cross *to, const struct cross *from, struct error *err)
{
    if (has_field(from, "rank_per") && !gives_shape(from, "ranks") &&
        !gives_shape(from, "threads")) {
        drop_field(to, "layout");
        drop_field(to, "ranks");
        drop_field(to, "threads");
    }
    for (int i = 0; i < from->count; i++) {
        const struct cross_field *source = &from->fields[i];
        struct cross_field *field = cross_field_add(to, source->name, err);
        size_t bytes = (size_t)source->count * sizeof(*source->values);
        if (field == NULL)
            return -E2BIG;
        need_room(&field->values, &field->room, source->count,
                  sizeof(*source->values));
        memcpy(field->values, source->values, bytes);
        field->count = source->count;
    }
    return 0;
}

/* ---- cells ---- */

static void add_skip(struct cross_result *result, const struct cell *cell,
                     const char *reason)
{
    int i = 0;
    char cut[sizeof(result->skips[0].reason)];
    snprintf(cut, sizeof(cut), "%s", reason);
    while (i < result->reasons && !text_is(result->skips[i].reason, cut))
        i++;
    if (i == result->reasons) {
        need_room(&result->skips, &result->skips_room, i + 1,
                  sizeof(*result->skips));
        struct cross_skip *skip = &result->skips[result->reasons++];
        skip->count = 0;
        memcpy(skip->reason, cut, sizeof(cut));
        snprintf(skip->example, sizeof(skip->example),
                 "%.50s %.40s %dx%d %.10s %.20s", cell->kernel, cell->scheme,
                 cell->ranks, cell->threads, cell->transport, cell->hierarchy);
    }
    result->skips[i].count++;
    result->skipped++;
}

/* The value that an error of the whole cell refers to: the error begins with
 * the field's name. */
static struct text_place find_culprit(const struct cross *cross,
                                      const int *pick, const struct error *err,
                                      struct text_place block)
{
    for (int i = 0; i < cross->count; i++) {
        const struct cross_field *field = &cross->fields[i];
        size_t length = strlen(field->name);
        if (strncmp(err->text, field->name, length) == 0 &&
            strchr(": ", err->text[length]) != NULL)
            return field->values[pick[i]].place;
    }
    return block;
}

/* The value that a combination has for a field; NULL: none. */
static const char *find_picked(const struct cross *cross, const int *pick,
                               const char *name)
{
    for (int i = 0; i < cross->count; i++)
        if (text_is(cross->fields[i].name, name))
            return cross->fields[i].values[pick[i]].text;
    return NULL;
}

static int set_fields(const struct cross *cross, const int *pick,
                      struct cell *cell, struct error *err)
{
    const char *layout = find_picked(cross, pick, "layout");
    bool nodes_said = layout != NULL && words_by_nodes("layout", layout);
    for (int i = 0; i < cross->count; i++) {
        char text[SPEC_CANONICAL_MAX];
        const struct cross_field *field = &cross->fields[i];
        const struct cross_value *value = &field->values[pick[i]];
        if (nodes_said && text_is(field->name, "nodes"))
            continue;
        /* Replaces the words in a value as far as possible before all fields
         * are set. */
        const char *nodes = find_picked(cross, pick, "nodes");
        if (words_by_nodes(field->name, value->text))
            words_put_nodes(nodes != NULL ? atoi(nodes) : 1, cross->cores,
                            value->text, text, SPEC_CANONICAL_MAX);
        else if (text_is(field->name, "kernel"))
            sizing_any(value->text, text);
        else
            snprintf(text, SPEC_CANONICAL_MAX, "%s", value->text);
        int code = cell_set(cell, field->name, text, err);
        if (code != 0)
            return text_place_prefix(err, code, value->place);
    }
    return 0;
}

/* Sets a size by time, which depends on the shape. */
static int set_size(const struct cross *cross, const int *pick,
                    struct cell *cell, struct error *err)
{
    char text[SPEC_CANONICAL_MAX];
    const char *kernel = find_picked(cross, pick, "kernel");
    int64_t workers = cell->workers > 0 ? cell->workers
                                        : (int64_t)cell->ranks * cell->threads;
    if (kernel == NULL || !sizing_asked(kernel))
        return 0;
    int code = sizing_resolve(cross->sizing, kernel, workers, text, err);
    return code == 0 ? cell_set(cell, "kernel", text, err) : code;
}

/* Adds the cell of one combination.  An impossible one (-ENOTSUP) is counted by
 * its reason; any other error names the place of its value. */
static int one_cell(const struct cross *cross, const int *pick,
                    struct text_place block, struct cross_result *result,
                    struct error *err)
{
    struct cell cell;
    cell_defaults(&cell, result->texts);
    int code = set_fields(cross, pick, &cell, err);
    if (code != 0)
        return code;
    code = binding_fill_shape(&cell, cross->room, gives_shape(cross, "ranks"),
                              gives_shape(cross, "threads"), err);
    if (code == 0)
        code = set_size(cross, pick, &cell, err);
    if (cross->replayed && cell.platform[0] == '\0')
        cell.platform = "this-machine";
    if (code == 0)
        code = given_costs_check(&cell, err);
    if (code == 0 && cross->replayed)
        code = replay_cell_mark(&cell, err);
    if (code == -ENOTSUP) {
        add_skip(result, &cell, err->text);
        return 0;
    }
    if (code != 0)
        return text_place_prefix(err, code,
                                 find_culprit(cross, pick, err, block));
    need_room(&result->cells, &result->room, result->count + 1,
              sizeof(*result->cells));
    result->cells[result->count++] = cell;
    return 0;
}

/* The last field changes fastest.  Returns false after the last one. */
static bool next_pick(const struct cross *cross, int *pick)
{
    for (int i = cross->count - 1; i >= 0; i--) {
        if (++pick[i] < cross->fields[i].count)
            return true;
        pick[i] = 0;
    }
    return false;
}

static int check_block(const struct cross *cross, struct error *err)
{
    bool kernel = false, scheme = false;
    double product = 1;
    for (int i = 0; i < cross->count; i++) {
        kernel = kernel || text_is(cross->fields[i].name, "kernel");
        scheme = scheme || text_is(cross->fields[i].name, "scheme");
        product *= cross->fields[i].count;
    }
    if (!kernel || !scheme)
        return error_set(err, EINVAL, "%s is missing, every cell needs one",
                         kernel ? "scheme" : "kernel");
    if (product > CROSS_CELLS_MAX)
        return error_set(err, EINVAL,
                         "the lists cross to %.0f combinations, at most %d "
                         "are allowed",
                         product, CROSS_CELLS_MAX);
    return 0;
}

int cross_expand(const struct cross *cross, struct text_place place,
                 struct cross_result *result, struct error *err)
{
    int pick[CROSS_FIELDS_MAX] = {0};
    int before = result->count;
    int code = check_block(cross, err);
    if (code != 0)
        return text_place_prefix(err, code, place);
    do {
        code = one_cell(cross, pick, place, result, err);
        if (code != 0)
            return code;
    } while (next_pick(cross, pick));
    if (result->count > before || cross->replayed)
        return 0;
    struct error reason = *err;
    error_set(err, EINVAL, "no combination of this block is possible: %s",
              reason.text);
    return text_place_prefix(err, -EINVAL, place);
}

struct numbered {
    const char *hash;
    int index;
};

static int by_hash(const void *a, const void *b)
{
    const struct numbered *x = a, *y = b;
    int order = strcmp(x->hash, y->hash);
    return order != 0 ? order : (x->index > y->index) - (x->index < y->index);
}

void cross_unique(struct cross_result *result)
{
    size_t n = (size_t)result->count;
    struct numbered *sorted = need_zeroed(n, sizeof(*sorted));
    bool *again = need_zeroed(n, sizeof(*again));
    int kept = 0;
    for (int i = 0; i < result->count; i++)
        sorted[i] = (struct numbered){result->cells[i].hash, i};
    qsort(sorted, n, sizeof(*sorted), by_hash);
    for (size_t i = 1; i < n; i++)
        again[sorted[i].index] = text_is(sorted[i].hash, sorted[i - 1].hash);
    for (int i = 0; i < result->count; i++)
        if (!again[i])
            result->cells[kept++] = result->cells[i];
    result->equal += result->count - kept;
    result->count = kept;
    free(sorted);
    free(again);
}

void cross_free(struct cross *cross)
{
    for (int i = 0; i < cross->count; i++)
        free(cross->fields[i].values);
    cross->count = 0;
}

void cross_result_free(struct cross_result *result)
{
    free(result->cells);
    free(result->skips);
    *result = (struct cross_result){.cells = NULL};
}
