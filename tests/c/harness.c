#include "harness.h"

#include <dirent.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static FILE *report;
static int failures;
static pthread_mutex_t failing = PTHREAD_MUTEX_INITIALIZER;

static pthread_mutex_t counting = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t counted = PTHREAD_COND_INITIALIZER;

static void fail(const char *file, int line)
{
    pthread_mutex_lock(&failing);
    failures++;
    fprintf(report, "    %s:%d: ", file, line);
}

static void failed(void)
{
    fputc('\n', report);
    fflush(report);
    pthread_mutex_unlock(&failing);
}

void check(bool holds, const char *file, int line, const char *what)
{
    if (!holds) {
        fail(file, line);
        fprintf(report, "%s does not hold", what);
        failed();
    }
}

void check_int(long long actual, long long wanted, const char *file, int line, const char *what)
{
    if (actual != wanted) {
        fail(file, line);
        fprintf(report, "%s is %lld, not %lld", what, actual, wanted);
        failed();
    }
}

void check_str(const char *actual, const char *wanted, const char *file, int line, const char *what)
{
    if (actual == NULL || strcmp(actual, wanted) != 0) {
        fail(file, line);
        fprintf(report, "%s is\n        %s\n    not\n        %s", what, actual == NULL ? "NULL" : actual, wanted);
        failed();
    }
}

void check_has(const char *text, const char *part, bool wanted, const char *file, int line)
{
    bool has = text != NULL && strstr(text, part) != NULL;
    if (has != wanted || text == NULL) {
        fail(file, line);
        fprintf(report, "\"%s\" is %s in\n        %s", part, wanted ? "not" : "there", text == NULL ? "NULL" : text);
        failed();
    }
}

void check_status(int actual, int wanted, const char *file, int line, const char *what)
{
    if (actual != wanted) {
        fail(file, line);
        fprintf(report, "%s is %s, not %s: %s", what, mcp_status_name(actual), mcp_status_name(wanted),
                mcp_last_error());
        failed();
    } else if (wanted != MCP_STATUS_OK && mcp_last_error()[0] == '\0') {
        fail(file, line);
        fprintf(report, "%s failed as it should, but without a text", what);
        failed();
    }
}

void count_up(int *counter)
{
    pthread_mutex_lock(&counting);
    ++*counter;
    pthread_cond_broadcast(&counted);
    pthread_mutex_unlock(&counting);
}

int count_of(const int *counter)
{
    int count;
    pthread_mutex_lock(&counting);
    count = *counter;
    pthread_mutex_unlock(&counting);
    return count;
}

bool wait_for_count(const int *counter, int wanted)
{
    bool reached;
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 30;
    pthread_mutex_lock(&counting);
    while (*counter < wanted && pthread_cond_timedwait(&counted, &counting, &until) == 0) {
    }
    reached = *counter >= wanted;
    pthread_mutex_unlock(&counting);
    return reached;
}

void count_free(void *user_data)
{
    count_up(user_data);
}

int thread_count(void)
{
    int count = 0;
    struct dirent *entry;
    DIR *tasks = opendir("/proc/self/task");
    if (tasks == NULL)
        return -1;
    while ((entry = readdir(tasks)) != NULL) {
        if (entry->d_name[0] != '.')
            count++;
    }
    closedir(tasks);
    return count;
}

bool wait_for_threads(int wanted)
{
    long long until = now_ms() + 30000;
    while (thread_count() != wanted) {
        if (now_ms() > until)
            return false;
        sleep_ms(1);
    }
    return true;
}

long long now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000LL + now.tv_nsec / 1000000;
}

void sleep_ms(int ms)
{
    struct timespec time;
    time.tv_sec = ms / 1000;
    time.tv_nsec = (long)(ms % 1000) * 1000000;
    nanosleep(&time, NULL);
}

int slowness(void)
{
    const char *text = getenv("MCP_TEST_SLOWNESS");
    int factor = text == NULL ? 1 : atoi(text);
    return factor < 1 ? 1 : factor;
}

int in_child(int (*child)(void *), void *context)
{
    /* The result comes through a pipe: the exit code is changed by tools that look for leaks, and in a child they find
       what the threads of the parent held. */
    int result = -1;
    int ends[2];
    pid_t pid;
    if (pipe(ends) != 0)
        return -1;
    fflush(NULL);
    pid = fork();
    if (pid == 0) {
        alarm(10u * (unsigned)slowness());
        result = child(context);
        _exit(write(ends[1], &result, sizeof result) != sizeof result);
    }
    close(ends[1]);
    if (pid < 0 || read(ends[0], &result, sizeof result) != sizeof result || waitpid(pid, NULL, 0) != pid)
        result = -1;
    close(ends[0]);
    return result;
}

int main(int argc, char **argv)
{
    const test *now;
    int failed_tests = 0;
    int run = 0;
    /* The tests use descriptor 1 for the protocol. */
    report = fdopen(dup(1), "w");
    if (report == NULL)
        return 2;
    for (now = TESTS; now->name != NULL; now++) {
        if (argc > 1 && strcmp(argv[1], now->name) != 0)
            continue;
        failures = 0;
        alarm(60u * (unsigned)slowness());
        now->run();
        alarm(0);
        run++;
        failed_tests += failures != 0;
        fprintf(report, "%s %s\n", failures == 0 ? "ok  " : "FAIL", now->name);
        fflush(report);
    }
    fprintf(report, "%d passed, %d failed\n", run - failed_tests, failed_tests);
    fclose(report);
    return failed_tests == 0 ? 0 : 1;
}
