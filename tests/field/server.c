/*
 * The fixture server of the field tests.
 *
 *   server [OPTION VALUE]... stdio       serves its pipe until the end of input
 *   server [OPTION VALUE]... session     does so as a host that has a transport of its own; a line "!NAME" says on
 *                                        whose behalf the client speaks from then on, "!" that nobody is known
 *   server [OPTION VALUE]... http        prints "port N", then takes commands from stdin until its end:
 *                                        "shutdown MS" (the listener) and "stop MS" (the server), each
 *                                        answered by "done STATUS"
 *   server register KIND                 tries each line of stdin as a definition of a tool, resource,
 *                                        template or prompt, and answers each with {"status":N,"error":"..."}
 *
 *   --option K=V   mcp_server_set_option           --tool H JSON  a tool run by the fixture handler H
 *   --http K=V     mcp_http_config_set_option      --needs N CAP  the tool N needs the client capability CAP
 *   --resource H JSON, --template H JSON, --prompt H JSON         the same
 *   --path-template H JSON V      a template whose variable V may be a path that leads out of its place
 *   --everything 1                what offers.c has
 *   --bind ADDR    --port N       --path PATH      --many N       N more tools, t0000 onwards
 *   --origin O     --host H                        --bare 1       none of the tools that are there by default
 *   --title T      --instructions T                --epilogue 1   writes "after" to stdout when serving ended
 *   --prelude T    prints T before serving          --companion 1  a thread of the host with an open socket
 *   --tls C K      certificate file and key file   --log 1        each line of the library's log is an event
 */
#include "offers.h"
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

static void add_named(const char *name, const struct fixture_handler *handler, const char *capability) {
    char json[256];
    snprintf(json, sizeof json, "{\"name\":\"%s\",\"description\":\"Fixture.\",\"inputSchema\":{\"type\":\"object\"}}", name);
    check(offer_needing(json, handler, capability), json);
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
    check(mcp_server_add_tool(fixture_server, tool, offered_handler("echo")->run, NULL, NULL), "built");
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
            add_named(name, offered_handler("touch"), NULL);
        }
    } else if (strcmp(words[0], "--needs") == 0) {
        add_named(words[1], offered_handler("touch"), words[2]);
        return 3;
    } else if (strcmp(words[0], "--tool") == 0) {
        check(offer("tool", offered_handler(words[1]), words[2], MCP_NUL_TERMINATED), words[2]);
        return 3;
    } else if (strcmp(words[0], "--resource") == 0 || strcmp(words[0], "--template") == 0 || strcmp(words[0], "--prompt") == 0) {
        check(offer(words[0] + 2, offered_handler(words[1]), words[2], MCP_NUL_TERMINATED), words[2]);
        return 3;
    } else if (strcmp(words[0], "--path-template") == 0) {
        check(offer_path(offered_handler(words[1]), words[2], words[3]), words[2]);
        return 4;
    } else if (strcmp(words[0], "--everything") == 0) {
        offer_everything();
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

static pthread_mutex_t output = PTHREAD_MUTEX_INITIALIZER;

static void send_line(const char *message, size_t len, void *user_data) {
    (void)user_data;
    pthread_mutex_lock(&output);
    fwrite(message, 1, len, stdout);
    fputc('\n', stdout);
    fflush(stdout);
    pthread_mutex_unlock(&output);
}

static int serve_session(void) {
    mcp_session *session = NULL;
    char *line = NULL;
    size_t room = 0;
    ssize_t len;
    check(mcp_session_new(fixture_server, send_line, NULL, NULL, &session), "session");
    while ((len = getline(&line, &room, stdin)) > 0) {
        if (line[len - 1] == '\n') {
            line[--len] = '\0';
        }
        if (line[0] == '!') {
            check(mcp_session_set_principal(session, line[1] == '\0' ? NULL : line + 1), "principal");
        } else {
            check(mcp_session_receive(session, line, (size_t)len), "receive");
        }
    }
    free(line);
    mcp_session_free(session);
    mcp_server_free(fixture_server);
    event("freed");
    return 0;
}

static int try_definitions(const char *kind) {
    char *line = NULL;
    size_t room = 0;
    while (getline(&line, &room, stdin) > 0) {
        struct text answer = {0};
        line[strcspn(line, "\n")] = '\0';
        append_status(&answer, offer(kind, offered_handler("touch"), line, MCP_NUL_TERMINATED));
        puts(answer.bytes);
        text_drop(&answer);
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
        for (const struct fixture_handler *tool = fixture_tools; tool->name != NULL; tool++) {
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
        code = try_definitions(at + 1 < argc ? argv[at + 1] : "tool");
    } else if (at < argc && strcmp(argv[at], "session") == 0) {
        code = serve_session();
    }
    mcp_http_config_free(http);
    return code;
}
