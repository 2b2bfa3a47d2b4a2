/* The end of a run that fails: see last_words.h.
 *
 * A mistake is often made by all processes at once. So a process that fails tells those of lower rank, and waits a
 * moment for those of higher rank to tell it. Who is heard by a lower one keeps quiet; the lowest speaks for all it
 * has heard of, each text once with its ranks, and ends the run. Nobody answers for a process that computes or is
 * gone, so everything is bounded in time, and where the net cannot be used each speaks for itself. */
#include "bsp/calls/last_words.h"
#include "net/numbers.h"

#include "base/clock.h"
#include "bsp/engine/state.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { ABORT_CODE = 1, HEARERS = 64 /* lower ranks that are told */ };
enum { TAG_WORDS = SUP_TAG_LAST_WORDS, TAG_HEARD };
#define GATHER_S 0.1  /* twice that where processes share cores */
#define SPEAKER_S 1.5 /* a process that was heard leaves the end to whom heard it for so long */
#define FLUSH_MS 500
#define LOCK_MS 50

/* ---- output of the program ---- */

static struct timespec in_ms(long ms) {
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    t.tv_nsec += ms % 1000 * 1000000;
    t.tv_sec += ms / 1000 + t.tv_nsec / 1000000000;
    t.tv_nsec %= 1000000000;
    return t;
}

static sem_t flushed;

static void *flush(void *arg) {
    (void)arg;
    fflush(stdout);
    fflush(NULL); /* waits for a thread that reads from a stream, so stdout is first */
    sem_post(&flushed);
    return NULL;
}

void bsp_flush(void) {
    pthread_t thread;
    if (sem_init(&flushed, 0, 0) || !bsp_start_thread(&thread, flush, NULL)) return;
    pthread_detach(thread);
    struct timespec until = in_ms(FLUSH_MS);
    while (sem_timedwait(&flushed, &until) && errno == EINTR) continue;
}

static bool by_lines; /* because we wanted it */

void bsp_flush_lines(void) {
    struct stat s;
    size_t room = __fbufsize(stdout);
    /* that of a terminal is by lines, even if nothing says so before the first; Open MPI gives programs one */
    if (fstat(STDOUT_FILENO, &s) || __flbf(stdout) || isatty(STDOUT_FILENO)) return;
    /* a buffer that is not of the usual size was given by the program, and so was one of a byte: no buffer */
    if (room && room != (size_t)s.st_blksize && room != BUFSIZ) return;
    by_lines = !setvbuf(stdout, NULL, _IOLBF, 0);
}

void bsp_flush_as_before(void) {
    if (by_lines) setvbuf(stdout, NULL, _IOFBF, 0);
    by_lines = false;
}

/* ---- ending ---- */

void bsp_end_all(void) {
    bsp_flush();
    bsp_rt.phase = BSP_AFTER; /* some transports call exit: nobody has forgotten bsp_end */
    if (bsp_rt.net) sup_net_abort(bsp_rt.net, ABORT_CODE);
    _exit(ABORT_CODE);
}

void bsp_say(const char *text) {
    size_t left = strlen(text);
    while (left) {
        ssize_t n = write(STDERR_FILENO, text, left);
        if (n <= 0) return;
        text += n;
        left -= (size_t)n;
    }
}

static void print(const bsp_words *w, const bool *in, int n) {
    char where[600] = "", ranks[300], text[2700];
    bsp_ranks_text(in, n, ranks, sizeof ranks);
    unsigned long long superstep = w->superstep;
    if (w->kind == BSP_WORDS_CHECK) bsp_site_text(w->site, where, sizeof where);
    int several = 0;
    for (int r = 0; r < n; r++) several += in[r];
    if (w->kind != BSP_WORDS_PLAIN)
        snprintf(text, sizeof text, "%s%s%s: %s (%s, superstep %llu)\n", where, *where ? ": error: " : "", w->call,
                 w->text, ranks, superstep);
    else if (several > 1)
        snprintf(text, sizeof text, "%s (%s)\n", w->text, ranks);
    else
        snprintf(text, sizeof text, "%s\n", w->text);
    bsp_say(text);
}

/* ---- hearing the others ---- */

typedef struct hearing {
    sup_net *net;
    int n, known;
    bsp_words **of; /* by rank: what it said */
    bsp_words incoming;
    unsigned char byte;
    bool heard; /* by a process of lower rank, which speaks for us */
    sup_net_req words, answer;
    sup_net_req *out;
    int outs;
} hearing;

static sup_status start(hearing *h, const bsp_words *mine) {
    int lower = h->net->rank < HEARERS ? h->net->rank : HEARERS;
    h->of = calloc((size_t)h->n, sizeof *h->of);
    h->out = calloc((size_t)h->n + (size_t)lower, sizeof *h->out);
    if (!h->of || !h->out) return SUP_ENOMEM;
    sup_status st = sup_net_irecv(h->net, SUP_NET_ANY, TAG_WORDS, &h->incoming, sizeof h->incoming, &h->words);
    if (!st) st = sup_net_irecv(h->net, SUP_NET_ANY, TAG_HEARD, &h->byte, 1, &h->answer);
    for (int q = 0; q < lower && !st; q++)
        st = sup_net_isend(h->net, q, TAG_WORDS, mine, sizeof *mine, &h->out[h->outs++]);
    return st;
}

/* Words of another have come. */
static sup_status hear(hearing *h) {
    int from = h->words.peer;
    static const unsigned char byte = 1;
    if (from > h->net->rank && from < h->n && !h->of[from]) {
        bsp_words *w = malloc(sizeof *w);
        if (!w) return SUP_ENOMEM;
        *w = h->incoming;
        w->call[sizeof w->call - 1] = w->text[sizeof w->text - 1] = 0;
        h->of[from] = w;
        h->known++;
        sup_status st = sup_net_isend(h->net, from, TAG_HEARD, &byte, 1, &h->out[h->outs++]);
        if (st) return st;
    }
    return sup_net_irecv(h->net, SUP_NET_ANY, TAG_WORDS, &h->incoming, sizeof h->incoming, &h->words);
}

static void listen(hearing *h, const bsp_words *mine) {
    double until = sup_clock_now() + (h->net->oversubscribed ? 2 : 1) * GATHER_S;
    sup_status st = start(h, mine);
    while (!st && !h->answer.done && h->known + 1 < h->n && sup_clock_now() < until) {
        st = sup_net_test(h->net, &h->words);
        if (!st && h->words.done) {
            st = hear(h);
            continue;
        }
        if (!st) st = sup_net_test(h->net, &h->answer);
        if (!st && !h->answer.done) usleep(200);
    }
    /* who heard us may have ended the run already, which is all that the net says from then on */
    if (h->outs && !h->answer.done) (void)sup_net_test(h->net, &h->answer);
    h->heard = h->outs && h->answer.done;
}

/* The net is ours to use: nobody else is in the middle of a call. */
static bool take_net(const bsp_runtime *b) {
    if (!b->net || b->net->size < 2 || b->procs < 2 || b->phase == BSP_AFTER) return false;
    struct timespec until = in_ms(LOCK_MS);
    return !b->net_lock || !pthread_mutex_timedlock(b->net_lock, &until);
}

/* The same but for addresses, which differ from process to process. */
static bool same_text(const char *a, const char *b) {
    static const char hex[] = "0123456789abcdef";
    while (*a && *a == *b) {
        bool address = a[0] == '0' && a[1] == 'x' && b[1] == 'x';
        a += address ? 2 + strspn(a + 2, hex) : 1;
        b += address ? 2 + strspn(b + 2, hex) : 1;
    }
    return *a == *b;
}

static bool same(const bsp_words *a, const bsp_words *b) {
    return a->kind == b->kind && a->superstep == b->superstep && a->site.at == b->site.at &&
           !strcmp(a->call, b->call) && same_text(a->text, b->text);
}

static void speak(const hearing *h, const bsp_words *mine) {
    int n = h->of ? h->n : mine->rank + 1, self = h->of ? h->net->rank : 0;
    bool *in = calloc((size_t)n, sizeof *in), *told = calloc((size_t)n, sizeof *told);
    if (!in || !told) {
        bsp_say(mine->text);
        bsp_say("\n");
        return;
    }
    for (int r = 0; r < n; r++) {
        const bsp_words *w = r == self ? mine : h->of ? h->of[r] : NULL;
        if (!w || told[r]) continue;
        memset(in, 0, (size_t)n * sizeof *in);
        for (int q = r; q < n; q++) {
            const bsp_words *v = q == self ? mine : h->of ? h->of[q] : NULL;
            if (!v || !same(v, w)) continue;
            told[q] = true;
            if (v->rank >= 0 && v->rank < n) in[v->rank] = true;
        }
        print(w, in, n);
    }
    free(in);
    free(told);
}

void bsp_last_words(const bsp_words *words) {
    bsp_runtime *b = &bsp_rt;
    static hearing h;
    static atomic_flag speaking = ATOMIC_FLAG_INIT;
    if (atomic_flag_test_and_set(&speaking)) usleep((useconds_t)(2e6 * SPEAKER_S)); /* another thread is at it */
    signal(SIGTERM, SIG_IGN); /* a launcher that ends everybody for another reason shall not cut us short */
    bsp_flush();
    if (take_net(b)) {
        h.net = b->net;
        h.n = b->procs;
        listen(&h, words);
    } else if (b->phase == BSP_BEFORE && bsp_launch()->rank > 0) {
        signal(SIGTERM, SIG_DFL);
        usleep((useconds_t)(3e6 * GATHER_S)); /* all do the same up to here: the first process says it for all */
    }
    if (h.heard) {
        signal(SIGTERM, SIG_DFL);
        usleep((useconds_t)(1e6 * SPEAKER_S));
    }
    speak(&h, words);
    bsp_end_all();
}
