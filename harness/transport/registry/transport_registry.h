/* The transports by name, made from harness/transport/transports.def. */
#ifndef HARNESS_TRANSPORT_REGISTRY_TRANSPORT_REGISTRY_H
#define HARNESS_TRANSPORT_REGISTRY_TRANSPORT_REGISTRY_H

#include "harness/transport/transport.h"

/* All in the order of transports.def, NULL ends the list. */
extern const struct transport_ops *const transport_list[];

/* The possible names of a cell's transport: `auto` and the names, NULL ends the
 * list.  Returns `names`. */
enum { TRANSPORT_NAMES_MAX = 32 };
const char *const *transport_names(const char *names[TRANSPORT_NAMES_MAX]);

/* The possible values of a cell field that one transport alone has: `auto` and
 * those in its rules, in the same way.  Only `auto`: no transport has it. */
const char *const *transport_choices(const char *field,
                                     const char *names[TRANSPORT_NAMES_MAX]);

/* The transport that cells call so; NULL: there is none. */
const struct transport_ops *transport_find(const char *name);

/* The transport that hands out in a cell of the transport `name` under the
 * protocol `protocol`; the transport itself where there is no other; NULL:
 * there is none of that name. */
const struct transport_ops *transport_for(const char *name,
                                          enum transport_ask protocol);

#endif
