/* Transfer times L(m,τ) and reduction costs γ (taulop.h; TAU §5, PART eq. 5.15–5.21). Tcomm, stage "measure". */
#include "measure/taulop_work.h"

#include "measure/pair_sizes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define BEGINNING 0.01
#define GAMMA_MOST ((size_t)4 << 20)

static sup_trial grid_trial(sup_tau_work *w, sup_trial_kind kind, int group, double bytes) {
    sup_trial t = sup_trial_of(kind, w->ranks, 1, group, (size_t)bytes);
    double left = sup_tau_left(w);
    t.cold = w->cold;
    t.min_samples = 10;
    t.max_samples = 1000;
    t.wanted = 0.02;
    /* every cell of the grid may take the same part of what is left */
    t.max_seconds = isinf(left) ? 1.0 : fmin(1.0, fmax(0.002, left / (double)(w->bytes_count * w->taus_count + 1)));
    return t;
}

/* L⁰(m,τ) as measured before; 0 if it was not. */
static double shared_at(const sup_tau_work *w, double bytes, int tau) {
    const sup_tau_row *row = NULL;
    for (size_t r = 0; w->shared && r < w->shared->rows_count; r++)
        if (w->shared->rows[r].tau <= tau) row = &w->shared->rows[r];
    for (size_t i = 0; row && i < w->shared->bytes_count; i++)
        if (w->shared->bytes[i] == bytes) return row->seconds[i];
    return 0.0;
}

/* One cell: which trial, and what of its time is L. */
static sup_status measure_cell(sup_tau_work *w, int tau, double bytes, sup_timing *out) {
    double o = sup_tau_overhead_at(w, bytes), part = 1.0, minus = 0.0;
    sup_trial t;
    if (w->number > 0) {
        t = grid_trial(w, SUP_TRIAL_RING, 2 * tau, bytes);
        t.number = 1; /* one half sends, then the other */
        part = 0.5;
        minus = o + (w->options.rdma ? 0.0 : 2.0 * shared_at(w, bytes, tau));
    } else {
        t = tau == 1 ? grid_trial(w, SUP_TRIAL_ROUND_TRIP, 2, bytes) : grid_trial(w, w->setup->kind, tau, bytes);
        if (tau == 1 || w->setup->ring) {
            part = 0.5;
            minus = o / 2.0;
        }
    }
    sup_status status = sup_tau_try(w, "transfer times", &t, out);
    if (status) return status;
    /* the beginning of a batch, when not everybody has started yet, is in the time and not in its spread */
    out->ci = part * (out->ci + w->eager.ci + BEGINNING * out->seconds);
    out->seconds = fmax(0.0, out->seconds * part - minus);
    return SUP_OK;
}

static bool setup_has(const sup_tau_work *w, int tau) {
    return !w->setup->couples || w->number > 0 || tau == 1 || tau % 2 == 0;
}

static sup_status add_row(sup_transfer *transfer, int tau, const sup_timing *cells, int count) {
    sup_tau_row *row = SUP_APPEND(&sup_tau_row_record, transfer->rows, transfer->rows_count);
    double value[SUP_TAULOP_SIZES], ci[SUP_TAULOP_SIZES];
    int64_t n[SUP_TAULOP_SIZES], reruns[SUP_TAULOP_SIZES];
    if (!row) return SUP_ENOMEM;
    for (int i = 0; i < count; i++) {
        value[i] = cells[i].seconds;
        ci[i] = isfinite(cells[i].ci) ? cells[i].ci : cells[i].seconds;
        n[i] = cells[i].n > 0 ? cells[i].n : 1;
        reruns[i] = cells[i].reruns;
    }
    row->tau = tau;
    sup_status status = sup_record_set_reals(&row->seconds, &row->seconds_count, value, (size_t)count);
    if (!status) status = sup_record_set_reals(&row->ci, &row->ci_count, ci, (size_t)count);
    if (!status) status = sup_record_set_ints(&row->n, &row->n_count, n, (size_t)count);
    return status ? status : sup_record_set_ints(&row->reruns, &row->reruns_count, reruns, (size_t)count);
}

/* The first row also decides how large messages may be: one more size must fit for all τ into half of what is left;
 * and if time runs out in it, the table ends there. */
static sup_status measure_row(sup_tau_work *w, int tau, bool first, sup_timing *cells) {
    for (int i = 0; i < w->bytes_count; i++) {
        if (first && i > 4) {
            double factor = w->bytes[i] / w->bytes[i - 1], all = 0.0;
            for (int k = 0; k < w->taus_count; k++) all += w->taus[k];
            double seconds = 10.0 * factor * 2.0 * cells[i - 1].seconds * all;
            if (seconds > sup_tau_left(w) / 2.0) {
                w->bytes_count = i;
                break;
            }
        }
        sup_status status = measure_cell(w, tau, w->bytes[i], &cells[i]);
        if (first && i > 1 && status == SUP_ETIMEOUT) {
            w->bytes_count = i;
            break;
        }
        if (status) return status;
    }
    return SUP_OK;
}

sup_status sup_tau_transfer(sup_tau_work *w, sup_transfer **out) {
    sup_transfer *transfer = sup_record_make(&sup_transfer_record);
    if (!transfer) return SUP_ENOMEM;
    sup_status status = SUP_OK;
    for (int k = 0; k < w->taus_count && !status; k++) {
        sup_timing cells[SUP_TAULOP_SIZES];
        if (!setup_has(w, w->taus[k])) continue;
        w->share = 0.2 + 0.6 * k / w->taus_count;
        status = measure_row(w, w->taus[k], k == 0, cells);
        if (!status) status = add_row(transfer, w->taus[k], cells, w->bytes_count);
    }
    if (transfer->rows_count > 0) {
        sup_status set =
            sup_record_set_reals(&transfer->bytes, &transfer->bytes_count, w->bytes, (size_t)w->bytes_count);
        if (set) status = set;
        *out = transfer;
        return status;
    }
    free(transfer);
    *out = NULL;
    return status;
}

static bool violates(const sup_tau_row *low, const sup_tau_row *high, size_t i) {
    double factor = (double)high->tau / (double)low->tau;
    double chance = low->ci_count ? low->ci[i] + high->ci[i] : 0.0;
    double chance_above = low->ci_count ? factor * low->ci[i] + high->ci[i] : 0.0;
    return low->seconds[i] > high->seconds[i] + chance || high->seconds[i] > factor * low->seconds[i] + chance_above;
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

sup_status sup_tau_gamma(sup_tau_work *w, int tau, sup_channel *channel) {
    sup_sizes sizes;
    sup_sizes_init(&sizes, 64, w->options.max_bytes < GAMMA_MOST ? w->options.max_bytes : GAMMA_MOST, 16);
    for (size_t bytes; (bytes = sup_sizes_next(&sizes)) > 0;) {
        sup_timing t;
        sup_trial trial = sup_trial_of(SUP_TRIAL_REDUCE, w->ranks, 1, tau, bytes / 8 * 8);
        trial.cold = w->cold;
        trial.max_seconds = 0.1;
        sup_status status = sup_tau_try(w, "reductions", &trial, &t);
        if (status) return status;
        sup_sizes_add(&sizes, bytes, &t);
    }
    sup_gamma *gamma = SUP_APPEND(&sup_gamma_record, channel->gammas, channel->gammas_count);
    if (!gamma) return SUP_ENOMEM;
    gamma->tau = tau;
    sup_status status = sup_record_set_string(&gamma->operation, "sum");
    if (!status) status = sup_record_set_string(&gamma->type, "double");
    return status ? status : sup_sizes_file_curve(&sizes, w->diag, &gamma->time_s);
}
