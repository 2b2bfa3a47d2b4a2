/* Measured rates into a profile (comp.h; term Tcomp): kernels, the kinds of core they belong to, and the classic r of
 * bspbench (BSP §3.1). */
#include "measure/comp/comp.h"
#include "measure/comp/read.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CLASSIC_BYTES 16384.0 /* bspbench: two vectors of 1024 numbers */
#define CERTAIN 0.10          /* relative half width: rates beyond it are warned of */

static sup_kernel_profile *kernel_entry(sup_profile *p, const sup_comp_kernel *kernel) {
    const sup_kernel *k = kernel->kernel;
    sup_kernel_profile *entry = NULL;
    for (size_t i = 0; i < p->kernels_count && !entry; i++)
        if (strcmp(p->kernels[i].name, k->name) == 0) entry = &p->kernels[i];
    if (!entry) entry = SUP_APPEND(&sup_kernel_record, p->kernels, p->kernels_count);
    if (!entry) return NULL;
    entry->bytes_per_unit = k->bytes_per_unit;
    entry->flops_per_unit = k->flops_per_unit;
    if (sup_record_set_string(&entry->name, k->name) || sup_record_set_string(&entry->unit, k->unit) ||
        sup_record_set_string(&entry->source, kernel->source))
        return NULL;
    return entry;
}

static sup_kernel_rate *find_rate(const sup_kernel_profile *k, const char *kind, int64_t active) {
    for (size_t i = 0; i < k->rates_count; i++) {
        sup_kernel_rate *r = &k->rates[i];
        bool same = kind && r->kind ? strcmp(kind, r->kind) == 0 : !kind == !r->kind;
        if (same && r->active == active) return r;
    }
    return NULL;
}

static sup_kernel_rate *rate_entry(sup_kernel_profile *k, const char *kind, int64_t active) {
    sup_kernel_rate *known = find_rate(k, kind, active);
    if (known) return known;
    sup_kernel_rate *r = SUP_APPEND(&sup_kernel_rate_record, k->rates, k->rates_count);
    if (!r) return NULL;
    r->active = active;
    return sup_record_set_string(&r->kind, kind) ? NULL : r;
}

static sup_status store_job(sup_lab *lab, sup_session *session, const sup_comp_job *job, const sup_comp_curve *curve,
                            sup_profile *p, sup_diag *diag) {
    sup_kernel_profile *kernel = kernel_entry(p, &job->kernel);
    sup_kernel_rate *rate = kernel ? rate_entry(kernel, job->kind, job->setting.active) : NULL;
    if (!rate) return sup_diag_no_memory(diag);
    if (!rate->unit_s && !(rate->unit_s = sup_record_make(&sup_file_curve_record))) return sup_diag_no_memory(diag);
    sup_status status = sup_comp_curve_store(curve, rate->unit_s, diag);
    if (status) return status;
    sup_comp_check check = sup_comp_check_read(lab, session, job, rate->unit_s->curve);
    rate->prediction_error = check.error;
    rate->prediction_length = check.length;
    rate->long_run_error = check.long_error;
    return SUP_OK;
}

/* The order of the set, whichever was known first; what is not in it comes last. */
static size_t turn_of(const sup_comp_set *set, const sup_kernel_profile *kernel, const sup_kernel_rate *rate) {
    for (size_t i = 0; i < set->count; i++) {
        const sup_comp_job *job = &set->jobs[i];
        if (strcmp(job->kernel.kernel->name, kernel->name) != 0) continue;
        if (!rate || rate == find_rate(kernel, job->kind, job->setting.active)) return i;
    }
    return set->count;
}

static void put_in_order(const sup_comp_set *set, sup_profile *p) {
    for (size_t i = 1; i < p->kernels_count; i++)
        for (size_t k = i; k > 0 && turn_of(set, &p->kernels[k], NULL) < turn_of(set, &p->kernels[k - 1], NULL); k--) {
            sup_kernel_profile swap = p->kernels[k];
            p->kernels[k] = p->kernels[k - 1];
            p->kernels[k - 1] = swap;
        }
    for (size_t i = 0; i < p->kernels_count; i++) {
        sup_kernel_profile *kernel = &p->kernels[i];
        for (size_t r = 1; r < kernel->rates_count; r++)
            for (size_t k = r;
                 k > 0 && turn_of(set, kernel, &kernel->rates[k]) < turn_of(set, kernel, &kernel->rates[k - 1]); k--) {
                sup_kernel_rate swap = kernel->rates[k];
                kernel->rates[k] = kernel->rates[k - 1];
                kernel->rates[k - 1] = swap;
            }
    }
}

/* ---- kinds ---- */

static int kind_of_rank(const sup_profile *p, const sup_topology *t, int64_t rank) {
    int64_t host, cpu;
    if (sup_origin_place(&p->signature, rank, &host, &cpu) || cpu < 0) return 0;
    int core = sup_topology_core_of(t, (int)cpu);
    return core < 0 ? 0 : t->cores[core].core_class;
}

/* Where cores differ, rates name their class: `kinds` must know it. */
static sup_status store_kinds(const sup_topology *t, sup_profile *p, sup_diag *diag) {
    if (t->class_count < 2 || p->kinds) return SUP_OK;
    sup_kinds *kinds = p->kinds = sup_record_make(&sup_kinds_record);
    if (!kinds) return sup_diag_no_memory(diag);
    kinds->names = calloc((size_t)t->class_count, sizeof *kinds->names);
    kinds->runs = calloc(2 * (size_t)fmax(1.0, (double)p->signature.processes), sizeof *kinds->runs);
    if (!kinds->names || !kinds->runs) return sup_diag_no_memory(diag);
    for (int k = 0; k < t->class_count; k++) {
        if (!(kinds->names[k] = strdup(t->classes[k].name))) return sup_diag_no_memory(diag);
        kinds->names_count++;
    }
    for (int64_t rank = 0; rank < p->signature.processes || kinds->runs_count == 0; rank++) {
        int64_t kind = kind_of_rank(p, t, rank);
        if (kinds->runs_count && kinds->runs[kinds->runs_count - 1] == kind) {
            kinds->runs[kinds->runs_count - 2]++;
        } else {
            kinds->runs[kinds->runs_count++] = 1;
            kinds->runs[kinds->runs_count++] = kind;
        }
    }
    return SUP_OK;
}

/* ---- classic r ---- */

/* Of daxpy with most cores active that are not more than the processes. */
typedef struct classic {
    const sup_comp_job *job;
    sup_timing timing; /* at the footprint nearest to bspbench's */
} classic;

static void consider(const sup_comp_job *job, const sup_comp_curve *curve, int64_t processes, classic *best) {
    const sup_comp_spot *nearest = NULL;
    if (strcmp(job->kernel.kernel->name, "daxpy") != 0 || job->kernel.source) return;
    if (best->job && (job->setting.active <= best->job->setting.active || job->setting.active > processes)) return;
    for (size_t i = 0; i < curve->count; i++) {
        const sup_comp_spot *s = &curve->spots[i];
        if (!nearest || fabs(log(s->bytes / CLASSIC_BYTES)) < fabs(log(nearest->bytes / CLASSIC_BYTES))) nearest = s;
    }
    if (nearest) *best = (classic){job, nearest->timing};
}

static sup_status set_rate(const classic *best, sup_classic *out, sup_diag *diag) {
    const sup_timing *t = &best->timing;
    double flops = best->job->kernel.kernel->flops_per_unit;
    sup_number *r = NULL;
    if (sup_number_new(flops / t->seconds, flops / t->seconds * t->ci / t->seconds, t, &r))
        return sup_diag_no_memory(diag);
    if (t->typical > 0.0) r->typical = flops / t->typical;
    if (t->bad > 0.0) r->bad = flops / t->bad;
    if (out->flops_per_s) sup_record_clear(&sup_number_record, out->flops_per_s);
    free(out->flops_per_s);
    out->flops_per_s = r;
    return SUP_OK;
}

/* Every transport has its g and l; r is the same for all. */
static sup_status store_classic(const classic *best, sup_profile *p, sup_diag *diag) {
    if (!best->job || !p->signature.transport || p->signature.processes < 1) return SUP_OK;
    bool found = false;
    for (size_t i = 0; i < p->classic_count; i++)
        found |= p->classic[i].transport && strcmp(p->classic[i].transport, p->signature.transport) == 0;
    if (!found) {
        sup_classic *entry = SUP_APPEND(&sup_classic_record, p->classic, p->classic_count);
        if (!entry || sup_record_set_string(&entry->transport, p->signature.transport)) return sup_diag_no_memory(diag);
        entry->processes = p->signature.processes;
    }
    sup_status status = SUP_OK;
    for (size_t i = 0; i < p->classic_count && !status; i++) status = set_rate(best, &p->classic[i], diag);
    return status;
}

/* ---- the whole ---- */

typedef struct summary {
    size_t curves, certain;
    double worst, worst_bytes; /* relative half width of the least certain point, its footprint … */
    const sup_comp_job *job;   /* … and rate */
} summary;

static void count_curve(const sup_comp_job *job, const sup_comp_curve *curve, summary *s) {
    double bytes = 0.0, worst = sup_comp_curve_worst(curve, &bytes);
    s->curves++;
    s->certain += worst <= CERTAIN;
    if (worst > s->worst) *s = (summary){s->curves, s->certain, worst, bytes, job};
}

static void warn(sup_session *session, const sup_comp_set *set, const summary *s) {
    if (s->curves < set->count)
        sup_session_warn(session, SUP_WARNING_RATES_MISSING,
                         &(sup_about){.number = {(double)s->curves, (double)set->count}});
    if (s->job && s->certain < s->curves)
        sup_session_warn(session, SUP_WARNING_RATES_UNCERTAIN,
                         &(sup_about){.kernel = s->job->kernel.kernel->name,
                                      .number = {(double)(s->curves - s->certain), (double)s->curves, CERTAIN,
                                                 s->worst_bytes, s->job->setting.active, s->worst}});
}

sup_status sup_comp_fill(sup_lab *lab, const sup_comp_set *set, const sup_topology *topology, sup_session *session,
                         sup_profile *profile, sup_diag *diag) {
    classic best = {0};
    summary all = {0};
    sup_status status = store_kinds(topology, profile, diag);
    for (size_t i = 0; i < set->count && !status; i++) {
        const sup_comp_job *job = &set->jobs[i];
        sup_comp_curve curve;
        sup_comp_read(lab, session, job, &curve);
        if (curve.count == 0) continue;
        count_curve(job, &curve, &all);
        consider(job, &curve, profile->signature.processes, &best);
        status = store_job(lab, session, job, &curve, profile, diag);
    }
    if (status) return status;
    put_in_order(set, profile);
    warn(session, set, &all);
    if (!all.curves) return sup_diag_set(diag, SUP_ETIMEOUT, NULL, 0, "there was no time to measure any kernel");
    return store_classic(&best, profile, diag);
}
