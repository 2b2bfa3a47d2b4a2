/* What-if: questions about a machine that is not there (BSP §8.6: half the latency, a faster subset of processors).
 *
 *     L*0.5                latency of all pairs            O, L, B: times, so that less is better
 *     B[0:7,8:15]*2        seconds per byte from ranks 0 … 7 to ranks 8 … 15
 *     rate[3]*4            computation of rank 3, four times as fast
 *     sync/2               every barrier
 *
 * and scale out: nodes=1024, as many hosts like the measured ones. */
#include "model/compose/whatif.h"

#include "base/list.h"
#include "base/text.h"
#include "program/program.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct scanner {
    const char *at;
    int64_t processes;
    sup_diag *diag;
} scanner;

static void skip(scanner *s) {
    while (isspace((unsigned char)*s->at)) s->at++;
}

static sup_status refuse(const scanner *s, const char *what) {
    return sup_diag_set(s->diag, SUP_EINVAL, "what-if", 0, "%s at \"%.30s\"", what, s->at);
}

static sup_status rank(scanner *s, int64_t *out) {
    skip(s);
    if (!isdigit((unsigned char)*s->at)) return refuse(s, "a rank is expected");
    if (!sup_text_int(&s->at, 0, s->processes - 1, out)) {
        char text[80];
        snprintf(text, sizeof text, "no such rank (there are 0 … %" PRId64 ")", s->processes - 1);
        return refuse(s, text);
    }
    skip(s);
    return SUP_OK;
}

/* a, a:b or * */
static sup_status range(scanner *s, int64_t out[2]) {
    skip(s);
    if (*s->at == '*') {
        s->at++;
        skip(s);
        out[0] = 0;
        out[1] = s->processes - 1;
        return SUP_OK;
    }
    sup_status st = rank(s, &out[0]);
    out[1] = out[0];
    if (!st && *s->at == ':') {
        s->at++;
        st = rank(s, &out[1]);
    }
    if (!st && out[1] < out[0]) return refuse(s, "a range goes from the smaller to the greater");
    return st;
}

static sup_status ranges(scanner *s, sup_edit *e) {
    bool pair = e->what <= SUP_EDIT_B;
    if (e->what == SUP_EDIT_SYNC) return refuse(s, "sync has no ranks");
    s->at++;
    e->ranged = true;
    sup_status st = range(s, e->from);
    if (st) return st;
    e->to[0] = 0;
    e->to[1] = s->processes - 1;
    if (pair) {
        if (*s->at != ',') return refuse(s, "pairs need two ranges, [from,to],");
        s->at++;
        st = range(s, e->to);
        if (st) return st;
    }
    if (*s->at != ']') return refuse(s, "\"]\" is expected");
    s->at++;
    skip(s);
    return SUP_OK;
}

static sup_status edit(scanner *s, sup_edit *e) {
    static const struct {
        const char *name;
        int what;
    } names[] = {
        {"O", SUP_EDIT_O}, {"L", SUP_EDIT_L}, {"B", SUP_EDIT_B}, {"rate", SUP_EDIT_RATE}, {"sync", SUP_EDIT_SYNC}};
    size_t length = 0, k = 0;
    skip(s);
    while (isalpha((unsigned char)s->at[length])) length++;
    while (k < 5 && (strlen(names[k].name) != length || strncmp(names[k].name, s->at, length) != 0)) k++;
    if (k == 5) return refuse(s, "O, L, B, rate or sync is expected");
    *e = (sup_edit){.what = names[k].what};
    s->at += length;
    skip(s);
    sup_status st = *s->at == '[' ? ranges(s, e) : SUP_OK;
    if (st) return st;
    char operator= * s->at;
    if (operator!= '*' && operator!= '/') return refuse(s, "\"*\" or \"/\" and a factor are expected");
    const char *number = ++s->at;
    char *end;
    e->factor = strtod(number, &end);
    if (end == number || !(e->factor >= 1e-9 && e->factor <= 1e9)) return refuse(s, "a factor is 1e-9 … 1e9");
    if (operator== '/') e->factor = 1 / e->factor;
    s->at = end;
    skip(s);
    return SUP_OK;
}

sup_status sup_edits_parse(const char *text, int64_t processes, sup_diag *diag, sup_edit **out, size_t *count) {
    scanner s = {text, processes, diag};
    sup_edit *list = NULL;
    size_t n = 0;
    for (;;) {
        sup_edit e;
        sup_status st = edit(&s, &e);
        if (!st && *s.at && *s.at != ',') st = refuse(&s, "\",\" or the end is expected");
        if (!st && !sup_list_room(&list, n, sizeof *list)) st = sup_diag_no_memory(diag);
        if (st) {
            free(list);
            return st;
        }
        list[n++] = e;
        if (!*s.at) break;
        s.at++;
    }
    *out = list;
    *count = n;
    return SUP_OK;
}

double sup_edits_rate(const sup_edit *edits, size_t count, int64_t r) {
    double factor = 1;
    for (size_t i = 0; i < count; i++) {
        const sup_edit *e = &edits[i];
        if (e->what == SUP_EDIT_RATE && (!e->ranged || (r >= e->from[0] && r <= e->from[1]))) factor *= e->factor;
    }
    return factor;
}

sup_status sup_extend_parse(const char *text, sup_diag *diag, int64_t *nodes) {
    int64_t n;
    const char *at = text + strlen("nodes=");
    if (strncmp(text, "nodes=", strlen("nodes=")) != 0 || !sup_text_int(&at, 1, SUP_PROGRAM_PROCESSES_MAX, &n) || *at)
        return sup_diag_set(diag, SUP_EINVAL, NULL, 0, "extension \"%.40s\": nodes=N is expected, N = 1 … 2^24", text);
    *nodes = n;
    return SUP_OK;
}
