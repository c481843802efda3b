/* Calibrations and the machine that runs this program. */
#include "harness/costs/calibration.h"

#include "base/stamp.h"
#include "base/text.h"
#include "harness/record/build.h"
#include "harness/record/cache.h"
#include "harness/record/record.h"
#include "harness/topo/topo.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

int calibration_default_path(char *path, size_t size, struct error *err)
{
    char folder[3072], host[64];
    if (!cache_folder(folder, sizeof(folder)))
        return error_set(err, ENOENT,
                         "there is no place for a calibration: HOME and "
                         "XDG_CACHE_HOME are not set, name a file");
    stamp_host_name(host, sizeof(host));
    snprintf(path, size, "%s/calibration-%s.json", folder, host);
    return 0;
}

/* The system's name for the processor; "": unknown. */
static void read_model(char *text, size_t size)
{
    char line[256];
    FILE *file = fopen("/proc/cpuinfo", "re");
    text[0] = '\0';
    while (file != NULL && text[0] == '\0' &&
           fgets(line, sizeof(line), file) != NULL)
        if (strncmp(line, "model name", 10) == 0 && strchr(line, ':') != NULL)
            snprintf(text, size, "%s", text_trim(strchr(line, ':') + 1));
    if (file != NULL)
        fclose(file);
}

int calibration_describe_here(struct calibration *c, struct error *err)
{
    struct topo *topo;
    int code = topo_open(&topo, err);
    if (code != 0)
        return code;
    stamp_host_name(c->host, sizeof(c->host));
    read_model(c->processor, sizeof(c->processor));
    if (c->processor[0] == '\0')
        snprintf(c->processor, sizeof(c->processor), "%s",
                 topo_processor(topo));
    snprintf(c->cpuset, sizeof(c->cpuset), "%s", topo_cpuset(topo));
    snprintf(c->version, sizeof(c->version), "%s", build_version);
    c->layout = CALIBRATION_LAYOUT;
    stamp_time(time(NULL), c->started);
    topo_close(topo);
    return 0;
}

/* Where the system names the processor otherwise than the calibration, the
 * topology may name it as an earlier version did. */
static bool same_processor(const struct calibration *c,
                           struct calibration *here)
{
    struct topo *topo;
    struct error err;
    read_model(here->processor, sizeof(here->processor));
    if (strcmp(c->processor, here->processor) == 0)
        return true;
    if (topo_open(&topo, &err) != 0)
        return true;
    bool same = strcmp(c->processor, topo_processor(topo)) == 0;
    if (here->processor[0] == '\0')
        snprintf(here->processor, sizeof(here->processor), "%s",
                 topo_processor(topo));
    topo_close(topo);
    return same;
}

void calibration_doubts(const struct calibration *c, char *text, size_t size)
{
    struct calibration here = {.version = ""};
    text[0] = '\0';
    stamp_host_name(here.host, sizeof(here.host));
    snprintf(here.version, sizeof(here.version), "%s", build_version);
    bool other = strcmp(c->host, here.host) != 0;
    if (other)
        read_model(here.processor, sizeof(here.processor));
    if (other || !same_processor(c, &here))
        snprintf(text, size,
                 "it was measured on another machine, %.60s with %.100s (this "
                 "is %.60s with %.100s): its costs may be wrong here",
                 c->host, c->processor, here.host, here.processor);
    else if (strcmp(c->version, here.version) != 0)
        snprintf(text, size,
                 "it was measured by another version of dlsbench, %.60s (this "
                 "is %.60s): measure again with dlsbench calibrate",
                 c->version, here.version);
}
