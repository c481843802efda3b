#include "base/system/energy.h"

#include "base/file.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool read_count(const char *folder, const char *name, uint64_t *count)
{
    char path[160], line[64], *end;
    snprintf(path, sizeof(path), "%s/%s", folder, name);
    if (!file_first_line(path, line, sizeof(line)))
        return false;
    *count = strtoull(line, &end, 10);
    return end != line;
}

/* Zones below a package (cores, memory) are included in it. */
void energy_open(struct energy *energy, const char *root)
{
    *energy = (struct energy){.packages = 0};
    for (int i = 0; i < ENERGY_PACKAGES; i++) {
        char path[96], name[160], zone[32];
        uint64_t last, range;
        snprintf(path, sizeof(path), "%.48s/sys/class/powercap/intel-rapl:%d",
                 root, i);
        snprintf(name, sizeof(name), "%s/name", path);
        if (!file_first_line(name, zone, sizeof(zone)) ||
            strncmp(zone, "package", 7) != 0 ||
            !read_count(path, "max_energy_range_uj", &range) ||
            !read_count(path, "energy_uj", &last))
            continue;
        strcpy(energy->package[energy->packages].path, path);
        energy->package[energy->packages].last_uj = last;
        energy->package[energy->packages++].range_uj = range;
    }
}

void energy_read(struct energy *energy)
{
    for (int i = 0; i < energy->packages; i++) {
        uint64_t now, last = energy->package[i].last_uj;
        if (!read_count(energy->package[i].path, "energy_uj", &now))
            continue;
        uint64_t used =
            now >= last ? now - last : now + energy->package[i].range_uj - last;
        energy->joules += (double)used * 1e-6;
        energy->package[i].last_uj = now;
    }
}
