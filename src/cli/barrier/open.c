/* Which barrier a word of the command line means: a generator with its radix, the usual one, that of a plan, or a text
 * of stages. */
#include "cli/barrier/barrier.h"

#include "base/file/file.h"
#include "base/pattern/text.h"
#include "base/text.h"
#include "machine/place/hosts.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define VERB SUP_BARRIER_VERB

/* ---- hosts ---- */

static bool is_list(const char *text) { return text[strspn(text, "0123456789,")] == 0; }

/* "2,2": host of each process. */
static int listed_hosts(const char *text, int64_t *processes, int **out) {
    int64_t count = 0, hosts = 0, n;
    for (const char *c = text; *c; c += *c == ',') {
        if (!sup_text_int(&c, 1, SUP_PATTERN_COVERS_MAX, &n) || (*c == ',' && !c[1]))
            return sup_cli_usage(VERB, "--hosts: \"%.64s\" is no list of processes of hosts, such as 2,2", text);
        count += n;
        hosts++;
    }
    if (!hosts) return sup_cli_usage(VERB, "--hosts: a list of processes of hosts is wanted, such as 2,2");
    if (count > SUP_PATTERN_COVERS_MAX)
        return sup_cli_usage(VERB, "--hosts: more than %d processes", SUP_PATTERN_COVERS_MAX);
    if (*processes && *processes != count)
        return sup_cli_usage(VERB, "--hosts %.64s has places for %" PRId64 " processes, not for %" PRId64, text, count,
                             *processes);
    int *host_of = calloc((size_t)count, sizeof *host_of);
    if (!host_of) return sup_cli_no_memory(VERB);
    int64_t rank = 0;
    int host = 0;
    for (const char *c = text; sup_text_int(&c, 1, count, &n); c += *c == ',', host++)
        for (; n > 0; n--) host_of[rank++] = host;
    *processes = count;
    *out = host_of;
    return -1;
}

/* Numbered as they appear, which is what plans want. */
static void renumber(int *host_of, int64_t processes, int hosts) {
    int next = 0, *number = calloc((size_t)hosts, sizeof *number);
    for (int64_t i = 0; number && i < processes; i++) {
        if (!number[host_of[i]]) number[host_of[i]] = ++next;
        host_of[i] = number[host_of[i]] - 1;
    }
    free(number);
}

static int hosts_of_file(const char *path, int64_t *processes, int **out) {
    sup_diag diag = {0};
    sup_hosts hosts;
    bool wrapped;
    if (sup_hosts_load(path, &diag, &hosts)) return sup_cli_fail_diag(VERB, &diag);
    int64_t slots = 0;
    for (int h = 0; h < hosts.count; h++) slots += hosts.at[h].slots;
    int64_t wanted = *processes ? *processes : slots;
    int code = -1;
    int *host_of = NULL;
    if (wanted > SUP_PATTERN_COVERS_MAX)
        code = sup_cli_usage(VERB, "%.200s has slots for more than %d processes: say how many (-n)", path,
                             SUP_PATTERN_COVERS_MAX);
    else if (!(host_of = calloc((size_t)wanted + 1, sizeof *host_of)) ||
             sup_hosts_assign(&hosts, (int)wanted, false, host_of, &wrapped))
        code = sup_cli_no_memory(VERB);
    if (code < 0 && host_of) {
        renumber(host_of, wanted, hosts.count);
        *processes = wanted;
        *out = host_of;
    } else {
        free(host_of);
    }
    sup_hosts_free(&hosts);
    return code;
}

int sup_barrier_given_hosts(const sup_barrier_request *r, int64_t *processes, int **out) {
    *out = NULL;
    if (!r->hosts) return -1;
    return is_list(r->hosts) ? listed_hosts(r->hosts, processes, out) : hosts_of_file(r->hosts, processes, out);
}

/* ---- plans ---- */

static bool wanted(const sup_plan_barrier *b, int64_t processes, const int *host_of) {
    if (processes && b->processes != processes) return false;
    if (!host_of) return true;
    sup_plan one = {.barrier = (sup_plan_barrier *)b};
    sup_plan_set set = {.processes = processes, .host_of = host_of};
    return sup_plan_has_barrier(&one, &set);
}

/* Host of each process by the runs of the record. */
static int *runs(const sup_plan_barrier *b) {
    int *host_of = b->hosts_count ? calloc((size_t)b->processes, sizeof *host_of) : NULL;
    int64_t rank = 0;
    for (size_t k = 0; host_of && k + 1 < b->hosts_count; k += 2)
        for (int64_t n = 0; n < b->hosts[k] && rank < b->processes; n++) host_of[rank++] = (int)b->hosts[k + 1];
    return host_of;
}

static int other_sizes(const sup_plan *plan, const char *path, int64_t processes) {
    char sizes[160] = "";
    size_t used = 0;
    for (size_t i = 0; i <= plan->barriers_count && used < sizeof sizes - 32; i++) {
        const sup_plan_barrier *b = i ? &plan->barriers[i - 1] : plan->barrier;
        if (b)
            used += (size_t)snprintf(sizes + used, sizeof sizes - used, "%s%" PRId64, used ? ", " : "", b->processes);
    }
    if (!used) return sup_cli_fail(VERB, SUP_EXIT_USAGE, "%.200s: the plan has no barrier", path);
    return sup_cli_fail(VERB, SUP_EXIT_USAGE, "%.200s: the plan has no barrier for %" PRId64 " processes%s; it has: %s",
                        path, processes, processes ? " placed so" : "", sizes);
}

static int open_plan(const char *path, int64_t processes, sup_barrier_given *out) {
    sup_diag diag = {0};
    sup_plan *plan = NULL;
    if (sup_plan_read(path, false, &diag, &plan)) return sup_cli_fail_diag(VERB, &diag);
    const sup_plan_barrier *found =
        plan->barrier && wanted(plan->barrier, processes, out->host_of) ? plan->barrier : NULL;
    for (size_t i = 0; !found && i < plan->barriers_count; i++)
        if (wanted(&plan->barriers[i], processes, out->host_of)) found = &plan->barriers[i];
    int code = -1;
    if (!found)
        code = other_sizes(plan, path, processes);
    else if (sup_plan_barrier_pattern(found, &out->pattern))
        code = sup_cli_no_memory(VERB);
    if (code < 0 && found && !out->host_of) out->host_of = runs(found);
    if (code < 0 && found) snprintf(out->name, sizeof out->name, "%.80s of %.70s", found->algorithm, path);
    out->plan = plan;
    out->origin = &plan->signature;
    return code;
}

/* ---- the rest ---- */

static int open_file(const char *path, int64_t processes, sup_barrier_given *out) {
    sup_diag diag = {0};
    char *text = NULL;
    size_t length = 0;
    if (sup_file_read(path, SUP_PATTERN_TEXT_BYTES, &diag, &text, &length)) return sup_cli_fail_diag(VERB, &diag);
    if (text[strspn(text, " \t\r\n")] == '{') {
        free(text);
        return open_plan(path, processes, out);
    }
    sup_status status = sup_pattern_read_text(text, length, path, &diag, &out->pattern);
    free(text);
    if (status) return sup_cli_fail_diag(VERB, &diag);
    if (processes && out->pattern.processes != processes)
        return sup_cli_fail(VERB, SUP_EXIT_USAGE, "%.200s: is for %" PRId64 " processes, not for %" PRId64, path,
                            out->pattern.processes, processes);
    snprintf(out->name, sizeof out->name, "%.150s", path);
    return -1;
}

static int open_usual(int64_t processes, const char *net, sup_barrier_given *out) {
    sup_plan_set set = {.processes = processes, .transport = net, .host_of = out->host_of};
    if (sup_plan_find_barrier(NULL, &set, &out->pattern)) return sup_cli_no_memory(VERB);
    snprintf(out->name, sizeof out->name, "usual");
    return -1;
}

static int no_such(const char *given) {
    char names[256];
    sup_generator_names(names, sizeof names);
    char *colon = strchr(given, ':');
    char head[SUP_PATTERN_WORD];
    snprintf(head, sizeof head, "%.*s", colon ? (int)(colon - given) : 0, given);
    const sup_generator *g = colon && colon - given < SUP_PATTERN_WORD ? sup_generator_find(head) : NULL;
    if (g && !g->radix) return sup_cli_usage(VERB, "%s has no radix", g->name);
    if (g)
        return sup_cli_usage(VERB, "\"%.64s\": the radix of %s is a number from 2 to %d", given, g->name,
                             g->radix_most);
    return sup_cli_usage(VERB, "there is no barrier and no file \"%.64s\"; barriers: %s, usual", given, names);
}

/* Clusters can be of more than there are. */
static int open_word(const char *word, int64_t processes, sup_barrier_given *out) {
    sup_pattern_kind kind;
    if (sup_pattern_read(word, processes, &out->pattern))
        return sup_cli_usage(VERB, "\"%.64s\" is no barrier for %" PRId64 " processes", word, processes);
    snprintf(out->name, sizeof out->name, "%s", word);
    if (sup_pattern_kind_read(word, &kind)) sup_pattern_kind_word(kind, out->name);
    return -1;
}

bool sup_barrier_is_word(const char *given) {
    sup_pattern p;
    if (!strcmp(given, SUP_BARRIER_USUAL)) return true;
    if (sup_pattern_read(given, SUP_PATTERN_COVERS_MAX, &p)) return false;
    sup_pattern_free(&p);
    return true;
}

int sup_barrier_open(const sup_barrier_request *r, const char *given, int64_t processes, sup_barrier_given *out) {
    *out = (sup_barrier_given){0};
    bool usual = !strcmp(given, SUP_BARRIER_USUAL), word = sup_barrier_is_word(given);
    int code = sup_barrier_given_hosts(r, &processes, &out->host_of);
    if (code >= 0) return code;
    if (word && !processes)
        code = sup_cli_usage(VERB, "-n P is missing: how many processes?");
    else if (usual)
        code = open_usual(processes, r->net, out);
    else if (word)
        code = open_word(given, processes, out);
    else if (!strchr(given, '/') && access(given, F_OK) != 0)
        code = no_such(given);
    else
        code = open_file(given, processes, out);
    if (code >= 0) sup_barrier_close(out);
    return code;
}

void sup_barrier_close(sup_barrier_given *given) {
    sup_pattern_free(&given->pattern);
    free(given->host_of);
    sup_plan_free(given->plan);
    *given = (sup_barrier_given){0};
}

int sup_barrier_check(const sup_barrier_given *b) {
    bool covers = false;
    int64_t deaf = 0, unheard = 0;
    if (sup_pattern_covers(&b->pattern, &covers, &deaf, &unheard)) return sup_cli_no_memory(VERB);
    if (covers) return -1;
    return sup_cli_fail(VERB, SUP_EXIT_FAIL,
                        "%s is no barrier: %" PRId64 " never hears of %" PRId64 "; `superstep barrier verify` says why",
                        b->name, deaf, unheard);
}

size_t sup_barrier_signals(const sup_pattern *p) {
    size_t n = 0;
    for (int s = 0; s < p->stages; s++) n += sup_pattern_stage(p, s, NULL);
    return n;
}

size_t sup_barrier_fan(const sup_pattern *p) {
    size_t most = 0, *fan = calloc(2 * (size_t)p->processes, sizeof *fan);
    sup_pattern_edge *edges = calloc(sup_pattern_widest(p) + 1, sizeof *edges);
    for (int s = 0; fan && edges && s < p->stages; s++) {
        size_t n = sup_pattern_stage(p, s, edges);
        memset(fan, 0, 2 * (size_t)p->processes * sizeof *fan);
        for (size_t e = 0; e < n; e++) {
            size_t out = ++fan[edges[e].from], in = ++fan[p->processes + edges[e].to];
            if (out > most) most = out;
            if (in > most) most = in;
        }
    }
    free(edges);
    free(fan);
    return most;
}

int sup_barrier_put(const sup_barrier_request *r, char *text, size_t length) {
    int code = SUP_EXIT_OK;
    if (!r->out)
        fwrite(text, 1, length, stdout);
    else
        code = sup_cli_write(VERB, r->out, text, length, r->force);
    free(text);
    return code;
}
