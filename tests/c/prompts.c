/* Prompts: defined, listed, got, changed while serving. */

#include <stdlib.h>

#include "harness.h"
#include "peer.h"

static mcp_server *new_server(void)
{
    mcp_server *server = NULL;
    CHECK_OK(mcp_server_new("test", "1.0", &server));
    return server;
}

static void add_plain_prompt(mcp_server *server, const char *name, mcp_handler handler, void *user_data)
{
    mcp_prompt *prompt = NULL;
    CHECK_OK(mcp_prompt_new(name, &prompt));
    CHECK_OK(mcp_prompt_add_argument(prompt, "a", MCP_OPTIONAL, NULL));
    CHECK_OK(mcp_server_add_prompt(server, prompt, handler, user_data, NULL));
    mcp_prompt_free(prompt);
}

static void say_what(mcp_call *call, void *user_data)
{
    CHECK_INT(mcp_call_kind(call), MCP_CALL_PROMPT);
    CHECK_OK(mcp_call_finish_text(call, user_data == NULL ? "plain" : user_data, MCP_NUL_TERMINATED));
}

static void definitions(void)
{
    static const char JSON[] =
        "{\"arguments\":[{\"name\":\"code\",\"title\":\"Code\",\"required\":true}], \"name\":\"from JSON\"}";
    mcp_server *server = new_server();
    mcp_prompt *prompt = NULL;
    peer peer;
    char *answer;
    CHECK_OK(mcp_prompt_new("built", &prompt));
    CHECK_OK(mcp_prompt_set_meta(prompt, "{\"com.example/k\": 1}", MCP_NUL_TERMINATED));
    CHECK_OK(mcp_prompt_add_argument(prompt, "who", MCP_REQUIRED, "Whom to \"greet\""));
    CHECK_OK(mcp_prompt_add_argument(prompt, "how", MCP_OPTIONAL, NULL));
    CHECK_OK(mcp_prompt_set_icons(prompt, "[{\"src\":\"https://a.example/i.png\"}]", MCP_NUL_TERMINATED));
    CHECK_OK(mcp_prompt_set_description(prompt, "Greets"));
    CHECK_OK(mcp_prompt_set_title(prompt, "Built"));
    CHECK_STATUS(mcp_prompt_add_argument(prompt, "who", MCP_OPTIONAL, NULL), MCP_STATUS_ERR_INVALID_ARG);
    CHECK_HAS(mcp_last_error(), "prompt \"built\"");
    CHECK_STATUS(mcp_prompt_add_argument(prompt, "", MCP_OPTIONAL, NULL), MCP_STATUS_ERR_INVALID_ARG);
    CHECK_STATUS(mcp_prompt_add_argument(prompt, "x", MCP_TYPE_STRING, NULL), MCP_STATUS_ERR_INVALID_ARG);
    CHECK_STATUS(mcp_prompt_set_dispatch(prompt, -1), MCP_STATUS_ERR_INVALID_ARG);
    CHECK_OK(mcp_server_add_prompt(server, prompt, say_what, NULL, NULL));
    mcp_prompt_free(prompt);
    CHECK_OK(mcp_prompt_from_json(JSON, MCP_NUL_TERMINATED, &prompt));
    CHECK_OK(mcp_server_add_prompt(server, prompt, say_what, NULL, NULL));
    mcp_prompt_free(prompt);
    CHECK_STATUS(mcp_prompt_new("", &prompt), MCP_STATUS_ERR_INVALID_ARG);
    CHECK_STATUS(mcp_prompt_from_json("{\"name\":\"a\",\"messages\":[]}", MCP_NUL_TERMINATED, &prompt),
                 MCP_STATUS_ERR_INVALID_ARG);
    CHECK_HAS(mcp_last_error(), "unknown key \"messages\"");
    CHECK_STATUS(mcp_prompt_from_json("nothing", MCP_NUL_TERMINATED, &prompt), MCP_STATUS_ERR_INVALID_JSON);
    peer_start(&peer, server);
    answer = peer_request(&peer, "prompts/list", "");
    CHECK_HAS(answer,
              "\"prompts\":[{\"name\":\"built\",\"title\":\"Built\",\"description\":\"Greets\","
              "\"icons\":[{\"src\":\"https://a.example/i.png\"}],"
              "\"arguments\":[{\"name\":\"who\",\"description\":\"Whom to \\\"greet\\\"\",\"required\":true},"
              "{\"name\":\"how\"}],\"_meta\":{\"com.example/k\":1}},"
              "{\"arguments\":[{\"name\":\"code\",\"title\":\"Code\",\"required\":true}],\"name\":\"from JSON\"}]");
    free(answer);
    answer = peer_request(&peer, "server/discover", "");
    CHECK_HAS(answer, "\"prompts\":{\"listChanged\":true}");
    free(answer);
    peer_stop(&peer);
    mcp_server_free(server);
}

static void every_way_to_add(mcp_call *call, void *user_data)
{
    const char *text;
    (void)user_data;
    CHECK_STR(mcp_call_name(call), "all");
    CHECK_OK(mcp_call_get_string(call, "who", &text, NULL));
    CHECK_OK(mcp_call_add_text(call, text, MCP_NUL_TERMINATED));
    CHECK_STATUS(mcp_call_get_string(call, "how", &text, NULL), MCP_STATUS_ERR_NOT_FOUND);
    CHECK_STATUS(mcp_call_get_string(call, "hwo", &text, NULL), MCP_STATUS_ERR_INVALID_ARG);
    CHECK_OK(mcp_call_set_role(call, MCP_ROLE_ASSISTANT));
    CHECK_OK(mcp_call_add_image(call, "png", 3, "image/png"));
    CHECK_OK(mcp_call_add_audio(call, "wav", 3, "audio/wav"));
    CHECK_OK(mcp_call_set_role(call, MCP_ROLE_USER));
    CHECK_OK(mcp_call_add_resource_text(call, "x:a", "text/plain", "t", 1));
    CHECK_OK(mcp_call_add_resource_link(call, "x:a", "n", NULL, NULL, NULL));
    CHECK_OK(mcp_call_add_content(call, "{\"type\":\"text\",\"text\":\"json\"}", MCP_NUL_TERMINATED));
    CHECK_OK(mcp_call_set_description(call, "What it \"is\""));
    CHECK_OK(mcp_call_set_role(call, MCP_ROLE_ASSISTANT));

    CHECK_STATUS(mcp_call_set_role(call, 2), MCP_STATUS_ERR_INVALID_ARG);
    CHECK_HAS(mcp_last_error(), "MCP_ROLE_ASSISTANT");
    CHECK_STATUS(mcp_call_add_resource_text(call, NULL, NULL, "t", 1), MCP_STATUS_ERR_NULL_ARG);
    CHECK_STATUS(mcp_call_add_blob(call, "b", 1), MCP_STATUS_ERR_INVALID_ARG);
    CHECK_HAS(mcp_last_error(), "mcp_call_add_resource_blob");
    CHECK_STATUS(mcp_call_set_cache(call, 1, MCP_CACHE_PUBLIC), MCP_STATUS_ERR_INVALID_ARG);
    CHECK_STATUS(mcp_call_finish_not_found(call), MCP_STATUS_ERR_INVALID_ARG);
    CHECK_STATUS(mcp_call_set_structured(call, "1", 1), MCP_STATUS_ERR_INVALID_ARG);
    CHECK_OK(mcp_call_finish_text(call, "last", MCP_NUL_TERMINATED));
}

static void whole_result(mcp_call *call, void *user_data)
{
    (void)user_data;
    CHECK_STATUS(mcp_call_finish_json(call, "{\"messages\":[{\"role\":\"user\"}]}", MCP_NUL_TERMINATED),
                 MCP_STATUS_ERR_INVALID_RESULT);
    CHECK_OK(mcp_call_finish_json(call,
                                  "{\"messages\":[{\"role\":\"user\",\"content\":{\"type\":\"text\",\"text\":\"whole\"}}]}",
                                  MCP_NUL_TERMINATED));
}

static void messages(void)
{
    mcp_server *server = new_server();
    mcp_prompt *prompt = NULL;
    peer peer;
    char *answer;
    CHECK_OK(mcp_prompt_new("all", &prompt));
    CHECK_OK(mcp_prompt_add_argument(prompt, "who", MCP_REQUIRED, NULL));
    CHECK_OK(mcp_prompt_add_argument(prompt, "how", MCP_OPTIONAL, NULL));
    CHECK_OK(mcp_prompt_set_dispatch(prompt, MCP_DISPATCH_INLINE));
    CHECK_OK(mcp_server_add_prompt(server, prompt, every_way_to_add, NULL, NULL));
    mcp_prompt_free(prompt);
    add_plain_prompt(server, "whole", whole_result, NULL);
    peer_start(&peer, server);
    answer = peer_request(&peer, "prompts/get", "\"name\":\"all\",\"arguments\":{\"who\":\"you\"}");
    CHECK_HAS(answer,
              "\"description\":\"What it \\\"is\\\"\",\"messages\":["
              "{\"role\":\"user\",\"content\":{\"type\":\"text\",\"text\":\"you\"}},"
              "{\"role\":\"assistant\",\"content\":{\"type\":\"image\",\"data\":\"cG5n\",\"mimeType\":\"image/png\"}},"
              "{\"role\":\"assistant\",\"content\":{\"type\":\"audio\",\"data\":\"d2F2\",\"mimeType\":\"audio/wav\"}},"
              "{\"role\":\"user\",\"content\":{\"type\":\"resource\",\"resource\":{\"uri\":\"x:a\","
              "\"mimeType\":\"text/plain\",\"text\":\"t\"}}},"
              "{\"role\":\"user\",\"content\":{\"type\":\"resource_link\",\"uri\":\"x:a\",\"name\":\"n\"}},"
              "{\"role\":\"user\",\"content\":{\"type\":\"text\",\"text\":\"json\"}},"
              "{\"role\":\"assistant\",\"content\":{\"type\":\"text\",\"text\":\"last\"}}]");
    free(answer);
    answer = peer_request(&peer, "prompts/get", "\"name\":\"whole\"");
    CHECK_HAS(answer, "\"text\":\"whole\"");
    free(answer);
    peer_stop(&peer);
    mcp_server_free(server);
}

static void bad_requests(void)
{
    mcp_server *server = new_server();
    mcp_prompt *prompt = NULL;
    peer peer;
    char *answer;
    CHECK_OK(mcp_prompt_new("p", &prompt));
    CHECK_OK(mcp_prompt_add_argument(prompt, "who", MCP_REQUIRED, NULL));
    CHECK_OK(mcp_prompt_require_capability(prompt, "roots"));
    CHECK_OK(mcp_server_add_prompt(server, prompt, say_what, NULL, NULL));
    mcp_prompt_free(prompt);
    peer_start(&peer, server);
    peer.capabilities = "{\"roots\":{}}";
    answer = peer_request(&peer, "prompts/get", "\"name\":\"p\"");
    CHECK_HAS(answer, "\"code\":-32602");
    CHECK_HAS(answer, "who");
    free(answer);
    answer = peer_request(&peer, "prompts/get", "\"name\":\"p\",\"arguments\":{\"who\":1}");
    CHECK_HAS(answer, "\"code\":-32602");
    free(answer);
    answer = peer_request(&peer, "prompts/get", "\"name\":\"none\"");
    CHECK_HAS(answer, "\"code\":-32602");
    free(answer);
    answer = peer_request(&peer, "prompts/get", "\"name\":\"p\",\"arguments\":{\"who\":\"me\"}");
    CHECK_HAS(answer, "plain");
    free(answer);
    peer.capabilities = NULL;
    answer = peer_request(&peer, "prompts/get", "\"name\":\"p\",\"arguments\":{\"who\":\"me\"}");
    CHECK_HAS(answer, "\"code\":-32021");
    free(answer);
    peer_stop(&peer);
    mcp_server_free(server);
}

static void changes_while_serving(void)
{
    static char second[] = "second";
    mcp_server *server = new_server();
    peer peer;
    char *line;
    add_plain_prompt(server, "p", say_what, NULL);
    peer_start(&peer, server);
    peer_send(&peer, "subscriptions/listen", "\"notifications\":{\"promptsListChanged\":true}");
    line = peer_read(&peer);
    CHECK_HAS(line, "notifications/subscriptions/acknowledged");
    free(line);
    add_plain_prompt(server, "p", say_what, second);
    line = peer_read(&peer);
    CHECK_HAS(line, "notifications/prompts/list_changed");
    free(line);
    line = peer_request(&peer, "prompts/get", "\"name\":\"p\"");
    CHECK_HAS(line, "\"text\":\"second\"");
    free(line);
    CHECK_OK(mcp_server_remove_prompt(server, "p"));
    line = peer_read(&peer);
    CHECK_HAS(line, "notifications/prompts/list_changed");
    free(line);
    CHECK_STATUS(mcp_server_remove_prompt(server, "p"), MCP_STATUS_ERR_NOT_FOUND);
    CHECK_HAS(mcp_last_error(), "prompt \"p\"");
    peer_stop(&peer);
    mcp_server_free(server);
}

static void for_an_old_client(void)
{
    mcp_server *server = new_server();
    mcp_prompt *prompt = NULL;
    peer peer;
    char *answer;
    CHECK_OK(mcp_prompt_new("p", &prompt));
    CHECK_OK(mcp_prompt_set_title(prompt, "Title"));
    CHECK_OK(mcp_server_add_prompt(server, prompt, say_what, NULL, NULL));
    mcp_prompt_free(prompt);
    peer_start(&peer, server);
    free(peer_initialize(&peer, "2024-11-05", "{}"));
    answer = peer_request(&peer, "prompts/list", "");
    CHECK_HAS(answer, "\"result\":{\"prompts\":[{\"name\":\"p\"}]}");
    free(answer);
    answer = peer_request(&peer, "prompts/get", "\"name\":\"p\"");
    CHECK_HAS(answer,
              "\"result\":{\"messages\":[{\"role\":\"user\",\"content\":{\"type\":\"text\",\"text\":\"plain\"}}]}");
    free(answer);
    peer_stop(&peer);
    mcp_server_free(server);
}

const test TESTS[] = {
    {"definitions are listed with every field", definitions},
    {"messages are added in every way", messages},
    {"bad requests never reach the handler", bad_requests},
    {"subscribers are told of changes", changes_while_serving},
    {"older clients get what they know", for_an_old_client},
    {NULL, NULL},
};
