/* Texts of users, for use in a message, a file or a command. */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* Whether both texts are equal. */
bool text_is(const char *a, const char *b);

/* Whether the text begins with `begin`. */
bool text_begins(const char *text, const char *begin);

/* The part of a path after its last slash; without a slash all of it. */
static inline const char *path_last(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

/* Cuts slashes off the end: "DIR/" is DIR, and "/" stays. */
static inline void path_trim(char *path)
{
    for (size_t n = strlen(path); n > 1 && path[n - 1] == '/';)
        path[--n] = '\0';
}

/* Bytes of the text's first character: 1 to 4 of UTF-8 (RFC 3629, as JSON
 * allows); 0 if there is none, or at the end. */
size_t text_character(const char *text);

/* The end of a plural: "s", or "" for one: "%d cell%s". */
static inline const char *text_s(double count)
{
    return &"s"[count == 1];
}

/* The position of the first byte that is not UTF-8 or is a control character
 * (C0, C1), such as a line end; -1: none. */
long text_wrong_byte(const char *text);

/* The text without the blanks (isspace) at both ends: returns a place in it;
 * cuts it after the last character. */
char *text_trim(char *text);

/* strtod that also reads Fortran's exponents: 1.5D+00. */
double text_real(const char *text, char **end);

/* Copies as much of text as fits into out[size] (2 or more), as one line of
 * UTF-8 that a terminal shows unchanged. Control characters, those that turn
 * the writing direction, and invalid bytes are written as \n, \t, \xHH or
 * \uHHHH. */
void text_line(char *out, size_t size, const char *text);

/* Writes the text as one word that no shell script splits or expands: blanks,
 * line ends and * ? [ ] \ % become %XX. False if `size` is too small. */
bool text_to_word(char *word, size_t size, const char *text);

/* Restores the text in place. */
void text_from_word(char *word);

#endif
