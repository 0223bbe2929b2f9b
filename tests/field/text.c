#include "text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void text_add(struct text *text, const char *bytes, size_t len) {
    if (text->len + len + 1 > text->room) {
        text->room = (text->len + len + 1) * 2;
        text->bytes = realloc(text->bytes, text->room);
        if (text->bytes == NULL) {
            abort();
        }
    }
    if (len > 0) {
        memcpy(text->bytes + text->len, bytes, len);
    }
    text->len += len;
    text->bytes[text->len] = '\0';
}

void text_format(struct text *text, const char *format, ...) {
    char line[512];
    va_list list;
    va_start(list, format);
    int len = vsnprintf(line, sizeof line, format, list);
    va_end(list);
    if (len > 0) {
        text_add(text, line, (size_t)len < sizeof line ? (size_t)len : sizeof line - 1);
    }
}

void text_json_string(struct text *text, const char *bytes, size_t len) {
    text_add(text, "\"", 1);
    for (size_t i = 0; i < len; i++) {
        unsigned char byte = (unsigned char)bytes[i];
        if (byte == '"' || byte == '\\') {
            text_format(text, "\\%c", byte);
        } else if (byte < 0x20) {
            text_format(text, "\\u%04x", byte);
        } else {
            text_add(text, bytes + i, 1);
        }
    }
    text_add(text, "\"", 1);
}

void text_drop(struct text *text) {
    free(text->bytes);
    *text = (struct text){0};
}
