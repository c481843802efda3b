/* Result directories, their summary, what the model says of them, and whether
 * they need more tables (those are analysis/'s).  A line "== N"
 * begins the file of kind N of those below. */
#include "tests/fuzz/fuzz.h"

#include "bench/foretell/sync_interval/models.h"
#include "bench/results/python_tables.h"
#include "bench/results/results.h"
#include "bench/results/summary.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const kinds[] = {"runs-1.jsonl",    "runs-2.jsonl",
                                    "workers-1.jsonl", "choices-1.jsonl",
                                    "manifest-1.json", "calibration.json"};
static const char stored[] = "sync-model.csv";

enum { KINDS = sizeof(kinds) / sizeof(kinds[0]) };

static void path_of(char *path, const char *folder, const char *name)
{
    snprintf(path, 256, "%s/%s", folder, name);
}

static void write_part(const char *folder, int kind, const char *text,
                       size_t size)
{
    char path[256];
    path_of(path, folder, kinds[kind]);
    FILE *file = fopen(path, "w");
    fuzz_need(file != NULL && fwrite(text, 1, size, file) == size &&
                  fclose(file) == 0,
              "a result file is written");
}

static void write_all(const char *folder, const char *text)
{
    int kind = 0;
    while (text != NULL) {
        const char *next = strstr(text, "\n== ");
        size_t size = next != NULL ? (size_t)(next - text) + 1 : strlen(text);
        write_part(folder, kind, text, size);
        if (next != NULL) {
            kind = next[4] >= '0' && next[4] < '0' + KINDS ? next[4] - '0' : 0;
            next = strchr(next + 4, '\n');
        }
        text = next != NULL ? next + 1 : NULL;
    }
}

static void remove_all(const char *folder)
{
    char path[256];
    for (int i = 0; i < KINDS; i++) {
        path_of(path, folder, kinds[i]);
        unlink(path);
    }
    path_of(path, folder, stored);
    unlink(path);
    rmdir(folder);
}

static void print_tables(const struct results *results, const char *folder)
{
    struct error err = {""};
    FILE *out = fopen("/dev/null", "w");
    fuzz_need(out != NULL, "/dev/null");
    struct summary *summary = summary_make(results);
    summary_tables(out, summary);
    summary_answers(out, summary, folder);
    summary_free(summary);
    if (models_store(folder, results, &err) != 0)
        fuzz_message(&err);
    python_tables_fit(results, folder);
    fclose(out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *memory = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
    char folder[64];
    snprintf(folder, sizeof(folder), "%s/dlsbench-fuzz-XXXXXX", memory);
    char *text = fuzz_text(data, size);
    struct results results;
    struct error err = {""};
    fuzz_need(mkdtemp(folder) != NULL, "a folder");
    write_all(folder, text);
    if (results_read(folder, &results, &err) != 0) {
        fuzz_message(&err);
    } else {
        print_tables(&results, folder);
        results_free(&results);
    }
    remove_all(folder);
    free(text);
    return 0;
}
