/* The server that the clients of this folder use: one of each thing that clients can ask for, for clients of every
 * revision at once.
 *
 *     server stdio
 *     server http PORT     on http://127.0.0.1:PORT/mcp; PORT 0 takes one that is free, and stderr tells which
 */
#define _POSIX_C_SOURCE 200809L /* nanosleep */
#include <mcp.h>

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define NUL MCP_NUL_TERMINATED

static void must(int status)
{
    if (status != MCP_STATUS_OK) {
        fprintf(stderr, "interop server: %s\n", mcp_last_error());
        exit(1);
    }
}

/* Finishes with a text as printf makes it, of 1,000 bytes at most. */
static void finish_formatted(mcp_call *call, const char *format, ...)
{
    char text[1000];
    va_list parts;

    va_start(parts, format);
    vsnprintf(text, sizeof text, format, parts);
    va_end(parts);
    mcp_call_finish_text(call, text, NUL);
}

/* ---- tools ---- */

/* {a, b} -> {sum}, as structured content. */
static void add(mcp_call *call, void *user_data)
{
    char sum[40];
    int64_t a = 0, b = 0;

    (void)user_data;
    mcp_call_get_int64(call, "a", &a);
    mcp_call_get_int64(call, "b", &b);
    snprintf(sum, sizeof sum, "{\"sum\":%lld}", (long long)(a + b));
    mcp_call_set_structured(call, sum, NUL);
    mcp_call_finish(call);
}

/* Reports each step on the way to 5, with pauses: some clients drop what they read together with the answer. */
static void count(mcp_call *call, void *user_data)
{
    const struct timespec pause = {0, 20 * 1000 * 1000};
    char message[20];

    (void)user_data;
    for (int step = 1; step <= 5; step++) {
        snprintf(message, sizeof message, "step %d", step);
        mcp_call_progress(call, step, 5, message);
        nanosleep(&pause, NULL);
    }
    mcp_call_finish_text(call, "counted to 5", NUL);
}

/* Logs its argument. */
static void tell(mcp_call *call, void *user_data)
{
    const char *what;
    size_t len;

    (void)user_data;
    if (mcp_call_get_json(call, "what", &what, &len) == MCP_STATUS_OK) {
        mcp_call_log(call, MCP_LOG_NOTICE, "teller", what, len);
    }
    mcp_call_finish_text(call, "told", NUL);
}

static const char ask_name[] =
    "{\"method\":\"elicitation/create\",\"params\":{\"message\":\"Who are you?\",\"requestedSchema\":"
    "{\"type\":\"object\",\"properties\":{\"name\":{\"type\":\"string\"}},\"required\":[\"name\"]}}}";
static const char ask_model[] =
    "{\"method\":\"sampling/createMessage\",\"params\":{\"messages\":[{\"role\":\"user\",\"content\":"
    "{\"type\":\"text\",\"text\":\"Say something.\"}}],\"maxTokens\":20}}";
static const char ask_roots[] = "{\"method\":\"roots/list\"}";

/* Asks the client what `user_data` says, and repeats its answer. */
static void ask(mcp_call *call, void *user_data)
{
    const char *answer;
    int status = mcp_call_request_input(call, "question", user_data, NUL, &answer, NULL);

    if (status == MCP_STATUS_OK) {
        finish_formatted(call, "The client answers %s", answer);
    } else if (status != MCP_STATUS_ERR_INPUT_REQUIRED) {
        mcp_call_finish_tool_error(call, mcp_last_error(), NUL);
    }
}

static void come_and_go(mcp_call *call, void *user_data)
{
    (void)user_data;
    mcp_call_finish_text(call, "here I am", NUL);
}

/* Adds or removes a tool of the name that it is given. */
static void switch_tool(mcp_call *call, void *user_data)
{
    mcp_server *server = user_data;
    mcp_tool *tool = NULL;
    const char *name = NULL;
    bool on = false, done;

    if (mcp_call_get_string(call, "name", &name, NULL) != MCP_STATUS_OK
        || mcp_call_get_bool(call, "on", &on) != MCP_STATUS_OK) {
        mcp_call_finish_tool_error(call, mcp_last_error(), NUL);
        return;
    }
    done = on ? mcp_tool_new(name, &tool) == MCP_STATUS_OK
                    && mcp_server_add_tool(server, tool, come_and_go, NULL, NULL) == MCP_STATUS_OK
              : mcp_server_remove_tool(server, name) == MCP_STATUS_OK;
    if (done) {
        mcp_call_finish_text(call, "switched", NUL);
    } else {
        mcp_call_finish_tool_error(call, mcp_last_error(), NUL);
    }
    mcp_tool_free(tool);
}

/* Says that a resource has changed. */
static void touch(mcp_call *call, void *user_data)
{
    const char *uri;

    if (mcp_call_get_string(call, "uri", &uri, NULL) != MCP_STATUS_OK
        || mcp_server_resource_updated(user_data, uri, NULL) != MCP_STATUS_OK) {
        mcp_call_finish_tool_error(call, mcp_last_error(), NUL);
        return;
    }
    mcp_call_finish_text(call, "touched", NUL);
}

#define NO_ARGUMENTS ",\"inputSchema\":{\"type\":\"object\"}"

static const struct {
    const char *definition;
    mcp_handler handler;
    const char *question;
} tools[] = {
    {"{\"name\":\"add\",\"description\":\"Adds two numbers\",\"inputSchema\":{\"type\":\"object\",\"properties\":"
     "{\"a\":{\"type\":\"integer\",\"maximum\":1000},\"b\":{\"type\":\"integer\"}},\"required\":[\"a\",\"b\"]},"
     "\"outputSchema\":{\"type\":\"object\",\"properties\":{\"sum\":{\"type\":\"integer\"}},\"required\":[\"sum\"]}}",
     add, NULL},
    {"{\"name\":\"ask_model\",\"description\":\"Asks your model\"" NO_ARGUMENTS "}", ask, ask_model},
    {"{\"name\":\"ask_name\",\"description\":\"Asks your name\"" NO_ARGUMENTS "}", ask, ask_name},
    {"{\"name\":\"ask_roots\",\"description\":\"Asks your roots\"" NO_ARGUMENTS "}", ask, ask_roots},
    {"{\"name\":\"count\",\"description\":\"Counts to 5\"" NO_ARGUMENTS "}", count, NULL},
    {"{\"name\":\"switch_tool\",\"description\":\"Adds or removes a tool\",\"inputSchema\":{\"type\":\"object\","
     "\"properties\":{\"name\":{\"type\":\"string\"},\"on\":{\"type\":\"boolean\"}},\"required\":[\"name\",\"on\"]}}",
     switch_tool, NULL},
    {"{\"name\":\"tell\",\"description\":\"Logs what you say\",\"inputSchema\":{\"type\":\"object\",\"properties\":"
     "{\"what\":{\"type\":\"string\"}},\"required\":[\"what\"]}}",
     tell, NULL},
    {"{\"name\":\"touch\",\"description\":\"Says that a resource has changed\",\"inputSchema\":{\"type\":\"object\","
     "\"properties\":{\"uri\":{\"type\":\"string\"}},\"required\":[\"uri\"]}}",
     touch, NULL},
};

static void add_tools(mcp_server *server)
{
    for (size_t i = 0; i < sizeof tools / sizeof *tools; i++) {
        mcp_tool *tool;
        void *user_data = tools[i].question != NULL ? (void *)tools[i].question : (void *)server;

        must(mcp_tool_from_json(tools[i].definition, NUL, &tool));
        must(mcp_server_add_tool(server, tool, tools[i].handler, user_data, NULL));
        mcp_tool_free(tool);
    }
}

/* ---- resources ---- */

static void welcome(mcp_call *call, void *user_data)
{
    (void)user_data;
    mcp_call_finish_text(call, "Welcome. Grüß Gott. ようこそ。", NUL);
}

static void three_bytes(mcp_call *call, void *user_data)
{
    (void)user_data;
    mcp_call_add_blob(call, "\0\377\1", 3);
    mcp_call_finish(call);
}

static void note_of(mcp_call *call, void *user_data)
{
    const char *name;

    (void)user_data;
    if (mcp_call_get_string(call, "name", &name, NULL) != MCP_STATUS_OK || strcmp(name, "nobody") == 0) {
        mcp_call_finish_not_found(call);
        return;
    }
    finish_formatted(call, "A note of %s.", name);
}

static void add_resources(mcp_server *server)
{
    mcp_resource *resource;
    mcp_resource_template *notes;

    must(mcp_resource_new("note://welcome", "welcome", &resource));
    must(mcp_resource_set_mime_type(resource, "text/plain"));
    must(mcp_server_add_resource(server, resource, welcome, NULL, NULL));
    mcp_resource_free(resource);

    must(mcp_resource_new("note://bytes", "bytes", &resource));
    must(mcp_resource_set_mime_type(resource, "application/octet-stream"));
    must(mcp_server_add_resource(server, resource, three_bytes, NULL, NULL));
    mcp_resource_free(resource);

    must(mcp_resource_template_new("note://of/{name}", "notes", &notes));
    must(mcp_resource_template_set_mime_type(notes, "text/plain"));
    must(mcp_server_add_resource_template(server, notes, note_of, NULL, NULL));
    mcp_resource_template_free(notes);
}

/* ---- prompts ---- */

static void greet(mcp_call *call, void *user_data)
{
    const char *name, *tone = "friendly";

    (void)user_data;
    if (mcp_call_get_string(call, "name", &name, NULL) != MCP_STATUS_OK) {
        mcp_call_finish_error(call, -32602, mcp_last_error(), NULL, 0);
        return;
    }
    mcp_call_get_string(call, "tone", &tone, NULL);
    mcp_call_set_description(call, "A greeting");
    mcp_call_set_role(call, MCP_ROLE_ASSISTANT);
    mcp_call_add_text(call, "Whom shall I greet?", NUL);
    mcp_call_set_role(call, MCP_ROLE_USER);
    finish_formatted(call, "Greet %s in a %s tone.", name, tone);
}

/* For the prompt and for the template: names that begin so. */
static void complete(mcp_call *call, void *user_data)
{
    static const char *const names[] = {"Ada", "Alan", "Grace"};
    const char *begun;
    size_t len;

    (void)user_data;
    if (mcp_call_get_string(call, "/argument/value", &begun, &len) == MCP_STATUS_OK) {
        for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
            if (strncmp(names[i], begun, len) == 0) {
                mcp_call_add_completion(call, names[i]);
            }
        }
    }
    mcp_call_finish(call);
}

static void add_prompts(mcp_server *server)
{
    mcp_prompt *prompt;

    must(mcp_prompt_new("greet", &prompt));
    must(mcp_prompt_set_description(prompt, "Has somebody greeted"));
    must(mcp_prompt_add_argument(prompt, "name", MCP_REQUIRED, "Whom"));
    must(mcp_prompt_add_argument(prompt, "tone", MCP_OPTIONAL, "How"));
    must(mcp_server_add_prompt(server, prompt, greet, NULL, NULL));
    mcp_prompt_free(prompt);
    must(mcp_server_set_completion(server, complete, NULL, NULL));
}

int main(int argc, char **argv)
{
    mcp_server *server;

    must(mcp_server_new("interop", "1.0.0", &server));
    must(mcp_server_set_instructions(server, "Ask for one of each."));
    add_tools(server);
    add_resources(server);
    add_prompts(server);
    if (argc == 2 && strcmp(argv[1], "stdio") == 0) {
        must(mcp_server_run_stdio(server));
    } else if (argc == 3 && strcmp(argv[1], "http") == 0) {
        mcp_http_config *config;
        mcp_listener *listener;

        must(mcp_http_config_new(&config));
        must(mcp_http_config_set_port(config, (uint16_t)atoi(argv[2])));
        must(mcp_server_start_http(server, config, &listener));
        mcp_http_config_free(config);
        fprintf(stderr, "http://127.0.0.1:%u/mcp\n", (unsigned)mcp_listener_port(listener));
        must(mcp_server_wait(server, MCP_WAIT_FOREVER));
        mcp_listener_free(listener);
    } else {
        fprintf(stderr, "usage: server stdio | server http PORT\n");
        return 2;
    }
    mcp_server_free(server);
    return 0;
}
