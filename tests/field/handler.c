#include "handler.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

mcp_server *fixture_server;

const struct fixture_handler *handler_named(const struct fixture_handler *handlers, const char *name) {
    for (; handlers->name != NULL; handlers++) {
        if (strcmp(handlers->name, name) == 0) {
            return handlers;
        }
    }
    return NULL;
}

void event(const char *format, ...) {
    char line[512] = "\n@ ";
    va_list list;
    va_start(list, format);
    int len = vsnprintf(line + 3, sizeof line - 4, format, list);
    va_end(list);
    size_t end = 3 + ((size_t)len < sizeof line - 4 ? (size_t)len : sizeof line - 5);
    for (size_t i = 3; i < end; i++) {
        line[i] = line[i] == '\n' ? ' ' : line[i];
    }
    line[end++] = '\n';
    ssize_t written = write(STDERR_FILENO, line, end);
    (void)written;
}

void pause_ms(int64_t ms) {
    struct timespec time = {ms / 1000, (ms % 1000) * 1000000};
    nanosleep(&time, NULL);
}

int64_t integer_or(mcp_call *call, const char *name, int64_t otherwise) {
    int64_t value;
    return mcp_call_get_int64(call, name, &value) == MCP_STATUS_OK ? value : otherwise;
}

bool truth_of(mcp_call *call, const char *name) {
    bool value;
    return mcp_call_get_bool(call, name, &value) == MCP_STATUS_OK && value;
}

char *string_or(mcp_call *call, const char *name, const char *otherwise) {
    const char *value;
    if (mcp_call_get_string(call, name, &value, NULL) != MCP_STATUS_OK) {
        value = otherwise;
    }
    size_t room = strlen(value) + 1;
    char *copy = malloc(room);
    if (copy == NULL) {
        abort();
    }
    return memcpy(copy, value, room);
}

void finish_with(mcp_call *call, struct text *text) {
    mcp_call_finish_text(call, text->bytes == NULL ? "" : text->bytes, text->len);
    text_drop(text);
}

void append_status(struct text *text, int status) {
    text_add(text, text->len > 1 ? ",{\"status\":" : "{\"status\":", text->len > 1 ? 11 : 10);
    text_format(text, "%d,\"error\":", status);
    const char *error = status == MCP_STATUS_OK ? "" : mcp_last_error();
    text_json_string(text, error, strlen(error));
    text_add(text, "}", 1);
}
