/* weather: an MCP server in C.
 *
 *     cc weather.c $(pkg-config --cflags --libs mcp) -o weather
 *     ./weather stdio          for a client that starts it as its child
 *     ./weather http [PORT]    for clients that connect (port 8080; 0: any free one)
 *
 * It offers three tools: `forecast` answers at once with structured content, `track_storm`
 * takes half a second and reports progress, `switch_radar` adds and removes a fourth tool.
 */
#define _POSIX_C_SOURCE 200809L /* nanosleep */
#include <mcp.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char forecast_input[] =
    "{\"type\":\"object\",\"properties\":{"
    "\"city\":{\"type\":\"string\",\"minLength\":1,\"maxLength\":60,\"description\":\"City name\"},"
    "\"days\":{\"type\":\"integer\",\"minimum\":1,\"maximum\":7,\"description\":\"How many days, 3 unless given\"}},"
    "\"required\":[\"city\"]}";

static const char forecast_output[] =
    "{\"type\":\"object\",\"properties\":{"
    "\"city\":{\"type\":\"string\"},"
    "\"days\":{\"type\":\"array\",\"items\":{\"type\":\"object\",\"properties\":{"
    "\"day\":{\"type\":\"integer\"},\"sky\":{\"type\":\"string\"},\"high_c\":{\"type\":\"number\"}},"
    "\"required\":[\"day\",\"sky\",\"high_c\"]}}},"
    "\"required\":[\"city\",\"days\"]}";

/* The library has checked the arguments against the input schema before it calls a handler: a
 * client that asks for nine days gets an error that its model understands, and we never see it. */
static void forecast(mcp_call *call, void *user_data)
{
    static const char *const skies[] = {"sunny", "cloudy", "rain", "snow"};
    const char *city; /* as JSON, quotes included: 60 characters are at most 722 bytes of it */
    size_t city_len, used;
    int64_t days = 3; /* stays 3 when the client leaves it out */
    char json[1280];

    (void)user_data;
    if (mcp_call_get_json(call, "city", &city, &city_len) != MCP_STATUS_OK) {
        mcp_call_finish_tool_error(call, mcp_last_error(), MCP_NUL_TERMINATED);
        return;
    }
    mcp_call_get_int64(call, "days", &days);

    used = (size_t)snprintf(json, sizeof json, "{\"city\":%.*s,\"days\":[", (int)city_len, city);
    for (int64_t day = 1; day <= days; day++) {
        size_t seed = city_len + (size_t)day;
        used += (size_t)snprintf(json + used, sizeof json - used, "%s{\"day\":%d,\"sky\":\"%s\",\"high_c\":%.1f}",
                                 day > 1 ? "," : "", (int)day, skies[seed % 4], 10.0 + (double)(seed * 7 % 15));
    }
    used += (size_t)snprintf(json + used, sizeof json - used, "]}");

    mcp_call_set_structured(call, json, used); /* clients that read only text get the same JSON as text */
    mcp_call_finish(call);
}

/* A handler may take its time: it has a thread of its own, and the server keeps answering. */
static void track_storm(mcp_call *call, void *user_data)
{
    static const char *const found[] = {"looking for it", "found it", "measuring it", "it turns", "it is leaving"};
    const struct timespec pause = {0, 100 * 1000 * 1000};

    (void)user_data;
    for (int step = 0; step < 5; step++) {
        if (mcp_call_is_cancelled(call)) {
            return; /* nobody waits for an answer any more */
        }
        mcp_call_progress(call, step + 1, 5, found[step]);
        nanosleep(&pause, NULL);
    }
    mcp_call_finish_text(call, "The storm passes 40 km north of the coast.", MCP_NUL_TERMINATED);
}

static void radar(mcp_call *call, void *user_data)
{
    (void)user_data;
    mcp_call_finish_text(call, "Two showers, moving east.", MCP_NUL_TERMINATED);
}

static int add_radar(mcp_server *server)
{
    mcp_tool *tool = NULL;
    int status = mcp_tool_new("radar", &tool);

    if (status == MCP_STATUS_OK) {
        status = mcp_tool_set_description(tool, "What the radar sees now");
    }
    if (status == MCP_STATUS_OK) {
        status = mcp_server_add_tool(server, tool, radar, NULL, NULL);
    }
    mcp_tool_free(tool);
    return status;
}

/* Tools may come and go while clients are connected: those that subscribed are told. */
static void switch_radar(mcp_call *call, void *user_data)
{
    mcp_server *server = user_data;
    bool on = false;

    mcp_call_get_bool(call, "on", &on);
    if ((on ? add_radar(server) : mcp_server_remove_tool(server, "radar")) == MCP_STATUS_OK) {
        mcp_call_finish_text(call, on ? "The radar is on." : "The radar is off.", MCP_NUL_TERMINATED);
    } else {
        mcp_call_finish_tool_error(call, mcp_last_error(), MCP_NUL_TERMINATED);
    }
}

/* Ends the program with the library's own words when a call failed. */
static void must(int status)
{
    if (status != MCP_STATUS_OK) {
        fprintf(stderr, "weather: %s\n", mcp_last_error());
        exit(1);
    }
}

static void add_tools(mcp_server *server)
{
    mcp_tool *tool = NULL;

    must(mcp_tool_new("forecast", &tool));
    must(mcp_tool_set_title(tool, "Weather forecast"));
    must(mcp_tool_set_description(tool, "The weather of the next days in a city"));
    must(mcp_tool_set_input_schema(tool, forecast_input, MCP_NUL_TERMINATED));
    must(mcp_tool_set_output_schema(tool, forecast_output, MCP_NUL_TERMINATED));
    must(mcp_server_add_tool(server, tool, forecast, NULL, NULL));
    mcp_tool_free(tool);

    must(mcp_tool_new("track_storm", &tool));
    must(mcp_tool_set_description(tool, "Follows a storm for a while and says where it goes"));
    must(mcp_tool_add_argument(tool, "storm", MCP_TYPE_STRING, MCP_REQUIRED, "The storm's name"));
    must(mcp_server_add_tool(server, tool, track_storm, NULL, NULL));
    mcp_tool_free(tool);

    must(mcp_tool_new("switch_radar", &tool));
    must(mcp_tool_set_description(tool, "Switches the radar: while it is on there is one tool more"));
    must(mcp_tool_add_argument(tool, "on", MCP_TYPE_BOOLEAN, MCP_REQUIRED, "true for on"));
    must(mcp_server_add_tool(server, tool, switch_radar, server, NULL));
    mcp_tool_free(tool);
}

static void serve_http(mcp_server *server, uint16_t port)
{
    mcp_http_config *config = NULL;
    mcp_listener *listener = NULL;

    must(mcp_http_config_new(&config));
    must(mcp_http_config_set_port(config, port));
    must(mcp_server_start_http(server, config, &listener));
    mcp_http_config_free(config);
    fprintf(stderr, "weather: serving http://127.0.0.1:%u/mcp\n", (unsigned)mcp_listener_port(listener));
    must(mcp_server_wait(server, MCP_WAIT_FOREVER)); /* until Ctrl-C */
    mcp_listener_free(listener);
}

static bool read_port(const char *text, int *port)
{
    char *end;
    long number = strtol(text, &end, 10);

    *port = (int)number;
    return end != text && *end == '\0' && number >= 0 && number <= 65535;
}

int main(int argc, char **argv)
{
    const char *mode = argc > 1 ? argv[1] : "";
    mcp_server *server = NULL;
    int port = 8080;

    if (argc > 2 && !read_port(argv[2], &port)) {
        fprintf(stderr, "weather: the port is a whole number from 0 to 65535, not \"%s\"\n", argv[2]);
        return 2;
    }
    if (strcmp(mode, "stdio") != 0 && strcmp(mode, "http") != 0) {
        fprintf(stderr, "usage: weather stdio | weather http [PORT]\n");
        return 2;
    }
    must(mcp_server_new("weather", "1.0.0", &server));
    must(mcp_server_set_instructions(server, "Ask `forecast` for the weather of a city."));
    add_tools(server);
    if (strcmp(mode, "stdio") == 0) {
        must(mcp_server_run_stdio(server)); /* until the client closes our input */
    } else {
        serve_http(server, (uint16_t)port);
    }
    mcp_server_free(server);
    return 0;
}
