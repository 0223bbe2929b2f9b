/* A growing text, for fixture tools that answer with JSON that they write themselves. */
#ifndef FIELD_TEXT_H
#define FIELD_TEXT_H

#include <stddef.h>

struct text {
    char *bytes;
    size_t len;
    size_t room;
};

/* Appends `len` bytes; the process ends when memory does. */
void text_add(struct text *text, const char *bytes, size_t len);

/* Appends a formatted text. */
void text_format(struct text *text, const char *format, ...);

/* Appends `len` bytes as a JSON string, quoted and escaped. */
void text_json_string(struct text *text, const char *bytes, size_t len);

/* Gives the memory back. */
void text_drop(struct text *text);

#endif
