/* A net between threads with virtual clocks (sim.h). */
#include "../random_real.h"
#include "sim.h"

#include "base/number/random.h"

#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KEPT 65536 /* bytes of a message that really travel: those of longer ones are of no interest */

typedef struct note {
    struct note *next;
    int tag;
    size_t length;
    double sent, arrival;
    bool eager;
    _Atomic bool taken; /* rendezvous: the receiver has it, the sender may go on */
    double done_at;
    unsigned char *data;
} note;

typedef struct word {
    uint64_t value;
    double at;
} word;

typedef struct world {
    const sim_model *model;
    pthread_mutex_t lock;
    note **queue; /* from · size + to, oldest first */
    uint64_t *counts;
    word *words;     /* (from · size + to) · SLOTS + slot */
    sup_bell *bells; /* of each node: who has nothing to do sleeps in real time too, and is woken */
} world;

typedef struct node {
    sup_net net;
    world *world;
    double clock; /* seconds */
    char host[16];
} node;

typedef struct pending {
    note *sent; /* a send's; NULL: a receive */
    int peer, tag;
    void *buffer;
    size_t room;
    double posted;
} pending;

static const sim_model *model_of(const sup_net *net) { return ((const node *)net)->world->model; }

static double time_of(node *n, int to, size_t bytes) {
    const sim_model *m = n->world->model;
    sup_random r = {.state = n->world->counts[n->net.rank * m->size + to]++ * 1000003u + (uint64_t)n->net.rank};
    return m->time(m, n->net.rank, to, (double)bytes) * (1.0 + m->noise * sup_random_normal(&r));
}

/* Written before there are threads: all of them read the names. */
static char host_names[4096][8];

static void name_hosts(void) {
    for (int i = 0; i < 4096; i++) snprintf(host_names[i], sizeof host_names[i], "h%d", i);
}

static const char *host(sup_net *net, int rank) { return host_names[rank / model_of(net)->per_host]; }

static sup_status isend(sup_net *net, int peer, int tag, const void *buf, size_t len, sup_net_req *req) {
    node *n = (node *)net;
    note *m = calloc(1, sizeof *m);
    if (!m) return SUP_ENOMEM;
    size_t kept = len < KEPT ? len : KEPT;
    m->data = malloc(kept ? kept : 1);
    if (!m->data) abort();
    if (kept) memcpy(m->data, buf, kept);
    m->tag = tag;
    m->length = len;
    bool eager = m->eager = n->world->model->threshold == 0 || len < n->world->model->threshold;
    pthread_mutex_lock(&n->world->lock);
    n->clock += n->world->model->overhead_s;
    m->sent = n->clock;
    m->arrival = time_of(n, peer, len); /* after `sent`, or after both have come */
    note **at = &n->world->queue[net->rank * net->size + peer];
    while (*at) at = &(*at)->next;
    *at = m;
    pthread_mutex_unlock(&n->world->lock);
    sup_bell_ring(&n->world->bells[peer]);
    pending p = {.sent = m};
    memcpy(req->opaque, &p, sizeof p);
    req->status = SUP_OK;
    req->done = eager; /* the note may be gone by now */
    return SUP_OK;
}

static sup_status irecv(sup_net *net, int peer, int tag, void *buf, size_t cap, sup_net_req *req) {
    pending p = {.peer = peer, .tag = tag, .buffer = buf, .room = cap, .posted = ((node *)net)->clock};
    memcpy(req->opaque, &p, sizeof p);
    req->status = SUP_OK;
    req->done = false;
    return SUP_OK;
}

static void drop(note *m) {
    free(m->data);
    free(m);
}

static sup_status test(sup_net *net, sup_net_req *req) {
    node *n = (node *)net;
    pending p;
    memcpy(&p, req->opaque, sizeof p);
    if (p.sent) {
        if (!atomic_load(&p.sent->taken)) return SUP_OK;
        n->clock = fmax(n->clock, p.sent->done_at);
        drop(p.sent);
        req->done = true;
        return SUP_OK;
    }
    pthread_mutex_lock(&n->world->lock);
    note **at = &n->world->queue[p.peer * net->size + net->rank], *m;
    while (*at && (*at)->tag != p.tag) at = &(*at)->next;
    m = *at;
    if (m) *at = m->next;
    pthread_mutex_unlock(&n->world->lock);
    if (!m) return SUP_OK;
    double begin = m->eager ? m->sent : fmax(m->sent, p.posted);
    n->clock = fmax(n->clock, begin + m->arrival);
    size_t length = m->length < p.room ? m->length : p.room, kept = length < KEPT ? length : KEPT;
    if (kept) memcpy(p.buffer, m->data, kept);
    req->length = m->length;
    req->peer = p.peer;
    req->status = m->length > p.room ? SUP_ETRUNC : SUP_OK;
    req->done = true;
    if (m->eager) {
        drop(m);
    } else {
        m->done_at = n->clock;
        atomic_store(&m->taken, true); /* the sender frees it */
        sup_bell_ring(&n->world->bells[p.peer]);
    }
    return req->status;
}

static word *word_of(node *n, int from, int to, int slot) {
    return &n->world->words[(from * n->net.size + to) * SUP_NET_SLOTS + slot];
}

static sup_status sim_signal(sup_net *net, int peer, int slot, uint64_t value) {
    node *n = (node *)net;
    pthread_mutex_lock(&n->world->lock);
    n->clock += n->world->model->overhead_s;
    *word_of(n, net->rank, peer, slot) = (word){value, n->clock + time_of(n, peer, 8)};
    pthread_mutex_unlock(&n->world->lock);
    return SUP_OK;
}

static sup_status sim_await(sup_net *net, int peer, int slot, uint64_t at_least, uint64_t *value) {
    node *n = (node *)net;
    for (;;) {
        pthread_mutex_lock(&n->world->lock);
        word w = *word_of(n, peer, net->rank, slot);
        pthread_mutex_unlock(&n->world->lock);
        if (w.value >= at_least) {
            n->clock = fmax(n->clock, w.at);
            *value = w.value;
            return SUP_OK;
        }
        sched_yield();
    }
}

static uint64_t peek(sup_net *net, int peer, int slot) {
    node *n = (node *)net;
    pthread_mutex_lock(&n->world->lock);
    uint64_t value = word_of(n, peer, net->rank, slot)->value;
    pthread_mutex_unlock(&n->world->lock);
    return value;
}

static sup_status progress(sup_net *net) {
    ((node *)net)->clock += 20e-9;
    return SUP_OK;
}

static sup_status no_region(sup_net *net, size_t len, sup_net_region **out) {
    (void)net, (void)len, (void)out;
    return SUP_ENOTSUP;
}

static const sup_net_ops ops = {.name = "sim",
                                .host = host,
                                .isend = isend,
                                .irecv = irecv,
                                .test = test,
                                .region_alloc = no_region,
                                .signal = sim_signal,
                                .await = sim_await,
                                .peek = peek,
                                .progress = progress};

/* A look at the clock takes a moment, too: who looks until some time has passed comes to an end. */
static int64_t read_clock(void *context) {
    node *n = context;
    n->clock += 10e-9;
    return (int64_t)llround(n->clock * 1e9);
}

typedef struct actor {
    node node;
    sup_clock clock;
    sim_body *body;
    void *context;
} actor;

static void *act(void *argument) {
    actor *a = argument;
    a->body(&a->node.net, &a->clock, a->context);
    return NULL;
}

void sim_run(const sim_model *model, sim_body *body, void *context) {
    size_t size = (size_t)model->size;
    world w = {.model = model, .lock = PTHREAD_MUTEX_INITIALIZER};
    w.queue = calloc(size * size, sizeof *w.queue);
    w.counts = calloc(size * size, sizeof *w.counts);
    w.words = calloc(size * size * SUP_NET_SLOTS, sizeof *w.words);
    actor *actors = calloc(size, sizeof *actors);
    pthread_t *threads = calloc(size, sizeof *threads);
    w.bells = calloc(size, sizeof *w.bells);
    if (!w.queue || !w.counts || !w.words || !w.bells || !actors || !threads) abort();
    name_hosts();
    for (size_t i = 0; i < size; i++) {
        actors[i].node = (node){.net = {.ops = &ops,
                                        .rank = (int)i,
                                        .size = (int)size,
                                        .oversubscribed = true,
                                        .patience = SUP_PATIENCE_CROWD,
                                        .bell = &w.bells[i]},
                                .world = &w};
        actors[i].clock = (sup_clock){read_clock, &actors[i].node, 1e-9, 0.0};
        actors[i].body = body;
        actors[i].context = context;
        if (pthread_create(&threads[i], NULL, act, &actors[i])) abort();
    }
    for (size_t i = 0; i < size; i++) pthread_join(threads[i], NULL);
    free(threads);
    free(actors);
    free(w.bells);
    free(w.words);
    free(w.counts);
    free(w.queue);
}
