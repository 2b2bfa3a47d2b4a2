/* Host files, and the first half of a placement: process → host. */
#include "machine/place/hosts.h"

#include "base/file/file.h"
#include "base/list.h"
#include "machine/hash.h"

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

/* Which host has a name: a batch system may write a line for each of a hundred thousand slots. */
typedef struct name_index {
    int *at; /* 1 + index of the host, 0 for none; from where the name's hash says on, and never more than half full */
    size_t room;
} name_index;

static int *find_name(const name_index *names, const sup_hosts *hosts, const char *name) {
    sup_hash hash = sup_hash_string(sup_hash_start(), name);
    size_t at = (size_t)(hash ^ hash >> 64) & (names->room - 1);
    while (names->at[at] && strcmp(hosts->at[names->at[at] - 1].name, name) != 0) at = (at + 1) & (names->room - 1);
    return &names->at[at];
}

/* Twice as large before it is half full. false: no memory. */
static bool make_room(name_index *names, const sup_hosts *hosts) {
    if (2 * (size_t)hosts->count < names->room) return true;
    name_index larger = {.room = names->room ? 2 * names->room : 64};
    larger.at = calloc(larger.room, sizeof *larger.at);
    if (!larger.at) return false;
    for (int i = 0; i < hosts->count; i++) *find_name(&larger, hosts, hosts->at[i].name) = i + 1;
    free(names->at);
    *names = larger;
    return true;
}

static sup_status add_host(const struct text *at, sup_hosts *hosts, name_index *names, const sup_host *host) {
    int *place = make_room(names, hosts) ? find_name(names, hosts, host->name) : NULL;
    if (!place || (!*place && !sup_list_room(&hosts->at, (size_t)hosts->count, sizeof *hosts->at)))
        return sup_diag_set(at->diag, SUP_ENOMEM, at->name, at->line, "out of memory");
    if (!*place) {
        hosts->at[hosts->count++] = *host;
        *place = hosts->count;
        return SUP_OK;
    }
    sup_host *known = &hosts->at[*place - 1];
    if (known->slots > SUP_SLOTS_MAX - host->slots)
        return sup_diag_set(at->diag, SUP_EPARSE, at->name, at->line, "more than %d slots on %s", SUP_SLOTS_MAX,
                            host->name);
    known->slots += host->slots;
    return SUP_OK;
}

sup_status sup_hosts_parse(const char *name, const char *text, size_t length, sup_diag *diag, sup_hosts *out) {
    struct text at = {name, 0, diag};
    sup_hosts hosts = {0};
    name_index names = {0};
    sup_status status = SUP_OK;
    for (const char *p = text, *end = text + length; p < end && !status;) {
        const char *newline = memchr(p, '\n', (size_t)(end - p)), *stop = newline ? newline : end;
        sup_host host;
        at.line++;
        status = parse_line(&at, p, stop, &host);
        if (!status && host.slots) status = add_host(&at, &hosts, &names, &host);
        p = newline ? newline + 1 : end;
    }
    free(names.at);
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

static void fill_hosts(const sup_hosts *hosts, int processes, int *host_of) {
    for (int i = 0, h = 0, used = 0; i < processes; i++, used++) {
        while (used == hosts->at[h].slots) { /* behind the last one all slots are taken: from the start again */
            h = (h + 1) % hosts->count;
            used = 0;
        }
        host_of[i] = h;
    }
}

/* Round after round, in which every host that is left takes one: a full one is not looked at again. */
static sup_status deal_to_hosts(const sup_hosts *hosts, int processes, int *host_of) {
    int *used = calloc((size_t)hosts->count, sizeof *used), *left = calloc((size_t)hosts->count, sizeof *left);
    sup_status status = used && left ? SUP_OK : SUP_ENOMEM;
    for (int i = 0, count = 0; i < processes && !status;) {
        int kept = 0;
        if (!count) { /* all slots are taken, or none yet */
            memset(used, 0, (size_t)hosts->count * sizeof *used);
            for (int h = 0; h < hosts->count; h++)
                if (hosts->at[h].slots) left[count++] = h;
        }
        for (int k = 0; k < count && i < processes; k++) {
            int h = left[k];
            host_of[i++] = h;
            if (++used[h] < hosts->at[h].slots) left[kept++] = h;
        }
        count = kept;
    }
    free(left);
    free(used);
    return status;
}

sup_status sup_hosts_assign(const sup_hosts *hosts, int processes, bool cyclic, int *host_of, bool *wrapped) {
    long total = 0;
    for (int h = 0; h < hosts->count; h++) total += hosts->at[h].slots;
    if (total < 1) return SUP_EINVAL;
    *wrapped = processes > total;
    if (cyclic) return deal_to_hosts(hosts, processes, host_of);
    fill_hosts(hosts, processes, host_of);
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
