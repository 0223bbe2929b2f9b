/* Tools: a result of each kind, and what happens while a call runs. */
#include "server.h"

#include <stdio.h>

/* Finishes with `user_data`, a whole result. */
static void finish_whole(mcp_call *call, void *user_data)
{
    must(mcp_call_finish_json(call, user_data, NUL));
}

/* The same as finish_whole, by the functions that make a result of parts. */
static void finish_parts(mcp_call *call, void *user_data)
{
    (void)user_data;
    must(mcp_call_add_image(call, "\1\2\3", 3, "image/png"));
    must(mcp_call_add_audio(call, "\4\5\6", 3, "audio/wav"));
    must(mcp_call_add_resource_link(call, "note://hello", "hello", "Hello", "A note", "text/plain"));
    must(mcp_call_add_resource_text(call, "note://hello", "text/plain", "Hello.", NUL));
    must(mcp_call_add_resource_blob(call, "note://bytes", NULL, "\0\377", 2));
    must(mcp_call_finish(call));
}

static void fail_as_a_tool(mcp_call *call, void *user_data)
{
    (void)user_data;
    must(mcp_call_finish_tool_error(call, "The city is not known.", NUL));
}

static void fail_as_the_protocol(mcp_call *call, void *user_data)
{
    (void)user_data;
    must(mcp_call_finish_error(call, -32603, "The disk is full.", "{\"free\":0}", NUL));
}

static void report(mcp_call *call, void *user_data)
{
    (void)user_data;
    must(mcp_call_progress(call, 1, 2, "half"));
    must(mcp_call_progress(call, 2, 2, NULL));
    must(mcp_call_log(call, MCP_LOG_DEBUG, "reporter", "\"too small to tell\"", NUL));
    must(mcp_call_log(call, MCP_LOG_WARNING, "reporter", "{\"of\":\"all kinds\"}", NUL));
    must(mcp_call_finish_text(call, "reported", NUL));
}

/* Finishes with the client's answer, once it is there. */
static void ask(mcp_call *call, const char *key, const char *request)
{
    const char *answer;
    char text[300];
    int status = mcp_call_request_input(call, key, request, NUL, &answer, NULL);

    if (status == MCP_STATUS_OK) {
        snprintf(text, sizeof text, "answered: %s", answer);
        must(mcp_call_finish_text(call, text, NUL));
    } else if (status != MCP_STATUS_ERR_INPUT_REQUIRED) {
        mcp_call_finish_tool_error(call, mcp_last_error(), NUL);
    }
}

static void ask_user(mcp_call *call, void *user_data)
{
    (void)user_data;
    ask(call, "name",
        "{\"method\":\"elicitation/create\",\"params\":{\"message\":\"Who are you?\",\"requestedSchema\":"
        "{\"type\":\"object\",\"properties\":{\"name\":{\"type\":\"string\",\"title\":\"Name\"}},\"required\":[\"name\"]}}}");
}

static void ask_visit(mcp_call *call, void *user_data)
{
    (void)user_data;
    ask(call, "visit",
        "{\"method\":\"elicitation/create\",\"params\":{\"mode\":\"url\",\"message\":\"Please pay.\","
        "\"url\":\"https://example.org/pay\"}}");
}

static void ask_model(mcp_call *call, void *user_data)
{
    (void)user_data;
    ask(call, "word",
        "{\"method\":\"sampling/createMessage\",\"params\":{\"messages\":[{\"role\":\"user\",\"content\":"
        "{\"type\":\"text\",\"text\":\"Say a word.\"}}],\"maxTokens\":9}}");
}

static void ask_roots(mcp_call *call, void *user_data)
{
    (void)user_data;
    ask(call, "roots", "{\"method\":\"roots/list\"}");
}

/* Says that the note `hello` has changed. */
static void touch(mcp_call *call, void *user_data)
{
    must(mcp_server_resource_updated(user_data, "note://hello", NULL));
    must(mcp_call_finish_text(call, "touched", NUL));
}

static const char weather[] =
    "{\"content\":[{\"type\":\"text\",\"text\":\"Sunny.\",\"annotations\":{\"audience\":[\"user\"],\"priority\":0.5,"
    "\"lastModified\":\"2026-01-02T03:04:05Z\"},\"_meta\":{\"example.org/of\":\"text\"}}],"
    "\"structuredContent\":{\"city\":\"Oslo\",\"degrees\":[1,2.50]},\"_meta\":{\"example.org/of\":\"result\"}}";

/* A definition's input schema that allows anything. */
#define ANY ",\"inputSchema\":{\"type\":\"object\"}"

static const struct {
    const char *definition;
    mcp_handler handler;
    const char *result;
} tools[] = {
    {"{\"name\":\"array\",\"description\":\"Has an array\"" ANY ",\"outputSchema\":{\"type\":\"array\",\"items\":"
     "{\"$ref\":\"#/$defs/day\"},\"$defs\":{\"day\":{\"type\":\"integer\"}}}}",
     finish_whole, "{\"content\":[],\"structuredContent\":[1,2,3]}"},
    {"{\"name\":\"ask_model\",\"description\":\"Asks the model\"" ANY "}", ask_model, NULL},
    {"{\"name\":\"ask_roots\",\"description\":\"Asks for roots\"" ANY "}", ask_roots, NULL},
    {"{\"name\":\"ask_user\",\"description\":\"Asks the user\"" ANY "}", ask_user, NULL},
    {"{\"name\":\"ask_visit\",\"description\":\"Asks the user to visit a page\"" ANY "}", ask_visit, NULL},
    {"{\"name\":\"broken\",\"description\":\"Fails as the protocol does\"" ANY "}", fail_as_the_protocol, NULL},
    {"{\"name\":\"contents\",\"description\":\"Has contents of all kinds\"" ANY "}", finish_parts, NULL},
    {"{\"name\":\"failing\",\"description\":\"Fails as a tool does\"" ANY "}", fail_as_a_tool, NULL},
    {"{\"name\":\"number\",\"description\":\"Has a number\"" ANY "}", finish_whole,
     "{\"content\":[{\"type\":\"text\",\"text\":\"seven\"}],\"structuredContent\":7}"},
    {"{\"name\":\"report\",\"description\":\"Reports\"" ANY "}", report, NULL},
    {"{\"name\":\"touch\",\"description\":\"Changes a note\"" ANY "}", touch, NULL},
    {"{\"name\":\"weather\",\"title\":\"Weather\",\"description\":\"Tells the weather\","
     "\"icons\":[{\"src\":\"https://example.org/sun.png\",\"mimeType\":\"image/png\",\"sizes\":[\"48x48\"]}],"
     "\"inputSchema\":{\"type\":\"object\",\"properties\":{\"city\":{\"type\":\"string\",\"minLength\":2},"
     "\"days\":{\"type\":\"integer\",\"maximum\":7}},\"required\":[\"city\"]},"
     "\"outputSchema\":{\"type\":\"object\",\"properties\":{\"city\":{\"type\":\"string\"},\"degrees\":{\"type\":\"array\","
     "\"items\":{\"type\":\"number\"}}},\"required\":[\"city\",\"degrees\"]},"
     "\"annotations\":{\"title\":\"Weather\",\"readOnlyHint\":true},\"_meta\":{\"example.org/of\":\"tool\"}}",
     finish_whole, weather},
};

void add_tools(mcp_server *server)
{
    for (size_t i = 0; i < sizeof tools / sizeof *tools; i++) {
        mcp_tool *tool;
        void *user_data = tools[i].result != NULL ? (void *)tools[i].result : (void *)server;

        must(mcp_tool_from_json(tools[i].definition, NUL, &tool));
        must(mcp_server_add_tool(server, tool, tools[i].handler, user_data, NULL));
        mcp_tool_free(tool);
    }
}
