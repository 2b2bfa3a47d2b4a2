/* Transfer times L(m,τ) on their grid (taulop.h; TAU §5, PART eq. 5.15–5.21). Tcomm, stage "measure". */
#include "measure/taulop/work.h"

#include "profile/channel.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_BYTES 64.0
#define FINE_FROM 2048.0     /* between so many bytes … */
#define FINE_TO 2097152.0    /* … also the powers of 2 in between: caches bend the line by 15 % */
#define USUAL_MOST 4194304.0 /* the largest, unless all is wanted */
#define ALWAYS 65536.0       /* messages up to so many bytes are always measured */
#define LONGEST 8e-3         /* seconds: larger ones only if all τ together would not take longer than that */
enum { SIDES = 2 };          /* of the threshold */
#define BEGINNING 0.01 /* of a time: when a batch begins, not everybody has started yet, whatever the interval says */

/* ---- cells ---- */

static sup_trial cell_trial(const sup_tau_work *w, int tau, double bytes) {
    bool network = w->number > 0;
    sup_trial_kind kind = network ? SUP_TRIAL_RING : tau == 1 ? SUP_TRIAL_ROUND_TRIP : w->setup->kind;
    sup_trial t = sup_trial_of(kind, w->ranks, 1, network ? 2 * tau : tau == 1 ? 2 : tau, (size_t)bytes);
    t.cold = w->cold;
    t.number = network ? 1 : 0; /* one half sends, then the other */
    return t;
}

/* One cell: what of the trial's time is L. *whole: seconds of a repetition. */
static sup_status ask_cell(sup_tau_work *w, int tau, double bytes, sup_timing *out, double *whole) {
    const sup_timing *o = sup_tau_overhead_at(w, bytes);
    double part = 1.0, minus = 0.0, chance = 0.0;
    sup_trial trial = cell_trial(w, tau, bytes);
    sup_status status = sup_tau_ask(w, "transfer times", &trial, out);
    if (status) return status;
    if (w->number > 0) {
        part = 0.5;
        minus = o->seconds;
        if (w->shared && !w->options.rdma) minus += 2.0 * sup_transfer_at(w->shared, bytes, tau);
        chance = o->ci;
    } else if (tau == 1 || w->setup->ring) {
        part = 1.0 / sup_tau_transfers(w, bytes);
        minus = part * o->seconds;
        chance = part * o->ci;
    }
    *whole = out->seconds;
    out->ci = part * out->ci + chance;
    out->seconds = fmax(0.0, part * out->seconds - minus);
    out->typical = fmax(out->seconds, part * out->typical - minus);
    out->bad = fmax(out->typical, part * out->bad - minus);
    return SUP_OK;
}

/* ---- the grid ---- */

typedef struct grid {
    double bytes[SUP_TAULOP_SIZES];
    int count;
    int taus[SUP_TAULOP_TAUS];
    int taus_count;
} grid;

int sup_taulop_taus(int most, int taus[64]) {
    int count = 0;
    for (int base = 1; base > 0 && base <= most && count < 60; base *= 2) {
        taus[count++] = base;
        int between = base + base / 2;
        if (base > 1 && between < most && between < 2 * base) taus[count++] = between;
    }
    if (count > 0 && taus[count - 1] < most) taus[count++] = most;
    return count;
}

static bool setup_has(const sup_tau_work *w, int tau) {
    return !w->setup->couples || w->number > 0 || tau == 1 || tau % 2 == 0;
}

static bool is_known(const sup_tau_work *w, int tau, double bytes) {
    sup_trial trial = cell_trial(w, tau, bytes);
    const sup_point *p = sup_store_find(w->lab->store, &trial);
    return p && sup_point_known(p);
}

/* Every table has these. */
static bool is_needed(double bytes) {
    double power = FIRST_BYTES;
    while (power < bytes) power *= 4.0;
    return power == bytes && bytes <= ALWAYS;
}

/* Which other sizes there are depends on what was found (H, S, times), and that changes a little with every visit: who
 * cannot visit takes those that have been visited. */
static bool is_wanted(const sup_tau_work *w, const grid *g, double bytes) {
    if (w->lab->visit || is_needed(bytes)) return true;
    for (int k = 0; k < g->taus_count; k++)
        if (setup_has(w, g->taus[k]) && !is_known(w, g->taus[k], bytes)) return false;
    return true;
}

static void add_size(const sup_tau_work *w, grid *g, double bytes, double most) {
    int at = 0;
    if (bytes < FIRST_BYTES || bytes > most || g->count == SUP_TAULOP_SIZES || !is_wanted(w, g, bytes)) return;
    while (at < g->count && g->bytes[at] < bytes) at++;
    if (at < g->count && g->bytes[at] == bytes) return;
    memmove(g->bytes + at + 1, g->bytes + at, (size_t)(g->count - at) * sizeof g->bytes[0]);
    g->bytes[at] = bytes;
    g->count++;
}

static void make_grid(const sup_tau_work *w, grid *g) {
    double most = sup_tau_largest(w), eager = (double)w->threshold - 1.0, s = (double)w->segment;
    if (w->setup->shared_bytes) most = fmin(most, (double)w->setup->shared_bytes);
    g->taus_count = sup_taulop_taus(w->most, g->taus);
    g->count = 0;
    bool deep = sup_lab_is_deep(w->lab, SUP_MEASURE_TAULOP);
    const double extra[] = {eager, eager + 1.0, floor(eager / 2.0), 2.0 * eager, floor(s / 2.0), s, 2.0 * s};
    for (double bytes = FIRST_BYTES; bytes <= (deep ? most : fmin(most, USUAL_MOST)); bytes *= 4.0)
        add_size(w, g, bytes, most);
    for (double bytes = FINE_FROM; bytes <= FINE_TO && deep; bytes *= 4.0) add_size(w, g, bytes, most);
    for (size_t i = 0; i < (deep ? sizeof extra / sizeof extra[0] : SIDES); i++) add_size(w, g, extra[i], most);
}

/* ---- rows ---- */

static sup_status add_row(sup_transfer *transfer, int tau, const sup_timing *cells, int count) {
    sup_tau_row *row = SUP_APPEND(&sup_tau_row_record, transfer->rows, transfer->rows_count);
    double value[SUP_TAULOP_SIZES], ci[SUP_TAULOP_SIZES], typical[SUP_TAULOP_SIZES], bad[SUP_TAULOP_SIZES];
    int64_t n[SUP_TAULOP_SIZES];
    size_t all = (size_t)count;
    if (!row) return SUP_ENOMEM;
    for (int i = 0; i < count; i++) {
        value[i] = cells[i].seconds;
        ci[i] = isfinite(cells[i].ci) ? cells[i].ci : cells[i].seconds;
        typical[i] = cells[i].typical;
        bad[i] = cells[i].bad;
        n[i] = cells[i].n > 0 ? cells[i].n : 1;
    }
    row->tau = tau;
    sup_status status = sup_record_set_reals(&row->seconds, &row->seconds_count, value, all);
    if (!status) status = sup_record_set_reals(&row->ci, &row->ci_count, ci, all);
    if (!status) status = sup_record_set_reals(&row->typical, &row->typical_count, typical, all);
    if (!status) status = sup_record_set_reals(&row->bad, &row->bad_count, bad, all);
    return status ? status : sup_record_set_ints(&row->n, &row->n_count, n, all);
}

/* The first row also decides which sizes there are: those that are known, and where a visit would not take too long. */
static sup_status ask_first_row(sup_tau_work *w, grid *g, sup_timing *cells) {
    double whole = 0.0;
    int kept = 0;
    for (int i = 0; i < g->count; i++) {
        double bytes = g->bytes[i], before = kept > 0 ? g->bytes[kept - 1] : bytes;
        bool too_long = bytes > ALWAYS && bytes / before * whole * w->most > LONGEST;
        if (too_long && !is_known(w, g->taus[0], bytes)) break;
        w->lab->budget.needed = is_needed(bytes);
        sup_status status = ask_cell(w, g->taus[0], bytes, &cells[kept], &whole);
        w->lab->budget.needed = false;
        if (status == SUP_ETIMEOUT) continue;
        if (status) return status;
        g->bytes[kept++] = bytes;
    }
    g->count = kept;
    return kept > 0 ? SUP_OK : SUP_ETIMEOUT;
}

static sup_status ask_row(sup_tau_work *w, const grid *g, int tau, sup_timing *cells) {
    sup_status missing = SUP_OK;
    double whole;
    for (int i = 0; i < g->count; i++) {
        sup_status status = ask_cell(w, tau, g->bytes[i], &cells[i], &whole);
        if (status && status != SUP_ETIMEOUT) return status;
        if (status) missing = status;
    }
    return missing;
}

sup_status sup_tau_transfer(sup_tau_work *w, sup_transfer **out) {
    grid g;
    *out = NULL;
    make_grid(w, &g);
    if (g.count == 0 || g.taus_count == 0) return SUP_OK;
    sup_timing cells[SUP_TAULOP_SIZES];
    sup_status status = ask_first_row(w, &g, cells);
    if (status) return status == SUP_ETIMEOUT ? SUP_OK : status;
    sup_transfer *transfer = *out = sup_record_make(&sup_transfer_record);
    if (!transfer) return SUP_ENOMEM;
    status = sup_record_set_reals(&transfer->bytes, &transfer->bytes_count, g.bytes, (size_t)g.count);
    if (!status) status = add_row(transfer, g.taus[0], cells, g.count);
    for (int k = 1; k < g.taus_count && !status; k++) {
        if (!setup_has(w, g.taus[k])) continue;
        status = ask_row(w, &g, g.taus[k], cells);
        if (!status) status = add_row(transfer, g.taus[k], cells, g.count);
        if (status == SUP_ETIMEOUT) status = SUP_OK;
    }
    return status;
}

/* ---- bounds ---- */

static bool violates(const sup_tau_row *low, const sup_tau_row *high, size_t i) {
    double factor = (double)high->tau / (double)low->tau, a = low->seconds[i], b = high->seconds[i];
    double of_a = BEGINNING * a + (low->ci_count ? low->ci[i] : 0.0);
    double of_b = BEGINNING * b + (high->ci_count ? high->ci[i] : 0.0);
    return a > b + of_a + of_b || b > factor * (a + of_a) + of_b;
}

int64_t sup_taulop_violations(const sup_transfer *t) {
    int64_t count = 0;
    for (size_t a = 0; a < t->rows_count; a++)
        for (size_t b = a + 1; b < t->rows_count; b++) {
            if (t->rows[b].tau % t->rows[a].tau) continue;
            for (size_t i = 0; i < t->bytes_count; i++) count += violates(&t->rows[a], &t->rows[b], i);
        }
    return count;
}
