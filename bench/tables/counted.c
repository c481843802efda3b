#include "bench/tables/counted.h"

#include "base/file.h"
#include "base/folder.h"
#include "bench/cli/table.h"

#include <jansson.h>

/* What the manifests say together. */
struct counted {
    json_t *names;   /* of the events that were counted */
    json_t *reasons; /* why others were not: {name: null} by reason */
    double reading_s;
};

static void add_missing(struct counted *counted, json_t *missing)
{
    const char *name;
    json_t *why;
    json_object_foreach(missing, name, why)
    {
        const char *reason = json_string_value(why);
        json_t *names = json_object_get(counted->reasons, reason);
        if (names == NULL) {
            names = json_object();
            json_object_set_new(counted->reasons, reason, names);
        }
        json_object_set_new(names, name, json_null());
    }
}

static void add_manifest(struct counted *counted, const char *path)
{
    const char *why;
    FILE *file = file_open(path, &why);
    if (file == NULL)
        return;
    json_t *manifest = json_loadf(file, 0, NULL);
    fclose(file);
    json_t *counters = json_object_get(manifest, "counters"), *name;
    size_t i;
    json_array_foreach(json_object_get(counters, "counted"), i, name)
    {
        json_object_set_new(counted->names, json_string_value(name),
                            json_null());
    }
    add_missing(counted, json_object_get(counters, "missing"));
    double reading_s =
        json_number_value(json_object_get(counters, "reading_s"));
    if (reading_s > counted->reading_s)
        counted->reading_s = reading_s;
    json_decref(manifest);
}

static void print_names(FILE *out, json_t *names)
{
    const char *name, *comma = "";
    json_t *value;
    json_object_foreach(names, name, value)
    {
        fprintf(out, "%s%s", comma, name);
        comma = ", ";
    }
}

static void print_counted(FILE *out, const struct counted *counted)
{
    char time[24];
    if (json_object_size(counted->names) == 0)
        return;
    table_seconds(counted->reading_s, counted->reading_s, time, sizeof(time));
    fputs("counted: ", out);
    print_names(out, counted->names);
    fprintf(out,
            "; a reading takes %s, three for each worker and two for each "
            "time it waits\n",
            time);
}

void counted_print(FILE *out, const char *dir)
{
    struct counted counted = {json_object(), json_object(), 0};
    struct folder found;
    const char *reason;
    json_t *names;
    if (folder_find(dir, "manifest-", ".json", &found, NULL) == 0) {
        for (int i = 0; i < found.count; i++)
            add_manifest(&counted, found.path[i]);
        folder_free(&found);
    }
    print_counted(out, &counted);
    json_object_foreach(counted.reasons, reason, names)
    {
        fputs("not counted: ", out);
        print_names(out, names);
        fprintf(out, ": %s\n", reason);
    }
    json_decref(counted.names);
    json_decref(counted.reasons);
}
