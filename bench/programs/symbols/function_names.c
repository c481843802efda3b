/* Shortens the names that a C++ or Fortran compiler gives to functions.  Input
 * is a demangled symbol, output what a user may write in a rule. */
#include "bench/programs/symbols/function_names.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static const char nameless[] = "(anonymous namespace)";

/* Length of the operator after the word; 0: no operator. */
static size_t operator_length(const char *text, const char *at)
{
    static const char word[] = "operator";
    size_t length = sizeof(word) - 1;
    if (at < text + length || strncmp(at - length, word, length) != 0)
        return 0;
    return strncmp(at, "()", 2) == 0 ? 2 : strspn(at, "<>=-+*/%!&|^~[],");
}

/* Copies the name without its surroundings, and without the arguments of
 * templates unless they are wanted.  A blank outside of brackets ends the
 * result's type, a parenthesis the name.  Operators are copied whole, because
 * their characters would count as brackets. */
static void copy_name(const char *function, bool arguments,
                      char name[NAMES_SIZE])
{
    size_t used = 0;
    int angles = 0, braces = 0;
    const char *at = function;
    while (*at != '\0' && used < NAMES_SIZE - 1) {
        bool outside = angles == 0 && braces == 0;
        size_t length = operator_length(function, at);
        if (length == 0 && strncmp(at, nameless, sizeof(nameless) - 1) == 0)
            length = sizeof(nameless) - 1;
        if (length > 0) {
            length =
                length < NAMES_SIZE - 1 - used ? length : NAMES_SIZE - 1 - used;
            if (angles == 0 || arguments) {
                memcpy(name + used, at, length);
                used += length;
            }
            at += length;
            continue;
        }
        if (outside && *at == '(')
            break;
        braces += (*at == '{') - (*at == '}');
        angles += *at == '<';
        if (outside && *at == ' ')
            used = 0;
        else if (angles == 0 || arguments)
            name[used++] = *at;
        angles -= *at == '>' && angles > 0;
        at++;
    }
    name[used] = '\0';
}

const char *names_alias(const char *function, int i, char name[NAMES_SIZE])
{
    static const char module[] = "_MOD_";
    if (i == 0)
        snprintf(name, NAMES_SIZE, "%.255s", function);
    else
        copy_name(function, i == 1, name);
    size_t length = strlen(name);
    char *inner = strstr(name, module);
    if (i >= 3 && length > 1 && name[length - 1] == '_')
        name[length - 1] = '\0';
    if (i >= 4 && inner != NULL)
        memmove(name, inner + sizeof(module) - 1,
                strlen(inner + sizeof(module) - 1) + 1);
    return name;
}
