#include "harness/transport/registry/transport_registry.h"

#include <stddef.h>
#include <string.h>

#define TRANSPORT(name)                                                        \
    extern const struct transport_ops transport_##name##_ops;
#include "harness/transport/transports.def"
#undef TRANSPORT

const struct transport_ops *const transport_list[] = {
#define TRANSPORT(name) &transport_##name##_ops,
#include "harness/transport/transports.def"
#undef TRANSPORT
    NULL,
};

const char *const *transport_names(const char *names[TRANSPORT_NAMES_MAX])
{
    int n = 0;
    names[n++] = "auto";
    for (int i = 0; transport_list[i] != NULL && n + 1 < TRANSPORT_NAMES_MAX;
         i++)
        if (transport_list[i]->rules->of == NULL)
            names[n++] = transport_list[i]->rules->name;
    names[n] = NULL;
    return names;
}

const char *const *transport_choices(const char *field,
                                     const char *names[TRANSPORT_NAMES_MAX])
{
    names[0] = "auto";
    names[1] = NULL;
    for (int i = 0; transport_list[i] != NULL; i++) {
        const struct transport_rules *rules = transport_list[i]->rules;
        if (rules->field != NULL && strcmp(rules->field, field) == 0) {
            int n = 1;
            for (int c = 0; c < TRANSPORT_CHOICES; c++) {
                const char *name = rules->choice[c].name;
                if (name != NULL && strcmp(name, names[0]) != 0)
                    names[n++] = name;
            }
            names[n] = NULL;
        }
    }
    return names;
}

const struct transport_ops *transport_find(const char *name)
{
    for (int i = 0; transport_list[i] != NULL; i++) {
        const struct transport_rules *rules = transport_list[i]->rules;
        if (rules->of == NULL && strcmp(rules->name, name) == 0)
            return transport_list[i];
    }
    return NULL;
}

const struct transport_ops *transport_for(const char *name,
                                          enum transport_ask protocol)
{
    for (int i = 0; transport_list[i] != NULL; i++) {
        const struct transport_rules *rules = transport_list[i]->rules;
        if (rules->of != NULL && strcmp(rules->of, name) == 0 &&
            rules->refuses[protocol] == NULL)
            return transport_list[i];
    }
    return transport_find(name);
}
