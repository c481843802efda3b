/* Transports: how chunks reach the workers.  A transport is a folder here that
 * ends in one `const struct transport_ops transport_NAME_ops`, plus its line in
 * transports.def; harness/transport/registry finds it by name.
 *
 * Its rules are data: what may be asked of it, and why not of the rest.  The
 * checks of cells, `dlsbench list transports`, the manual's table and the tests
 * read them, and nobody else compares a transport's name. */
#ifndef HARNESS_TRANSPORT_TRANSPORT_H
#define HARNESS_TRANSPORT_TRANSPORT_H

#include <stdbool.h>

/* What a measurement may ask of a transport. */
enum transport_ask {
    TRANSPORT_ONE_RANK,
    TRANSPORT_RANKS,
    TRANSPORT_THREADS, /* of a rank, several */
    TRANSPORT_SIMULATION,
    TRANSPORT_INDEPENDENT, /* protocol parallel */
    TRANSPORT_DEPENDENT,   /* protocols dmps and subproblem */
    TRANSPORT_PLAN,        /* protocol push */
    TRANSPORT_NODE,        /* hierarchy: one pool for each rank */
    TRANSPORT_MASTERS,     /* hierarchy: masters below the supermaster */
    TRANSPORT_SCHEME,
    TRANSPORT_RESERVING, /* schemes that keep chunks for one worker */
    TRANSPORT_LEARNING,  /* schemes that learn from the times of chunks */
    TRANSPORT_TWO,       /* two schemes */
    TRANSPORT_SCHEDULE,  /* schedules of OpenMP */
    TRANSPORT_MIN_CHUNK,
    TRANSPORT_COLLECT, /* results travel to the master */
    TRANSPORT_DATA,    /* input data travel to the workers */
    TRANSPORT_REISSUE, /* chunks are handed out again */
    TRANSPORT_ASKS
};

/* Each in the words of the command line. */
extern const char *const transport_asks[TRANSPORT_ASKS];

/* Who hands out, as the tree of masters has it (harness/hierarchy/tree.h). */
enum transport_tree {
    TRANSPORT_BY_RANK,   /* masters share out ranks */
    TRANSPORT_BY_THREAD, /* one rank: masters share out its threads */
    TRANSPORT_NO_MASTER,
};

/* One value of the cell field that only this transport has. */
struct transport_choice {
    const char *name;
    const char *refuses[TRANSPORT_ASKS]; /* with it, besides the transport's */
};

/* What a transport tells of each worker beside its times. */
struct transport_fact {
    const char *name, *unit;
};

enum { TRANSPORT_CHOICES = 4, TRANSPORT_FACTS = 4 };

struct transport_rules {
    const char *name;
    const char *of; /* the transport that cells name when this one hands out,
                       because of what they ask; NULL: they name this one */
    const char *summary;
    /* Why it cannot do what is asked, a part of a sentence whose subject is the
     * transport ("has no masters"); NULL: it can. */
    const char *refuses[TRANSPORT_ASKS];
    const char *fields[4]; /* cell fields that apply under it and not under
                              every other */
    /* The field that it alone has, and its values, the first by default. */
    const char *field;
    struct transport_choice choice[TRANSPORT_CHOICES];
    struct transport_fact fact[TRANSPORT_FACTS];
    enum transport_tree tree;
    bool unordered; /* chunks run in no order of the whole loop */
};

struct transport_ops {
    const struct transport_rules *rules;
};

/* Why a transport with this value of its own field (NULL: none in particular)
 * refuses what is asked; NULL: it does not. */
const char *transport_refuses(const struct transport_ops *ops,
                              const char *choice, enum transport_ask ask);

/* Whether a cell field applies under this transport. */
bool transport_has_field(const struct transport_ops *ops, const char *field);

#endif
