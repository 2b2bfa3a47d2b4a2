/* What trials find out, continued (lab/body.c): in which parts a message comes and who moves it (TAU §3, §4), and what
 * it costs to gather one that does not lie in one piece. Stage "measure", term Tcomm. */
#include "measure/lab/net.h"

#include <string.h>

/* ---- parts of a message ---- */

enum { BLANK = 0x5a, SENT = 0xa5 };

/* What the receiver has seen of a message. */
typedef struct sighting {
    const volatile unsigned char *data; /* somebody else may be writing there */
    size_t bytes, seen;
    size_t step; /* what all parts are multiples of, but for the first and the last; 0: there were none */
    int parts;
    bool jumbled; /* its end came before its middle */
} sighting;

static size_t common(size_t a, size_t b) {
    while (b > 0) {
        size_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* Up to where the message is there: it is at `seen`. Steps that grow, then halves. */
static size_t end_of(const sighting *s) {
    size_t there = s->seen, step = 64;
    while (there + step < s->bytes && s->data[there + step] == SENT) {
        there += step;
        step *= 2;
    }
    size_t not_there = there + step < s->bytes ? there + step : s->bytes;
    while (not_there - there > 1) {
        size_t middle = there + (not_there - there) / 2;
        if (s->data[middle] == SENT)
            there = middle;
        else
            not_there = middle;
    }
    return there + 1;
}

static void look(sighting *s) {
    if (s->seen == s->bytes || s->jumbled) return;
    if (s->data[s->seen] != SENT) {
        s->jumbled = s->data[s->bytes - 1] == SENT;
        return;
    }
    size_t end = end_of(s);
    s->jumbled = end < s->bytes && s->data[s->bytes - 1] == SENT;
    if (s->parts > 0 && end < s->bytes) s->step = common(end - s->seen, s->step);
    s->parts++;
    s->seen = end;
}

/* The receiver is there first, and says so. */
static sup_status receive_into_blank(sup_participants *p, sup_net_req *req) {
    int from = p->trial.ranks[1];
    memset(p->lab->in.data, BLANK, p->trial.bytes);
    sup_status status = sup_net_irecv(p->lab->net, from, SUP_LAB_TAG_DATA, p->lab->in.data, p->trial.bytes, req);
    return status ? status : sup_lab_send(p->lab->net, from, SUP_LAB_TAG_ACK, NULL, 0);
}

static sup_status watch_one(sup_participants *p, sighting *s) {
    sup_net_req req;
    sup_status status = receive_into_blank(p, &req);
    while (!status && !req.done) {
        status = sup_net_test(p->lab->net, &req);
        look(s);
    }
    return status;
}

static sup_status send_one(sup_participants *p) {
    int to = p->trial.ranks[0];
    sup_status status = sup_lab_receive(p->lab->net, to, SUP_LAB_TAG_ACK, NULL, 0, NULL);
    return status ? status : sup_lab_send(p->lab->net, to, SUP_LAB_TAG_DATA, p->lab->out.data, p->trial.bytes);
}

/* A transport may try several ways before it settles for one, and it must not learn from what is done here: most
 * messages are as usual. */
enum { BEFORE = 14, AFTER = 2 };

static sup_status usual(sup_participants *p, int count) {
    sup_net *net = p->lab->net;
    int from = p->trial.ranks[1];
    sup_status status = SUP_OK;
    for (int i = 0; i < count && !status; i++) {
        status = p->me == 0 ? sup_lab_send(net, from, SUP_LAB_TAG_ACK, NULL, 0) : send_one(p);
        if (!status && p->me == 0)
            status = sup_lab_receive(net, from, SUP_LAB_TAG_DATA, p->lab->in.data, p->trial.bytes, NULL);
    }
    return status;
}

/* The first of the two receives, and calls the transport again and again; what is new in its buffer after a call is a
 * part, or several. Bytes of a part; 0 if all messages come at once, or their ends before their middles. */
sup_status sup_body_segment(sup_participants *p, uint64_t repetitions, double *elapsed) {
    size_t step = 0, bytes = p->trial.bytes;
    sup_status status = bytes > 0 ? SUP_OK : SUP_EINVAL;
    if (!status) status = usual(p, BEFORE);
    if (!status && p->me == 1) memset(p->lab->out.data, SENT, bytes);
    for (uint64_t r = 0; r < repetitions && !status; r++) {
        sighting s = {.data = p->lab->in.data, .bytes = bytes};
        status = p->me == 0 ? watch_one(p, &s) : send_one(p);
        if (!s.jumbled) step = common(s.step, step);
    }
    *elapsed = (double)step * (double)repetitions;
    return status;
}

/* ---- who moves a message ---- */

enum { SPINS = 1000000 };
#define SAMPLE ((size_t)512)

/* Starts a message, stays away from the transport for longer than it takes, and then changes what it says. */
static sup_status send_and_leave(sup_participants *p) {
    const sup_clock *clock = p->lab->clock;
    double away = 200e-6 + (double)p->trial.bytes * 0.5e-9;
    sup_net *net = p->lab->net;
    int to = p->trial.ranks[0];
    sup_net_req req;
    memset(p->lab->out.data, SENT, p->trial.bytes);
    sup_status status = sup_lab_receive(net, to, SUP_LAB_TAG_ACK, NULL, 0, NULL);
    if (!status) status = sup_net_isend(net, to, SUP_LAB_TAG_DATA, p->lab->out.data, p->trial.bytes, &req);
    if (status) return status;
    int64_t from = clock->now_ns(clock->context);
    for (int i = 0; i < SPINS && sup_clock_seconds(from, clock->now_ns(clock->context)) < away; i++) continue;
    memset(p->lab->out.data, BLANK, p->trial.bytes);
    return sup_net_wait(net, &req);
}

static sup_status receive_share(sup_participants *p, double *share) {
    const unsigned char *data = p->lab->in.data;
    size_t early = 0, samples = 0;
    sup_net_req req;
    sup_status status = receive_into_blank(p, &req);
    if (!status) status = sup_net_wait(p->lab->net, &req);
    for (size_t at = 0; at < p->trial.bytes && !status; at += SAMPLE, samples++) early += data[at] == SENT;
    if (samples > 0) *share = (double)early / (double)samples;
    return status;
}

/* The first of the two receives. What it gets as it was when the message was started has been fetched from the sender's
 * memory without the sender, or was copied when it was started; what is changed needed the sender. The share of the
 * former, of one message however many repetitions. */
sup_status sup_body_fetch(sup_participants *p, uint64_t repetitions, double *elapsed) {
    double share = 0.0;
    if (p->trial.bytes == 0) return SUP_EINVAL;
    sup_status status = usual(p, BEFORE);
    if (!status) status = p->me == 0 ? receive_share(p, &share) : send_and_leave(p);
    if (!status) status = usual(p, AFTER);
    *elapsed = share * (double)repetitions;
    return status;
}

/* ---- packing ---- */

sup_status sup_body_pack(sup_participants *p, uint64_t repetitions, double *elapsed) {
    const sup_trial *t = &p->trial;
    const sup_clock *clock = p->lab->clock;
    if (t->number < 1 || t->stride < t->number) return SUP_EINVAL;
    size_t block = (size_t)t->number, stride = (size_t)t->stride, blocks = (t->bytes + block - 1) / block;
    char *to = p->lab->in.data;
    int64_t begin = clock->now_ns(clock->context);
    for (uint64_t r = 0; r < repetitions; r++) {
        if (p->out_at + blocks * stride > p->lab->out.size || !t->cold) p->out_at = 0;
        const char *from = (const char *)p->lab->out.data + p->out_at;
        for (size_t i = 0; i < blocks; i++) {
            size_t at = i * block, left = t->bytes - at;
            memcpy(to + at, from + i * stride, left < block ? left : block);
        }
        if (t->cold) p->out_at += blocks * stride;
        __asm__ volatile("" ::: "memory"); /* every repetition is done */
    }
    *elapsed = sup_clock_seconds(begin, clock->now_ns(clock->context));
    return SUP_OK;
}

size_t sup_body_pack_parts(const sup_trial *t) {
    return t->number > 0 && t->stride > t->number ? (size_t)((t->stride - 1) / t->number) + 2 : 2;
}
