/* notes: an MCP server in C with resources and a prompt.
 *
 *     cc notes.c $(pkg-config --cflags --libs mcp) -o notes
 *     ./notes                  for a client that starts it as its child
 *
 * It offers the resource `notes://index`, every note as `notes://{folder}/{name}`, the prompt `summary`, and completions of
 * their arguments.
 */
#include <mcp.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct note {
    const char *folder, *name, *text;
} notes[] = {
    {"garden", "beans", "Sow after the frost. Two seeds to a pole."},
    {"garden", "compost", "Turn it once a month."},
    {"kitchen", "bread", "500 g flour, 350 g water, 10 g salt, and time."},
};
enum { NOTES = sizeof notes / sizeof *notes };

static void read_index(mcp_call *call, void *user_data)
{
    char line[80];

    (void)user_data;
    for (size_t i = 0; i < NOTES; i++) {
        snprintf(line, sizeof line, "notes://%s/%s", notes[i].folder, notes[i].name);
        mcp_call_add_text(call, line, MCP_NUL_TERMINATED); /* one item of `contents` each, all of this URI */
    }
    mcp_call_finish(call);
}

/* The arguments are the variables of the template, decoded. Values such as ".." never come here. */
static void read_note(mcp_call *call, void *user_data)
{
    const char *folder = "", *name = "";

    (void)user_data;
    mcp_call_get_string(call, "folder", &folder, NULL);
    mcp_call_get_string(call, "name", &name, NULL);
    for (size_t i = 0; i < NOTES; i++) {
        if (strcmp(folder, notes[i].folder) == 0 && strcmp(name, notes[i].name) == 0) {
            mcp_call_set_cache(call, 60 * 1000, MCP_CACHE_PUBLIC); /* these notes do not change */
            mcp_call_finish_text(call, notes[i].text, MCP_NUL_TERMINATED);
            return;
        }
    }
    mcp_call_finish_not_found(call);
}

/* What is added to a prompt are its messages. */
static void summary(mcp_call *call, void *user_data)
{
    const char *folder = "";
    char uri[80];

    (void)user_data;
    mcp_call_get_string(call, "folder", &folder, NULL);
    mcp_call_add_text(call, "Sum these notes up in one sentence each.", MCP_NUL_TERMINATED);
    for (size_t i = 0; i < NOTES; i++) {
        if (strcmp(folder, notes[i].folder) == 0) {
            snprintf(uri, sizeof uri, "notes://%s/%s", notes[i].folder, notes[i].name);
            mcp_call_add_resource_text(call, uri, "text/plain", notes[i].text, MCP_NUL_TERMINATED);
        }
    }
    mcp_call_set_role(call, MCP_ROLE_ASSISTANT);
    mcp_call_finish_text(call, "In short:", MCP_NUL_TERMINATED);
}

static bool begins_with(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

/* One handler completes the arguments of all prompts and templates. */
static void complete(mcp_call *call, void *user_data)
{
    const char *argument = "", *typed = "", *folder = NULL;

    (void)user_data;
    mcp_call_get_string(call, "/argument/name", &argument, NULL);
    mcp_call_get_string(call, "/argument/value", &typed, NULL);
    mcp_call_get_string(call, "/context/arguments/folder", &folder, NULL); /* NULL unless it is known already */
    for (size_t i = 0; i < NOTES; i++) {
        bool is_new_folder = i == 0 || strcmp(notes[i].folder, notes[i - 1].folder) != 0;
        if (strcmp(argument, "folder") == 0 && is_new_folder && begins_with(notes[i].folder, typed)) {
            mcp_call_add_completion(call, notes[i].folder);
        }
        if (strcmp(argument, "name") == 0 && begins_with(notes[i].name, typed)
            && (folder == NULL || strcmp(folder, notes[i].folder) == 0)) {
            mcp_call_add_completion(call, notes[i].name);
        }
    }
    mcp_call_finish(call);
}

/* Ends the program with the library's own words when a call failed. */
static void must(int status)
{
    if (status != MCP_STATUS_OK) {
        fprintf(stderr, "notes: %s\n", mcp_last_error());
        exit(1);
    }
}

static void add_resources(mcp_server *server)
{
    mcp_resource *index = NULL;
    mcp_resource_template *note = NULL;

    must(mcp_resource_new("notes://index", "index", &index));
    must(mcp_resource_set_description(index, "The URIs of all notes"));
    must(mcp_server_add_resource(server, index, read_index, NULL, NULL));
    mcp_resource_free(index);

    must(mcp_resource_template_new("notes://{folder}/{name}", "note", &note));
    must(mcp_resource_template_set_mime_type(note, "text/plain"));
    must(mcp_server_add_resource_template(server, note, read_note, NULL, NULL));
    mcp_resource_template_free(note);
}

static void add_prompts(mcp_server *server)
{
    mcp_prompt *prompt = NULL;

    must(mcp_prompt_new("summary", &prompt));
    must(mcp_prompt_set_description(prompt, "Sums up the notes of a folder"));
    must(mcp_prompt_add_argument(prompt, "folder", MCP_REQUIRED, "Whose notes"));
    must(mcp_server_add_prompt(server, prompt, summary, NULL, NULL));
    mcp_prompt_free(prompt);
    must(mcp_server_set_completion(server, complete, NULL, NULL));
}

int main(void)
{
    mcp_server *server = NULL;

    must(mcp_server_new("notes", "1.0.0", &server));
    add_resources(server);
    add_prompts(server);
    must(mcp_server_run_stdio(server)); /* until the client closes our input */
    mcp_server_free(server);
    return 0;
}
