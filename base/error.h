/* The text of one error, set by the first function that knows the reason.
 *
 * Functions that can fail take a `struct error *` last, return 0 or a negative
 * errno, and set their outputs only on success.  Callers pass the text up; only
 * the command line (or rank 0 of a launch) prints it. */
#ifndef BASE_ERROR_H
#define BASE_ERROR_H

struct error {
    char text[768];
};

/* Formats the text (truncated, never overrun) and returns -code, so that
 * `return error_set(err, EINVAL, "...")` is one line. err may be NULL.  The
 * text is one line of UTF-8 for any arguments (base/text.h). */
int error_set(struct error *err, int code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Puts "prefix: " before the existing text; returns code unchanged, so that a
 * caller can add the place while it passes the error up. */
int error_prefix(struct error *err, int code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
