/* Resources and resource templates: defined, listed, read. */

#include <stdio.h>
#include <stdlib.h>

#include "harness.h"
#include "peer.h"
#include "plain_resources.h"

static mcp_server *new_server(void)
{
    mcp_server *server = NULL;
    CHECK_OK(mcp_server_new("test", "1.0", &server));
    return server;
}

static void definitions(void)
{
    static const char ICONS[] = "[{\"src\":\"https://a.example/i.png\"}]";
    static const char JSON[] = "{\"mimeType\":\"text/plain\", \"name\":\"from JSON\", \"uri\":\"x:json\", \"size\":7}";
    mcp_server *server = new_server();
    mcp_resource *resource = NULL;
    mcp_resource_template *resource_template = NULL;
    peer peer;
    char *answer;
    CHECK_OK(mcp_resource_new("x:built", "built", &resource));
    CHECK_OK(mcp_resource_set_meta(resource, "{\"com.example/k\": 1}", MCP_NUL_TERMINATED));
    CHECK_OK(mcp_resource_set_annotations(resource, "{\"audience\":[\"user\"],\"priority\":0.5}", MCP_NUL_TERMINATED));
    CHECK_OK(mcp_resource_set_size(resource, UINT64_C(9007199254740991)));
    CHECK_OK(mcp_resource_set_mime_type(resource, "text/x-test"));
    CHECK_OK(mcp_resource_set_icons(resource, ICONS, MCP_NUL_TERMINATED));
    CHECK_OK(mcp_resource_set_description(resource, "It is \"built\""));
    CHECK_OK(mcp_resource_set_title(resource, "Built"));
    CHECK_OK(mcp_server_add_resource(server, resource, say_what, NULL, NULL));
    mcp_resource_free(resource);
    CHECK_OK(mcp_resource_from_json(JSON, MCP_NUL_TERMINATED, &resource));
    CHECK_OK(mcp_server_add_resource(server, resource, say_what, NULL, NULL));
    mcp_resource_free(resource);

    CHECK_OK(mcp_resource_template_new("x:{kind}/{name}", "made", &resource_template));
    CHECK_OK(mcp_resource_template_set_title(resource_template, "Made"));
    CHECK_OK(mcp_resource_template_set_description(resource_template, "Any"));
    CHECK_OK(mcp_resource_template_set_icons(resource_template, ICONS, MCP_NUL_TERMINATED));
    CHECK_OK(mcp_resource_template_set_mime_type(resource_template, "text/x-made"));
    CHECK_OK(mcp_resource_template_set_annotations(resource_template, "{\"priority\":1}", MCP_NUL_TERMINATED));
    CHECK_OK(mcp_resource_template_set_meta(resource_template, "{}", 2));
    CHECK_OK(mcp_server_add_resource_template(server, resource_template, say_what, NULL, NULL));
    mcp_resource_template_free(resource_template);
    CHECK_OK(mcp_resource_template_from_json("{\"uriTemplate\":\"y:{z}\",\"name\":\"json\"}", MCP_NUL_TERMINATED,
                                             &resource_template));
    CHECK_OK(mcp_server_add_resource_template(server, resource_template, say_what, NULL, NULL));
    mcp_resource_template_free(resource_template);

    peer_start(&peer, server);
    answer = peer_request(&peer, "resources/list", "");
    CHECK_HAS(answer,
              "\"resources\":[{\"uri\":\"x:built\",\"name\":\"built\",\"title\":\"Built\","
              "\"description\":\"It is \\\"built\\\"\",\"icons\":[{\"src\":\"https://a.example/i.png\"}],"
              "\"mimeType\":\"text/x-test\",\"size\":9007199254740991,"
              "\"annotations\":{\"audience\":[\"user\"],\"priority\":0.5},\"_meta\":{\"com.example/k\":1}},"
              "{\"mimeType\":\"text/plain\",\"name\":\"from JSON\",\"uri\":\"x:json\",\"size\":7}]");
    free(answer);
    answer = peer_request(&peer, "resources/templates/list", "");
    CHECK_HAS(answer,
              "\"resourceTemplates\":[{\"uriTemplate\":\"x:{kind}/{name}\",\"name\":\"made\",\"title\":\"Made\","
              "\"description\":\"Any\",\"icons\":[{\"src\":\"https://a.example/i.png\"}],\"mimeType\":\"text/x-made\","
              "\"annotations\":{\"priority\":1},\"_meta\":{}},{\"uriTemplate\":\"y:{z}\",\"name\":\"json\"}]");
    free(answer);
    answer = peer_request(&peer, "server/discover", "");
    CHECK_HAS(answer, "\"resources\":{\"subscribe\":true,\"listChanged\":true}");
    free(answer);
    peer_stop(&peer);
    mcp_server_free(server);
}

static void what_is_no_definition(void)
{
    mcp_resource *resource = NULL;
    mcp_resource_template *resource_template = NULL;
    mcp_server *server = new_server();
    int freed = 0;
    CHECK_STATUS(mcp_resource_new("no scheme", "n", &resource), MCP_STATUS_ERR_INVALID_ARG);
    CHECK_STATUS(mcp_resource_new("x:a", "", &resource), MCP_STATUS_ERR_INVALID_ARG);
    CHECK_STATUS(mcp_resource_from_json("{\"uri\":\"x:a\"}", MCP_NUL_TERMINATED, &resource), MCP_STATUS_ERR_INVALID_ARG);
    CHECK_HAS(mcp_last_error(), "\"name\" is missing");
    CHECK_STATUS(mcp_resource_from_json("{\"uri\":\"x:a\",\"name\":\"n\",\"mimetype\":\"a\"}", MCP_NUL_TERMINATED, &resource),
                 MCP_STATUS_ERR_INVALID_ARG);
    CHECK_HAS(mcp_last_error(), "did you mean \"mimeType\"?");
    CHECK_STATUS(mcp_resource_from_json("{\"uri\":", MCP_NUL_TERMINATED, &resource), MCP_STATUS_ERR_INVALID_JSON);
    CHECK_STATUS(mcp_resource_from_json("{\"uri\":\"\xff\"}", MCP_NUL_TERMINATED, &resource), MCP_STATUS_ERR_INVALID_UTF8);
    CHECK(resource == NULL);
    CHECK_OK(mcp_resource_new("x:a", "n", &resource));
    CHECK_STATUS(mcp_resource_set_annotations(resource, "{\"priority\":2}", MCP_NUL_TERMINATED),
                 MCP_STATUS_ERR_INVALID_ARG);
    CHECK_HAS(mcp_last_error(), "resource \"x:a\": /annotations/priority");
    CHECK_STATUS(mcp_resource_set_icons(resource, "[", 1), MCP_STATUS_ERR_INVALID_JSON);
    CHECK_HAS(mcp_last_error(), "resource \"x:a\": /icons:");
    CHECK_STATUS(mcp_resource_set_dispatch(resource, 7), MCP_STATUS_ERR_INVALID_ARG);
    CHECK_STATUS(mcp_resource_require_capability(resource, "root"), MCP_STATUS_ERR_INVALID_ARG);
    CHECK_HAS(mcp_last_error(), "resource \"x:a\": \"root\" is no client capability");
    mcp_resource_free(resource);

    CHECK_STATUS(mcp_resource_template_new("", "n", &resource_template), MCP_STATUS_ERR_INVALID_ARG);
    CHECK_STATUS(mcp_resource_template_from_json("{\"uriTemplate\":\"x:{a}\",\"name\":\"n\",\"size\":1}",
                                                 MCP_NUL_TERMINATED, &resource_template),
                 MCP_STATUS_ERR_INVALID_ARG);
    CHECK_HAS(mcp_last_error(), "unknown key \"size\"");
    CHECK_OK(mcp_resource_template_new("x:{a", "n", &resource_template));
    CHECK_STATUS(mcp_server_add_resource_template(server, resource_template, say_what, &freed, count_free),
                 MCP_STATUS_ERR_INVALID_ARG);
    CHECK_HAS(mcp_last_error(), "resource template \"x:{a\"");
    CHECK_INT(freed, 1);
    mcp_resource_template_free(resource_template);
    CHECK_OK(mcp_resource_template_new("x:{a}", "n", &resource_template));
    CHECK_OK(mcp_resource_template_allow_traversal(resource_template, "b"));
    CHECK_STATUS(mcp_server_add_resource_template(server, resource_template, say_what, &freed, count_free),
                 MCP_STATUS_ERR_INVALID_ARG);
    CHECK_HAS(mcp_last_error(), "\"b\"");
    CHECK_INT(freed, 2);
    mcp_resource_template_free(resource_template);
    mcp_server_free(server);
}

static void every_way_to_add(mcp_call *call, void *user_data)
{
    const char *json;
    (void)user_data;
    CHECK_STR(mcp_call_name(call), "x:all");
    CHECK_OK(mcp_call_arguments(call, &json, NULL));
    CHECK_STR(json, "{}");
    CHECK_OK(mcp_call_add_text(call, "text", 4));
    CHECK_OK(mcp_call_add_blob(call, "\0\1", 2));
    CHECK_OK(mcp_call_add_image(call, "png", 3, "image/png"));
    CHECK_OK(mcp_call_add_resource_text(call, NULL, NULL, "same", 4));
    CHECK_OK(mcp_call_add_resource_blob(call, NULL, "a/b", "same", 4));
    CHECK_OK(mcp_call_add_resource_text(call, "x:other", "text/html", "other", 5));
    CHECK_OK(mcp_call_add_content(call, "{\"uri\":\"x:json\",\"text\":\"json\"}", MCP_NUL_TERMINATED));
    CHECK_OK(mcp_call_set_cache(call, 1500, MCP_CACHE_PRIVATE));
    CHECK_OK(mcp_call_set_meta(call, "{\"a\":1}", MCP_NUL_TERMINATED));

    CHECK_STATUS(mcp_call_add_resource_link(call, "x:a", "n", NULL, NULL, NULL), MCP_STATUS_ERR_INVALID_ARG);
    CHECK_STATUS(mcp_call_add_content(call, "{\"type\":\"text\",\"text\":\"a\"}", MCP_NUL_TERMINATED),
                 MCP_STATUS_ERR_INVALID_ARG);
    CHECK_STATUS(mcp_call_set_cache(call, 1, 2), MCP_STATUS_ERR_INVALID_ARG);
    CHECK_HAS(mcp_last_error(), "MCP_CACHE_PRIVATE");
    CHECK_STATUS(mcp_call_set_structured(call, "{}", 2), MCP_STATUS_ERR_INVALID_ARG);
    CHECK_STATUS(mcp_call_set_role(call, MCP_ROLE_USER), MCP_STATUS_ERR_INVALID_ARG);
    CHECK_STATUS(mcp_call_set_description(call, "d"), MCP_STATUS_ERR_INVALID_ARG);
    CHECK_STATUS(mcp_call_add_completion(call, "v"), MCP_STATUS_ERR_INVALID_ARG);
    CHECK_STATUS(mcp_call_set_completion_total(call, 1), MCP_STATUS_ERR_INVALID_ARG);
    CHECK_STATUS(mcp_call_finish_json(call, "{\"content\":[]}", MCP_NUL_TERMINATED), MCP_STATUS_ERR_INVALID_RESULT);
    CHECK_OK(mcp_call_finish(call));
}

static void whole_result(mcp_call *call, void *user_data)
{
    (void)user_data;
    CHECK_OK(mcp_call_finish_json(call, "{\"contents\":[{\"uri\":\"x:w\",\"text\":\"whole\"}]}", MCP_NUL_TERMINATED));
}

static void fail_as_a_tool(mcp_call *call, void *user_data)
{
    (void)user_data;
    CHECK_OK(mcp_call_finish_tool_error(call, "the disk is gone", MCP_NUL_TERMINATED));
}

static void contents(void)
{
    mcp_server *server = new_server();
    mcp_resource *resource = NULL;
    peer peer;
    char *answer;
    CHECK_OK(mcp_resource_new("x:all", "all", &resource));
    CHECK_OK(mcp_resource_set_mime_type(resource, "text/x-all"));
    CHECK_OK(mcp_resource_set_dispatch(resource, MCP_DISPATCH_INLINE));
    CHECK_OK(mcp_server_add_resource(server, resource, every_way_to_add, NULL, NULL));
    mcp_resource_free(resource);
    add_plain_resource(server, "x:plain", say_what, NULL);
    add_plain_resource(server, "x:whole", whole_result, NULL);
    add_plain_resource(server, "x:broken", fail_as_a_tool, NULL);
    CHECK_OK(mcp_server_set_option(server, "resource_read_cache_ttl_ms", "60000"));
    peer_start(&peer, server);
    answer = read_uri(&peer, "x:all");
    CHECK_HAS(answer,
              "\"contents\":[{\"uri\":\"x:all\",\"mimeType\":\"text/x-all\",\"text\":\"text\"},"
              "{\"uri\":\"x:all\",\"mimeType\":\"text/x-all\",\"blob\":\"AAE=\"},"
              "{\"uri\":\"x:all\",\"mimeType\":\"image/png\",\"blob\":\"cG5n\"},"
              "{\"uri\":\"x:all\",\"mimeType\":\"text/x-all\",\"text\":\"same\"},"
              "{\"uri\":\"x:all\",\"mimeType\":\"a/b\",\"blob\":\"c2FtZQ==\"},"
              "{\"uri\":\"x:other\",\"mimeType\":\"text/html\",\"text\":\"other\"},"
              "{\"uri\":\"x:json\",\"text\":\"json\"}]");
    CHECK_HAS(answer, "\"ttlMs\":1500,\"cacheScope\":\"private\"");
    CHECK_HAS(answer, "\"version\":\"1.0\"},\"a\":1}");
    free(answer);
    answer = read_uri(&peer, "x:plain");
    CHECK_HAS(answer, "\"contents\":[{\"uri\":\"x:plain\",\"text\":\"plain text\"}]");
    CHECK_HAS(answer, "\"ttlMs\":60000");
    free(answer);
    answer = read_uri(&peer, "x:whole");
    CHECK_HAS(answer, "\"text\":\"whole\"");
    free(answer);
    answer = read_uri(&peer, "x:broken");
    CHECK_HAS(answer, "\"error\":{\"code\":-32603,\"message\":\"the disk is gone\"}");
    free(answer);
    peer_stop(&peer);
    mcp_server_free(server);
}

/* Says the variables of its template. */
static void say_variables(mcp_call *call, void *user_data)
{
    const char *folder, *name, *json;
    (void)user_data;
    CHECK_OK(mcp_call_get_string(call, "folder", &folder, NULL));
    CHECK_OK(mcp_call_get_string(call, "name", &name, NULL));
    CHECK_STATUS(mcp_call_get_string(call, "nme", &name, NULL), MCP_STATUS_ERR_INVALID_ARG);
    CHECK_OK(mcp_call_arguments(call, &json, NULL));
    CHECK_OK(mcp_call_add_text(call, mcp_call_name(call), MCP_NUL_TERMINATED));
    CHECK_OK(mcp_call_add_text(call, folder, MCP_NUL_TERMINATED));
    CHECK_OK(mcp_call_finish_text(call, name, MCP_NUL_TERMINATED));
}

static void templates(void)
{
    static char loose[] = "loose", tight[] = "tight", exact[] = "exact";
    mcp_server *server = new_server();
    mcp_resource_template *open = NULL;
    peer peer;
    char *answer;
    add_plain_template(server, "n://{folder}/{name}", say_variables, NULL);
    add_plain_template(server, "m://{a}/{b}", say_what, loose);
    add_plain_template(server, "m://notes/{b}", say_what, tight);
    add_plain_resource(server, "m://notes/1", say_what, exact);
    CHECK_OK(mcp_resource_template_new("o://{name}", "open", &open));
    CHECK_OK(mcp_resource_template_allow_traversal(open, "name"));
    CHECK_OK(mcp_server_add_resource_template(server, open, say_what, NULL, NULL));
    mcp_resource_template_free(open);
    peer_start(&peer, server);
    answer = read_uri(&peer, "n://caf%C3%A9/a%20b");
    CHECK_HAS(answer, "\"uri\":\"n://caf%C3%A9/a%20b\",\"text\":\"n://caf%C3%A9/a%20b\"");
    CHECK_HAS(answer, "\"text\":\"caf\xc3\xa9\"");
    CHECK_HAS(answer, "\"text\":\"a b\"");
    free(answer);
    answer = read_uri(&peer, "n://../passwd");
    CHECK_HAS(answer, "\"code\":-32602");
    CHECK_HAS(answer, "\"data\":{\"uri\":\"n://../passwd\"}");
    free(answer);
    answer = read_uri(&peer, "n://a/b%2Fc");
    CHECK_HAS(answer, "\"code\":-32602");
    free(answer);
    answer = read_uri(&peer, "o://..");
    CHECK_HAS(answer, "\"text\":\"plain text\"");
    free(answer);
    answer = read_uri(&peer, "m://notes/1");
    CHECK_HAS(answer, "\"text\":\"exact\"");
    free(answer);
    answer = read_uri(&peer, "m://notes/2");
    CHECK_HAS(answer, "\"text\":\"tight\"");
    free(answer);
    answer = read_uri(&peer, "m://other/2");
    CHECK_HAS(answer, "\"text\":\"loose\"");
    free(answer);
    peer_stop(&peer);
    mcp_server_free(server);
}

static void is_not_there(mcp_call *call, void *user_data)
{
    (void)user_data;
    CHECK_OK(mcp_call_add_text(call, "dropped", MCP_NUL_TERMINATED));
    CHECK_OK(mcp_call_finish_not_found(call));
    CHECK_STATUS(mcp_call_finish_not_found(call), MCP_STATUS_ERR_ALREADY_FINISHED);
}

static void not_found(void)
{
    static const char *const REVISIONS[] = {NULL, "2025-11-25", "2024-11-05"};
    static const char *const URIS[] = {"x:1", "z:1"};
    size_t i, uri;
    for (i = 0; i < 3; i++) {
        mcp_server *server = new_server();
        peer peer;
        add_plain_template(server, "x:{id}", is_not_there, NULL);
        peer_start(&peer, server);
        if (REVISIONS[i] != NULL)
            free(peer_initialize(&peer, REVISIONS[i], "{}"));
        for (uri = 0; uri < 2; uri++) {
            char *answer = read_uri(&peer, URIS[uri]);
            CHECK_HAS(answer, REVISIONS[i] == NULL ? "\"code\":-32602" : "\"code\":-32002");
            CHECK_HAS(answer, "\"data\":{\"uri\":\"");
            CHECK_LACKS(answer, "dropped");
            free(answer);
        }
        peer_stop(&peer);
        mcp_server_free(server);
    }
}

static void required_capabilities(void)
{
    mcp_server *server = new_server();
    mcp_resource *resource = NULL;
    mcp_resource_template *resource_template = NULL;
    peer peer;
    char *answer;
    CHECK_OK(mcp_resource_new("x:a", "n", &resource));
    CHECK_OK(mcp_resource_require_capability(resource, "elicitation.url"));
    CHECK_OK(mcp_server_add_resource(server, resource, say_what, NULL, NULL));
    mcp_resource_free(resource);
    CHECK_OK(mcp_resource_template_new("y:{a}", "n", &resource_template));
    CHECK_OK(mcp_resource_template_require_capability(resource_template, "roots"));
    CHECK_OK(mcp_resource_template_set_dispatch(resource_template, MCP_DISPATCH_INLINE));
    CHECK_OK(mcp_server_add_resource_template(server, resource_template, say_what, NULL, NULL));
    mcp_resource_template_free(resource_template);
    peer_start(&peer, server);
    answer = read_uri(&peer, "x:a");
    CHECK_HAS(answer, "\"code\":-32021");
    CHECK_HAS(answer, "\"elicitation\":{\"url\":{}}");
    free(answer);
    answer = read_uri(&peer, "y:1");
    CHECK_HAS(answer, "\"code\":-32021");
    free(answer);
    peer.capabilities = "{\"roots\":{},\"elicitation\":{\"url\":{}}}";
    answer = read_uri(&peer, "y:1");
    CHECK_HAS(answer, "plain text");
    free(answer);
    answer = read_uri(&peer, "x:a");
    CHECK_HAS(answer, "plain text");
    free(answer);
    peer_stop(&peer);
    mcp_server_free(server);
}

const test TESTS[] = {
    {"definitions are listed with every field", definitions},
    {"what is no definition is refused", what_is_no_definition},
    {"contents are added in every way", contents},
    {"templates give their variables, and no way out", templates},
    {"what is not found is told as each revision has it", not_found},
    {"a required capability is demanded before the handler", required_capabilities},
    {NULL, NULL},
};
