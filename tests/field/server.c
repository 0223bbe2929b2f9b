/*
 * The fixture server of the field tests.
 *
 *   server [OPTION VALUE]... stdio       serves its pipe until the end of input
 *   server [OPTION VALUE]... http        prints "port N", then takes commands from stdin until its end:
 *                                        "shutdown MS" (the listener) and "stop MS" (the server), each
 *                                        answered by "done STATUS"
 *   server register                      tries each line of stdin as a tool definition and answers each
 *                                        with {"status":N,"error":"..."}
 *
 *   --option K=V   mcp_server_set_option           --tool H JSON  a tool run by the fixture handler H
 *   --http K=V     mcp_http_config_set_option      --needs N CAP  the tool N needs the client capability CAP
 *   --bind ADDR    --port N       --path PATH      --many N       N more tools, t0000 onwards
 *   --origin O     --host H                        --bare 1       none of the tools that are there by default
 *   --title T      --instructions T                --epilogue 1   writes "after" to stdout when serving ended
 *   --prelude T    prints T before serving          --companion 1  a thread of the host with an open socket
 *   --tls C K      certificate file and key file   --log 1        each line of the library's log is an event
 */
#include "text.h"
#include "tools.h"

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static void check(int status, const char *what) {
    if (status != MCP_STATUS_OK) {
        fprintf(stderr, "fixture: %s: %d %s\n", what, status, mcp_last_error());
        exit(2);
    }
}

static void add_json(const char *json, const struct fixture_tool *handler, const char *capability) {
    mcp_tool *tool = NULL;
    check(mcp_tool_from_json(json, MCP_NUL_TERMINATED, &tool), json);
    check(mcp_tool_set_dispatch(tool, handler->dispatch), json);
    if (capability != NULL) {
        check(mcp_tool_require_capability(tool, capability), json);
    }
    check(mcp_server_add_tool(fixture_server, tool, handler->run, NULL, NULL), json);
    mcp_tool_free(tool);
}

static void add_named(const char *name, const struct fixture_tool *handler, const char *capability) {
    char json[256];
    snprintf(json, sizeof json, "{\"name\":\"%s\",\"description\":\"Fixture.\",\"inputSchema\":{\"type\":\"object\"}}", name);
    add_json(json, handler, capability);
}

/* A tool whose schema the library makes. */
static void add_built(void) {
    mcp_tool *tool = NULL;
    check(mcp_tool_new("built", &tool), "built");
    check(mcp_tool_set_description(tool, "Built argument by argument."), "built");
    check(mcp_tool_add_argument(tool, "text", MCP_TYPE_STRING, MCP_REQUIRED, "A text"), "text");
    check(mcp_tool_add_argument(tool, "number", MCP_TYPE_NUMBER, MCP_OPTIONAL, NULL), "number");
    check(mcp_tool_add_argument(tool, "integer", MCP_TYPE_INTEGER, MCP_OPTIONAL, NULL), "integer");
    check(mcp_tool_add_argument(tool, "truth", MCP_TYPE_BOOLEAN, MCP_OPTIONAL, NULL), "truth");
    check(mcp_tool_add_argument(tool, "object", MCP_TYPE_OBJECT, MCP_OPTIONAL, NULL), "object");
    check(mcp_tool_add_argument(tool, "list", MCP_TYPE_ARRAY, MCP_OPTIONAL, NULL), "list");
    check(mcp_tool_add_argument(tool, "format", MCP_TYPE_STRING, MCP_OPTIONAL, "Not the keyword"), "format");
    check(mcp_server_add_tool(fixture_server, tool, fixture_tool_named("echo")->run, NULL, NULL), "built");
    mcp_tool_free(tool);
}

static void *run_job(void *job) {
    mcp_job_run(job);
    return NULL;
}

static void executor(mcp_job *job, void *user_data) {
    (void)user_data;
    pthread_t thread;
    if (pthread_create(&thread, NULL, run_job, job) != 0) {
        mcp_job_drop(job);
        return;
    }
    pthread_detach(thread);
}

/* Splits "key=value" in place; the value, or the end of the program. */
static char *split(char *pair) {
    char *value = strchr(pair, '=');
    if (value == NULL) {
        fprintf(stderr, "fixture: %s: KEY=VALUE wanted\n", pair);
        exit(2);
    }
    *value = '\0';
    return value + 1;
}

static void log_line(int level, const char *message, void *user_data) {
    (void)user_data;
    event("log %d %s", level, message);
}

static int epilogue;

/* What a host has besides its server, and what must not keep it from ending. */
static void *companion(void *nothing) {
    int sock = socket(AF_INET, SOCK_STREAM, 0);
    if (sock >= 0) {
        listen(sock, 1);
    }
    for (;;) {
        sleep(1);
    }
    return nothing;
}

static void start_companion(void) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, companion, NULL) != 0) {
        exit(2);
    }
    pthread_detach(thread);
}

/* Takes one option and its values; the number of words taken. */
static int take_option(char **words, mcp_http_config *http, int *bare) {
    if (strcmp(words[0], "--option") == 0) {
        char *value = split(words[1]);
        check(mcp_server_set_option(fixture_server, words[1], value), words[1]);
    } else if (strcmp(words[0], "--http") == 0) {
        char *value = split(words[1]);
        check(mcp_http_config_set_option(http, words[1], value), words[1]);
    } else if (strcmp(words[0], "--bind") == 0) {
        check(mcp_http_config_set_bind(http, words[1]), words[1]);
    } else if (strcmp(words[0], "--port") == 0) {
        check(mcp_http_config_set_port(http, (uint16_t)atoi(words[1])), words[1]);
    } else if (strcmp(words[0], "--path") == 0) {
        check(mcp_http_config_set_path(http, words[1]), words[1]);
    } else if (strcmp(words[0], "--origin") == 0) {
        check(mcp_http_config_allow_origin(http, words[1]), words[1]);
    } else if (strcmp(words[0], "--host") == 0) {
        check(mcp_http_config_allow_host(http, words[1]), words[1]);
    } else if (strcmp(words[0], "--title") == 0) {
        check(mcp_server_set_title(fixture_server, words[1]), words[1]);
    } else if (strcmp(words[0], "--instructions") == 0) {
        check(mcp_server_set_instructions(fixture_server, words[1]), words[1]);
    } else if (strcmp(words[0], "--bare") == 0) {
        *bare = 1;
    } else if (strcmp(words[0], "--epilogue") == 0) {
        epilogue = 1;
    } else if (strcmp(words[0], "--prelude") == 0) {
        printf("%s", words[1]);
    } else if (strcmp(words[0], "--tls") == 0) {
        check(mcp_http_config_set_tls_files(http, words[1], words[2]), "tls");
        return 3;
    } else if (strcmp(words[0], "--log") == 0) {
        check(mcp_set_log_handler(log_line, NULL, NULL), "log");
    } else if (strcmp(words[0], "--companion") == 0) {
        start_companion();
    } else if (strcmp(words[0], "--many") == 0) {
        for (int i = 0; i < atoi(words[1]); i++) {
            char name[16];
            snprintf(name, sizeof name, "t%04d", i);
            add_named(name, fixture_tool_named("touch"), NULL);
        }
    } else if (strcmp(words[0], "--needs") == 0) {
        add_named(words[1], fixture_tool_named("touch"), words[2]);
        return 3;
    } else if (strcmp(words[0], "--tool") == 0) {
        add_json(words[2], fixture_tool_named(words[1]), NULL);
        return 3;
    } else {
        fprintf(stderr, "fixture: %s is no option\n", words[0]);
        exit(2);
    }
    return 2;
}

static int serve_stdio(void) {
    int status = mcp_server_run_stdio(fixture_server);
    event("ended %d", status);
    if (epilogue) {
        ssize_t written = write(STDOUT_FILENO, "after\n", 6);
        (void)written;
    }
    mcp_server_free(fixture_server);
    event("freed");
    return status == MCP_STATUS_OK ? 0 : 3;
}

static int serve_http(mcp_http_config *http) {
    mcp_listener *listener = NULL;
    char line[128];
    check(mcp_server_start_http(fixture_server, http, &listener), "start_http");
    printf("port %u\n", (unsigned)mcp_listener_port(listener));
    fflush(stdout);
    while (fgets(line, sizeof line, stdin) != NULL) {
        int status = MCP_STATUS_ERR_INVALID_ARG;
        if (strncmp(line, "shutdown ", 9) == 0) {
            status = mcp_listener_shutdown(listener, (uint32_t)atoi(line + 9));
        } else if (strncmp(line, "stop ", 5) == 0) {
            status = mcp_server_shutdown(fixture_server, (uint32_t)atoi(line + 5));
            if (status == MCP_STATUS_OK) {
                status = mcp_server_wait(fixture_server, (uint32_t)atoi(line + 5) + 5000);
            }
        }
        printf("done %d\n", status);
        fflush(stdout);
    }
    mcp_listener_shutdown(listener, 200);
    mcp_listener_free(listener);
    mcp_server_free(fixture_server);
    event("freed");
    return 0;
}

static int try_definitions(void) {
    char *line = NULL;
    size_t room = 0;
    while (getline(&line, &room, stdin) > 0) {
        mcp_tool *tool = NULL;
        struct text answer = {0};
        line[strcspn(line, "\n")] = '\0';
        int status = mcp_tool_from_json(line, MCP_NUL_TERMINATED, &tool);
        if (status == MCP_STATUS_OK) {
            status = mcp_server_add_tool(fixture_server, tool, fixture_tool_named("touch")->run, NULL, NULL);
        }
        const char *error = status == MCP_STATUS_OK ? "" : mcp_last_error();
        text_format(&answer, "{\"status\":%d,\"error\":", status);
        text_json_string(&answer, error, strlen(error));
        text_add(&answer, "}", 1);
        puts(answer.bytes);
        text_drop(&answer);
        mcp_tool_free(tool);
    }
    free(line);
    mcp_server_free(fixture_server);
    return 0;
}

int main(int argc, char **argv) {
    mcp_http_config *http = NULL;
    int bare = 0;
    int at = 1;
    check(mcp_server_new("field", "1.0.0", &fixture_server), "server");
    check(mcp_http_config_new(&http), "config");
    check(mcp_server_set_executor(fixture_server, executor, NULL, NULL), "executor");
    while (at < argc && argv[at][0] == '-') {
        at += take_option(argv + at, http, &bare);
    }
    if (!bare) {
        for (const struct fixture_tool *tool = fixture_tools; tool->name != NULL; tool++) {
            add_named(tool->name, tool, NULL);
        }
        add_built();
    }
    int code = 2;
    if (at < argc && strcmp(argv[at], "stdio") == 0) {
        code = serve_stdio();
    } else if (at < argc && strcmp(argv[at], "http") == 0) {
        code = serve_http(http);
    } else if (at < argc && strcmp(argv[at], "register") == 0) {
        code = try_definitions();
    }
    mcp_http_config_free(http);
    return code;
}
