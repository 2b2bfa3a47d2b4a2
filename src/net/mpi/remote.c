/* One-sided transfers by messages, where MPI has no windows: the origin asks, the peer serves when it makes progress.
 *
 *     put    origin ── PUT region off len n ──▶ peer        get    origin ── GET region off len n ──▶ peer
 *            origin ══ data, tag 2n ═════════▶ peer                origin ◀═════════ data, tag 2n+1 ══ peer
 *            origin ◀───────────────── DONE n ── peer
 *
 * The data go straight between the caller's memory and the region. `owed` counts per peer what is not complete yet; a
 * flush waits until nothing is owed, and serves others meanwhile. */
#include "net/mpi/transport.h"

#include <stdlib.h>

enum { PUT = 1, GET, DONE };

typedef struct note {
    uint32_t kind, number;
    uint64_t region, offset, length;
} note;

/* One end of a transfer under way, or a note on its way (length 0). */
typedef struct transfer {
    struct transfer *next;
    note note;
    MPI_Request asked, data;
    unsigned char *place;
    size_t at, length;
    int peer, tag;
    bool sends;     /* data go from here */
    bool serves;    /* for a peer */
    uint64_t *owed; /* origin of a get: pays when the data are in */
} transfer;

typedef struct sup_mpi_remote {
    MPI_Comm notes, data;
    MPI_Request incoming;
    note arrived;
    sup_mpi_region *regions;
    uint64_t next_region;
    uint32_t next_number;
    uint64_t *owed;
    transfer *active;
    sup_status broken;
} sup_mpi_remote;

static sup_status listen_again(sup_mpi *t) {
    sup_mpi_remote *m = t->remote;
    int code = MPI_Irecv(&m->arrived, (int)sizeof m->arrived, MPI_BYTE, MPI_ANY_SOURCE, 0, m->notes, &m->incoming);
    return sup_mpi_status(t, code, SUP_NET_ANY);
}

static int duplicate(MPI_Comm from, MPI_Comm *to) {
    int code = MPI_Comm_dup(from, to);
    return code != MPI_SUCCESS ? code : MPI_Comm_set_errhandler(*to, MPI_ERRORS_RETURN);
}

/* Collective, at the first region that needs it. */
static sup_status begin(sup_mpi *t) {
    sup_mpi_remote *m = calloc(1, sizeof *m);
    if (m) m->owed = calloc((size_t)t->net.size, sizeof *m->owed);
    int mine = m && m->owed, all = 0;
    sup_status st = sup_mpi_status(t, MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, t->user), SUP_NET_ANY);
    if (!st && !all) st = SUP_ENOMEM;
    if (st || !m) goto free_m;
    st = sup_mpi_status(t, duplicate(t->user, &m->notes), SUP_NET_ANY);
    if (st) goto free_m;
    st = sup_mpi_status(t, duplicate(t->user, &m->data), SUP_NET_ANY);
    if (st) goto free_notes;
    t->remote = m;
    return listen_again(t);

free_notes:
    MPI_Comm_free(&m->notes);
free_m:
    if (m) free(m->owed);
    free(m);
    return st;
}

sup_status sup_mpi_remote_add(sup_mpi *t, sup_mpi_region *r) {
    if (!t->remote) {
        sup_status st = begin(t);
        if (st) return st;
    }
    r->number = t->remote->next_region++;
    r->next = t->remote->regions;
    t->remote->regions = r;
    return SUP_OK;
}

void sup_mpi_remote_remove(sup_mpi *t, sup_mpi_region *r) {
    for (sup_mpi_region **link = &t->remote->regions; *link; link = &(*link)->next)
        if (*link == r) {
            *link = r->next;
            return;
        }
}

void sup_mpi_remote_free(sup_mpi *t) {
    sup_mpi_remote *m = t->remote;
    if (!m) return;
    if (m->incoming != MPI_REQUEST_NULL) {
        MPI_Cancel(&m->incoming);
        MPI_Wait(&m->incoming, MPI_STATUS_IGNORE);
    }
    MPI_Comm_free(&m->data);
    MPI_Comm_free(&m->notes);
    free(m->owed);
    free(m);
    t->remote = NULL;
}

/* ---- one transfer ------------------------------------------------------------------------------------------------*/

static transfer *begin_transfer(sup_mpi *t, const note *n, int peer, void *place, bool sends) {
    transfer *x = malloc(sizeof *x);
    if (!x) return NULL;
    bool data = n->kind != DONE;
    *x = (transfer){.note = *n, .peer = peer, .place = place, .sends = sends, .length = data ? n->length : 0};
    x->asked = x->data = MPI_REQUEST_NULL;
    x->tag = (int)((2 * n->number + (n->kind == GET)) & t->tail_mask);
    x->next = t->remote->active;
    t->remote->active = x;
    return x;
}

static int ask(sup_mpi *t, transfer *x) {
    int code = MPI_Isend(&x->note, (int)sizeof x->note, MPI_BYTE, x->peer, 0, t->remote->notes, &x->asked);
    sup_mpi_ring(t, x->peer);
    return code;
}

static int chunk(sup_mpi *t, transfer *x) {
    size_t rest = x->length - x->at, n = rest < SUP_MPI_CHUNK_NEAR ? rest : SUP_MPI_CHUNK_NEAR;
    unsigned char *place = x->place + x->at;
    x->at += n;
    int code = x->sends ? MPI_Isend(place, (int)n, MPI_BYTE, x->peer, x->tag, t->remote->data, &x->data)
                        : MPI_Irecv(place, (int)n, MPI_BYTE, x->peer, x->tag, t->remote->data, &x->data);
    sup_mpi_ring(t, x->peer);
    return code;
}

/* Moves x on. True: it is over. */
static bool step(sup_mpi *t, transfer *x) {
    sup_mpi_remote *m = t->remote;
    int flag = 1, code = MPI_Test(&x->asked, &flag, MPI_STATUS_IGNORE);
    bool asked = flag;
    while (code == MPI_SUCCESS) {
        code = MPI_Test(&x->data, &flag, MPI_STATUS_IGNORE);
        if (code != MPI_SUCCESS || !flag) break;
        if (x->at < x->length) {
            code = chunk(t, x);
        } else if (x->serves && x->note.kind == PUT) {
            /* the data are in place: say so, with the same record */
            x->note.kind = DONE;
            code = ask(t, x);
            return code != MPI_SUCCESS && (m->broken = sup_mpi_status(t, code, x->peer)) != SUP_OK;
        } else {
            break;
        }
    }
    if (code != MPI_SUCCESS) {
        m->broken = sup_mpi_status(t, code, x->peer);
        return true;
    }
    if (!asked || !flag) return false;
    if (x->owed) --*x->owed;
    return true;
}

/* ---- serving -----------------------------------------------------------------------------------------------------*/

static void answer(sup_mpi *t, const note *n, int peer) {
    sup_mpi_remote *m = t->remote;
    if (n->kind == DONE) {
        m->owed[peer]--;
        return;
    }
    sup_mpi_region *r = m->regions;
    while (r && r->number != n->region) r = r->next;
    /* the origin has checked against the same lengths */
    transfer *x = r ? begin_transfer(t, n, peer, (unsigned char *)r->region.base + n->offset, n->kind == GET) : NULL;
    if (!x) {
        m->broken = SUP_ENOMEM;
        return;
    }
    x->serves = true;
    int code = chunk(t, x);
    if (code != MPI_SUCCESS) m->broken = sup_mpi_status(t, code, peer);
}

void sup_mpi_remote_serve(sup_mpi *t) {
    sup_mpi_remote *m = t->remote;
    for (int flag = 0; m->incoming != MPI_REQUEST_NULL; flag = 0) {
        MPI_Status status;
        int code = MPI_Test(&m->incoming, &flag, &status);
        if (code != MPI_SUCCESS) m->broken = sup_mpi_status(t, code, SUP_NET_ANY);
        if (code != MPI_SUCCESS || !flag) break;
        note n = m->arrived;
        sup_status st = listen_again(t);
        if (st) m->broken = st;
        answer(t, &n, status.MPI_SOURCE);
    }
    for (transfer **link = &m->active; *link;) {
        transfer *x = *link;
        if (step(t, x)) {
            *link = x->next;
            free(x);
        } else {
            link = &x->next;
        }
    }
}

/* ---- the calls ---------------------------------------------------------------------------------------------------*/

static sup_status transfer_start(sup_mpi *t, const note *n, int peer, void *place) {
    sup_mpi_remote *m = t->remote;
    transfer *x = begin_transfer(t, n, peer, place, n->kind == PUT);
    if (!x) return SUP_ENOMEM;
    m->owed[peer]++;
    if (n->kind == GET) x->owed = &m->owed[peer];
    int code = ask(t, x);
    if (code == MPI_SUCCESS) code = chunk(t, x);
    sup_status st = sup_mpi_status(t, code, peer);
    if (st) m->broken = st;
    return st;
}

sup_status sup_mpi_remote_put(sup_mpi *t, sup_mpi_region *r, int peer, size_t off, const void *src, size_t len) {
    note n = {.kind = PUT, .number = t->remote->next_number++, .region = r->number, .offset = off, .length = len};
    return transfer_start(t, &n, peer, (void *)(uintptr_t)src);
}

sup_status sup_mpi_remote_get(sup_mpi *t, sup_mpi_region *r, int peer, size_t off, void *dst, size_t len) {
    note n = {.kind = GET, .number = t->remote->next_number++, .region = r->number, .offset = off, .length = len};
    return transfer_start(t, &n, peer, dst);
}

static bool owing(const sup_mpi *t, int peer) {
    const uint64_t *owed = t->remote->owed;
    if (peer != SUP_NET_ANY) return owed[peer] != 0;
    for (int i = 0; i < t->net.size; i++)
        if (owed[i]) return true;
    return false;
}

sup_status sup_mpi_remote_flush(sup_mpi *t, int peer) {
    sup_wait w = SUP_WAIT_INIT;
    while (owing(t, peer)) {
        sup_mpi_scan(t);
        if (t->remote->broken) break;
        sup_net_pause(&t->net, &w);
    }
    sup_net_waited(&t->net, &w);
    return t->remote->broken;
}
