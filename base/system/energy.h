/* The energy of this host's processor packages, from the kernel's powercap
 * (Intel's and AMD's RAPL): of the whole host, not of one program. */
#ifndef BASE_SYSTEM_ENERGY_H
#define BASE_SYSTEM_ENERGY_H

#include <stdint.h>

enum { ENERGY_PACKAGES = 16 };

struct energy {
    int packages; /* readable ones */
    struct {
        char path[96];
        uint64_t last_uj, range_uj; /* the counter restarts after range */
    } package[ENERGY_PACKAGES];
    double joules; /* of all packages since energy_open */
};

/* Finds the packages in sys/class/powercap below `root` ("" is the system;
 * tests use another).  Often only root may read them: then there are none. */
void energy_open(struct energy *energy, const char *root);

/* Adds the energy since the last call.  Call it before a counter wraps around
 * twice: at least every five minutes. */
void energy_read(struct energy *energy);

#endif
