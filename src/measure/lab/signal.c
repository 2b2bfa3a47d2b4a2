/* What is timed of signals over a net (lab/net.h): between two processes, from one to many, from many to one, and one
 * word that many read. The first of the group is timed, in rounds that begin and end with it. Stage "measure", Tsync.
 *
 *     two         0 → 1 → 0                        half of it
 *     to many     0 → 1 … k, the last answers      more of the sender's time for each
 *     and back    0 → 1 … k → 0                    … and more of the receiver's
 *     published   0 writes a word that 1 … k read, all answer */
#include "measure/lab/net.h"

static int64_t now(const sup_participants *p) { return p->lab->clock->now_ns(p->lab->clock->context); }

static sup_status signal_to(sup_participants *p, int index, uint64_t beat) {
    return sup_net_signal(p->lab->net, p->trial.ranks[index], SUP_SLOT_BEAT, beat);
}

static sup_status await_from(sup_participants *p, int index, uint64_t beat) {
    uint64_t value;
    return sup_net_await(p->lab->net, p->trial.ranks[index], SUP_SLOT_BEAT, beat, &value);
}

/* The part of all but the first: hears, and answers if it is one of those that do. */
static sup_status echo(sup_participants *p, uint64_t beat, bool published, bool answers) {
    uint64_t value;
    sup_status status = published ? sup_net_await_published(p->lab->net, p->trial.ranks[0], SUP_SLOT_BEAT, beat, &value)
                                  : await_from(p, 0, beat);
    return !status && answers ? signal_to(p, 0, beat) : status;
}

static sup_status tell(sup_participants *p, uint64_t beat, bool published) {
    const sup_trial *t = &p->trial;
    if (published) return sup_net_publish(p->lab->net, SUP_SLOT_BEAT, beat, t->ranks + 1, t->group - 1);
    sup_status status = SUP_OK;
    for (int i = 1; i < t->group && !status; i++) status = signal_to(p, i, beat);
    return status;
}

/* answers: so many of the last of the group. */
static sup_status rounds(sup_participants *p, uint64_t repetitions, bool published, int answers, double *elapsed) {
    int first = p->trial.group - answers;
    uint64_t beat = p->lab->serial << 32;
    sup_status status = SUP_OK;
    int64_t from = now(p);
    for (uint64_t r = 0; r < repetitions && !status; r++) {
        beat = (p->lab->serial << 32) + ++p->beat;
        if (p->me > 0) {
            status = echo(p, beat, published, p->me >= first);
            continue;
        }
        status = tell(p, beat, published);
        for (int i = first; i < p->trial.group && !status; i++) status = await_from(p, i, beat);
    }
    *elapsed = sup_clock_seconds(from, now(p));
    return status;
}

sup_status sup_body_signal(sup_participants *p, uint64_t repetitions, double *elapsed) {
    sup_status status = rounds(p, repetitions, false, 1, elapsed);
    *elapsed /= 2.0;
    return status;
}

sup_status sup_body_signal_out(sup_participants *p, uint64_t repetitions, double *elapsed) {
    return rounds(p, repetitions, false, 1, elapsed);
}

sup_status sup_body_signal_back(sup_participants *p, uint64_t repetitions, double *elapsed) {
    return rounds(p, repetitions, false, p->trial.group - 1, elapsed);
}

sup_status sup_body_publish(sup_participants *p, uint64_t repetitions, double *elapsed) {
    return rounds(p, repetitions, true, p->trial.group - 1, elapsed);
}
