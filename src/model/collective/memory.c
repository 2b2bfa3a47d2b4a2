/* What collectives take of memory (memory.h). Tcomm, model stage.
 *
 *   data      A channel's table is of messages that are sent again and again: what it says of m bytes holds where m is
 *             all there is. One of m bytes out of a process's M, which the caches do not hold as they hold m, takes its
 *             share of a message of M: L(m,τ) ≥ m/M · L(M,τ); so do copies and folds.
 *   copies    A process that copies uses no channel: p(m), and as much more while others copy as folds take then.
 *   rooms     Memory that all share is read by one process and written by another: between a copy and a transfer.
 *   messages  A process that sends several through a buffer does not wait until the first has been copied out: each
 *             other one takes a gap and its share of the transfers (TAU: k · L(S,2) of a repeated sequence). Where the
 *             receiver takes it from the sender's memory each takes as long as the first. */
#include "model/collective/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A channel as a process with so much data sees it. */
typedef struct view {
    const sup_taulop_channel *of; /* NULL: copies */
    const sup_taulop_costs *all;
    const sup_file_curve *packing;
    double data, gap;
} view;

struct sup_memory_costs {
    sup_taulop_costs costs; /* first: the one is the other */
    const sup_taulop_costs *of;
    double data;
    sup_taulop_channel *channels;
    view *views;
};

static const view *view_of(const sup_taulop_channel *c) { return c->context; }

/* ---- messages ---- */

static int transfers(const sup_taulop_channel *c, double bytes) {
    const sup_taulop_channel *of = view_of(c)->of;
    return of->transfers ? of->transfers(of, bytes) : 2;
}

static double overhead(const sup_taulop_channel *c, double bytes) { return sup_taulop_overhead(view_of(c)->of, bytes); }

static double transfer(const sup_taulop_channel *c, double bytes, double tau) {
    const view *v = view_of(c);
    double own = v->of->transfer(v->of, bytes, tau);
    if (!(bytes > 0 && bytes < v->data)) return own;
    return fmax(own, v->of->transfer(v->of, v->data, tau) * bytes / v->data);
}

/* ---- further messages of a process ---- */

static int one_transfer(const sup_taulop_channel *c, double bytes) {
    (void)c;
    (void)bytes;
    return 1;
}

static double no_overhead(const sup_taulop_channel *c, double bytes) {
    (void)c;
    (void)bytes;
    return 0;
}

static double more(const sup_taulop_channel *c, double bytes, double tau) {
    const view *v = view_of(c);
    const sup_taulop_channel *first = v->of; /* as this process sees it */
    int n = first->transfers(first, bytes);
    if (n < 2) return sup_taulop_send(first, bytes, tau);
    return fmin(v->gap + sup_taulop_moving(first, bytes, tau) / n, sup_taulop_send(first, bytes, tau));
}

/* ---- copies and folds ---- */

static double crowd(const sup_taulop_costs *all, double bytes, double tau) {
    double alone = all->fold && tau > 1 ? all->fold(all, bytes, 1) : 0;
    return alone > 0 ? fmax(1, all->fold(all, bytes, tau) / alone) : 1;
}

/* Packed blocks lie apart, so that memory beyond the caches moves more than is copied; a fold moves three bytes where a
 * copy moves two. */
static double copy_at(const view *v, double bytes, double tau) {
    double packed = sup_curve_at(v->packing->curve, bytes) * crowd(v->all, bytes, tau);
    return v->all->fold ? fmin(packed, v->all->fold(v->all, bytes, tau) * 2 / 3) : packed;
}

static double copy(const sup_taulop_channel *c, double bytes, double tau) {
    const view *v = view_of(c);
    double own = copy_at(v, bytes, tau);
    return bytes > 0 && bytes < v->data ? fmax(own, copy_at(v, v->data, tau) * bytes / v->data) : own;
}

/* Into or out of memory that another process reads or wrote: dearer than a copy of its own, cheaper than a transfer of
 * a message; how far between, no profile says yet: the middle, as factors go. */
static double room(const sup_taulop_channel *c, double bytes, double tau) {
    const view *v = view_of(c);
    return sqrt(v->of->transfer(v->of, bytes, tau) * copy(c, bytes, tau));
}

static double fold(const sup_taulop_costs *costs, double bytes, double tau) {
    const sup_memory_costs *m = (const sup_memory_costs *)costs;
    double own = m->of->fold(m->of, bytes, tau);
    return bytes > 0 && bytes < m->data ? fmax(own, m->of->fold(m->of, m->data, tau) * bytes / m->data) : own;
}

/* ---- making ---- */

static const sup_file_curve *packing_of(const sup_collective_platform *p) {
    for (size_t i = 0; p->profile && i < p->profile->channels_count; i++) {
        const sup_channel *c = &p->profile->channels[i];
        if (c->number == 0 && c->transport && !strcmp(c->transport, p->transport) && c->packing_s &&
            c->packing_s->curve)
            return c->packing_s;
    }
    return NULL;
}

static sup_taulop_channel *add(sup_memory_costs *m, view v, int number) {
    size_t at = m->costs.channels_count++;
    m->views[at] = v;
    m->channels[at] = (sup_taulop_channel){.number = number,
                                           .segment_bytes = -1,
                                           .threshold_bytes = -1,
                                           .transfers = one_transfer,
                                           .overhead = no_overhead,
                                           .context = &m->views[at]};
    return &m->channels[at];
}

static void add_messages(sup_memory_costs *m) {
    for (size_t i = 0; i < m->of->channels_count; i++) {
        const sup_taulop_channel *of = &m->of->channels[i];
        sup_taulop_channel *c = add(m, (view){.of = of, .all = m->of, .data = m->data}, of->number);
        c->segment_bytes = of->segment_bytes;
        c->threshold_bytes = of->threshold_bytes;
        c->whole_bytes = of->whole_bytes;
        c->transfers = transfers;
        c->overhead = overhead;
        c->transfer = transfer;
    }
    const sup_taulop_channel *shared = sup_taulop_channel_of(&m->costs, 0);
    for (size_t i = 0; i < m->of->channels_count; i++)
        if (m->of->channels[i].ends) m->channels[i].ends = shared;
}

sup_status sup_memory_costs_open(const sup_collective_platform *p, double data, sup_diag *diag,
                                 sup_memory_costs **out) {
    sup_memory_costs *m = calloc(1, sizeof *m);
    size_t n = p->costs->channels_count + 4;
    if (m) m->channels = calloc(n, sizeof *m->channels);
    if (m) m->views = calloc(n, sizeof *m->views);
    if (!m || !m->channels || !m->views) {
        sup_memory_costs_close(m);
        return sup_diag_no_memory(diag);
    }
    *m = (sup_memory_costs){{.channels = m->channels}, p->costs, data, m->channels, m->views};
    if (p->costs->fold) m->costs.fold = fold;
    add_messages(m);
    for (int k = 0; k < 2; k++) {
        const sup_taulop_channel *first = sup_taulop_channel_of(&m->costs, k);
        if (first) add(m, (view){.of = first, .gap = p->links[k].overhead}, SUP_CHANNEL_MORE + k)->transfer = more;
    }
    view own = {.all = p->costs, .packing = packing_of(p), .data = data};
    const sup_taulop_channel *shared = sup_taulop_channel_of(&m->costs, 0);
    if (own.packing)
        add(m, own, SUP_CHANNEL_COPIES)->transfer = copy;
    else if (shared) /* p(m) was not measured: as one transfer */
        add(m, *view_of(shared), SUP_CHANNEL_COPIES)->transfer = transfer;
    if (own.packing && shared) {
        own.of = view_of(shared)->of;
        add(m, own, SUP_CHANNEL_ROOM)->transfer = room;
    } else if (shared) {
        add(m, *view_of(shared), SUP_CHANNEL_ROOM)->transfer = transfer;
    }
    *out = m;
    return SUP_OK;
}

void sup_memory_costs_close(sup_memory_costs *m) {
    if (!m) return;
    free(m->channels);
    free(m->views);
    free(m);
}

const sup_taulop_costs *sup_memory_costs_of(const sup_memory_costs *m) { return &m->costs; }

double sup_memory_data(const sup_job *job) { return (double)sup_job_total(job); }
