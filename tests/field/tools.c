/* Handlers that show a test what reached them, or that misbehave in one exact way. */
#include "tools.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static atomic_long touched;

/* The client's own bytes of `arguments`, as text. */
static void echo(mcp_call *call, void *user_data) {
    (void)user_data;
    const char *json;
    size_t len;
    if (mcp_call_arguments(call, &json, &len) == MCP_STATUS_OK) {
        mcp_call_finish_text(call, json, len);
    }
}

/* The string argument `value`, decoded, as text. */
static void say(mcp_call *call, void *user_data) {
    (void)user_data;
    const char *value;
    size_t len;
    int status = mcp_call_get_string(call, "value", &value, &len);
    if (status == MCP_STATUS_OK) {
        mcp_call_finish_text(call, value, len);
    } else {
        mcp_call_finish_tool_error(call, mcp_last_error(), MCP_NUL_TERMINATED);
    }
}

/* What each typed getter says of the argument `v`. */
static void typed(mcp_call *call, void *user_data) {
    (void)user_data;
    struct text text = {0};
    const char *bytes = "";
    size_t len = 0;
    int64_t integer = 0;
    double number = 0;
    bool truth = false;
    int status = mcp_call_get_string(call, "v", &bytes, &len);
    text_format(&text, "{\"string\":{\"status\":%d,\"value\":", status);
    text_json_string(&text, status == MCP_STATUS_OK ? bytes : "", status == MCP_STATUS_OK ? len : 0);
    status = mcp_call_get_int64(call, "v", &integer);
    text_format(&text, "},\"int64\":{\"status\":%d,\"value\":%lld", status, (long long)integer);
    status = mcp_call_get_double(call, "v", &number);
    text_format(&text, "},\"double\":{\"status\":%d,\"value\":%.17g", status, number);
    status = mcp_call_get_bool(call, "v", &truth);
    text_format(&text, "},\"bool\":{\"status\":%d,\"value\":%s", status, truth ? "true" : "false");
    status = mcp_call_get_json(call, "v", &bytes, &len);
    text_format(&text, "},\"json\":{\"status\":%d,\"value\":", status);
    text_json_string(&text, status == MCP_STATUS_OK ? bytes : "", status == MCP_STATUS_OK ? len : 0);
    text_add(&text, "}}", 2);
    mcp_call_set_structured(call, text.bytes, text.len);
    mcp_call_finish(call);
    text_drop(&text);
}

/* Finishes with the argument `result`, a whole result; gives up where the library refuses it and `give_up` is set. */
static void result(mcp_call *call, void *user_data) {
    (void)user_data;
    const char *json = "{}";
    size_t len = 2;
    bool give_up = false;
    mcp_call_get_json(call, "result", &json, &len);
    mcp_call_get_bool(call, "give_up", &give_up);
    int status = mcp_call_finish_json(call, json, len);
    if (status != MCP_STATUS_OK) {
        event("refused %d %s", status, mcp_last_error());
        if (!give_up) {
            mcp_call_finish_tool_error(call, "the tool mended its result", MCP_NUL_TERMINATED);
        }
    }
}

/* The structured value `value` alone, by the setter. */
static void structured(mcp_call *call, void *user_data) {
    (void)user_data;
    const char *json = NULL;
    size_t len = 0;
    int status = mcp_call_get_json(call, "value", &json, &len);
    if (status == MCP_STATUS_OK) {
        mcp_call_set_structured(call, json, len);
    } else if (status == MCP_STATUS_ERR_NULL_VALUE) {
        mcp_call_set_structured(call, "null", 4);
    }
    mcp_call_finish(call);
}

/* One block of each kind, and `_meta`. */
static void content(mcp_call *call, void *user_data) {
    (void)user_data;
    static const unsigned char bytes[] = {0, 1, 2, 253, 254, 255};
    mcp_call_add_text(call, "tab\there, quote\", caf\xc3\xa9 \xe4\xb8\x96", MCP_NUL_TERMINATED);
    mcp_call_add_image(call, bytes, sizeof bytes, "image/png");
    mcp_call_add_audio(call, bytes, sizeof bytes, "audio/wav");
    mcp_call_add_resource_link(call, "file:///a.txt", "a.txt", NULL, NULL, NULL);
    mcp_call_add_resource_text(call, "file:///a.txt", "text/plain", "line\n", 5);
    mcp_call_add_resource_blob(call, "file:///a.bin", NULL, bytes, sizeof bytes);
    mcp_call_add_content(call, "{\"type\":\"text\",\"text\":\"t\",\"annotations\":{\"audience\":[\"user\"],\"priority\":0.5}}",
                         MCP_NUL_TERMINATED);
    mcp_call_set_meta(call, "{\"com.example/a\":1}", MCP_NUL_TERMINATED);
    mcp_call_finish(call);
}

/* A JSON-RPC error of the given code, message and data; what the library refused is an event. */
static void fault(mcp_call *call, void *user_data) {
    (void)user_data;
    char *message = string_or(call, "message", "custom fault");
    const char *data = NULL;
    size_t len = 0;
    if (mcp_call_get_json(call, "data", &data, &len) != MCP_STATUS_OK) {
        data = NULL;
        len = 0;
    }
    int status = mcp_call_finish_error(call, (int32_t)integer_or(call, "code", 4242), message, data, len);
    if (status != MCP_STATUS_OK) {
        event("refused %d %s", status, mcp_last_error());
    }
    free(message);
}

static void tool_error(mcp_call *call, void *user_data) {
    (void)user_data;
    char *message = string_or(call, "message", "the city is unknown");
    mcp_call_finish_tool_error(call, message, MCP_NUL_TERMINATED);
    free(message);
}

static void unfinished(mcp_call *call, void *user_data) {
    (void)call;
    (void)user_data;
}

static void twice(mcp_call *call, void *user_data) {
    (void)user_data;
    mcp_call_retain(call);
    mcp_call_finish_text(call, "first", 5);
    event("second finish %d", mcp_call_finish_text(call, "second", 6));
    mcp_call_release(call);
}

/* Goes on talking after its answer. */
static void chatter(mcp_call *call, void *user_data) {
    (void)user_data;
    mcp_call_retain(call);
    mcp_call_progress(call, 1, NAN, NULL);
    mcp_call_finish_text(call, "answered", 8);
    int progressed = mcp_call_progress(call, 2, NAN, NULL);
    int logged = mcp_call_log(call, MCP_LOG_EMERGENCY, NULL, "1", 1);
    event("chatted %d %d", progressed, logged);
    mcp_call_release(call);
}

static void touch(mcp_call *call, void *user_data) {
    (void)user_data;
    atomic_fetch_add(&touched, 1);
    mcp_call_finish_text(call, "touched", 7);
}

static void count(mcp_call *call, void *user_data) {
    (void)user_data;
    struct text text = {0};
    text_format(&text, "%ld", atomic_load(&touched));
    finish_with(call, &text);
}

/* Sleeps whatever happens, then finishes, and tells how that went. */
static void nap(mcp_call *call, void *user_data) {
    (void)user_data;
    char *tag = string_or(call, "tag", "");
    int64_t ms = integer_or(call, "ms", 0);
    event("napping %s", tag);
    if (ms > 0) {
        pause_ms(ms);
    }
    int status = mcp_call_finish_text(call, tag, MCP_NUL_TERMINATED);
    event("napped %s %d", tag, status);
    free(tag);
}

/* Lets its client go, which comes back after `retry` ms, and answers after `ms`. With `progress` it speaks before. */
static void leave(mcp_call *call, void *user_data) {
    (void)user_data;
    char *tag = string_or(call, "tag", "");
    if (truth_of(call, "progress")) {
        mcp_call_progress(call, 1, NAN, NULL);
    }
    event("left %s %d", tag, mcp_call_close_stream(call, (uint32_t)integer_or(call, "retry", 0)));
    pause_ms(integer_or(call, "ms", 0));
    mcp_call_finish_text(call, tag, MCP_NUL_TERMINATED);
    free(tag);
}

/* Beats every 20 ms until the call is cancelled. */
static void beat(mcp_call *call, void *user_data) {
    (void)user_data;
    char *tag = string_or(call, "tag", "");
    int64_t beats = integer_or(call, "ms", 10000) / 20;
    bool progress = false;
    mcp_call_get_bool(call, "progress", &progress);
    while (beats-- > 0 && !mcp_call_is_cancelled(call)) {
        event("beat %s", tag);
        if (progress) {
            mcp_call_progress(call, (double)(1000 - beats), 0, NULL);
        }
        pause_ms(20);
    }
    bool cancelled = mcp_call_is_cancelled(call);
    event("%s %s %d", cancelled ? "cancelled" : "unbothered", tag, mcp_call_finish_text(call, tag, MCP_NUL_TERMINATED));
    free(tag);
}

struct background {
    mcp_call *call;
    char *tag;
    int64_t ms;
    atomic_int cancelled;
    atomic_int owners;
};

static void background_drop(void *user_data) {
    struct background *job = user_data;
    if (atomic_fetch_sub(&job->owners, 1) == 1) {
        free(job->tag);
        free(job);
    }
}

static void background_cancel(mcp_call *call, void *user_data) {
    (void)call;
    struct background *job = user_data;
    atomic_store(&job->cancelled, 1);
    event("told %s", job->tag);
}

static void *background_run(void *argument) {
    struct background *job = argument;
    for (int64_t left = job->ms / 20; left > 0 && !atomic_load(&job->cancelled); left--) {
        event("beat %s", job->tag);
        pause_ms(20);
    }
    int status = mcp_call_finish_text(job->call, job->tag, MCP_NUL_TERMINATED);
    event("%s %s %d", atomic_load(&job->cancelled) ? "cancelled" : "unbothered", job->tag, status);
    mcp_call_release(job->call);
    background_drop(job);
    return NULL;
}

/* Like `beat`, but returns at once and goes on in a thread of its own; told of a cancel by the callback. */
static void beat_async(mcp_call *call, void *user_data) {
    (void)user_data;
    struct background *job = calloc(1, sizeof *job);
    pthread_t thread;
    if (job == NULL) {
        abort();
    }
    job->call = mcp_call_retain(call);
    job->tag = string_or(call, "tag", "");
    job->ms = integer_or(call, "ms", 10000);
    job->owners = 2;
    mcp_call_on_cancel(call, background_cancel, job, background_drop);
    if (pthread_create(&thread, NULL, background_run, job) != 0) {
        abort();
    }
    pthread_detach(thread);
}

/* Reports each of `values`; the answer is what the library said to each. */
static void progress(mcp_call *call, void *user_data) {
    (void)user_data;
    struct text text = {0};
    char *message = string_or(call, "message", "");
    int64_t ms = integer_or(call, "ms", 0);
    double value;
    double total = NAN;
    mcp_call_get_double(call, "total", &total);
    text_add(&text, "[", 1);
    for (int i = 0;; i++) {
        char pointer[32];
        snprintf(pointer, sizeof pointer, "/values/%d", i);
        if (mcp_call_get_double(call, pointer, &value) != MCP_STATUS_OK) {
            break;
        }
        int status = mcp_call_progress(call, value, total, message[0] == '\0' ? NULL : message);
        text_format(&text, "%s%d", i == 0 ? "" : ",", status);
        if (ms > 0) {
            pause_ms(ms);
        }
    }
    text_add(&text, "]", 1);
    free(message);
    finish_with(call, &text);
}

/* Logs once at each level, then waits `ms`. */
static void logs(mcp_call *call, void *user_data) {
    (void)user_data;
    char *tag = string_or(call, "tag", "");
    for (int level = MCP_LOG_DEBUG; level <= MCP_LOG_EMERGENCY; level++) {
        struct text data = {0};
        text_format(&data, "{\"level\":%d,\"tag\":", level);
        text_json_string(&data, tag, strlen(tag));
        text_add(&data, "}", 1);
        int status = mcp_call_log(call, level, "field", data.bytes, data.len);
        if (status != MCP_STATUS_OK) {
            event("log %d %s", status, mcp_last_error());
        }
        text_drop(&data);
    }
    int64_t ms = integer_or(call, "ms", 0);
    if (ms > 0) {
        pause_ms(ms);
    }
    free(tag);
    mcp_call_finish_text(call, "logged", 6);
}

/* Logs `count` times `bytes` letters; on cancel it stops. */
static void flood(mcp_call *call, void *user_data) {
    (void)user_data;
    size_t len = (size_t)integer_or(call, "bytes", 1000);
    char *data = malloc(len + 2);
    if (data == NULL) {
        abort();
    }
    memset(data, 'y', len + 2);
    data[0] = data[len + 1] = '"';
    int64_t left = integer_or(call, "count", 1);
    while (left > 0 && !mcp_call_is_cancelled(call)) {
        mcp_call_log(call, MCP_LOG_ERROR, "flood", data, len + 2);
        left--;
    }
    free(data);
    event("flooded %lld", (long long)left);
    mcp_call_finish_text(call, "flooded", 7);
}

/* Writes to stdout the way that `how` names. Nothing is flushed. */
static void noise(mcp_call *call, void *user_data) {
    (void)user_data;
    char *how = string_or(call, "how", "");
    int status = 0;
    if (strcmp(how, "printf") == 0) {
        printf("STRAY-PRINTF without an end");
    } else if (strcmp(how, "puts") == 0) {
        puts("STRAY-PUTS");
    } else if (strcmp(how, "write") == 0) {
        status = write(STDOUT_FILENO, "STRAY-WRITE\n", 12) == 12 ? 0 : 1;
    } else if (strncmp(how, "sh:", 3) == 0) {
        status = system(how + 3);
    }
    free(how);
    struct text text = {0};
    text_format(&text, "{\"exit\":%d,\"signal\":%d}", WIFEXITED(status) ? WEXITSTATUS(status) : -1,
                WIFSIGNALED(status) ? WTERMSIG(status) : 0);
    finish_with(call, &text);
}

/* Removes the names in `remove`, then adds the definitions in `add` (handled by `touch`), one step each. */
static void change(mcp_call *call, void *user_data) {
    (void)user_data;
    struct text text = {0};
    char pointer[32];
    const char *value;
    size_t len;
    text_add(&text, "[", 1);
    for (int i = 0;; i++) {
        snprintf(pointer, sizeof pointer, "/remove/%d", i);
        if (mcp_call_get_string(call, pointer, &value, NULL) != MCP_STATUS_OK) {
            break;
        }
        append_status(&text, mcp_server_remove_tool(fixture_server, value));
    }
    for (int i = 0;; i++) {
        mcp_tool *tool = NULL;
        snprintf(pointer, sizeof pointer, "/add/%d", i);
        if (mcp_call_get_json(call, pointer, &value, &len) != MCP_STATUS_OK) {
            break;
        }
        int status = mcp_tool_from_json(value, len, &tool);
        if (status == MCP_STATUS_OK) {
            status = mcp_server_add_tool(fixture_server, tool, touch, NULL, NULL);
        }
        append_status(&text, status);
        mcp_tool_free(tool);
    }
    text_add(&text, "]", 1);
    finish_with(call, &text);
}

/* `bytes` times the letter x. */
static void big(mcp_call *call, void *user_data) {
    (void)user_data;
    size_t len = (size_t)integer_or(call, "bytes", 0);
    char *bytes = malloc(len + 1);
    if (bytes == NULL) {
        abort();
    }
    memset(bytes, 'x', len);
    mcp_call_finish_text(call, bytes, len);
    free(bytes);
}

static void add_member(struct text *text, const char *name, int status, const char *json, size_t len) {
    text_format(text, "%s\"%s\":", text->len > 1 ? "," : "", name);
    if (status == MCP_STATUS_OK) {
        text_add(text, json, len);
    } else {
        text_format(text, "{\"status\":%d}", status);
    }
}

/* What the request said of itself; with `header`, the value of that header too. */
static void context(mcp_call *call, void *user_data) {
    (void)user_data;
    struct text text = {0};
    const char *json = NULL;
    size_t len = 0;
    char *header = string_or(call, "header", "user-agent");
    text_add(&text, "{", 1);
    int status = mcp_call_meta(call, &json, &len);
    add_member(&text, "meta", status, json, len);
    status = mcp_call_client_capabilities(call, &json, &len);
    add_member(&text, "clientCapabilities", status, json, len);
    status = mcp_call_protocol_version(call, &json);
    text_format(&text, ",\"protocolVersion\":\"%s\",\"name\":\"%s\",\"header\":", status == MCP_STATUS_OK ? json : "",
                mcp_call_name(call));
    status = mcp_call_header(call, header, &json, &len);
    if (status == MCP_STATUS_OK) {
        text_json_string(&text, json, len);
    } else {
        text_format(&text, "{\"status\":%d}", status);
    }
    text_add(&text, "}", 1);
    free(header);
    finish_with(call, &text);
}

static void hang(mcp_call *call, void *user_data) {
    (void)call;
    (void)user_data;
    event("hanging");
    for (;;) {
        pause();
    }
}

/* Begins the end of the server from inside a call. */
static void stop(mcp_call *call, void *user_data) {
    (void)user_data;
    int status = mcp_server_shutdown(fixture_server, (uint32_t)integer_or(call, "drain_ms", 1000));
    event("stopping %d", status);
    mcp_call_finish_text(call, "stopping", 8);
}

const struct fixture_handler fixture_tools[] = {
    {"beat", beat, MCP_DISPATCH_POOL},
    {"beat_async", beat_async, MCP_DISPATCH_POOL},
    {"big", big, MCP_DISPATCH_POOL},
    {"change", change, MCP_DISPATCH_POOL},
    {"chatter", chatter, MCP_DISPATCH_POOL},
    {"content", content, MCP_DISPATCH_INLINE},
    {"context", context, MCP_DISPATCH_INLINE},
    {"count", count, MCP_DISPATCH_INLINE},
    {"echo", echo, MCP_DISPATCH_INLINE},
    {"echo_host", echo, MCP_DISPATCH_HOST},
    {"echo_pool", echo, MCP_DISPATCH_POOL},
    {"fault", fault, MCP_DISPATCH_INLINE},
    {"flood", flood, MCP_DISPATCH_POOL},
    {"hang", hang, MCP_DISPATCH_POOL},
    {"leave", leave, MCP_DISPATCH_POOL},
    {"logs", logs, MCP_DISPATCH_POOL},
    {"nap", nap, MCP_DISPATCH_POOL},
    {"noise", noise, MCP_DISPATCH_POOL},
    {"progress", progress, MCP_DISPATCH_POOL},
    {"result", result, MCP_DISPATCH_INLINE},
    {"say", say, MCP_DISPATCH_INLINE},
    {"stop", stop, MCP_DISPATCH_POOL},
    {"structured", structured, MCP_DISPATCH_INLINE},
    {"tool_error", tool_error, MCP_DISPATCH_INLINE},
    {"touch", touch, MCP_DISPATCH_INLINE},
    {"twice", twice, MCP_DISPATCH_INLINE},
    {"typed", typed, MCP_DISPATCH_INLINE},
    {"unfinished", unfinished, MCP_DISPATCH_POOL},
    {NULL, NULL, 0},
};
