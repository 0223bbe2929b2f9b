#include "offers.h"

#include "askers.h"
#include "readers.h"
#include "tools.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct fixture_handler *offered_handler(const char *name) {
    const struct fixture_handler *const lists[] = {fixture_tools, fixture_readers, fixture_askers, fixture_changers};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        const struct fixture_handler *found = handler_named(lists[i], name);
        if (found != NULL) {
            return found;
        }
    }
    fprintf(stderr, "fixture: %s is no handler\n", name);
    exit(2);
}

static int offer_tool(const struct fixture_handler *handler, const char *json, size_t len, const char *capability) {
    mcp_tool *tool = NULL;
    int status = mcp_tool_from_json(json, len, &tool);
    if (status == MCP_STATUS_OK) {
        status = mcp_tool_set_dispatch(tool, handler->dispatch);
    }
    if (status == MCP_STATUS_OK && capability != NULL) {
        status = mcp_tool_require_capability(tool, capability);
    }
    if (status == MCP_STATUS_OK) {
        status = mcp_server_add_tool(fixture_server, tool, handler->run, NULL, NULL);
    }
    mcp_tool_free(tool);
    return status;
}

static int offer_resource(const struct fixture_handler *handler, const char *json, size_t len) {
    mcp_resource *resource = NULL;
    int status = mcp_resource_from_json(json, len, &resource);
    if (status == MCP_STATUS_OK) {
        mcp_resource_set_dispatch(resource, handler->dispatch);
        status = mcp_server_add_resource(fixture_server, resource, handler->run, NULL, NULL);
    }
    mcp_resource_free(resource);
    return status;
}

static int offer_template(const struct fixture_handler *handler, const char *json, size_t len, const char *variable) {
    mcp_resource_template *template = NULL;
    int status = mcp_resource_template_from_json(json, len, &template);
    if (status == MCP_STATUS_OK && variable != NULL) {
        status = mcp_resource_template_allow_traversal(template, variable);
    }
    if (status == MCP_STATUS_OK) {
        mcp_resource_template_set_dispatch(template, handler->dispatch);
        status = mcp_server_add_resource_template(fixture_server, template, handler->run, NULL, NULL);
    }
    mcp_resource_template_free(template);
    return status;
}

static int offer_prompt(const struct fixture_handler *handler, const char *json, size_t len) {
    mcp_prompt *prompt = NULL;
    int status = mcp_prompt_from_json(json, len, &prompt);
    if (status == MCP_STATUS_OK) {
        mcp_prompt_set_dispatch(prompt, handler->dispatch);
        status = mcp_server_add_prompt(fixture_server, prompt, handler->run, NULL, NULL);
    }
    mcp_prompt_free(prompt);
    return status;
}

int offer(const char *kind, const struct fixture_handler *handler, const char *json, size_t len) {
    if (strcmp(kind, "tool") == 0) {
        return offer_tool(handler, json, len, NULL);
    }
    if (strcmp(kind, "resource") == 0) {
        return offer_resource(handler, json, len);
    }
    if (strcmp(kind, "template") == 0) {
        return offer_template(handler, json, len, NULL);
    }
    return strcmp(kind, "prompt") == 0 ? offer_prompt(handler, json, len) : MCP_STATUS_ERR_INVALID_ARG;
}

int offer_path(const struct fixture_handler *handler, const char *json, const char *variable) {
    return offer_template(handler, json, MCP_NUL_TERMINATED, variable);
}

int offer_needing(const char *json, const struct fixture_handler *handler, const char *capability) {
    return offer_tool(handler, json, MCP_NUL_TERMINATED, capability);
}

static int withdraw(const char *kind, const char *name) {
    if (strcmp(kind, "tool") == 0) {
        return mcp_server_remove_tool(fixture_server, name);
    }
    if (strcmp(kind, "resource") == 0) {
        return mcp_server_remove_resource(fixture_server, name);
    }
    if (strcmp(kind, "template") == 0) {
        return mcp_server_remove_resource_template(fixture_server, name);
    }
    return mcp_server_remove_prompt(fixture_server, name);
}

/* Takes each of `steps`, one at a time: {"kind","remove"} or {"kind","add","handler"}. */
static void offer_steps(mcp_call *call, void *user_data) {
    (void)user_data;
    struct text text = {0};
    char pointer[48];
    text_add(&text, "[", 1);
    for (int i = 0;; i++) {
        const char *json;
        size_t len;
        snprintf(pointer, sizeof pointer, "/steps/%d/kind", i);
        char *kind = string_or(call, pointer, "");
        if (kind[0] == '\0') {
            free(kind);
            break;
        }
        snprintf(pointer, sizeof pointer, "/steps/%d/handler", i);
        char *handler = string_or(call, pointer, "nothing");
        snprintf(pointer, sizeof pointer, "/steps/%d/add", i);
        if (mcp_call_get_json(call, pointer, &json, &len) == MCP_STATUS_OK) {
            append_status(&text, offer(kind, offered_handler(handler), json, len));
        } else {
            snprintf(pointer, sizeof pointer, "/steps/%d/remove", i);
            char *name = string_or(call, pointer, "");
            append_status(&text, withdraw(kind, name));
            free(name);
        }
        free(handler);
        free(kind);
    }
    text_add(&text, "]", 1);
    finish_with(call, &text);
}

/* Tells of each of `uris` `times` that it changed; with `principal`, to that one's subscribers alone. */
static void updated(mcp_call *call, void *user_data) {
    (void)user_data;
    struct text text = {0};
    char pointer[32];
    const char *uri;
    char *principal = string_or(call, "principal", "");
    text_add(&text, "[", 1);
    for (int64_t time = 0; time < integer_or(call, "times", 1); time++) {
        for (int i = 0;; i++) {
            snprintf(pointer, sizeof pointer, "/uris/%d", i);
            if (mcp_call_get_string(call, pointer, &uri, NULL) != MCP_STATUS_OK) {
                break;
            }
            int status = mcp_server_resource_updated(fixture_server, uri, principal[0] == '\0' ? NULL : principal);
            text_format(&text, "%s%d", text.len > 1 ? "," : "", status);
        }
    }
    free(principal);
    text_add(&text, "]", 1);
    finish_with(call, &text);
}

/* Calls itself inside itself, `depth` times; the innermost naps for `ms`. */
static void nested(mcp_call *call, void *user_data) {
    (void)user_data;
    struct text arguments = {0};
    char *result = NULL;
    int64_t depth = integer_or(call, "depth", 0);
    int64_t ms = integer_or(call, "ms", 0);
    if (depth == 0) {
        pause_ms(ms);
        mcp_call_finish_text(call, "bottom", 6);
        return;
    }
    text_format(&arguments, "{\"depth\":%lld,\"ms\":%lld}", (long long)depth - 1, (long long)ms);
    int status = mcp_server_call_tool(mcp_call_server(call), mcp_call_name(call), arguments.bytes, arguments.len, &result, NULL);
    if (status == MCP_STATUS_OK) {
        mcp_call_finish_json(call, result, MCP_NUL_TERMINATED);
    } else {
        mcp_call_finish_tool_error(call, mcp_last_error(), MCP_NUL_TERMINATED);
    }
    mcp_text_free(result);
    text_drop(&arguments);
}

const struct fixture_handler fixture_changers[] = {
    {"nested", nested, MCP_DISPATCH_POOL},
    {"offer", offer_steps, MCP_DISPATCH_POOL},
    {"updated", updated, MCP_DISPATCH_POOL},
    {NULL, NULL, 0},
};

static const char *const EVERYTHING[][3] = {
    {"resource", "text", "{\"uri\":\"test://text\",\"name\":\"text\",\"title\":\"A text\",\"description\":\"Caf\xc3\xa9.\",\"mimeType\":"
                         "\"text/plain\",\"size\":33,\"icons\":[{\"src\":\"https://example.com/i.png\",\"sizes\":[\"48x48\"]}],"
                         "\"annotations\":{\"audience\":[\"user\"],\"priority\":0.5,\"lastModified\":\"2026-01-02T03:04:05Z\"},"
                         "\"_meta\":{\"com.example/a\":1}}"},
    {"resource", "bytes", "{\"uri\":\"test://bytes\",\"name\":\"bytes\",\"mimeType\":\"application/octet-stream\"}"},
    {"resource", "nothing", "{\"uri\":\"test://nothing\",\"name\":\"nothing\"}"},
    {"resource", "folder", "{\"uri\":\"test://folder\",\"name\":\"folder\"}"},
    {"resource", "gone", "{\"uri\":\"test://gone\",\"name\":\"gone\"}"},
    {"resource", "fresh", "{\"uri\":\"test://fresh\",\"name\":\"fresh\"}"},
    {"resource", "name", "{\"uri\":\"test://asks\",\"name\":\"asks\"}"},
    {"resource", "steps", "{\"uri\":\"test://steps\",\"name\":\"steps\"}"},
    {"resource", "fault", "{\"uri\":\"test://fault\",\"name\":\"fault\"}"},
    {"resource", "tool_error", "{\"uri\":\"test://error\",\"name\":\"error\"}"},
    {"resource", "unfinished", "{\"uri\":\"test://unfinished\",\"name\":\"unfinished\"}"},
    {"resource", "where", "{\"uri\":\"file:///docs/listed\",\"name\":\"listed\"}"},
    {"template", "where", "{\"uriTemplate\":\"file:///docs/{name}\",\"name\":\"docs\",\"title\":\"Documents\",\"description\":\"Caf\xc3\xa9.\","
                          "\"mimeType\":\"application/json\",\"icons\":[{\"src\":\"https://example.com/i.png\"}],\"annotations\":"
                          "{\"audience\":[\"assistant\"],\"priority\":1},\"_meta\":{\"com.example/a\":1}}"},
    {"template", "where", "{\"uriTemplate\":\"x://a.b/{c}\",\"name\":\"dots\"}"},
    {"template", "where", "{\"uriTemplate\":\"x://p/{+path}\",\"name\":\"paths\"}"},
    {"template", "where", "{\"uriTemplate\":\"x://i{?q,r}\",\"name\":\"query\"}"},
    {"template", "where", "{\"uriTemplate\":\"file:///caf\xc3\xa9/{n}\",\"name\":\"cafe\"}"},
    {"template", "where", "{\"uriTemplate\":\"x://two/{a}/{b}\",\"name\":\"two\"}"},
    {"template", "large", "{\"uriTemplate\":\"large://{kind}/{bytes}\",\"name\":\"large\"}"},
    {"template", "slow", "{\"uriTemplate\":\"slow://{tag}/{ms}\",\"name\":\"slow\"}"},
    {"template", "whole", "{\"uriTemplate\":\"whole://{result}\",\"name\":\"whole\"}"},
    {"prompt", "greet", "{\"name\":\"greet\",\"title\":\"Greet\",\"description\":\"Greets.\",\"icons\":[{\"src\":\"https://example.com/i.png\"}],"
                        "\"arguments\":[{\"name\":\"who\",\"title\":\"Who\",\"description\":\"Whom\",\"required\":true},{\"name\":\"style\"}],"
                        "\"_meta\":{\"com.example/a\":1}}"},
    {"prompt", "blocks", "{\"name\":\"blocks\"}"},
    {"prompt", "echo", "{\"name\":\"echo\",\"arguments\":[{\"name\":\"a\"},{\"name\":\"b\",\"required\":false}]}"},
    {"prompt", "name", "{\"name\":\"asks\"}"},
    {"prompt", "steps", "{\"name\":\"steps\"}"},
    {"prompt", "fault", "{\"name\":\"fault\"}"},
    {"prompt", "tool_error", "{\"name\":\"error\"}"},
    {"prompt", "unfinished", "{\"name\":\"unfinished\"}"},
    {"tool", "blocks", "{\"name\":\"blocks\",\"inputSchema\":{\"type\":\"object\"}}"},
};

static void offer_all(const struct fixture_handler *handlers) {
    for (; handlers->name != NULL; handlers++) {
        char json[128];
        snprintf(json, sizeof json, "{\"name\":\"%s\",\"inputSchema\":{\"type\":\"object\"}}", handlers->name);
        if (offer("tool", handlers, json, MCP_NUL_TERMINATED) != MCP_STATUS_OK) {
            fprintf(stderr, "fixture: %s: %s\n", json, mcp_last_error());
            exit(2);
        }
    }
}

void offer_everything(void) {
    for (size_t i = 0; i < sizeof EVERYTHING / sizeof *EVERYTHING; i++) {
        const char *const *row = EVERYTHING[i];
        if (offer(row[0], offered_handler(row[1]), row[2], MCP_NUL_TERMINATED) != MCP_STATUS_OK) {
            fprintf(stderr, "fixture: %s: %s\n", row[2], mcp_last_error());
            exit(2);
        }
    }
    offer_all(fixture_askers);
    offer_all(fixture_changers);
    mcp_server_set_completion(fixture_server, offered_handler("complete")->run, NULL, NULL);
}
