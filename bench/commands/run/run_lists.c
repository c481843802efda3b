/* Lists of values for options of a single cell, as in `--ranks 1,2`. */
#include "bench/commands/run/run_options.h"

#include "base/text.h"
#include "bench/campaign/campaign_with_sets.h"
#include "harness/process/need.h"
#include "kernels/kernel.h"

#include <errno.h>
#include <string.h>

static bool is_spec(const struct cell_field *field)
{
    return text_is(field->name, "kernel") || text_is(field->name, "scheme");
}

/* Values of other texts may contain commas: binding, powers, load. */
static bool may_be_list(const struct cell_field *field)
{
    return is_spec(field) || field->kind != CELL_TEXT ||
           field->choices[0] != NULL || field->names != NULL ||
           text_is(field->name, "hierarchy");
}

static size_t item_length(const struct cell_field *field, const char *text)
{
    return is_spec(field) ? spec_length(text) : strcspn(text, ",");
}

/* Keeps the list of a field, instead of an earlier one.  Takes over `text` in
 * any case. */
static int keep_list(struct run_options *options,
                     const struct cell_field *field, char *text,
                     struct error *err)
{
    struct campaign_lists *lists = &options->setup.lists;
    int i = 0;
    while (i < lists->count && lists->list[i].field != field->name)
        i++;
    if (i == CAMPAIGN_LISTS_MAX) {
        free(text);
        return error_set(err, E2BIG, "--%s: at most %d options may be lists",
                         field->name, CAMPAIGN_LISTS_MAX);
    }
    free(lists->list[i].values);
    lists->list[i].field = field->name;
    lists->list[i].values = text;
    lists->count += i == lists->count;
    return 0;
}

/* A word after a kernel's keys may be the rest of a value with a comma. */
static int check_kernel(const char *item, bool first, struct error *err)
{
    char name[SPEC_NAME_MAX];
    struct error why;
    if (first || spec_name("kernel", item, name, err) != 0 ||
        kernel_find(name, &why) != NULL)
        return 0;
    return error_set(err, EINVAL,
                     "--kernel: %.400s; a value that has a comma is written in "
                     "quotes, as file=\"a,b\"",
                     why.text);
}

int run_lists_set(struct run_options *options, const struct cell_field *field,
                  const char *text, struct error *err)
{
    char *values = NULL, item[SPEC_CANONICAL_MAX];
    size_t size;
    int code = 0;
    if (!may_be_list(field) || text[item_length(field, text)] == '\0')
        return cell_set(&options->cell, field->name, text, err);
    FILE *out = need_stream(&values, &size);
    struct cell first = options->cell;
    for (const char *at = text; code == 0; at++) {
        size_t length = item_length(field, at);
        struct cell checked = options->cell;
        snprintf(item, sizeof(item), "%.*s", (int)length, at);
        code = cell_set(&checked, field->name, item, err);
        if (code == 0 && text_is(field->name, "kernel"))
            code = check_kernel(item, at == text, err);
        /* As an item of a YAML list. */
        fputs(at == text ? "[" : ", ", out);
        campaign_text_quote(out, item);
        if (at == text)
            first = checked;
        at += length;
        if (*at == '\0')
            break;
    }
    fputc(']', out);
    fclose(out);
    options->cell = first;
    if (code == 0)
        return keep_list(options, field, values, err);
    free(values);
    return code;
}
