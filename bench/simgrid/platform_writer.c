#include "bench/simgrid/platform_writer.h"

#include "base/system/whole.h"
#include "harness/process/need.h"
#include "harness/record/cache.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

static void write_platform(FILE *out, const struct platform_numbers *p)
{
    double bandwidth = p->byte_s > 0 ? 1 / p->byte_s : 1e12;
    fprintf(out,
            "<?xml version='1.0'?>\n"
            "<!DOCTYPE platform SYSTEM "
            "\"https://simgrid.org/simgrid.dtd\">\n"
            "<!-- This machine, made by dlsbench sim from its calibration:\n"
            "     %s (%s).\n\n"
            "       core       workers of the calibration\n"
            "       speed      nominal: kernels take the seconds that the\n"
            "                  calibration has for them (kernels: operation_s\n"
            "                  and start_s), cores differ by its powers\n"
            "       latency    of a message between ranks: charges, one_way_s\n"
            "                  less send_s and receive_s, which SMPI charges\n"
            "                  to the ranks\n"
            "       bandwidth  1 / c_c_s_per_byte, median of the boundaries\n"
            "                  between ranks%s -->\n",
            p->source, p->processor,
            p->byte_s > 0 ? "" : " (none was measured)");
    fprintf(out,
            "<platform version=\"4.1\">\n"
            "  <zone id=\"machine\" routing=\"Full\">\n"
            "    <host id=\"this-machine\" speed=\"1Gf\" core=\"%d\"/>\n"
            "    <link id=\"memory\" bandwidth=\"%.6gBps\" latency=\"%.6gs\" "
            "sharing_policy=\"FATPIPE\"/>\n"
            "    <route src=\"this-machine\" dst=\"this-machine\">"
            "<link_ctn id=\"memory\"/></route>\n"
            "  </zone>\n"
            "</platform>\n",
            p->cores, bandwidth, p->latency_s);
}

/* Equal hosts, each with a link to a switch that does not limit. */
static void write_cluster(FILE *out, const struct platform_numbers *p)
{
    double inside = p->byte_s > 0 ? 1 / p->byte_s : 1e12;
    double between = p->between_byte_s > 0 ? 1 / p->between_byte_s : 1e12;
    fprintf(out,
            "<?xml version='1.0'?>\n"
            "<!DOCTYPE platform SYSTEM "
            "\"https://simgrid.org/simgrid.dtd\">\n"
            "<!-- Nodes like this machine, made by dlsbench sim from its "
            "calibration:\n"
            "     %s (%s).\n\n"
            "       core       workers of the calibration\n"
            "       speed      nominal, as on this-machine\n"
            "       loopback   between ranks of a node\n"
            "       lat, bw    of messages between two nodes, half of the\n"
            "                  latency on each link (calibrate, nodes 2)\n"
            "       assumed    a switch that does not limit -->\n",
            p->source, p->processor);
    fprintf(out,
            "<platform version=\"4.1\">\n"
            "  <cluster id=\"this-cluster\" prefix=\"node-\" suffix=\"\" "
            "radical=\"0-%d\" speed=\"1Gf\" core=\"%d\" bw=\"%.6gBps\" "
            "lat=\"%.6gs\" loopback_bw=\"%.6gBps\" "
            "loopback_lat=\"%.6gs\"/>\n"
            "</platform>\n",
            p->nodes - 1, p->cores, between, p->between_s / 2, inside,
            p->latency_s);
}

void platform_harmless(char *text)
{
    for (char *c = text; (c = strstr(c, "--")) != NULL; c++)
        c[1] = '_';
}

int platform_write(const struct platform_numbers *p, char path[PATH_MAX],
                   struct error *err)
{
    char folder[PATH_MAX - 64], *text = NULL;
    size_t size;
    if (!cache_folder(folder, sizeof(folder)))
        return error_set(err, ENOENT,
                         "there is no place for the platform of this machine: "
                         "HOME and XDG_CACHE_HOME are not set");
    FILE *out = need_stream(&text, &size);
    if (p->nodes > 0)
        write_cluster(out, p);
    else
        write_platform(out, p);
    fclose(out);
    snprintf(path, PATH_MAX, "%s/%s-%016" PRIx64 ".xml", folder,
             p->nodes > 0 ? "this-cluster" : "this-machine",
             (uint64_t)XXH3_64bits(text, size));
    int code = file_whole(path, text, size, err);
    free(text);
    return code;
}
