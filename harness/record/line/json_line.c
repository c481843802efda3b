#include "harness/record/line/json_line.h"

#include "base/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void add_characters(struct line *line, const char *text, size_t length)
{
    if (!line->failed && line->used + length + 1 > line->room) {
        size_t room = 2 * (line->used + length) + 512;
        char *text_now = realloc(line->text, room);
        line->failed = text_now == NULL;
        line->text = text_now != NULL ? text_now : line->text;
        line->room = text_now != NULL ? room : line->room;
    }
    if (line->failed)
        return;
    memcpy(line->text + line->used, text, length);
    line->used += length;
    line->text[line->used] = '\0';
}

void line_raw(struct line *line, const char *text)
{
    add_characters(line, text, strlen(text));
}

/* A quoted string, in UTF-8 even if the program's text is not. */
static void add_quoted(struct line *line, const char *text)
{
    char code[8];
    line_raw(line, "\"");
    while (*text != '\0') {
        size_t length = text_character(text);
        unsigned char byte = (unsigned char)*text;
        bool plain = length > 0 && byte >= 0x20 && byte != '"' && byte != '\\';
        if (plain)
            add_characters(line, text, length);
        else if (length > 0)
            add_characters(
                line, code,
                (size_t)snprintf(code, sizeof(code), "\\u%04x", byte));
        else
            line_raw(line, "\\ufffd");
        text += length > 0 ? length : 1;
    }
    line_raw(line, "\"");
}

static void add_key(struct line *line, const char *key)
{
    char last = line->used > 0 ? line->text[line->used - 1] : '{';
    if (last != '{' && last != '[')
        line_raw(line, ",");
    if (key == NULL)
        return;
    add_quoted(line, key);
    line_raw(line, ":");
}

void line_begin(struct line *line)
{
    line_raw(line, "{");
}

void line_end(struct line *line)
{
    line_raw(line, "}\n");
}

void line_value(struct line *line, const char *key, const char *json)
{
    add_key(line, key);
    line_raw(line, json != NULL ? json : "null");
}

void line_text(struct line *line, const char *key, const char *value)
{
    add_key(line, key);
    if (value != NULL)
        add_quoted(line, value);
    else
        line_raw(line, "null");
}

void line_whole(struct line *line, const char *key, int64_t value)
{
    char text[24];
    snprintf(text, sizeof(text), "%lld", (long long)value);
    line_value(line, key, text);
}

void line_tally(struct line *line, const char *key, int64_t value)
{
    if (value < 0)
        line_value(line, key, NULL);
    else
        line_whole(line, key, value);
}

/* Formats like jansson: 1.0, 1e20, 1e-5. */
void line_real(struct line *line, const char *key, double value)
{
    char text[32];
    snprintf(text, sizeof(text), "%.12g", value);
    char *power = strchr(text, 'e');
    if (power != NULL) {
        char *digits = power + 2;
        digits += strspn(digits, "0");
        power += 1 + (power[1] == '-');
        memmove(power, digits, strlen(digits) + 1);
    } else if (strchr(text, '.') == NULL) {
        strcat(text, ".0");
    }
    line_value(line, key, isfinite(value) ? text : NULL);
}

void line_time(struct line *line, const char *key, double value)
{
    line_real(line, key, value < 0 ? NAN : value);
}

void line_flag(struct line *line, const char *key, bool value)
{
    line_value(line, key, value ? "true" : "false");
}

void line_open(struct line *line, const char *key, char open)
{
    add_key(line, key);
    add_characters(line, &open, 1);
}

void line_close(struct line *line, char close)
{
    add_characters(line, &close, 1);
}

void line_members(struct line *line, const char *key, const char *members)
{
    (void)key;
    if (members == NULL || members[0] == '\0')
        return;
    add_key(line, NULL);
    line_raw(line, members);
}
