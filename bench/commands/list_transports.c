/* dlsbench list transports: what goes with what, and why the rest does not. */
#include "bench/commands/list_command.h"

#include "harness/transport/registry/transport_registry.h"

#include <stdio.h>

/* Marks whether the transport allows a request, and lists the exceptions:
 * values of the transport's own field. */
static void mark_request(const struct transport_rules *rules,
                         enum transport_ask ask, char *text, size_t size)
{
    size_t used = 0;
    snprintf(text, size, "%s", rules->refuses[ask] == NULL ? "yes" : "-");
    for (int i = 0; rules->refuses[ask] == NULL && i < TRANSPORT_CHOICES; i++)
        if (rules->choice[i].name != NULL &&
            rules->choice[i].refuses[ask] != NULL)
            used += (size_t)snprintf(text + used, size - used, "%s%s",
                                     used == 0 ? "not " : ", ",
                                     rules->choice[i].name);
}

static void print_table(void)
{
    char text[64];
    printf("\n%-38s", "");
    for (int t = 0; transport_list[t] != NULL; t++)
        printf(transport_list[t + 1] != NULL ? " %-7s" : " %s\n",
               transport_list[t]->rules->name);
    for (int ask = 0; ask < TRANSPORT_ASKS; ask++) {
        printf("%-38s", transport_asks[ask]);
        for (int t = 0; transport_list[t] != NULL; t++) {
            mark_request(transport_list[t]->rules, ask, text, sizeof(text));
            printf(transport_list[t + 1] != NULL ? " %-7s" : " %s\n", text);
        }
    }
}

static void print_fields(const struct transport_rules *rules)
{
    for (int i = 0; i < TRANSPORT_FIELDS && rules->fields[i] != NULL; i++)
        printf("%s%s", i == 0 ? "    fields: " : ", ", rules->fields[i]);
    if (rules->fields[0] != NULL)
        putchar('\n');
    if (rules->field != NULL)
        printf("    %s: ", rules->field);
    for (int i = 0; i < TRANSPORT_CHOICES && rules->choice[i].name; i++)
        printf("%s%s", i == 0 ? "" : ", ", rules->choice[i].name);
    if (rules->field != NULL)
        putchar('\n');
    for (int i = 0; i < TRANSPORT_FACTS && rules->fact[i].name; i++)
        printf("%s%s (%s)", i == 0 ? "    records: " : ", ",
               rules->fact[i].name, rules->fact[i].unit);
    if (rules->fact[0].name != NULL)
        putchar('\n');
}

static void print_refusals(const char *const *refuses, const char *field,
                           const char *choice)
{
    for (int ask = 0; ask < TRANSPORT_ASKS; ask++) {
        if (refuses[ask] == NULL)
            continue;
        printf("    no %s", transport_asks[ask]);
        if (choice != NULL)
            printf(" with %s %s", field, choice);
        printf(": it %s\n", refuses[ask]);
    }
}

void list_transports(void)
{
    puts("transports: how chunks reach the workers (push: transport master "
         "under protocol push)");
    print_table();
    for (int t = 0; transport_list[t] != NULL; t++) {
        const struct transport_rules *rules = transport_list[t]->rules;
        printf("\n%s: %s\n", rules->name, rules->summary);
        print_fields(rules);
        print_refusals(rules->refuses, NULL, NULL);
        for (int i = 0; i < TRANSPORT_CHOICES; i++)
            print_refusals(rules->choice[i].refuses, rules->field,
                           rules->choice[i].name);
    }
}
