/* Measured rates into a profile (comp_set.h; term Tcomp): kernels, the kinds of core they belong to, and the classic r
 * of bspbench (BSP §3.1). */
#include "measure/comp_set.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CLASSIC_BYTES 16384.0 /* bspbench: two vectors of 1024 numbers */

static sup_status no_memory(sup_diag *diag) { return sup_diag_set(diag, SUP_ENOMEM, NULL, 0, "out of memory"); }

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

sup_kernel_rate *sup_comp_rate(const sup_kernel_profile *k, const char *kind, int64_t active) {
    for (size_t i = 0; i < k->rates_count; i++) {
        sup_kernel_rate *r = &k->rates[i];
        bool same = kind && r->kind ? strcmp(kind, r->kind) == 0 : !kind == !r->kind;
        if (same && r->active == active) return r;
    }
    return NULL;
}

static sup_kernel_rate *rate_entry(sup_kernel_profile *k, const char *kind, int64_t active) {
    sup_kernel_rate *known = sup_comp_rate(k, kind, active);
    if (known) return known;
    sup_kernel_rate *r = SUP_APPEND(&sup_kernel_rate_record, k->rates, k->rates_count);
    if (!r) return NULL;
    r->active = active;
    return sup_record_set_string(&r->kind, kind) ? NULL : r;
}

static sup_status store_job(const sup_comp_job *job, sup_profile *p, sup_diag *diag) {
    sup_kernel_profile *kernel = kernel_entry(p, &job->kernel);
    sup_kernel_rate *rate = kernel ? rate_entry(kernel, job->kind, job->setting.active) : NULL;
    if (!rate) return no_memory(diag);
    rate->prediction_error = job->prediction_error;
    rate->prediction_length = job->prediction_length;
    rate->long_run_error = job->long_run_error;
    if (!rate->unit_s && !(rate->unit_s = sup_record_make(&sup_file_curve_record))) return no_memory(diag);
    return sup_comp_curve_store(&job->curve, rate->unit_s, diag);
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
    if (!kinds) return no_memory(diag);
    kinds->names = calloc((size_t)t->class_count, sizeof *kinds->names);
    kinds->runs = calloc(2 * (size_t)fmax(1.0, (double)p->signature.processes), sizeof *kinds->runs);
    if (!kinds->names || !kinds->runs) return no_memory(diag);
    for (int k = 0; k < t->class_count; k++) {
        if (!(kinds->names[k] = strdup(t->classes[k].name))) return no_memory(diag);
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

static const sup_comp_job *classic_job(const sup_comp_set *set, int64_t processes) {
    const sup_comp_job *best = NULL;
    for (size_t i = 0; i < set->count; i++) {
        const sup_comp_job *job = &set->jobs[i];
        if (strcmp(job->kernel.kernel->name, "daxpy") != 0 || job->kernel.source || job->curve.count == 0) continue;
        if (!best || (job->setting.active > best->setting.active && job->setting.active <= processes)) best = job;
    }
    return best;
}

static sup_status set_rate(const sup_comp_job *job, sup_classic *classic, sup_diag *diag) {
    const sup_comp_spot *nearest = NULL;
    for (size_t i = 0; i < job->curve.count; i++) {
        const sup_comp_spot *s = &job->curve.spots[i];
        if (!nearest || fabs(log(s->bytes / CLASSIC_BYTES)) < fabs(log(nearest->bytes / CLASSIC_BYTES))) nearest = s;
    }
    if (!nearest) return SUP_OK;
    if (!classic->flops_per_s && !(classic->flops_per_s = sup_record_make(&sup_number_record))) return no_memory(diag);
    double unit_s = sup_comp_spot_value(nearest), ci = sup_comp_spot_ci(nearest);
    sup_number *r = classic->flops_per_s;
    r->value = job->kernel.kernel->flops_per_unit / unit_s;
    r->ci = r->value * ci / unit_s;
    r->n = nearest->n > 0 ? nearest->n : 1;
    r->reruns = nearest->reruns;
    return SUP_OK;
}

/* Every transport has its g and l; r is the same for all. */
static sup_status store_classic(const sup_comp_set *set, sup_profile *p, sup_diag *diag) {
    const sup_comp_job *job = classic_job(set, p->signature.processes);
    if (!job || !p->signature.transport || p->signature.processes < 1) return SUP_OK;
    bool found = false;
    for (size_t i = 0; i < p->classic_count; i++)
        found |= p->classic[i].transport && strcmp(p->classic[i].transport, p->signature.transport) == 0;
    if (!found) {
        sup_classic *classic = SUP_APPEND(&sup_classic_record, p->classic, p->classic_count);
        if (!classic || sup_record_set_string(&classic->transport, p->signature.transport)) return no_memory(diag);
        classic->processes = p->signature.processes;
    }
    sup_status status = SUP_OK;
    for (size_t i = 0; i < p->classic_count && !status; i++) status = set_rate(job, &p->classic[i], diag);
    return status;
}

sup_status sup_comp_set_store(const sup_comp_set *set, const sup_measure_comp_options *o, sup_profile *profile,
                              sup_diag *diag) {
    sup_status status = store_kinds(o->topology, profile, diag);
    for (size_t i = 0; i < set->count && !status; i++)
        if (set->jobs[i].curve.count > 0) status = store_job(&set->jobs[i], profile, diag);
    return status ? status : store_classic(set, profile, diag);
}
