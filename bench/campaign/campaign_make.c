/* Campaigns from other than a text: a file, a single cell, a shard. */
#include "base/file.h"
#include "base/text.h"
#include "bench/campaign/campaign.h"
#include "bench/campaign/campaign_with_sets.h"
#include "bench/campaign/policy.h"
#include "harness/cell/cell_field.h"
#include "harness/check/setup.h"
#include "harness/process/need.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* A cell takes about 60 bytes; 15,000 of them are parsed in a second. */
enum { FILE_SIZE_MAX = 4 << 20 };

static char *read_file(const char *path, struct error *err)
{
    const char *why;
    FILE *file = file_open(path, &why);
    struct stat info;
    char *text = NULL;
    if (file == NULL || fstat(fileno(file), &info) != 0) {
        error_set(err, errno, "%s: cannot read the campaign: %s", path,
                  file ? strerror(errno) : why);
    } else if (info.st_size > FILE_SIZE_MAX) {
        error_set(err, EINVAL,
                  "%s: not a campaign file: it is larger than %d MB", path,
                  FILE_SIZE_MAX >> 20);
    } else {
        text = need_zeroed(1, (size_t)info.st_size + 1);
        size_t length = fread(text, 1, (size_t)info.st_size, file);
        int code = file_check_start(text, length, err);
        if (code != 0)
            error_prefix(err, code, "%s", path);
        else if (strlen(text) != length)
            code = error_set(err, EINVAL, "%s: not a text, byte %zu is zero",
                             path, strlen(text));
        if (code != 0) {
            free(text);
            text = NULL;
        }
    }
    if (file != NULL)
        fclose(file);
    return text;
}

int campaign_load(const char *path, const struct campaign_setup *setup,
                  struct campaign *campaign, struct error *err)
{
    char *text = read_file(path, err);
    if (text == NULL)
        return -EINVAL;
    int code = campaign_parse(path, text, setup, campaign, err);
    free(text);
    return code;
}

/* ---- one cell ---- */

/* A choice made for the cell when it runs is not a field of a campaign. */
static void write_cell(FILE *out, const struct cell *cell)
{
    const char *mark = "-";
    fputs("cells:\n", out);
    for (int i = 0; i < CELL_FIELDS; i++) {
        char text[SPEC_CANONICAL_MAX];
        const struct cell_field *field = &cell_field_table[i];
        cell_field_text(cell, field, text);
        if (text[0] == '\0' || field->made || !cell_field_applies(cell, field))
            continue;
        fprintf(out, "  %s %s: ", mark, field->name);
        if (field->kind == CELL_TEXT)
            campaign_text_quote(out, text);
        else
            fputs(text, out);
        fputc('\n', out);
        mark = " ";
    }
}

/* Removes "cell:11:13: ": users never see the text with these positions. */
static void strip_position(struct error *err)
{
    int line, column, length = 0;
    if (sscanf(err->text, "cell:%d:%d: %n", &line, &column, &length) == 2 &&
        length > 0)
        memmove(err->text, err->text + length, strlen(err->text + length) + 1);
}

/* The text is made first and then read, so that the stored campaign is the one
 * that runs. */
int campaign_single(const struct cell *cell, const struct policy *policy,
                    struct campaign *campaign, struct error *err)
{
    const struct campaign_setup setup = {.cores = 2};
    struct cell checked = *cell;
    char *text = NULL;
    size_t size;
    int code = cell_check(&checked, err);
    if (code != 0)
        return code;
    FILE *out = need_stream(&text, &size);
    fprintf(out, "name: %.*s-%.*s\n", (int)strcspn(checked.kernel, ":"),
            checked.kernel, (int)strcspn(checked.scheme, ":/"), checked.scheme);
    policy_write(out, policy);
    write_cell(out, &checked);
    fclose(out);
    code = campaign_parse("cell", text, &setup, campaign, err);
    free(text);
    if (code != 0)
        strip_position(err);
    return code;
}

/* ---- one cell with lists ---- */

/* Writes the given lists and fields as a block, before any check. */
static void write_given(FILE *out, const struct cell *cell,
                        const struct campaign_lists *lists)
{
    struct cell usual;
    const char *mark = "-";
    cell_defaults(&usual, NULL);
    fputs("cells:\n", out);
    for (int i = 0; i < lists->count; i++, mark = " ")
        fprintf(out, "  %s %s: %s\n", mark, lists->list[i].field,
                lists->list[i].values);
    for (int i = 0; i < CELL_FIELDS; i++) {
        char text[SPEC_CANONICAL_MAX], fallback[SPEC_CANONICAL_MAX];
        const struct cell_field *field = &cell_field_table[i];
        bool listed = false;
        for (int k = 0; k < lists->count; k++)
            listed = listed || text_is(lists->list[k].field, field->name);
        cell_field_text(cell, field, text);
        cell_field_text(&usual, field, fallback);
        if (!listed && !field->made && !text_is(text, fallback))
            fprintf(out, "    %s: \"%s\"\n", field->name, text);
    }
}

int campaign_crossed(const struct cell *cell,
                     const struct campaign_lists *lists,
                     const struct policy *policy, struct campaign *campaign,
                     struct error *err)
{
    const struct campaign_setup setup = {.cores = 2};
    char *text = NULL;
    size_t size;
    FILE *out = need_stream(&text, &size);
    fprintf(out, "name: %.*s-%.*s\n", (int)strcspn(cell->kernel, ":"),
            cell->kernel, (int)strcspn(cell->scheme, ":/"), cell->scheme);
    policy_write(out, policy);
    write_given(out, cell, lists);
    fclose(out);
    int code = campaign_parse("cell", text, &setup, campaign, err);
    free(text);
    if (code != 0)
        strip_position(err);
    return code;
}

/* ---- parts ---- */

int campaign_shape(struct campaign *campaign, struct layout shape,
                   struct error *err)
{
    struct cross_result *all = &campaign->all;
    int kept = 0;
    for (int i = 0; i < all->count; i++) {
        const struct cell *c = &all->cells[i];
        if (c->ranks == shape.ranks && c->threads == shape.threads)
            all->cells[kept++] = *c;
    }
    if (kept == 0)
        return error_set(err, EINVAL,
                         "--shape: campaign %s has no cells of layout %dx%d, "
                         "one that it has is %dx%d",
                         campaign->name, shape.ranks, shape.threads,
                         all->cells[0].ranks, all->cells[0].threads);
    all->count = kept;
    return 0;
}

struct numbered {
    const char *hash;
    int index;
};

static int by_hash(const void *a, const void *b)
{
    const struct numbered *x = a, *y = b;
    return strcmp(x->hash, y->hash);
}

void campaign_shard(struct campaign *campaign, int shard, int shards)
{
    struct cross_result *all = &campaign->all;
    size_t n = (size_t)all->count;
    struct numbered *order = need_zeroed(n, sizeof(*order));
    bool *mine = need_zeroed(n, sizeof(*mine));
    int kept = 0;
    for (int i = 0; i < all->count; i++)
        order[i] = (struct numbered){all->cells[i].hash, i};
    qsort(order, n, sizeof(*order), by_hash);
    for (size_t i = 0; i < n; i++)
        mine[order[i].index] = (int)(i % (size_t)shards) == shard;
    for (int i = 0; i < all->count; i++)
        if (mine[i])
            all->cells[kept++] = all->cells[i];
    all->count = kept;
    free(order);
    free(mine);
}

int gain_count(const struct campaign *stored, const struct campaign *whole)
{
    int at = 0;
    for (int i = 0; i < stored->hashed; i++, at++) {
        while (at < whole->hashed &&
               strcmp(whole->hashes[at], stored->hashes[i]) < 0)
            at++;
        if (at == whole->hashed ||
            strcmp(whole->hashes[at], stored->hashes[i]) != 0)
            return -1;
    }
    return whole->hashed - stored->hashed;
}

char *gain_text(const struct campaign *whole, uint64_t seed,
                const struct campaign_setup *setup, struct error *err)
{
    char seeded[48], named[CAMPAIGN_NAME_MAX + 8];
    struct campaign again;
    struct campaign_setup with = {.cores = setup->cores,
                                  .room = setup->room,
                                  .sets = 2,
                                  .replayed = setup->replayed};
    snprintf(seeded, sizeof(seeded), "seed=%" PRIu64, seed);
    snprintf(named, sizeof(named), "name=%s", whole->name);
    with.set[0] = seeded;
    with.set[1] = named;
    if (campaign_parse("campaign", whole->text, &with, &again, err) != 0)
        return NULL;
    char *text = again.text;
    again.text = NULL;
    campaign_free(&again);
    return text;
}
