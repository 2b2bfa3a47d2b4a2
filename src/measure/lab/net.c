/* Visits over a net (lab/net.h): who does what when. Stage "measure", terms Tcomm and Tsync; BSP §4.1 and §5.6.3.
 *
 *     rank 0        leader of a group      another of the group
 *     ──trial──▶    ──────trial──────────▶
 *                   GO n ────────────────▶
 *                   ◀──────────── READY         a batch: some to find out how many repetitions it takes,
 *                   (START ──────────────▶)     then the one that counts; GO 0 ends it
 *                   body                 body
 *                   ◀─ seconds, disturbed
 *     ◀──visit───
 *
 * A batch counts unless the kernel says that a process of the group did not have its core while it ran. */
#include "measure/lab/net.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BATCH_S 100e-6        /* a batch lasts at least so long */
#define WARM_S 60e-6          /* before the batch of a visit: code and buffers back into caches */
#define SPINS_UP_TO (1 << 20) /* bytes: a process that waits for longer messages may sleep, see net/wait.h */
#define BATCH_BYTES (8 << 20) /* nothing is so quick that more than these fit into a batch */
#define DELAYED 0.05          /* share of a batch between hosts that a process may wait for its core */
#define LEARNS_FROM (4 << 10) /* bytes: for longer messages a transport may try several ways … */
#define LEARNS_UP_TO (4 << 20)
#define LEARNS_S 3e-3                         /* … if that takes no longer */
enum { LEARNS = 14, VOTES = 3, GROWTH = 40 }; /* … with so many of a size, which do not count */

/* How a visit begins. */
typedef struct effort {
    uint64_t repetitions; /* of a batch; 0: to be found */
    bool first;           /* visit of this launch */
} effort;

/* What rank 0 sends to a process of a group: followed by the group's ranks. */
typedef struct wire_trial {
    sup_trial trial; /* without ranks and names */
    uint64_t serial;
    effort effort;
    int32_t me, over;        /* over: not a trial, but one of these */
    char word[SUP_LAB_WORD]; /* of a barrier or a collective */
} wire_trial;
enum { NO_MORE = 1, TELL_GAPS, ELSEWHERE, REST };

typedef struct wire_report {
    double seconds;
    uint32_t disturbed, refused; /* refused: this cannot be done here, as everybody finds */
} wire_report;

/* What a group found in a visit. Batches of one visit see one moment of the machine and differ by half as much as those
 * of two visits, so one is all that a visit has: there are more of them. */
typedef struct wire_visit {
    double seconds;        /* of a repetition; negative: the batch does not count */
    uint64_t repetitions;  /* of a batch */
    int32_t count, status; /* batches, 0 or 1; sup_status */
} wire_visit;

/* ---- one batch ---- */

/* Seconds this thread has been waiting for a core since it began; NaN: the kernel does not say. */
static double waited(const sup_lab_net *lab) {
    char text[96];
    unsigned long long ran, delayed;
    ssize_t length = lab->schedstat >= 0 ? pread(lab->schedstat, text, sizeof text - 1, 0) : -1;
    if (length <= 0) return NAN;
    text[length] = 0;
    return sscanf(text, "%llu %llu", &ran, &delayed) == 2 ? 1e-9 * (double)delayed : NAN;
}

/* Between hosts a process that waits gives its core away, to those who move its data among others: neither CPU time
 * below wall time nor being switched (a yield counts as that) says anything. Waiting for a core does. */
static bool disturbed(const sup_participants *p, const sup_usage *usage, double delay) {
    if (!p->apart) return sup_usage_disturbed(usage, p->trial.bytes <= SPINS_UP_TO);
    return isnan(delay) ? usage->involuntary > 0 : delay > 2e-6 && delay > DELAYED * usage->wall_s;
}

static sup_status run_body(sup_participants *p, uint64_t repetitions, wire_report *report) {
    sup_usage_mark mark;
    sup_usage usage;
    bool watch = p->lab->watch;
    double before = watch && p->apart ? waited(p->lab) : NAN;
    if (watch) sup_usage_begin(&mark);
    sup_status status = sup_bodies[p->trial.kind].run(p, repetitions, &report->seconds);
    if (watch) sup_usage_end(&mark, &usage);
    double after = watch && p->apart ? waited(p->lab) : NAN;
    report->disturbed = watch && !sup_bodies[p->trial.kind].share && disturbed(p, &usage, after - before);
    return status;
}

static sup_status tell_all(sup_participants *p, int tag, uint64_t value) {
    sup_status status = SUP_OK;
    for (int i = 1; i < p->trial.group && !status; i++)
        status = sup_lab_send(p->lab->net, p->trial.ranks[i], tag, &value, sizeof value);
    return status;
}

/* The leader's batch. */
static sup_status lead_batch(sup_participants *p, uint64_t repetitions, wire_report *mine) {
    sup_net *net = p->lab->net;
    wire_report theirs;
    *mine = (wire_report){0};
    sup_status status = tell_all(p, SUP_LAB_TAG_GO, repetitions);
    for (int i = 1; i < p->trial.group && !status; i++)
        status = sup_lab_receive(net, p->trial.ranks[i], SUP_LAB_TAG_READY, NULL, 0, NULL);
    if (!status && p->trial.group > 2) status = tell_all(p, SUP_LAB_TAG_START, 1);
    if (!status) status = run_body(p, repetitions, mine);
    if (status == SUP_ENOTSUP) {
        mine->refused = true;
        status = SUP_OK;
    }
    for (int i = 1; i < p->trial.group && !status; i++) {
        status = sup_lab_receive(net, p->trial.ranks[i], SUP_LAB_TAG_REPORT, &theirs, sizeof theirs, NULL);
        if (status) break;
        mine->disturbed |= theirs.disturbed;
        mine->refused |= theirs.refused;
        if (sup_bodies[p->trial.kind].slowest) mine->seconds = fmax(mine->seconds, theirs.seconds);
    }
    return !status && mine->refused ? SUP_ENOTSUP : status;
}

static sup_status follow(sup_participants *p) {
    sup_net *net = p->lab->net;
    int leader = p->trial.ranks[0];
    for (;;) {
        uint64_t repetitions, start;
        wire_report report = {0};
        sup_status status = sup_lab_receive(net, leader, SUP_LAB_TAG_GO, &repetitions, sizeof repetitions, NULL);
        if (status || repetitions == 0) return status;
        status = sup_lab_send(net, leader, SUP_LAB_TAG_READY, NULL, 0);
        if (!status && p->trial.group > 2)
            status = sup_lab_receive(net, leader, SUP_LAB_TAG_START, &start, sizeof start, NULL);
        if (!status) status = run_body(p, repetitions, &report);
        if (status == SUP_ENOTSUP) {
            report.refused = true;
            status = SUP_OK;
        }
        if (!status) status = sup_lab_send(net, leader, SUP_LAB_TAG_REPORT, &report, sizeof report);
        if (status) return status;
    }
}

/* ---- one visit ---- */

/* Everybody of the group on this host and in directly addressable memory? */
static bool can_share(const sup_participants *p) {
    if (!p->lab->region || p->trial.bytes > SUP_LAB_BROADCAST_MAX) return false;
    for (int i = 0; i < p->trial.group; i++)
        if (!sup_net_direct(p->lab->net, p->lab->region, p->trial.ranks[i])) return false;
    return true;
}

static bool can_publish(const sup_participants *p) {
    bool can = p->lab->net->ops->publish != NULL;
    for (int i = 1; i < p->trial.group && can; i++) can = sup_net_shares(p->lab->net, p->trial.ranks[i]);
    return can;
}

static sup_status vote(sup_participants *p, wire_visit *out) {
    wire_report votes;
    sup_status status = lead_batch(p, VOTES, &votes);
    out->seconds = votes.seconds / VOTES;
    out->count = 1;
    return status;
}

/* The first visit of a launch: a transport that learns may do so. */
static sup_status learn(sup_participants *p) {
    bool learns = p->trial.bytes > LEARNS_FROM && p->trial.bytes <= LEARNS_UP_TO;
    wire_report r = {0};
    sup_status status = lead_batch(p, 1, &r);
    return !status && learns && LEARNS * r.seconds < LEARNS_S ? lead_batch(p, LEARNS - 1, &r) : status;
}

/* How many repetitions a batch needs. */
static sup_status find_repetitions(sup_participants *p, uint64_t *repetitions) {
    uint64_t most = sup_bodies[p->trial.kind].share ? 1 : 1 + BATCH_BYTES / (p->trial.bytes + 128), count = 1;
    wire_report r = {0};
    sup_status status = SUP_OK;
    for (int tries = 0; tries < GROWTH && !status; tries++) {
        status = lead_batch(p, count, &r);
        if (status || count >= most || r.seconds >= BATCH_S) break;
        double factor = r.seconds > 0.0 ? 1.2 * BATCH_S / r.seconds : 10.0;
        count = (uint64_t)fmin((double)most, ceil((double)count * fmin(fmax(factor, 1.5), 10.0)));
    }
    *repetitions = count;
    return status;
}

static sup_status sample(sup_participants *p, uint64_t repetitions, bool first, wire_visit *out) {
    wire_report r;
    sup_status status = SUP_OK;
    if (first) status = learn(p);
    if (!status && !repetitions) {
        status = find_repetitions(p, &repetitions);
    } else if (!status && repetitions > 1) {
        status = lead_batch(p, (uint64_t)ceil((double)repetitions * WARM_S / BATCH_S), &r);
    }
    out->repetitions = repetitions;
    if (status) return status;
    status = lead_batch(p, repetitions, &r);
    double each = r.seconds / (double)repetitions;
    out->seconds = r.disturbed ? -each : each;
    out->count = 1;
    return status;
}

/* A group's own trouble (a setup that this net cannot do) is for the result; a lost peer is everybody's. */
static sup_status lead(sup_participants *p, uint64_t repetitions, bool first, wire_visit *out) {
    *out = (wire_visit){0};
    const sup_body_kind *kind = &sup_bodies[p->trial.kind];
    bool can = !(kind->shares && !can_share(p)) && !(kind->publishes && !can_publish(p)) &&
               !(kind->collective && !sup_body_collective_can(p));
    if (!can) {
        out->status = SUP_ENOTSUP;
        return tell_all(p, SUP_LAB_TAG_GO, 0);
    }
    sup_status status = kind->votes ? vote(p, out) : sample(p, repetitions, first, out);
    out->status = status;
    if (!status || status == SUP_ENOTSUP) status = tell_all(p, SUP_LAB_TAG_GO, 0);
    if (status) out->status = status;
    return status;
}

/* trial->ranks: of this process's group. */
static sup_status take_part(sup_lab_net *lab, const sup_trial *trial, const effort *e, int me, sup_diag *diag,
                            wire_visit *out) {
    sup_participants p = {.lab = lab, .trial = *trial, .me = me};
    for (int i = 1; i < trial->group; i++)
        p.apart |= strcmp(sup_net_host(lab->net, trial->ranks[0]), sup_net_host(lab->net, trial->ranks[i])) != 0;
    sup_status status = sup_participants_prepare(&p, diag);
    if (status) return status;
    return me == 0 ? lead(&p, e->repetitions, e->first, out) : follow(&p);
}

/* ---- barriers ---- */

static sup_status make_barrier(sup_lab_net *lab, const sup_pattern *pattern, int slot, sup_barrier **out) {
    sup_net_group everybody = sup_net_group_first(lab->net, lab->net->size);
    sup_status status = sup_barrier_new(&everybody, pattern, slot, out);
    /* words greater than those of an earlier lab on this net */
    if (!status) sup_barrier_begin_at(*out, lab->serial << 24);
    return status;
}

sup_status sup_lab_net_add(sup_lab *base, const char *word, const sup_pattern *pattern) {
    sup_lab_net *lab = (sup_lab_net *)base;
    sup_lab_barrier *grown = realloc(lab->barriers, (lab->barrier_count + 1) * sizeof *grown);
    if (!grown) return SUP_ENOMEM;
    lab->barriers = grown;
    sup_lab_barrier *b = &grown[lab->barrier_count];
    snprintf(b->word, sizeof b->word, "%s", word);
    sup_status status = make_barrier(lab, pattern, SUP_SLOT_TRIAL, &b->barrier);
    if (!status) lab->barrier_count++;
    return status;
}

/* Which it is; those of a word are made when they are first asked for, by all processes in the same order. SUP_EINVAL:
 * there is none. */
static sup_status find_barrier(sup_lab_net *lab, const char *word, int *number) {
    sup_pattern pattern;
    *number = sup_lab_find_barrier(lab, word);
    if (*number >= 0) return SUP_OK;
    if (!word) return SUP_EINVAL;
    sup_status status = sup_pattern_read(word, lab->net->size, &pattern);
    if (status) return status;
    status = sup_lab_net_add(&lab->lab, word, &pattern);
    sup_pattern_free(&pattern);
    *number = (int)lab->barrier_count - 1;
    return status;
}

/* ---- rank 0 ---- */

static sup_status bad(sup_diag *diag, const char *what) {
    return sup_diag_set(diag, SUP_EINVAL, NULL, 0, "trial: %s", what);
}

static sup_status check(const sup_lab *lab, const sup_trial *t, sup_diag *diag) {
    if (t->kind < 0 || t->kind >= SUP_TRIAL_KINDS || !sup_bodies[t->kind].run) return bad(diag, "no such kind");
    if (t->groups < 1 || t->group < 1 || t->group > lab->size / t->groups) return bad(diag, "too few processes");
    if (t->number < 0) return bad(diag, "counts make no sense");
    for (int i = 0; i < t->groups * t->group; i++)
        if (t->ranks[i] < 0 || t->ranks[i] >= lab->size) return bad(diag, "no such process");
    const sup_body_kind *kind = &sup_bodies[t->kind];
    if (kind->everybody && t->group != lab->size) return bad(diag, "a barrier is everybody's");
    if (kind->collective && (!t->kernel || strlen(t->kernel) >= SUP_LAB_WORD)) return bad(diag, "no such collective");
    if (kind->couples && t->group % 2) return bad(diag, "couples need an even number of processes");
    return SUP_OK;
}

/* Tells every process of every group but this one. message has room for the header and a group of ranks. */
static sup_status hand_out(sup_lab_net *lab, const sup_trial *t, const effort *e, char *message) {
    sup_status status = SUP_OK;
    size_t length = sizeof(wire_trial) + (size_t)t->group * sizeof(int);
    for (int i = 0; i < t->groups * t->group && !status; i++) {
        if (t->ranks[i] == lab->net->rank) continue;
        wire_trial w = {.trial = *t, .serial = lab->serial, .effort = *e, .me = i % t->group};
        w.trial.groups = 1;
        w.trial.ranks = NULL;
        w.trial.kernel = w.trial.engine = NULL;
        bool named = sup_bodies[t->kind].barrier || sup_bodies[t->kind].collective;
        if (named) snprintf(w.word, sizeof w.word, "%s", t->kernel);
        memcpy(message, &w, sizeof w);
        memcpy(message + sizeof w, t->ranks + i / t->group * t->group, (size_t)t->group * sizeof(int));
        status = sup_lab_send(lab->net, t->ranks[i], SUP_LAB_TAG_TRIAL, message, length);
    }
    return status;
}

static sup_status run_net(sup_lab_net *lab, const sup_trial *trial, const effort *e, sup_diag *diag,
                          wire_visit *found) {
    sup_trial known = *trial, *t = &known;
    sup_status status = check(&lab->lab, t, diag);
    if (status) return status;
    status = sup_bodies[t->kind].barrier ? find_barrier(lab, t->kernel, &t->number) : SUP_OK;
    if (status == SUP_EINVAL) { /* of another version, or of a run that had others */
        for (int g = 0; g < t->groups; g++) found[g].status = SUP_ENOTSUP;
        return SUP_OK;
    }
    if (status) return sup_diag_set(diag, status, NULL, 0, "cannot make the barrier %s", t->kernel);
    char *message = malloc(sizeof(wire_trial) + (size_t)t->group * sizeof(int));
    if (!message) return sup_diag_set(diag, SUP_ENOMEM, NULL, 0, "out of memory");
    lab->serial++;
    status = hand_out(lab, t, e, message);
    free(message);
    for (int i = 0; i < t->groups * t->group && !status; i++) {
        if (t->ranks[i] != lab->net->rank) continue;
        sup_trial mine = *t;
        mine.ranks += i / t->group * t->group;
        status = take_part(lab, &mine, e, i % t->group, diag, &found[i / t->group]);
    }
    for (int g = 0; g < t->groups && !status; g++) {
        int leader = t->ranks[g * t->group];
        if (leader == lab->net->rank) continue;
        status = sup_lab_receive(lab->net, leader, SUP_LAB_TAG_RESULT, &found[g], sizeof found[g], NULL);
    }
    if (status)
        return sup_diag_set(diag, status, NULL, 0, "%s: %s", sup_trial_kinds[t->kind].name, sup_status_text(status));
    return SUP_OK;
}

static sup_status keep(sup_lab *base, sup_point *point, const wire_visit *found) {
    sup_status status = SUP_OK;
    for (int g = 0; g < point->values; g++) {
        if (found[g].status) point->status = found[g].status;
        if (!found[g].count || status) continue;
        base->batches++;
        base->dropped += found[g].seconds < 0.0;
        status = sup_point_add(point, g, found[g].seconds);
    }
    /* groups side by side do the same: the first one's number is as good as any */
    if (found[0].repetitions) point->repetitions = found[0].repetitions;
    return status;
}

/* As many as earlier launches say; 0: they do not. */
static uint64_t usual_repetitions(const sup_lab *lab, const sup_point *point) {
    sup_timing t;
    sup_store_say_times(lab->store, point, 0, &t);
    double most = 1.0 + BATCH_BYTES / ((double)point->trial.bytes + 128.0);
    if (sup_bodies[point->trial.kind].share) return 1;
    return t.n > 0 && t.seconds > 0.0 ? (uint64_t)fmin(most, ceil(1.2 * BATCH_S / t.seconds)) : 0;
}

static sup_status visit_net(sup_lab *base, sup_point *point, sup_diag *diag) {
    sup_lab_net *lab = (sup_lab_net *)base;
    if (!sup_bodies[point->trial.kind].run) { /* a superstep, for another lab */
        point->status = SUP_ENOTSUP;
        return SUP_OK;
    }
    int64_t from = lab->clock->now_ns(lab->clock->context);
    wire_visit *found = calloc((size_t)point->values, sizeof *found);
    if (!found) return sup_diag_set(diag, SUP_ENOMEM, NULL, 0, "out of memory");
    effort e = {point->repetitions, point->visits == 0};
    if (!e.repetitions) e.repetitions = usual_repetitions(base, point);
    sup_status status = run_net(lab, &point->trial, &e, diag, found);
    if (!status) status = keep(base, point, found);
    free(found);
    double took = sup_clock_seconds(from, lab->clock->now_ns(lab->clock->context));
    point->visit_s = point->visit_s > 0.0 ? fmin(took, point->visit_s) : took;
    return status;
}

/* ---- the others ---- */

sup_status sup_lab_net_serve(sup_lab *base, sup_diag *diag) {
    sup_lab_net *lab = (sup_lab_net *)base;
    size_t room = sizeof(wire_trial) + (size_t)base->size * sizeof(int), length;
    char *message = malloc(room);
    if (!message) return sup_diag_set(diag, SUP_ENOMEM, NULL, 0, "out of memory");
    sup_status status;
    for (;;) {
        wire_trial w;
        wire_visit result = {0};
        status = sup_lab_receive(lab->net, 0, SUP_LAB_TAG_TRIAL, message, room, &length);
        if (status) break;
        memcpy(&w, message, sizeof w);
        if (w.over == TELL_GAPS) {
            status = sup_lab_send(lab->net, 0, SUP_LAB_TAG_RESULT, &lab->gaps, sizeof lab->gaps);
            if (status) break;
            continue;
        }
        if (w.over == ELSEWHERE && lab->elsewhere) {
            lab->elsewhere(lab->context);
            continue;
        }
        if (w.over == REST) {
            if (lab->turns) sup_turns_wait(lab->turns, false);
            continue;
        }
        if (w.over) break;
        w.trial.ranks = (const int *)(const void *)(message + sizeof w);
        lab->serial = w.serial;
        w.trial.kernel = w.word;
        bool barrier = sup_bodies[w.trial.kind].barrier;
        if (barrier && (status = find_barrier(lab, w.word, &w.trial.number))) break;
        status = take_part(lab, &w.trial, &w.effort, w.me, diag, &result);
        if (!status && w.me == 0) status = sup_lab_send(lab->net, 0, SUP_LAB_TAG_RESULT, &result, sizeof result);
        if (status) break;
    }
    free(message);
    return status ? sup_diag_set(diag, status, NULL, 0, "measuring: %s", sup_status_text(status)) : SUP_OK;
}

static sup_status tell_others(const sup_lab *base, int what, sup_diag *diag) {
    const wire_trial message = {.over = what};
    sup_status status = SUP_OK;
    for (int rank = 1; rank < base->size && !status; rank++)
        status = sup_lab_send(((const sup_lab_net *)base)->net, rank, SUP_LAB_TAG_TRIAL, &message, sizeof message);
    return status ? sup_diag_set(diag, status, NULL, 0, "measuring: %s", sup_status_text(status)) : SUP_OK;
}

sup_status sup_lab_net_elsewhere(sup_lab *base, sup_diag *diag) { return tell_others(base, ELSEWHERE, diag); }

static sup_status rest(sup_lab *base, sup_diag *diag) { return tell_others(base, REST, diag); }

/* Everybody's counts travel as a trial of its own: rank 0 asks each in turn. */
sup_status sup_lab_net_gaps(sup_lab *base, sup_gaps *all, sup_diag *diag) {
    sup_lab_net *lab = (sup_lab_net *)base;
    wire_trial ask = {.over = TELL_GAPS};
    *all = lab->gaps;
    sup_status status = SUP_OK;
    for (int rank = 1; rank < base->size && !status; rank++) {
        sup_gaps theirs;
        status = sup_lab_send(lab->net, rank, SUP_LAB_TAG_TRIAL, &ask, sizeof ask);
        if (!status) status = sup_lab_receive(lab->net, rank, SUP_LAB_TAG_RESULT, &theirs, sizeof theirs, NULL);
        if (!status) sup_gaps_add(all, &theirs);
    }
    return status ? sup_diag_set(diag, status, NULL, 0, "interruptions: %s", sup_status_text(status)) : SUP_OK;
}

/* ---- opening and closing ---- */

/* The first is the runtime's; others go on from its words. */
static sup_status make_barriers(sup_lab_net *lab) {
    sup_pattern pattern = sup_pattern_make(&sup_generator_dissemination, lab->net->size);
    sup_status status = make_barrier(lab, &pattern, SUP_SLOT_TOGETHER, &lab->together);
    if (!status) status = sup_lab_net_add(&lab->lab, sup_generator_dissemination.name, &pattern);
    if (!status) lab->latest = lab->barriers[0].barrier;
    return status;
}

/* Collective. */
static sup_status open_collectives(sup_lab_net *lab, sup_diag *diag) {
    const sup_coll_options options = {.tag = SUP_TAG_COLL_TRIAL, .slot = SUP_SLOT_COLL_TRIAL};
    sup_net_group everybody = sup_net_group_first(lab->net, lab->net->size);
    return sup_coll_open(&everybody, &options, diag, &lab->coll);
}

static void free_lab(sup_lab_net *lab) {
    for (size_t k = 0; k < lab->barrier_count; k++) sup_barrier_free(lab->barriers[k].barrier);
    free(lab->barriers);
    sup_barrier_free(lab->together);
    if (lab->schedstat >= 0) close(lab->schedstat);
    sup_memory_free(&lab->in);
    sup_memory_free(&lab->out);
    free(lab->reqs);
    free(lab->places);
    free(lab);
}

sup_status sup_lab_net_open(sup_net *net, const sup_lab_options *options, sup_diag *diag, sup_lab **out) {
    sup_lab_net *lab = calloc(1, sizeof *lab);
    if (!lab) return sup_diag_set(diag, SUP_ENOMEM, NULL, 0, "out of memory");
    lab->net = net;
    lab->schedstat = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
    lab->clock = options && options->clock ? options->clock : sup_clock_system();
    lab->elsewhere = options ? options->elsewhere : NULL;
    lab->context = options ? options->context : NULL;
    lab->turns = options ? options->turns : NULL;
    lab->lab = (sup_lab){.size = net->size, .transport = sup_net_name(net), .visit = visit_net, .rest = rest};
    sup_status status = sup_lab_places(lab, diag);
    if (status) goto free_lab;
    lab->watch = !(options && options->no_watch) && !lab->lab.oversubscribed;
    status = make_barriers(lab);
    if (status) {
        sup_diag_set(diag, status, NULL, 0, "cannot make barriers of %d processes", net->size);
        goto free_lab;
    }
    /* without it only the broadcast setup is missing; memory beside a transport is none of its setups */
    bool own = net->size > 1 && !net->memory_beside;
    if (own && sup_net_region_alloc(net, 2 * SUP_LAB_BROADCAST_MAX, &lab->region)) lab->region = NULL;
    if (options && options->collectives && (status = open_collectives(lab, diag))) goto free_region;
    *out = &lab->lab;
    return SUP_OK;

free_region:
    sup_net_region_free(lab->net, lab->region);

free_lab:
    free_lab(lab);
    return status;
}

void sup_lab_net_close(sup_lab *base) {
    if (!base) return;
    sup_lab_net *lab = (sup_lab_net *)base;
    wire_trial stop = {.over = NO_MORE};
    sup_status status = SUP_OK;
    for (int rank = 1; rank < base->size && lab->net->rank == 0 && !status; rank++)
        status = sup_lab_send(lab->net, rank, SUP_LAB_TAG_TRIAL, &stop, sizeof stop);
    if (lab->coll) sup_coll_close(lab->coll);
    sup_net_region_free(lab->net, lab->region);
    free_lab(lab);
}
