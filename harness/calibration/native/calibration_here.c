/* Calibrations and the machine that runs this program. */
#include "harness/calibration/calibration.h"

#include "base/stamp.h"
#include "harness/record/build.h"
#include "harness/record/cache.h"
#include "harness/record/record.h"
#include "harness/topo/topo.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

int calibration_default_path(char *path, size_t size, struct error *err)
{
    char folder[3072], host[64] = "";
    if (!cache_folder(folder, sizeof(folder)))
        return error_set(err, ENOENT,
                         "there is no place for a calibration: HOME and "
                         "XDG_CACHE_HOME are not set, name a file");
    gethostname(host, sizeof(host) - 1);
    snprintf(path, size, "%s/calibration-%s.json", folder, host);
    return 0;
}

int calibration_describe_here(struct calibration *c, struct error *err)
{
    struct topo *topo;
    int code = topo_open(&topo, err);
    if (code != 0)
        return code;
    gethostname(c->host, sizeof(c->host) - 1);
    snprintf(c->processor, sizeof(c->processor), "%s", topo_processor(topo));
    snprintf(c->cpuset, sizeof(c->cpuset), "%s", topo_cpuset(topo));
    snprintf(c->version, sizeof(c->version), "%s", build_version);
    c->layout = CALIBRATION_LAYOUT;
    stamp_time(time(NULL), c->started);
    topo_close(topo);
    return 0;
}

void calibration_doubts(const struct calibration *c, char *text, size_t size)
{
    struct calibration here = {.took_s = 0};
    struct error err;
    text[0] = '\0';
    if (calibration_describe_here(&here, &err) != 0)
        return;
    if (strcmp(c->host, here.host) != 0 ||
        strcmp(c->processor, here.processor) != 0)
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
