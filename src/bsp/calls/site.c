/* Which call of the program: see site.h. The line comes from addr2line, which is only started when there is something
 * to report; nothing is paid before. */
#include "bsp/calls/site.h"
#include "base/clock.h"
#include "base/text.h"
#include "bsp/engine/state.h"

#include <bsp.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <unwind.h>

/* ---- from where ---- */

/* Where the object that holds p is loaded, and its file; "" is the program itself. */
static bool object_of(const void *p, uintptr_t *base, const char **name) {
    Dl_info info;
    struct link_map *map = NULL;
    if (!dladdr1(p, &info, (void **)&map, RTLD_DL_LINKMAP) || !map) return false;
    *base = (uintptr_t)map->l_addr;
    *name = map->l_name;
    return true;
}

static bool in_library(uintptr_t ip, const char *own) {
    uintptr_t base;
    const char *name;
    return object_of((const void *)ip, &base, &name) && !strcmp(name, own);
}

/* Linked statically, the library is part of the program and only its entries can be told from it. */
static bsp_entry *const *entries, *calls_back;
static size_t entry_count;

void bsp_site_entries(bsp_entry *const *list, size_t count, bsp_entry *caller) {
    entries = list;
    entry_count = count;
    calls_back = caller;
}

static bool is_entry(uintptr_t ip) {
    uintptr_t f = (uintptr_t)_Unwind_FindEnclosingFunction((void *)ip);
    for (size_t i = 0; f && i < entry_count; i++)
        if ((uintptr_t)entries[i] == f) return true;
    return false;
}

typedef struct search {
    const char *own;  /* this library's file, or NULL where it is part of the program */
    const char *libc; /* who calls us back from there (exit, qsort) is not whom we look for */
    bool entered;
    int frames;
    uintptr_t found;
} search;

static _Unwind_Reason_Code look(struct _Unwind_Context *context, void *arg) {
    search *s = arg;
    uintptr_t ip = (uintptr_t)_Unwind_GetIP(context);
    if (!ip || s->frames++ > 64) return _URC_END_OF_STACK;
    bool inside = s->own ? in_library(ip - 1, s->own) : !s->entered;
    if (!inside && s->libc) inside = in_library(ip - 1, s->libc);
    if (!s->own && is_entry(ip - 1)) s->entered = inside = true;
    if (inside) return _URC_NO_REASON;
    s->found = ip;
    return _URC_END_OF_STACK;
}

bsp_site bsp_site_of(const void *return_address) {
    uintptr_t at = (uintptr_t)return_address, base;
    const char *name;
    if (!at) return (bsp_site){0};
    if (object_of((const void *)(at - 1), &base, &name) && !*name) return (bsp_site){at - base, 1};
    return (bsp_site){at, 0};
}

static search new_search(void) {
    uintptr_t base;
    search s = {0};
    if (!object_of((const void *)(uintptr_t)bsp_site_here, &base, &s.own) || !*s.own) s.own = NULL;
    if (!object_of((const void *)(uintptr_t)exit, &base, &s.libc) || !*s.libc) s.libc = NULL;
    return s;
}

bsp_site bsp_site_here(void) {
    search s = new_search();
    _Unwind_Backtrace(look, &s);
    return bsp_site_of((const void *)s.found);
}

/* Out of this library, and in it again; what calls the program does not count. */
static _Unwind_Reason_Code look_again(struct _Unwind_Context *context, void *arg) {
    search *s = arg;
    uintptr_t ip = (uintptr_t)_Unwind_GetIP(context);
    if (!ip || s->frames++ > 256) return _URC_END_OF_STACK;
    bool inside = in_library(ip - 1, s->own);
    if (!inside) s->entered = true;
    if (!inside || !s->entered || (uintptr_t)_Unwind_FindEnclosingFunction((void *)(ip - 1)) == (uintptr_t)calls_back)
        return _URC_NO_REASON;
    s->found = ip;
    return _URC_END_OF_STACK;
}

bool bsp_site_is_nested(void) {
    search s = new_search();
    if (s.own) _Unwind_Backtrace(look_again, &s);
    return s.found != 0;
}

/* ---- in words ---- */

#define PATIENCE_S 5.0 /* for one run of addr2line */

/* What a program prints, first `size` bytes of it; false if it could not be run, failed, or took too long. */
static bool output_of(char *const argv[], char *text, size_t size) {
    int ends[2], status = -1;
    size_t used = 0;
    pid_t pid;
    posix_spawn_file_actions_t actions;
    if (pipe2(ends, O_CLOEXEC)) return false;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    int failed = posix_spawnp(&pid, argv[0], &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    double until = sup_clock_now() + PATIENCE_S;
    bool late = false;
    while (!failed && used + 1 < size) {
        struct pollfd p = {.fd = ends[0], .events = POLLIN};
        double left = until - sup_clock_now();
        late = left <= 0 || !poll(&p, 1, (int)(left * 1e3) + 1);
        ssize_t n = late ? 0 : read(ends[0], text + used, size - 1 - used);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) break;
        used += (size_t)n;
    }
    text[used] = 0;
    close(ends[0]);
    if (failed) return false;
    if (late) kill(pid, SIGKILL);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) continue;
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* A path as the user would write it: below the working directory without the directory. */
static const char *shorten(const char *path, char *room) {
    char here[PATH_MAX], full[PATH_MAX];
    if (!getcwd(here, sizeof here) || !realpath(path, full)) return path;
    size_t n = strlen(here);
    const char *short_one = !strncmp(full, here, n) && full[n] == '/' ? full + n + 1 : full;
    return memcpy(room, short_one, strlen(short_one) + 1);
}

/* addr2line -f -i prints pairs of lines, function and file:line, from the innermost function that was put in place of
 * its call to the one that is really there. The first that is not ours: cuts the text into it. */
static bool first_pair(char *text, char **function, char **line) {
    static const char ours[] = "superstep/bsp_inline.h:";
    for (char *next = text; next && *next;) {
        *function = next;
        char *end = strchr(next, '\n');
        if (!end) return false;
        *end = 0;
        *line = end + 1;
        end = strchr(*line, '\n');
        if (end) *end = 0;
        if (!strstr(*line, ours)) return true;
        next = end ? end + 1 : NULL;
    }
    return false;
}

/* What was printed of one address, between its own line and the next address. */
static void take_line(char *text, bsp_line *out) {
    char *line, *in, room[PATH_MAX];
    out->inside = !first_pair(text, &in, &line);
    if (out->inside) return;
    if (strcmp(in, "??") != 0) snprintf(out->function, sizeof out->function, "%s", in);
    char *note = strstr(line, " (discriminator"), *colon;
    if (note) *note = 0;
    colon = strrchr(line, ':');
    if (!colon || line[0] == '?' || colon[1] == '?' || colon[1] == '0') return;
    *colon = 0;
    snprintf(out->text, sizeof out->text, "%s:%ld", shorten(line, room), strtol(colon + 1, NULL, 10));
}

enum { BATCH = 64, FIXED = 5, BYTES_EACH = 2 * PATH_MAX };

static bool ask(const char *tool, const char *file, bsp_line *lines, size_t count) {
    char address[BATCH][32], *argv[FIXED + BATCH + 1] = {(char *)(uintptr_t)tool, (char *)(uintptr_t) "-afi",
                                                         (char *)(uintptr_t) "-e", (char *)(uintptr_t)file};
    size_t n = 4, found = 0;
    for (size_t i = 0; i < count; i++) {
        snprintf(address[i], sizeof address[i], "0x%llx", (unsigned long long)lines[i].offset);
        argv[n++] = address[i];
    }
    char *out = malloc(count * BYTES_EACH);
    bool ran = out && output_of(argv, out, count * BYTES_EACH);
    char *next = ran && !strncmp(out, "0x", 2) ? out : NULL;
    while (next && found < count) {
        char *text = strchr(next, '\n');
        if (!text) break;
        next = strstr(text, "\n0x");
        if (next) *next++ = 0;
        take_line(text + 1, &lines[found++]);
    }
    free(out);
    return found > 0;
}

void bsp_site_lines(const char *file, bsp_line *lines, size_t count) {
    static const char *const tools[] = {"addr2line", "llvm-addr2line", "eu-addr2line"};
    for (size_t i = 0; i < count; i++) lines[i].text[0] = lines[i].function[0] = 0, lines[i].inside = false;
    for (size_t at = 0; at < count; at += BATCH) {
        size_t n = count - at < BATCH ? count - at : BATCH;
        size_t tool = 0;
        while (tool < sizeof tools / sizeof tools[0] && !ask(tools[tool], file, lines + at, n)) tool++;
        if (tool == sizeof tools / sizeof tools[0]) return; /* not for the others either, and each may take its time */
        /* some do not understand every compiler's notes on what was inlined where */
        while (++tool < sizeof tools / sizeof tools[0])
            for (size_t i = at; i < at + n; i++)
                if (lines[i].inside) (void)ask(tools[tool], file, &lines[i], 1);
    }
}

void bsp_site_text(bsp_site site, char *text, size_t size) {
    char file[PATH_MAX];
    uint64_t offset = site.at;
    if (!site.at) {
        snprintf(text, size, "?");
        return;
    }
    uintptr_t base = 0;
    const char *name = "";
    if (!site.program && object_of((const void *)(uintptr_t)(site.at - 1), &base, &name)) offset = site.at - base;
    if (*name) {
        snprintf(file, sizeof file, "%s", name);
    } else {
        ssize_t n = readlink("/proc/self/exe", file, sizeof file - 1);
        file[n > 0 ? n : 0] = 0;
    }
    /* a return address is that of the next instruction */
    bsp_line line = {.offset = offset - 1};
    bsp_site_lines(file, &line, 1);
    const char *slash = strrchr(file, '/');
    if (line.text[0])
        snprintf(text, size, "%s", line.text);
    else
        snprintf(text, size, "%s+0x%llx%s%s%s", slash ? slash + 1 : file, (unsigned long long)offset,
                 *line.function ? " (" : "", line.function, *line.function ? ")" : "");
    sup_text_make_plain(text);
}
