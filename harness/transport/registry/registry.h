/* The transports by name, made from harness/transport/transports.def. */
#ifndef HARNESS_TRANSPORT_REGISTRY_REGISTRY_H
#define HARNESS_TRANSPORT_REGISTRY_REGISTRY_H

#include "harness/transport/transport.h"

/* All in the order of transports.def, NULL ends the list. */
extern const struct transport_ops *const transport_list[];

/* The transport that cells call so; NULL: there is none. */
const struct transport_ops *transport_find(const char *name);

/* The one that hands out in a cell of the transport `name` under the protocol
 * that `protocol` stands for; the transport itself where there is no other;
 * NULL: there is none of that name. */
const struct transport_ops *transport_for(const char *name,
                                          enum transport_ask protocol);

#endif
