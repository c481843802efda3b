/* The energy of this host's processor packages, by the kernel's powercap
 * (Intel's and AMD's RAPL): for the whole host, not for one program. */
#ifndef BASE_SYSTEM_ENERGY_H
#define BASE_SYSTEM_ENERGY_H

#include <stdint.h>

enum { ENERGY_PACKAGES = 16 };

struct energy {
    int packages; /* that can be read */
    struct {
        char path[96];
        uint64_t last_uj, range_uj; /* the counter begins anew behind range */
    } package[ENERGY_PACKAGES];
    double joules; /* of all since energy_open */
};

/* Finds the packages in sys/class/powercap below `root` ("" is the system;
 * tests have another).  Often only root may read them: then there are none. */
void energy_open(struct energy *energy, const char *root);

/* Adds what was used since the last call.  Call it before a counter comes round
 * twice: at least every five minutes. */
void energy_read(struct energy *energy);

#endif
