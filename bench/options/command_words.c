/* The words of a command that is printed to be copied. */
#include "bench/options/command.h"

#include "base/text.h"

#include <string.h>
#include <unistd.h>

/* As bash reads it: a byte that is no printable character is written by its
 * number. */
static void write_escaped(FILE *out, const char *word)
{
    fputs("$'", out);
    while (*word != '\0') {
        long plain = text_wrong_byte(word);
        size_t length = plain < 0 ? strlen(word) : (size_t)plain;
        for (const char *end = word + length; word < end; word++) {
            if (*word == '\'' || *word == '\\')
                fputc('\\', out);
            fputc(*word, out);
        }
        if (*word != '\0')
            fprintf(out, "\\x%02x", (unsigned char)*word++);
    }
    fputc('\'', out);
}

static void print_quoted(FILE *out, const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyz"
                                "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "_-+=./,:@%";
    if (word[0] != '\0' && word[strspn(word, plain)] == '\0') {
        fprintf(out, "%s", word);
        return;
    }
    if (text_wrong_byte(word) >= 0) {
        write_escaped(out, word);
        return;
    }
    fprintf(out, "'");
    for (; *word != '\0'; word++)
        if (*word == '\'')
            fprintf(out, "'\\''");
        else
            fputc(*word, out);
    fprintf(out, "'");
}

void command_print_word(FILE *out, const char *word)
{
    fputc(' ', out);
    print_quoted(out, word);
}

bool command_is_variable(const char *text)
{
    static const char *const begins[] = {"OMP_", "GOMP_", "KMP_", NULL};
    size_t name = strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789");
    for (int i = 0; begins[i] != NULL; i++)
        if (text_begins(text, begins[i]))
            return text[name] == '=';
    return false;
}

/* Whether one of the words "NAME=VALUE NAME=VALUE" sets this variable, whose
 * name and '=' have `length` bytes. */
static bool sets(const char *setting, const char *variable, size_t length)
{
    while (setting != NULL && strncmp(setting, variable, length) != 0) {
        setting = strchr(setting, ' ');
        setting += setting != NULL;
    }
    return setting != NULL;
}

void command_print_variables(FILE *out, const char *setting)
{
    for (char **at = environ; *at != NULL; at++) {
        size_t length = strcspn(*at, "=") + 1;
        if (!command_is_variable(*at) || sets(setting, *at, length))
            continue;
        fprintf(out, " %.*s", (int)length, *at);
        print_quoted(out, *at + length);
    }
}
