/* Texts of users, before they go into a message, a file or a command. */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* Whether both are the same text. */
bool text_is(const char *a, const char *b);

/* Whether the text begins with the other one. */
bool text_begins(const char *text, const char *begin);

/* The part of a path behind its last slash; all of it where it has none. */
static inline const char *path_last(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

/* Bytes of the character that text begins with: 1 to 4 of UTF-8 (RFC 3629,
 * what JSON allows); 0 when there is none, or at the end. */
size_t text_character(const char *text);

/* The end of a plural: "s", and nothing for one: "%d cell%s". */
static inline const char *text_s(double count)
{
    return &"s"[count == 1];
}

/* The position of the first byte that is not UTF-8 or is a control character
 * (C0, C1), such as the end of a line; -1: there is none. */
long text_wrong_byte(const char *text);

/* The text without the blanks (isspace) at both ends: a place in it; cuts it
 * behind the last character. */
char *text_trim(char *text);

/* strtod, which also knows the exponents of Fortran: 1.5D+00. */
double text_real(const char *text, char **end);

/* Copies into out[size] (2 or more) what fits of text as one line of UTF-8 that
 * a terminal shows as it is: control characters, those that turn the direction
 * of writing and bytes of no character are written as \n, \t, \xHH or \uHHHH.
 */
void text_line(char *out, size_t size, const char *text);

/* As one word that no shell script splits or expands: blanks, the ends of lines
 * and * ? [ ] \ % are written as %XX.  False when `size` is too small. */
bool text_to_word(char *word, size_t size, const char *text);

/* Reads it back, in its place. */
void text_from_word(char *word);

#endif
