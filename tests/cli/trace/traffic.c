/* A program that keeps its own books: communicates in a way that the arguments say and prints, for every process, peer
 * and kind of call, how many messages and bytes it asked for while recording was on. The trace must say the same.
 *
 *   traffic loop N     N times: a put to the right, then twice a get from the left
 *   traffic random N   N supersteps, all different
 *   traffic off N      N supersteps recorded, N left out (switched off by the last process alone), N recorded
 *   traffic long N     N supersteps with an unbuffered put of 300000 bytes
 *   traffic apart N    N supersteps in which the first process alone puts something, now little, now more
 *   traffic abort      ends by bsp_abort
 *   traffic away N     as loop, and ends in another folder with exit status 7 */
#include <bsp.h>
#include <superstep/trace.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PUT, HPPUT, GET, HPGET, SEND, KINDS, ROOM = 1 << 20 };
static const char *const names[KINDS] = {"puts", "hpputs", "gets", "hpgets", "sends"};

static int p, s;
static int recorded = 1;
static long supersteps;
static long (*messages)[KINDS], (*bytes)[KINDS];
static char *area, *mine;
static unsigned long long seed;

static size_t below(size_t bound) {
    seed = seed * 6364136223846793005ull + 1442695040888963407ull;
    return (size_t)(seed >> 33) % bound;
}

static void ask(int kind, int peer, size_t n) {
    if (recorded) {
        messages[peer][kind]++;
        bytes[peer][kind] += (long)n;
    }
    if (kind == PUT) bsp_put(peer, mine, area, 0, n);
    if (kind == HPPUT) bsp_hpput(peer, mine, area, 0, n);
    if (kind == GET) bsp_get(peer, area, 0, mine, n);
    if (kind == HPGET) bsp_hpget(peer, area, 0, mine, n);
    if (kind == SEND) bsp_send(peer, NULL, mine, n);
}

static void step(void) {
    bsp_sync();
    supersteps += recorded;
}

static void loop(int n) {
    for (int i = 0; i < n; i++) {
        ask(PUT, (s + 1) % p, 8);
        step();
        for (volatile int k = 0; k < 2; k++) {
            ask(GET, (s + p - 1) % p, 100);
            step();
        }
    }
}

static void apart(int n) {
    for (int i = 0; i < n; i++) {
        if (s == 0) ask(PUT, p - 1, i % 2 ? 8 : 1000);
        step();
    }
}

/* Computes while they may travel. */
static void longer(int n) {
    for (int i = 0; i < n; i++) {
        ask(HPPUT, (s + 1) % p, 300000);
        for (volatile int k = 0; k < 10000; k++) continue;
        step();
    }
}

/* A kind a superstep, so that nothing meets in memory that must not. */
static void differ(int n) {
    for (int i = 0; i < n; i++) {
        int kind = (int)(below(KINDS));
        for (size_t k = below(4); k > 0; k--) ask(kind, (int)below((size_t)p), 1 + below(i % 100 ? 2000 : 200000));
        step();
    }
}

static void leave_out(int n) {
    differ(n);
    recorded = 0;
    if (s == p - 1) sup_trace_off();
    differ(n);
    recorded = 1;
    if (s == p - 1) sup_trace_on();
    differ(n);
}

static void print_books(void) {
    for (int q = 0; q < p; q++)
        for (int k = 0; k < KINDS; k++)
            if (messages[q][k]) printf("%d %d %s %ld %ld\n", s, q, names[k], messages[q][k], bytes[q][k]);
    if (s == 0) printf("supersteps %ld\n", supersteps + 1); /* with bsp_end */
    fflush(stdout);
}

int main(int argc, char **argv) {
    const char *how = argc > 1 ? argv[1] : "loop";
    int n = argc > 2 ? atoi(argv[2]) : 10;
    bsp_begin(bsp_nprocs());
    p = bsp_nprocs(), s = bsp_pid();
    seed = 17 + (unsigned)s;
    messages = calloc((size_t)p, sizeof *messages);
    bytes = calloc((size_t)p, sizeof *bytes);
    area = calloc(1, ROOM);
    mine = calloc(1, ROOM);
    if (!messages || !bytes || !area || !mine) bsp_abort("no memory");
    bsp_push_reg(area, ROOM);
    step();
    if (!strcmp(how, "abort")) bsp_abort("enough");
    if (!strcmp(how, "random"))
        differ(n);
    else if (!strcmp(how, "long"))
        longer(n);
    else if (!strcmp(how, "apart"))
        apart(n);
    else if (!strcmp(how, "off"))
        leave_out(n);
    else
        loop(n);
    print_books();
    if (!strcmp(how, "away") && chdir("/")) return 9;
    bsp_end();
    return !strcmp(how, "away") ? 7 : 0;
}
