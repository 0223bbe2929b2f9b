/* Resources: a text, bytes, and a template. */
#include "server.h"

#include <stdio.h>
#include <string.h>

static void hello(mcp_call *call, void *user_data)
{
    (void)user_data;
    must(mcp_call_finish_text(call, "Hello.", NUL));
}

static void bytes(mcp_call *call, void *user_data)
{
    (void)user_data;
    must(mcp_call_add_blob(call, "\0\377", 2));
    must(mcp_call_finish(call));
}

static void note_of(mcp_call *call, void *user_data)
{
    const char *name;
    char text[100];

    (void)user_data;
    must(mcp_call_get_string(call, "name", &name, NULL));
    if (strcmp(name, "nobody") == 0) {
        must(mcp_call_finish_not_found(call));
        return;
    }
    snprintf(text, sizeof text, "A note of %s.", name);
    must(mcp_call_finish_text(call, text, NUL));
}

static void add_resource(mcp_server *server, const char *definition, mcp_handler handler)
{
    mcp_resource *resource;

    must(mcp_resource_from_json(definition, NUL, &resource));
    must(mcp_server_add_resource(server, resource, handler, NULL, NULL));
    mcp_resource_free(resource);
}

void add_resources(mcp_server *server)
{
    mcp_resource_template *notes;

    add_resource(server,
                 "{\"uri\":\"note://hello\",\"name\":\"hello\",\"title\":\"Hello\",\"description\":\"A note\","
                 "\"mimeType\":\"text/plain\",\"size\":6,"
                 "\"annotations\":{\"audience\":[\"assistant\"],\"priority\":1,\"lastModified\":\"2026-01-02T03:04:05Z\"},"
                 "\"icons\":[{\"src\":\"https://example.org/note.png\",\"theme\":\"dark\"}],"
                 "\"_meta\":{\"example.org/of\":\"resource\"}}",
                 hello);
    add_resource(server, "{\"uri\":\"note://bytes\",\"name\":\"bytes\",\"mimeType\":\"application/octet-stream\"}", bytes);
    must(mcp_resource_template_from_json(
        "{\"uriTemplate\":\"note://of/{name}\",\"name\":\"notes\",\"title\":\"Notes\",\"description\":\"Notes of people\","
        "\"mimeType\":\"text/plain\",\"annotations\":{\"priority\":0},\"icons\":[{\"src\":\"https://example.org/note.png\"}],"
        "\"_meta\":{\"example.org/of\":\"template\"}}",
        NUL, &notes));
    must(mcp_server_add_resource_template(server, notes, note_of, NULL, NULL));
    mcp_resource_template_free(notes);
}
