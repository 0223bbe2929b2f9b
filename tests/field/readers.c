#include "readers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void text(mcp_call *call, void *user_data) {
    (void)user_data;
    mcp_call_add_text(call, "tab\there, quote\", caf\xc3\xa9 \xe4\xb8\x96\n", MCP_NUL_TERMINATED);
    mcp_call_finish(call);
}

/* Each byte that there is. */
static void bytes(mcp_call *call, void *user_data) {
    (void)user_data;
    unsigned char bytes[256];
    for (int i = 0; i < 256; i++) {
        bytes[i] = (unsigned char)i;
    }
    mcp_call_add_blob(call, bytes, sizeof bytes);
    mcp_call_finish(call);
}

static void nothing(mcp_call *call, void *user_data) {
    (void)user_data;
    mcp_call_finish(call);
}

/* Contents of several URIs, one of them with all that contents may have. */
static void folder(mcp_call *call, void *user_data) {
    (void)user_data;
    mcp_call_add_resource_text(call, NULL, NULL, "index\n", 6);
    mcp_call_add_resource_text(call, "test://folder/a.txt", "text/plain", "a\n", 2);
    mcp_call_add_resource_blob(call, "test://folder/b.bin", NULL, "\0\xff", 2);
    mcp_call_add_content(call, "{\"uri\":\"test://folder/c.md\",\"mimeType\":\"text/markdown\",\"text\":\"# c\","
                               "\"_meta\":{\"com.example/a\":1}}", MCP_NUL_TERMINATED);
    mcp_call_set_meta(call, "{\"com.example/b\":2}", MCP_NUL_TERMINATED);
    mcp_call_finish(call);
}

/* What reached the handler: the URI and the template's variables. */
static void where(mcp_call *call, void *user_data) {
    (void)user_data;
    struct text text = {0};
    const char *variables = "{}";
    size_t len = 2;
    const char *uri = mcp_call_name(call);
    mcp_call_arguments(call, &variables, &len);
    text_format(&text, "{\"kind\":%d,\"uri\":", mcp_call_kind(call));
    text_json_string(&text, uri, strlen(uri));
    text_add(&text, ",\"variables\":", 13);
    text_add(&text, variables, len);
    text_add(&text, "}", 1);
    finish_with(call, &text);
}

static void gone(mcp_call *call, void *user_data) {
    (void)user_data;
    mcp_call_add_text(call, "dropped", 7);
    mcp_call_finish_not_found(call);
}

static void fresh(mcp_call *call, void *user_data) {
    (void)user_data;
    mcp_call_set_cache(call, 5000, MCP_CACHE_PRIVATE);
    mcp_call_finish_text(call, "for you", 7);
}

/* As many bytes as its variable says: a text, or with `blob` bytes. */
static void large(mcp_call *call, void *user_data) {
    (void)user_data;
    char *digits = string_or(call, "bytes", "0");
    char *kind = string_or(call, "kind", "text");
    size_t len = strtoul(digits, NULL, 10);
    char *content = malloc(len + 1);
    if (content == NULL) {
        abort();
    }
    memset(content, 'x', len);
    if (strcmp(kind, "blob") == 0) {
        mcp_call_add_blob(call, content, len);
    } else {
        mcp_call_add_text(call, content, len);
    }
    mcp_call_finish(call);
    free(content);
    free(kind);
    free(digits);
}

/* Finishes with the variable `result`, a whole result. */
static void whole(mcp_call *call, void *user_data) {
    (void)user_data;
    char *result = string_or(call, "result", "{}");
    int status = mcp_call_finish_json(call, result, MCP_NUL_TERMINATED);
    if (status != MCP_STATUS_OK) {
        event("refused %d %s", status, mcp_last_error());
        mcp_call_finish_error(call, 4242, "refused", NULL, 0);
    }
    free(result);
}

/* Waits to be cancelled, or `ms`. */
static void slow(mcp_call *call, void *user_data) {
    (void)user_data;
    char *tag = string_or(call, "tag", "");
    char *digits = string_or(call, "ms", "10000");
    event("reading %s", tag);
    for (long left = strtol(digits, NULL, 10) / 5; left > 0 && !mcp_call_is_cancelled(call); left--) {
        pause_ms(5);
    }
    event("read %s %d", tag, mcp_call_finish_text(call, tag, MCP_NUL_TERMINATED));
    free(digits);
    free(tag);
}

static void steps(mcp_call *call, void *user_data) {
    (void)user_data;
    for (int step = 1; step <= 3; step++) {
        mcp_call_progress(call, step, 3, "step");
        mcp_call_log(call, MCP_LOG_WARNING, "steps", "\"step\"", 6);
    }
    mcp_call_finish_text(call, "three", 5);
}

/* A prompt of two speakers. */
static void greet(mcp_call *call, void *user_data) {
    (void)user_data;
    struct text line = {0};
    char *who = string_or(call, "who", "nobody");
    char *style = string_or(call, "style", "plain");
    mcp_call_set_description(call, "A greeting");
    text_format(&line, "Greet %s.", who);
    mcp_call_add_text(call, line.bytes, line.len);
    mcp_call_set_role(call, MCP_ROLE_ASSISTANT);
    text_drop(&line);
    text_format(&line, "In the %s style?", style);
    mcp_call_add_text(call, line.bytes, line.len);
    mcp_call_finish(call);
    text_drop(&line);
    free(style);
    free(who);
}

/* One block of each kind, as a message or as content of a tool. */
static void blocks(mcp_call *call, void *user_data) {
    (void)user_data;
    static const unsigned char bytes[] = {0, 1, 2, 253, 254, 255};
    mcp_call_add_text(call, "caf\xc3\xa9", MCP_NUL_TERMINATED);
    mcp_call_add_image(call, bytes, sizeof bytes, "image/png");
    mcp_call_add_audio(call, bytes, sizeof bytes, "audio/wav");
    mcp_call_add_resource_link(call, "file:///a.txt", "a.txt", "A", "The letter", "text/plain");
    mcp_call_add_resource_text(call, "file:///a.txt", "text/plain", "line\n", 5);
    mcp_call_add_resource_blob(call, "file:///a.bin", NULL, bytes, sizeof bytes);
    mcp_call_add_content(call, "{\"type\":\"text\",\"text\":\"t\",\"_meta\":{\"com.example/a\":1},\"annotations\":{\"audience\":"
                               "[\"user\"],\"priority\":0.5,\"lastModified\":\"2026-01-02T03:04:05Z\"}}",
                         MCP_NUL_TERMINATED);
    mcp_call_finish(call);
}

static const char *const COLOURS[] = {"amber", "apricot", "black", "blue", "crimson"};

/* Colours that begin with the value; "many N" and "many N of M" values; or what was asked, as one value. */
static void complete(mcp_call *call, void *user_data) {
    (void)user_data;
    char *value = string_or(call, "/argument/value", "");
    char *who = string_or(call, "/context/arguments/who", "");
    unsigned long many = 0;
    unsigned long long total = 0;
    int read = sscanf(value, "many %lu of %llu", &many, &total);
    for (unsigned long i = 0; i < many; i++) {
        char one[32];
        snprintf(one, sizeof one, "v%05lu", i);
        mcp_call_add_completion(call, one);
    }
    if (read > 1) {
        mcp_call_set_completion_total(call, total);
    }
    if (strcmp(value, "?") == 0) {
        const char *asked = "";
        mcp_call_arguments(call, &asked, NULL);
        mcp_call_add_completion(call, asked);
        mcp_call_add_completion(call, mcp_call_name(call));
    } else if (strcmp(value, "!") == 0) {
        mcp_call_finish_error(call, 4242, "no colours today", NULL, 0);
    } else if (strcmp(value, "~") == 0) {
        event("cannot ask %d", mcp_call_request_input(call, "k", "{\"method\":\"roots/list\"}", MCP_NUL_TERMINATED, NULL, NULL));
    }
    for (size_t i = 0; read < 1 && i < sizeof COLOURS / sizeof *COLOURS; i++) {
        if (strncmp(COLOURS[i], value, strlen(value)) == 0 && (who[0] == '\0' || strcmp(COLOURS[i], who) != 0)) {
            mcp_call_add_completion(call, COLOURS[i]);
        }
    }
    mcp_call_finish(call);
    free(who);
    free(value);
}

const struct fixture_handler fixture_readers[] = {
    {"blocks", blocks, MCP_DISPATCH_INLINE}, {"bytes", bytes, MCP_DISPATCH_INLINE},
    {"complete", complete, MCP_DISPATCH_POOL}, {"folder", folder, MCP_DISPATCH_INLINE},
    {"fresh", fresh, MCP_DISPATCH_INLINE}, {"gone", gone, MCP_DISPATCH_INLINE},
    {"greet", greet, MCP_DISPATCH_INLINE}, {"large", large, MCP_DISPATCH_POOL},
    {"nothing", nothing, MCP_DISPATCH_INLINE}, {"slow", slow, MCP_DISPATCH_POOL},
    {"steps", steps, MCP_DISPATCH_POOL}, {"text", text, MCP_DISPATCH_INLINE},
    {"where", where, MCP_DISPATCH_INLINE}, {"whole", whole, MCP_DISPATCH_INLINE},
    {NULL, NULL, 0},
};
