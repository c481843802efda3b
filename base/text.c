#include "base/text.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ESCAPE_MAX = 6, DELETE = 0x7f };

bool text_is(const char *a, const char *b)
{
    return strcmp(a, b) == 0;
}

bool text_begins(const char *text, const char *begin)
{
    return strncmp(text, begin, strlen(begin)) == 0;
}

size_t text_character(const char *text)
{
    /* The least character of each length; a longer form is invalid. */
    static const unsigned least[] = {0, 0, 0x80, 0x800, 0x10000};
    const unsigned char *t = (const unsigned char *)text;
    size_t length = t[0] == 0      ? 0
                    : t[0] < 0x80  ? 1
                    : t[0] < 0xc0  ? 0
                    : t[0] < 0xe0  ? 2
                    : t[0] < 0xf0  ? 3
                    : t[0] <= 0xf4 ? 4
                                   : 0;
    if (length < 2)
        return length;
    unsigned character = t[0] & (0x7fu >> length);
    for (size_t i = 1; i < length; i++) {
        if ((t[i] & 0xc0) != 0x80)
            return 0;
        character = character << 6 | (t[i] & 0x3f);
    }
    bool half = character >= 0xd800 && character < 0xe000;
    return character < least[length] || character > 0x10ffff || half ? 0
                                                                     : length;
}

/* The code point of a character of up to 3 bytes; longer ones count as
 * blanks. */
static unsigned number_of(const char *text, size_t length)
{
    const unsigned char *t = (const unsigned char *)text;
    return length == 1   ? t[0]
           : length == 2 ? (t[0] & 0x1fu) << 6 | (t[1] & 0x3f)
           : length == 3
               ? (t[0] & 0x0fu) << 12 | (t[1] & 0x3fu) << 6 | (t[2] & 0x3f)
               : ' ';
}

static bool is_control(unsigned c)
{
    return c < ' ' || (c >= DELETE && c < 0xa0);
}

/* Marks, embeddings and overrides of the direction, and ends of lines. */
static bool turns_text(unsigned c)
{
    return c == 0x61c || c == 0x200e || c == 0x200f ||
           (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
}

long text_wrong_byte(const char *text)
{
    size_t length;
    for (const char *t = text; *t != '\0'; t += length) {
        length = text_character(t);
        if (length == 0 || is_control(number_of(t, length)))
            return t - text;
    }
    return -1;
}

char *text_trim(char *text)
{
    while (isspace((unsigned char)*text))
        text++;
    size_t length = strlen(text);
    while (length > 0 && isspace((unsigned char)text[length - 1]))
        length--;
    text[length] = '\0';
    return text;
}

double text_real(const char *text, char **end)
{
    double value = strtod(text, end);
    char copy[64], *behind;
    size_t digits = (size_t)(*end - text);
    if (digits == 0 || digits > 40 || (**end != 'd' && **end != 'D'))
        return value;
    snprintf(copy, sizeof(copy), "%.*se%s", (int)digits, text, *end + 1);
    double whole = strtod(copy, &behind);
    if (behind == copy + digits)
        return value;
    *end += behind - copy - (ptrdiff_t)digits;
    return whole;
}

static size_t write_escape(char out[ESCAPE_MAX + 1], unsigned c)
{
    const char *from = "\n\t\r", *to = "ntr";
    const char *at = c < DELETE ? strchr(from, (int)c) : NULL;
    if (at != NULL)
        return (size_t)snprintf(out, ESCAPE_MAX + 1, "\\%c", to[at - from]);
    return (size_t)snprintf(out, ESCAPE_MAX + 1,
                            c < 0x100 ? "\\x%02x" : "\\u%04x", c & 0xffff);
}

void text_line(char *out, size_t size, const char *text)
{
    size_t used = 0;
    while (*text != '\0') {
        char escape[ESCAPE_MAX + 1];
        size_t read = text_character(text), length = read;
        const char *from = text;
        unsigned c = number_of(text, read > 0 ? read : 1);
        if (read == 0 || is_control(c) || turns_text(c)) {
            /* A byte of no character has two digits, U+0080 and on have four.
             */
            length = write_escape(escape, read > 1 ? c | 0x10000 : c);
            read = read > 0 ? read : 1;
            from = escape;
        }
        if (used + length >= size)
            break;
        memcpy(out + used, from, length);
        used += length;
        text += read;
    }
    out[used] = '\0';
}

bool text_to_word(char *word, size_t size, const char *text)
{
    for (; *text != '\0'; text++) {
        bool plain = strchr(" \t\n\r*?[]\\%", *text) == NULL;
        int length =
            snprintf(word, size, plain ? "%c" : "%%%02X", (unsigned char)*text);
        if ((size_t)length >= size)
            return false;
        word += length;
        size -= (size_t)length;
    }
    *word = '\0';
    return size > 0;
}

void text_from_word(char *word)
{
    char *end = word;
    for (; *word != '\0'; word++) {
        unsigned byte = (unsigned char)*word;
        if (*word == '%' && isxdigit((unsigned char)word[1]) &&
            isxdigit((unsigned char)word[2])) {
            sscanf(word + 1, "%2x", &byte);
            word += 2;
        }
        *end++ = (char)byte;
    }
    *end = '\0';
}
