/* Fields of cells, a line `field=value` each: a cell that can run is the same
 * cell after it went through JSON. */
#include "tests/fuzz/fuzz.h"

#include "harness/cell/cell.h"
#include "harness/check/worklist.h"

#include <stdlib.h>
#include <string.h>

static void check_json(const struct cell *cell)
{
    struct cell again;
    struct error err = {""};
    json_t *object = cell_to_json(cell);
    fuzz_need(object != NULL, "a cell is an object");
    char *text = json_dumps(object, 0);
    json_decref(object);
    fuzz_need(text != NULL, "a cell is a text");
    object = json_loads(text, 0, NULL);
    free(text);
    bool waits =
        cell->sync_interval == 0 && strcmp(cell->sync_choice, "given") != 0;
    int code = cell_read(object, cell->texts, &again, &err);
    json_decref(object);
    if (waits) {
        fuzz_need(code != 0, "an interval is chosen before the launch");
        return;
    }
    fuzz_need(code == 0, err.text);
    fuzz_need(strcmp(again.hash, cell->hash) == 0, "the hash stays");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct cell cell;
    struct error err = {""};
    char *text = fuzz_text(data, size), *rest = text, *line;
    cell_defaults(&cell, cell_texts());
    while ((line = fuzz_line(&rest)) != NULL) {
        char *equals = strchr(line, '=');
        if (equals == NULL)
            continue;
        *equals = '\0';
        if (cell_set(&cell, line, equals + 1, &err) != 0)
            fuzz_message(&err);
    }
    if (cell_check(&cell, &err) != 0)
        fuzz_message(&err);
    else
        check_json(&cell);
    json_decref(cell.texts);
    free(text);
    return 0;
}
