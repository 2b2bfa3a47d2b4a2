/* Host files, and the first half of a placement: process → host. */
#include "machine/hosts.h"

#include "base/file.h"
#include "base/list.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FILE_LIMIT ((size_t)16 << 20)

struct text {
    const char *name;
    int line;
    sup_diag *diag;
};

/* ssh would take a name that starts with '-' for an option. */
static bool good_name(const char *name, size_t n) {
    for (size_t i = 0; i < n; i++) {
        char c = name[i];
        bool word = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
        if (!word && !(i > 0 && (c == '.' || c == '-' || (c == '@' && i + 1 < n && name[i + 1] != '-')))) return false;
    }
    return n > 0 && n < sizeof((sup_host *)0)->name;
}

static sup_status parse_slots(const struct text *at, const char *text, size_t n, int *slots) {
    long value = 0;
    bool number = n > 0;
    for (size_t i = 0; i < n && number; i++) {
        number = text[i] >= '0' && text[i] <= '9';
        value = value * 10 + (text[i] - '0');
        if (value > SUP_SLOTS_MAX) number = false;
    }
    if (!number || value < 1)
        return sup_diag_set(at->diag, SUP_EPARSE, at->name, at->line, "slots must be a number from 1 to %d, not '%.*s'",
                            SUP_SLOTS_MAX, (int)(n < 40 ? n : 40), text);
    *slots = (int)value;
    return SUP_OK;
}

/* The next word of [p, end); NULL at the end or a comment. */
static const char *word(const char **p, const char *end, size_t *n) {
    while (*p < end && (**p == ' ' || **p == '\t' || **p == '\r')) ++*p;
    if (*p == end || **p == '#') return NULL;
    const char *start = *p;
    while (*p < end && **p != ' ' && **p != '\t' && **p != '\r' && **p != '#') ++*p;
    *n = (size_t)(*p - start);
    return start;
}

/* name[:N] [slots=N]. host->slots stays 0 for a line without a host. */
static sup_status parse_line(const struct text *at, const char *p, const char *end, sup_host *host) {
    size_t n, name_length;
    const char *name = word(&p, end, &n);
    host->slots = 0;
    if (!name) return SUP_OK;
    const char *colon = memchr(name, ':', n);
    name_length = colon ? (size_t)(colon - name) : n;
    if (!good_name(name, name_length))
        return sup_diag_set(at->diag, SUP_EPARSE, at->name, at->line, "'%.*s' is no host name",
                            (int)(name_length < 60 ? name_length : 60), name);
    int slots = 1;
    bool given = colon != NULL;
    sup_status status = colon ? parse_slots(at, colon + 1, n - name_length - 1, &slots) : SUP_OK;
    for (const char *w; !status && (w = word(&p, end, &n)) != NULL;) {
        if (n < 6 || strncmp(w, "slots=", 6))
            return sup_diag_set(at->diag, SUP_EPARSE, at->name, at->line, "expected slots=N after the host, not '%.*s'",
                                (int)(n < 40 ? n : 40), w);
        if (given) return sup_diag_set(at->diag, SUP_EPARSE, at->name, at->line, "the slots are given twice");
        given = true;
        status = parse_slots(at, w + 6, n - 6, &slots);
    }
    if (status) return status;
    memcpy(host->name, name, name_length);
    host->name[name_length] = 0;
    host->slots = slots;
    return SUP_OK;
}

static sup_status add_host(const struct text *at, sup_hosts *hosts, const sup_host *host) {
    /* A batch system's list repeats a name on neighbouring lines, so the search starts at the end. */
    for (int i = hosts->count - 1; i >= 0; i--)
        if (!strcmp(hosts->at[i].name, host->name)) {
            if (hosts->at[i].slots > SUP_SLOTS_MAX - host->slots)
                return sup_diag_set(at->diag, SUP_EPARSE, at->name, at->line, "more than %d slots on %s", SUP_SLOTS_MAX,
                                    host->name);
            hosts->at[i].slots += host->slots;
            return SUP_OK;
        }
    if (!sup_list_room(&hosts->at, (size_t)hosts->count, sizeof *hosts->at))
        return sup_diag_set(at->diag, SUP_ENOMEM, at->name, at->line, "out of memory");
    hosts->at[hosts->count++] = *host;
    return SUP_OK;
}

sup_status sup_hosts_parse(const char *name, const char *text, size_t length, sup_diag *diag, sup_hosts *out) {
    struct text at = {name, 0, diag};
    sup_hosts hosts = {0};
    sup_status status = SUP_OK;
    for (const char *p = text, *end = text + length; p < end && !status;) {
        const char *newline = memchr(p, '\n', (size_t)(end - p)), *stop = newline ? newline : end;
        sup_host host;
        at.line++;
        status = parse_line(&at, p, stop, &host);
        if (!status && host.slots) status = add_host(&at, &hosts, &host);
        p = newline ? newline + 1 : end;
    }
    if (!status && !hosts.count) status = sup_diag_set(diag, SUP_EPARSE, name, 0, "no host in the list");
    if (status)
        sup_hosts_free(&hosts);
    else
        *out = hosts;
    return status;
}

sup_status sup_hosts_load(const char *path, sup_diag *diag, sup_hosts *out) {
    char *text = NULL;
    size_t length = 0;
    sup_status status = sup_file_read(path, FILE_LIMIT, diag, &text, &length);
    if (!status) status = sup_hosts_parse(path, text, length, diag, out);
    free(text);
    return status;
}

void sup_hosts_free(sup_hosts *hosts) {
    if (!hosts) return;
    free(hosts->at);
    hosts->at = NULL;
    hosts->count = 0;
}

sup_status sup_hosts_assign(const sup_hosts *hosts, int processes, bool cyclic, int *host_of, bool *wrapped) {
    long total = 0;
    for (int h = 0; h < hosts->count; h++) total += hosts->at[h].slots;
    if (total < 1) return SUP_EINVAL;
    int *used = calloc((size_t)hosts->count, sizeof *used);
    if (!used) return SUP_ENOMEM;
    int h = 0;
    for (int i = 0; i < processes; i++) {
        if (i && i % total == 0) { /* all slots taken: from the start again */
            memset(used, 0, (size_t)hosts->count * sizeof *used);
            h = 0;
        }
        while (used[h] == hosts->at[h].slots) h = (h + 1) % hosts->count;
        host_of[i] = h;
        used[h]++;
        if (cyclic) h = (h + 1) % hosts->count;
    }
    *wrapped = processes > total;
    free(used);
    return SUP_OK;
}

/* "node1" and "node1.example.org" are the same machine as far as its own name goes. */
bool sup_host_is_here(const char *host) {
    char own[256] = "";
    if (!strcmp(host, "localhost") || !strcmp(host, "127.0.0.1") || !strcmp(host, "::1")) return true;
    if (gethostname(own, sizeof own - 1)) return false;
    if (!strcmp(host, own)) return true;
    size_t given = strcspn(host, "."), mine = strcspn(own, ".");
    bool one_is_short = !host[given] || !own[mine];
    return one_is_short && given == mine && !strncmp(host, own, given);
}
