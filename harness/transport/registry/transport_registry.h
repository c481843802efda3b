/* The transports by name, made from harness/transport/transports.def. */
#ifndef HARNESS_TRANSPORT_REGISTRY_TRANSPORT_REGISTRY_H
#define HARNESS_TRANSPORT_REGISTRY_TRANSPORT_REGISTRY_H

#include "harness/transport/transport.h"

/* All transports in the order of transports.def; NULL ends the list. */
extern const struct transport_ops *const transport_list[];

/* The possible names of a cell's transport: `auto` and the transports; NULL
 * ends the list.  Returns `names`. */
enum { TRANSPORT_NAMES_MAX = 32 };
const char *const *transport_names(const char *names[TRANSPORT_NAMES_MAX]);

/* The possible values of a cell field that only one transport has: `auto` and
 * those in its rules, as above.  If no transport has the field: only `auto`. */
const char *const *transport_choices(const char *field,
                                     const char *names[TRANSPORT_NAMES_MAX]);

/* The transport of this name in cells; NULL: none. */
const struct transport_ops *transport_find(const char *name);

/* The transport that hands out chunks in a cell of transport `name` under
 * `protocol`: another one, or the transport itself; NULL: unknown name. */
const struct transport_ops *transport_for(const char *name,
                                          enum transport_ask protocol);

#endif
