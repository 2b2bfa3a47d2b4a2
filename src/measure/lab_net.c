/* Trials over a net (trial.h): who does what when. Stage "measure", terms Tcomm and Tsync; BSP §4.1 and §5.6.3.
 *
 *     rank 0        leader of a group      another of the group
 *     ──trial──▶    ──────trial──────────▶
 *                   GO n ────────────────▶      both wait until nobody shares their cores
 *                   ◀──────────── READY         a batch: repeated until the sampler
 *                   (START ──────────────▶)     has enough; GO 0 ends it
 *                   body                 body
 *                   ◀─ seconds, disturbed
 *     ◀──timing──
 *
 * A batch counts only if no process of the group was switched out while it ran, or shared its core at its end. */
#include "measure/lab_net.h"

#include "base/pace.h"
#include "base/sampler.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BATCH_S 100e-6         /* a batch lasts at least so long */
#define SPINS_UP_TO (1 << 20)  /* bytes: a process that waits for longer messages may sleep, see net/wait.h */
#define BATCH_BYTES (8 << 20)  /* nothing is so quick that more than these fit into a batch */
#define PHASE_BYTES (64 << 10) /* as BATCH_BYTES, of a phase of supersteps */
#define DELAYED 0.05           /* share of a batch between hosts that a process may wait for its core */
#define PACE_S 0.020           /* a process waits for its core to be its own alone */
#define LEARNS_FROM (4 << 10)  /* bytes: for longer messages a transport may try several ways … */
#define LEARNS_UP_TO (4 << 20)
#define LEARNS 14 /* … with so many of a size, which do not count */
#define EAGER_VOTES 3

/* What rank 0 sends to a process of a group: followed by the group's ranks. */
typedef struct wire_trial {
    sup_trial trial; /* without ranks */
    uint64_t serial;
    int32_t me, over; /* over: no more */
} wire_trial;

typedef struct wire_report {
    double seconds;
    uint32_t disturbed, held; /* held: somebody shared the core when the batch was to begin */
} wire_report;

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
static bool disturbed(const sup_party *p, const sup_usage *usage, double delay) {
    if (!p->apart) return sup_usage_disturbed(usage, p->trial.bytes <= SPINS_UP_TO) || sup_pace_lost(p->trial.group);
    return isnan(delay) ? usage->involuntary > 0 : delay > 2e-6 && delay > DELAYED * usage->wall_s;
}

/* Between hosts that share this machine's cores, sharing is part of what is measured. */
static bool hold(const sup_party *p) {
    return p->lab->watch && !p->apart && !sup_pace_await(p->trial.group, PACE_S, NULL);
}

static sup_status run_body(sup_party *p, uint64_t repetitions, wire_report *report) {
    sup_usage_mark mark;
    sup_usage usage;
    bool watch = p->lab->watch;
    double before = watch && p->apart ? waited(p->lab) : NAN;
    if (watch) sup_usage_begin(&mark);
    sup_status status = sup_bodies[p->trial.kind].run(p, repetitions, &report->seconds);
    if (watch) sup_usage_end(&mark, &usage);
    double after = watch && p->apart ? waited(p->lab) : NAN;
    report->disturbed = watch && disturbed(p, &usage, after - before);
    return status;
}

static sup_status tell_all(sup_party *p, int tag, uint64_t value) {
    sup_status status = SUP_OK;
    for (int i = 1; i < p->trial.group && !status; i++)
        status = sup_lab_send(p->lab->net, p->trial.ranks[i], tag, &value, sizeof value);
    return status;
}

/* The leader's batch, as the sampler calls it. */
static sup_status lead_batch(void *context, uint64_t repetitions, double *elapsed) {
    sup_party *p = context;
    sup_net *net = p->lab->net;
    wire_report mine = {0}, theirs;
    sup_status status = tell_all(p, SUP_LAB_TAG_GO, repetitions);
    mine.held = hold(p);
    for (int i = 1; i < p->trial.group && !status; i++)
        status = sup_lab_receive(net, p->trial.ranks[i], SUP_LAB_TAG_READY, NULL, 0, NULL);
    if (!status && p->trial.group > 2) status = tell_all(p, SUP_LAB_TAG_START, 1);
    if (!status) status = run_body(p, repetitions, &mine);
    for (int i = 1; i < p->trial.group && !status; i++) {
        status = sup_lab_receive(net, p->trial.ranks[i], SUP_LAB_TAG_REPORT, &theirs, sizeof theirs, NULL);
        if (status) break;
        mine.disturbed |= theirs.disturbed;
        mine.held |= theirs.held;
        if (sup_bodies[p->trial.kind].slowest) mine.seconds = fmax(mine.seconds, theirs.seconds);
    }
    *elapsed = mine.seconds;
    p->held += mine.held;
    if (status == SUP_EBUSY) return SUP_EIO; /* the sampler has its own meaning for it */
    return !status && mine.disturbed ? SUP_EBUSY : status;
}

static sup_status follow(sup_party *p) {
    sup_net *net = p->lab->net;
    int leader = p->trial.ranks[0];
    for (;;) {
        uint64_t repetitions, start;
        wire_report report = {0};
        sup_status status = sup_lab_receive(net, leader, SUP_LAB_TAG_GO, &repetitions, sizeof repetitions, NULL);
        if (status || repetitions == 0) return status;
        report.held = hold(p);
        status = sup_lab_send(net, leader, SUP_LAB_TAG_READY, NULL, 0);
        if (!status && p->trial.group > 2)
            status = sup_lab_receive(net, leader, SUP_LAB_TAG_START, &start, sizeof start, NULL);
        if (!status) status = run_body(p, repetitions, &report);
        if (!status) status = sup_lab_send(net, leader, SUP_LAB_TAG_REPORT, &report, sizeof report);
        if (status) return status;
    }
}

/* ---- one trial ---- */

static size_t bytes_of(const sup_trial *t) {
    return sup_bodies[t->kind].logs ? t->bytes * (size_t)t->number * (size_t)t->records : t->bytes;
}

/* Everybody of the group on this host and in directly addressable memory? */
static bool can_share(const sup_party *p) {
    bool logs = sup_bodies[p->trial.kind].logs;
    if (!p->lab->region || bytes_of(&p->trial) > (logs ? SUP_LAB_COPY_MAX : p->lab->segment_bytes)) return false;
    if (logs && !p->lab->logs_fit) return false;
    for (int i = 0; i < p->trial.group; i++)
        if (!sup_net_direct(p->lab->net, p->lab->region, p->trial.ranks[i])) return false;
    return true;
}

static sup_status vote(sup_party *p, sup_timing *out) {
    double yes = 0.0;
    sup_status status = lead_batch(p, EAGER_VOTES, &yes);
    if (status == SUP_EBUSY) status = SUP_OK; /* the answer does not depend on time */
    *out = (sup_timing){.seconds = 2.0 * yes > EAGER_VOTES ? 1.0 : 0.0, .n = EAGER_VOTES, .batches = 1};
    return status;
}

static sup_status sample(sup_party *p, sup_timing *out) {
    sup_sampler_config c = sup_sampler_defaults();
    sup_sampler_result r;
    c.run = lead_batch;
    c.context = p;
    c.clock = p->lab->clock;
    c.no_watch = true; /* lead_batch watches, around the body alone */
    c.min_batch_s = BATCH_S;
    c.max_batch = 1 + BATCH_BYTES / (p->trial.bytes + 128);
    /* most of a superstep is the barrier, which its phases' times do not show */
    if (sup_bodies[p->trial.kind].logs) c.max_batch = 2 + PHASE_BYTES / (bytes_of(&p->trial) + 128);
    if (p->trial.bytes > LEARNS_FROM && p->trial.bytes <= LEARNS_UP_TO) c.warmup = LEARNS;
    c.min_samples = (size_t)p->trial.min_samples;
    c.max_samples = (size_t)p->trial.max_samples;
    c.wanted_relative = p->trial.wanted;
    c.max_seconds = p->trial.max_seconds;
    /* on a machine that is never quiet, waiting for quiet only costs time: the result says how many were disturbed */
    c.patience = p->lab->batches > 200 && 2 * p->lab->rejected > p->lab->batches ? 1 : 10;
    sup_status status = sup_sampler_run(&c, NULL, &r);
    if (status) return status;
    *out = (sup_timing){.seconds = r.median, .n = (int64_t)r.n, .reruns = (int64_t)r.reruns};
    out->ci = r.n > 1 ? (r.ci_high - r.ci_low) / 2.0 : r.median;
    out->rejected = (int64_t)(r.rejected + p->held); /* a batch that had to wait: as good as one thrown away */
    out->disturbed = (int64_t)r.disturbed;
    out->batches = (int64_t)(r.n + r.reruns + r.rejected + p->held);
    out->spent_s = r.seconds;
    sup_timing_widen(out);
    p->lab->batches += (uint64_t)out->batches;
    p->lab->rejected += r.rejected;
    return SUP_OK;
}

/* A group's own trouble (a setup that this net cannot do) is for the result; a lost peer is everybody's. */
static sup_status lead(sup_party *p, sup_timing *out) {
    *out = (sup_timing){0};
    if (sup_bodies[p->trial.kind].shares && !can_share(p)) {
        out->status = SUP_ENOTSUP;
        return tell_all(p, SUP_LAB_TAG_GO, 0);
    }
    sup_status status = sup_bodies[p->trial.kind].votes ? vote(p, out) : sample(p, out);
    if (!status) status = tell_all(p, SUP_LAB_TAG_GO, 0);
    out->status = status;
    return status;
}

/* trial->ranks: of this process's group. */
static sup_status take_part(sup_lab_net *lab, const sup_trial *trial, int me, sup_diag *diag, sup_timing *out) {
    sup_party p = {.lab = lab, .trial = *trial, .me = me};
    for (int i = 1; i < trial->group; i++)
        p.apart |= strcmp(sup_net_host(lab->net, trial->ranks[0]), sup_net_host(lab->net, trial->ranks[i])) != 0;
    sup_status status = sup_party_prepare(&p, diag);
    if (status) return status;
    return me == 0 ? lead(&p, out) : follow(&p);
}

/* ---- rank 0 ---- */

static sup_status bad(sup_diag *diag, const char *what) {
    return sup_diag_set(diag, SUP_EINVAL, NULL, 0, "trial: %s", what);
}

static bool is_barrier(int number) {
    int count = 0;
    while (sup_generators[count]) count++;
    return number < count && sup_generators[number]->barrier;
}

static sup_status check(const sup_lab *lab, const sup_trial *t, sup_diag *diag) {
    if (t->kind < 0 || t->kind >= SUP_TRIAL_KINDS) return bad(diag, "no such kind");
    if (t->groups < 1 || t->group < 1 || t->group > lab->size / t->groups) return bad(diag, "too few processes");
    if (t->number < 0 || t->min_samples < 1 || t->max_samples < t->min_samples)
        return bad(diag, "counts make no sense");
    for (int i = 0; i < t->groups * t->group; i++)
        if (t->ranks[i] < 0 || t->ranks[i] >= lab->size) return bad(diag, "no such process");
    const sup_body_kind *kind = &sup_bodies[t->kind];
    if (kind->everybody && t->group != lab->size) return bad(diag, "a barrier is everybody's");
    if (kind->barrier && !is_barrier(t->number)) return bad(diag, "no such barrier");
    if (kind->logs && (t->number >= t->group || t->number > SUP_LAB_FAN_MAX || t->records < 1 || t->stride < 0))
        return bad(diag, "nobody to put to");
    if (kind->couples && t->group % 2) return bad(diag, "couples need an even number of processes");
    return SUP_OK;
}

/* Tells every process of every group but this one. message has room for the header and a group of ranks. */
static sup_status hand_out(sup_lab_net *lab, const sup_trial *t, char *message) {
    sup_status status = SUP_OK;
    size_t length = sizeof(wire_trial) + (size_t)t->group * sizeof(int);
    for (int i = 0; i < t->groups * t->group && !status; i++) {
        if (t->ranks[i] == lab->net->rank) continue;
        wire_trial w = {.trial = *t, .serial = lab->serial, .me = i % t->group};
        w.trial.groups = 1;
        w.trial.ranks = NULL;
        memcpy(message, &w, sizeof w);
        memcpy(message + sizeof w, t->ranks + i / t->group * t->group, (size_t)t->group * sizeof(int));
        status = sup_lab_send(lab->net, t->ranks[i], SUP_LAB_TAG_TRIAL, message, length);
    }
    return status;
}

static sup_status run_net(sup_lab *base, const sup_trial *t, sup_diag *diag, sup_timing *out) {
    sup_lab_net *lab = (sup_lab_net *)base;
    sup_status status = check(base, t, diag);
    if (status) return status;
    char *message = malloc(sizeof(wire_trial) + (size_t)t->group * sizeof(int));
    if (!message) return sup_diag_set(diag, SUP_ENOMEM, NULL, 0, "out of memory");
    lab->serial++;
    status = hand_out(lab, t, message);
    free(message);
    for (int i = 0; i < t->groups * t->group && !status; i++) {
        if (t->ranks[i] != lab->net->rank) continue;
        sup_trial mine = *t;
        mine.ranks += i / t->group * t->group;
        status = take_part(lab, &mine, i % t->group, diag, &out[i / t->group]);
    }
    for (int g = 0; g < t->groups && !status; g++) {
        int leader = t->ranks[g * t->group];
        if (leader == lab->net->rank) continue;
        status = sup_lab_receive(lab->net, leader, SUP_LAB_TAG_RESULT, &out[g], sizeof out[g], NULL);
    }
    if (status) return sup_diag_set(diag, status, NULL, 0, "%s: %s", sup_bodies[t->kind].name, sup_status_text(status));
    base->trials++;
    base->measurements += t->groups;
    for (int g = 0; g < t->groups; g++) {
        base->batches += (uint64_t)out[g].batches;
        base->rejected += (uint64_t)out[g].rejected;
    }
    return SUP_OK;
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
        sup_timing result = {0};
        status = sup_lab_receive(lab->net, 0, SUP_LAB_TAG_TRIAL, message, room, &length);
        if (status) break;
        memcpy(&w, message, sizeof w);
        if (w.over) break;
        w.trial.ranks = (const int *)(const void *)(message + sizeof w);
        lab->serial = w.serial;
        status = take_part(lab, &w.trial, w.me, diag, &result);
        if (!status && w.me == 0) status = sup_lab_send(lab->net, 0, SUP_LAB_TAG_RESULT, &result, sizeof result);
        if (status) break;
    }
    free(message);
    return status ? sup_diag_set(diag, status, NULL, 0, "measuring: %s", sup_status_text(status)) : SUP_OK;
}

/* ---- opening and closing ---- */

static sup_status make_barrier(sup_lab_net *lab, const sup_generator *generator, int slot, sup_barrier **out) {
    sup_net_group everybody = sup_net_group_first(lab->net, lab->net->size);
    sup_pattern pattern = sup_pattern_make(generator, lab->net->size);
    sup_status status = sup_barrier_new(&everybody, &pattern, slot, out);
    /* words greater than those of an earlier lab on this net */
    if (!status) sup_barrier_begin_at(*out, lab->serial << 24);
    return status;
}

static sup_status make_barriers(sup_lab_net *lab) {
    while (sup_generators[lab->barrier_count]) lab->barrier_count++;
    lab->barriers = calloc(lab->barrier_count, sizeof *lab->barriers);
    if (!lab->barriers) return SUP_ENOMEM;
    sup_status status = make_barrier(lab, &sup_generator_dissemination, SUP_SLOT_TOGETHER, &lab->together);
    for (size_t k = 0; k < lab->barrier_count && !status; k++)
        if (sup_generators[k]->barrier)
            status = make_barrier(lab, sup_generators[k], SUP_SLOT_TRIAL, &lab->barriers[k]);
    return status;
}

static void free_lab(sup_lab_net *lab) {
    for (size_t k = 0; k < lab->barrier_count && lab->barriers; k++) sup_barrier_free(lab->barriers[k]);
    free(lab->barriers);
    sup_barrier_free(lab->together);
    sup_lab_logs_free(lab->logs);
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
    lab->lab = (sup_lab){.size = net->size, .transport = sup_net_name(net), .run = run_net};
    sup_status status = sup_lab_places(lab, diag);
    if (status) goto free_lab;
    lab->watch = !(options && options->no_watch) && !lab->lab.oversubscribed;
    status = make_barriers(lab);
    if (status) {
        sup_diag_set(diag, status, NULL, 0, "cannot make barriers of %d processes", net->size);
        goto free_lab;
    }
    /* without it only the broadcast setup and logs are missing */
    lab->segment_bytes = SUP_LAB_BROADCAST_MAX;
    lab->logs_fit = net->size > 1 && !sup_net_region_alloc(net, sup_lab_logs_bytes(net->size), &lab->region);
    if (net->size > 1 && !lab->logs_fit && sup_net_region_alloc(net, 2 * SUP_LAB_BROADCAST_MAX, &lab->region))
        lab->region = NULL;
    *out = &lab->lab;
    return SUP_OK;

free_lab:
    free_lab(lab);
    return status;
}

void sup_lab_net_close(sup_lab *base) {
    if (!base) return;
    sup_lab_net *lab = (sup_lab_net *)base;
    wire_trial stop = {.over = 1};
    sup_status status = SUP_OK;
    for (int rank = 1; rank < base->size && lab->net->rank == 0 && !status; rank++)
        status = sup_lab_send(lab->net, rank, SUP_LAB_TAG_TRIAL, &stop, sizeof stop);
    sup_net_region_free(lab->net, lab->region);
    free_lab(lab);
}
