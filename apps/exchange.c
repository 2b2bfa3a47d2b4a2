/* Supersteps that only communicate: Tcomm and Tsync without Tcomp, what predictions of both are held against.
 *
 *     exchange PATTERN BYTES SUPERSTEPS [MOVE]
 *     exchange [-t MILLISECONDS] PATTERN:BYTES:MOVE:SUPERSTEPS[,…]…
 *
 * Patterns are those of patterns.h, moves put (the default), hpput, get, hpget, send, and mixed (put, get, hpput and
 * send in turn). Every superstep moves the same; what arrives is checked. A tenth of the supersteps comes first, to
 * warm up, and is left out of a trace. With -t a case takes fewer supersteps where they would take longer than that,
 * but at least ten. In a trace each case is a class of its own, in the order of the arguments: it ends its supersteps
 * at a place of its own in the program. */
#include "patterns.h"

#include <bsp.h>
#include <superstep/trace.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE = 64, LEAST = 10, PROBES = 3 };
enum { PUT, HPPUT, GET, HPGET, SEND, MIXED, MOVES };
static const char *const moves[MOVES] = {"put", "hpput", "get", "hpget", "send", "mixed"};
static const int turns[] = {PUT, GET, HPPUT, SEND};

/* ---- a place of its own for each case ---- */

/* What follows the call keeps it from becoming a jump, and functions from becoming one. */
#define SITE(n)                              \
    static void sync_##n(void) {             \
        bsp_sync();                          \
        __asm__ volatile("" : : "i"(0x##n)); \
    }
#define NAME(n) sync_##n,
#define EIGHT(DO, n) DO(n##0) DO(n##1) DO(n##2) DO(n##3) DO(n##4) DO(n##5) DO(n##6) DO(n##7)
#define SIXTEEN(DO, n) EIGHT(DO, n) DO(n##8) DO(n##9) DO(n##a) DO(n##b) DO(n##c) DO(n##d) DO(n##e) DO(n##f)
#define THREE(DO, a, b, c) SIXTEEN(DO, a) SIXTEEN(DO, b) SIXTEEN(DO, c)
#define ALL(DO) THREE(DO, 0, 1, 2) THREE(DO, 3, 4, 5) THREE(DO, 6, 7, 8) THREE(DO, 9, a, b)
ALL(SITE)
typedef void site(void);
static site *const sites[] = {ALL(NAME)};

/* ---- what a case asks for ---- */

typedef struct transfer {
    int peer, move; /* whom we send to or fetch from; of those that arrive, who sent it */
    size_t out, in; /* where it lies with the sender, and with the receiver */
    size_t bytes;
} transfer;

typedef struct job {
    const pattern *pattern;
    int move;
    size_t bytes;
    long supersteps;
    transfer *asked, *arrives;
    size_t asks, arrivals, sent; /* sent: of the arrivals, messages */
    size_t out_bytes, in_bytes;
    char *out, *in; /* never NULL */
} job;

static void *get_room(size_t count, size_t each) {
    void *room = calloc(count + 1, each);
    if (!room) bsp_abort("out of memory\n");
    return room;
}

static int reads(int move) { return move == GET || move == HPGET; }
static char value_of(int from, int to) { return (char)(1 + (from * 31 + to * 7) % 100); }

static void note(job *j, const transfer *t, int from, int to) {
    int me = bsp_pid();
    if ((reads(t->move) ? to : from) == me) {
        j->asked[j->asks] = *t;
        j->asked[j->asks++].peer = reads(t->move) ? from : to;
    }
    if (to == me) {
        j->arrives[j->arrivals] = *t;
        j->arrives[j->arrivals++].peer = from;
        j->sent += t->move == SEND;
    }
    if (from == me) memset(j->out + t->out, value_of(from, to), t->bytes);
}

/* All messages of all processes, in an order that all agree on. First how much memory they take, then which are ours.
 */
static void walk(job *j, size_t *out, size_t *in, int notes) {
    int p = bsp_nprocs(), turn = 0;
    memset(out, 0, (size_t)p * sizeof *out);
    memset(in, 0, (size_t)p * sizeof *in);
    for (int from = 0; from < p; from++)
        for (int k = 0, to = 0; (to = j->pattern->target(p, from, k)) >= 0; k++) {
            if (to == from) continue;
            size_t bytes = pattern_bytes(j->pattern, j->bytes, from, k), room = (bytes + LINE - 1) / LINE * LINE;
            int move = j->move == MIXED ? turns[turn++ % 4] : j->move;
            transfer t = {-1, move, out[from], in[to], bytes};
            if (notes) note(j, &t, from, to);
            out[from] += room;
            in[to] += room;
            if (!notes && from == bsp_pid()) j->asks++;
            if (!notes && to == bsp_pid()) j->arrivals++;
        }
    j->out_bytes = out[bsp_pid()];
    j->in_bytes = in[bsp_pid()];
}

static void open_job(job *j) {
    size_t p = (size_t)bsp_nprocs(), *out = get_room(2 * p, sizeof *out), *in = out + p;
    walk(j, out, in, 0);
    j->asked = get_room(j->asks + j->arrivals, sizeof *j->asked);
    j->arrives = get_room(j->arrivals, sizeof *j->arrives);
    j->out = get_room(j->out_bytes, 1);
    j->in = get_room(j->in_bytes, 1);
    j->asks = j->arrivals = 0;
    walk(j, out, in, 1);
    free(out);
    bsp_push_reg(j->in, j->in_bytes);
    bsp_push_reg(j->out, j->out_bytes);
    bsp_sync();
}

static void close_job(job *j) {
    bsp_pop_reg(j->out);
    bsp_pop_reg(j->in);
    bsp_sync();
    free(j->in);
    free(j->out);
    free(j->arrives);
    free(j->asked);
}

static void step(const job *j, site *end) {
    for (size_t i = 0; i < j->asks; i++) {
        const transfer *t = &j->asked[i];
        switch (t->move) {
        case PUT: bsp_put(t->peer, j->out + t->out, j->in, t->in, t->bytes); break;
        case HPPUT: bsp_hpput(t->peer, j->out + t->out, j->in, t->in, t->bytes); break;
        case GET: bsp_get(t->peer, j->out, t->out, j->in + t->in, t->bytes); break;
        case HPGET: bsp_hpget(t->peer, j->out, t->out, j->in + t->in, t->bytes); break;
        default: bsp_send(t->peer, NULL, j->out + t->out, t->bytes); break;
        }
    }
    end();
}

/* ---- running it ---- */

static void check_block(const char *block, size_t bytes, char value) {
    for (size_t i = 0; i < bytes; i++)
        if (block[i] != value) bsp_abort("byte %zu of %zu is %d, not %d\n", i, bytes, block[i], value);
}

/* Messages come in any order: they are told apart by what is in them, and laid where a put would have put them. */
static void check(job *j) {
    size_t count = 0, found = 0;
    bsp_qsize(&count, NULL);
    if (count != j->sent) bsp_abort("%zu messages, not %zu\n", count, j->sent);
    for (size_t i = 0; i < count; i++) {
        void *tag = NULL, *data = NULL;
        size_t bytes = bsp_hpmove(&tag, &data);
        for (size_t a = 0; a < j->arrivals; a++) {
            const transfer *t = &j->arrives[a];
            if (t->move != SEND || t->bytes != bytes || (bytes && *(char *)data != value_of(t->peer, bsp_pid())))
                continue;
            check_block(data, bytes, value_of(t->peer, bsp_pid()));
            found++;
            break;
        }
    }
    if (found != count) bsp_abort("%zu messages of %zu are wrong\n", count - found, count);
    for (size_t a = 0; a < j->arrivals; a++) {
        const transfer *t = &j->arrives[a];
        if (t->move != SEND) check_block(j->in + t->in, t->bytes, value_of(t->peer, bsp_pid()));
    }
}

/* As many supersteps as fit into the time, as rank 0 sees it. */
static long fitting(const job *j, double limit_s, long *told) {
    if (limit_s <= 0) return j->supersteps;
    double from = bsp_time();
    for (int i = 0; i < PROBES; i++) step(j, bsp_sync);
    double fit = limit_s * PROBES / (bsp_time() - from + 1e-9);
    long count = fit < LEAST ? LEAST : fit > (double)j->supersteps ? j->supersteps : (long)fit;
    if (count > j->supersteps) count = j->supersteps;
    if (bsp_pid() == 0)
        for (int p = 0; p < bsp_nprocs(); p++) bsp_put(p, &count, told, 0, sizeof count);
    bsp_sync();
    return *told;
}

static void run(job *j, double limit_s, long *told, site *end) {
    open_job(j);
    step(j, bsp_sync);
    check(j);
    memset(j->in, 0, j->in_bytes);
    bsp_sync();
    long count = fitting(j, limit_s, told);
    for (long s = 0; s < count / 10 + 2; s++) step(j, end);
    sup_trace_on();
    double from = bsp_time();
    for (long s = 0; s < count; s++) step(j, end);
    double seconds = (bsp_time() - from) / (double)count;
    sup_trace_off();
    check(j);
    if (bsp_pid() == 0)
        printf("%s %zu bytes, %d processes: %.3f us a superstep\n", j->pattern->name, j->bytes, bsp_nprocs(),
               seconds * 1e6);
    close_job(j);
}

/* ---- arguments ---- */

static job read_job(const char *name, const char *bytes, const char *supersteps, const char *move) {
    job j = {.pattern = pattern_find(name), .bytes = strtoul(bytes, NULL, 10), .move = -1};
    j.supersteps = strtol(supersteps, NULL, 10);
    for (int m = 0; m < MOVES; m++)
        if (!strcmp(move, moves[m])) j.move = m;
    if (!j.pattern) bsp_abort("pattern %s: there is none of that name\n", name);
    if (j.move < 0) bsp_abort("move %s: put, hpput, get, hpget, send or mixed\n", move);
    if (j.supersteps < 1 || j.bytes > (size_t)1 << 30) bsp_abort("sizes out of range\n");
    return j;
}

static size_t run_list(char *list, double limit_s, long *told, size_t done) {
    char *rest = NULL;
    for (char *one = strtok_r(list, ",", &rest); one; one = strtok_r(NULL, ",", &rest)) {
        char name[32], bytes[24], move[16], supersteps[24];
        if (sscanf(one, "%31[^:]:%23[0-9]:%15[^:]:%23[0-9]", name, bytes, move, supersteps) != 4)
            bsp_abort("%s: a case is PATTERN:BYTES:MOVE:SUPERSTEPS\n", one);
        if (done == sizeof sites / sizeof *sites) bsp_abort("more than %zu cases\n", done);
        job j = read_job(name, bytes, supersteps, move);
        run(&j, limit_s, told, sites[done++]);
    }
    return done;
}

int main(int argc, char **argv) {
    bsp_begin(bsp_nprocs());
    double limit_s = 0;
    int at = 1;
    if (argc > 2 && !strcmp(argv[1], "-t")) {
        limit_s = strtod(argv[2], NULL) * 1e-3;
        at = 3;
    }
    long *told = get_room(1, sizeof *told);
    sup_trace_off();
    bsp_push_reg(told, sizeof *told);
    bsp_sync();
    if (at < argc && strchr(argv[at], ':')) {
        for (size_t done = 0; at < argc; at++) done = run_list(argv[at], limit_s, told, done);
    } else if (argc - at >= 3) {
        job j = read_job(argv[at], argv[at + 1], argv[at + 2], argc - at > 3 ? argv[at + 3] : "put");
        run(&j, limit_s, told, sites[0]);
    } else {
        bsp_abort(
            "usage: exchange [-t MILLISECONDS] PATTERN BYTES SUPERSTEPS [MOVE] | PATTERN:BYTES:MOVE:SUPERSTEPS…\n");
    }
    bsp_end();
    free(told);
    return 0;
}
