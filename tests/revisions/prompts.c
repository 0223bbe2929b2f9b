/* A prompt of contents of all kinds, and what completes its arguments. */
#include "server.h"

#include <stdio.h>
#include <string.h>

static void greet(mcp_call *call, void *user_data)
{
    const char *name;
    char text[100];

    (void)user_data;
    must(mcp_call_get_string(call, "name", &name, NULL));
    must(mcp_call_set_description(call, "A greeting"));
    snprintf(text, sizeof text, "Greet %s.", name);
    must(mcp_call_add_text(call, text, NUL));
    must(mcp_call_set_role(call, MCP_ROLE_ASSISTANT));
    must(mcp_call_add_image(call, "\1\2\3", 3, "image/png"));
    must(mcp_call_add_audio(call, "\4\5\6", 3, "audio/wav"));
    must(mcp_call_add_resource_link(call, "note://hello", "hello", "Hello", "A note", "text/plain"));
    must(mcp_call_add_resource_text(call, "note://hello", "text/plain", "Hello.", NUL));
    must(mcp_call_finish(call));
}

/* Names that begin so. Where the client tells the language, those of the language. */
static void complete(mcp_call *call, void *user_data)
{
    static const char *const names[] = {"Ada", "Alan", "Grace"};
    const char *begun, *language;
    size_t len;

    (void)user_data;
    must(mcp_call_get_string(call, "/argument/value", &begun, &len));
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strncmp(names[i], begun, len) == 0) {
            must(mcp_call_add_completion(call, names[i]));
        }
    }
    if (mcp_call_get_string(call, "/context/arguments/language", &language, NULL) == MCP_STATUS_OK) {
        must(mcp_call_add_completion(call, language));
    }
    must(mcp_call_set_completion_total(call, 10));
    must(mcp_call_finish(call));
}

void add_prompts(mcp_server *server)
{
    mcp_prompt *prompt;

    must(mcp_prompt_from_json(
        "{\"name\":\"greet\",\"title\":\"Greet\",\"description\":\"Has somebody greeted\","
        "\"arguments\":[{\"name\":\"name\",\"title\":\"Name\",\"description\":\"Whom\",\"required\":true},"
        "{\"name\":\"language\",\"description\":\"How\"}],"
        "\"icons\":[{\"src\":\"https://example.org/hand.png\"}],\"_meta\":{\"example.org/of\":\"prompt\"}}",
        NUL, &prompt));
    must(mcp_server_add_prompt(server, prompt, greet, NULL, NULL));
    mcp_prompt_free(prompt);
    must(mcp_server_set_completion(server, complete, NULL, NULL));
}
