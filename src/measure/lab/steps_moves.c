/* What a superstep of a trial does (steps_work.h): the exchange of base/exchange.h by one of the runtime's calls, each
 * message from and to a place of its own, as programs have it. Tcomm and Tsync, stage "measure".
 *
 * Who has partners asks: of gets the bytes come the other way. */
#include "measure/lab/steps_work.h"

#include "base/clock.h"
#include "base/exchange.h"

#include <bsp.h>

#include <stdlib.h>

/* Of those that several processes send to one, each has its place there; so has each of several to or from one. */
static size_t place_of(const sup_exchange *x, int64_t processes, int64_t me, int64_t k) {
    bool alone = x->partners(processes, me) == 1;
    int64_t peer = x->partner(processes, me, k);
    if (!alone || x->sources(processes, peer) < 2) return (size_t)k;
    return (size_t)((me + processes - peer - 1) % processes);
}

bool sup_steps_prepare(sup_steps_mover *m, const sup_steps_order *o) {
    m->count = 0;
    if (o->what > SUP_STEPS_KEPT || !o->bytes) return true; /* the others say themselves what they move */
    const sup_exchange *x = sup_exchange_at(o->shape);
    int64_t partners = x->partners(m->size, m->me), out = sup_exchange_most_out(o->shape, m->size),
            in = sup_exchange_most_in(o->shape, m->size), most = out > in ? out : in;
    size_t count = (size_t)partners * (size_t)o->records;
    if (count > m->room) {
        sup_steps_message *grown = realloc(m->message, count * sizeof *grown);
        if (!grown) return false;
        m->message = grown;
        m->room = count;
    }
    for (int64_t r = 0; r < o->records; r++)
        for (int64_t k = 0; k < partners; k++) {
            size_t block = (size_t)(r * most) + place_of(x, m->size, m->me, k);
            m->message[m->count++] = (sup_steps_message){(int)x->partner(m->size, m->me, k), block * (size_t)o->bytes};
        }
    return true;
}

void sup_steps_spin(sup_steps_mover *m, int64_t steps) {
    uint64_t s = m->spun;
    for (int64_t i = 0; i < steps; i++) {
        s = s * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        __asm__ volatile("" : "+r"(s));
    }
    m->spun = s;
}

/* Messages are taken where they lie, as a program does that is in a hurry; what it does with them is computation. */
static void take_messages(sup_steps_mover *m) {
    int64_t from = sup_clock_ns();
    int packets = 0;
    bsp_qsize(&packets, NULL);
    void *tag, *data;
    for (int i = 0; i < packets; i++) bsp_hpmove(&tag, &data);
    m->reading_s = sup_clock_seconds(from, sup_clock_ns());
}

static void ask_for(const sup_steps_mover *m, const sup_steps_message *x, int move, size_t bytes) {
    switch (move) {
    case SUP_MOVE_PUT: bsp_put(x->peer, m->out + x->at, m->in, x->at, bytes); break;
    case SUP_MOVE_HPPUT: bsp_hpput(x->peer, m->out + x->at, m->in, x->at, bytes); break;
    case SUP_MOVE_GET: bsp_get(x->peer, m->out, x->at, m->in + x->at, bytes); break;
    case SUP_MOVE_HPGET: bsp_hpget(x->peer, m->out, x->at, m->in + x->at, bytes); break;
    default: bsp_send(x->peer, m->out, m->out + x->at, bytes); break;
    }
}

void sup_steps_run(sup_steps_mover *m, const sup_steps_order *o) {
    size_t bytes = (size_t)o->bytes;
    m->reading_s = 0.0;
    switch (o->what) {
    case SUP_STEPS_EXCHANGE:
    case SUP_STEPS_KEPT:
        if (o->move == SUP_MOVE_SEND) take_messages(m);
        for (size_t i = 0; i < m->count; i++) ask_for(m, &m->message[i], o->move, bytes);
        break;
    case SUP_STEPS_WORK: sup_steps_spin(m, o->work); break;
    default:
        bsp_hpput((m->me + 1) % m->size, m->out, m->in, 0, bytes);
        if (o->what == SUP_STEPS_BOTH) sup_steps_spin(m, o->work);
        break;
    }
    bsp_sync();
}
