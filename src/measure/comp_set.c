/* The jobs of a measurement of computation (comp_set.h; term Tcomp). */
#include "measure/comp_set.h"

#include "kernels/kernels.h"
#include "machine/placement.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SMALLEST 1024
#define BEYOND 4       /* times the last cache is well outside it … */
#define BEYOND_LARGE 2 /* … and that is enough of one above 64 MB, where filling memory is what takes the time */
#define LARGE ((size_t)64 << 20)
#define MEMORY_SHARE 4 /* of the memory, at most one part in so many is used */

/* ---- cpus ---- */

/* One cpu a core, in the order in which they become active. */
static sup_status cpu_order(const sup_measure_comp_options *o, sup_diag *diag, int **out, int *count) {
    int *order = NULL, n = 0, kept = 0;
    sup_policy compact = {.kind = &sup_place_compact};
    sup_status status = sup_placement_order(o->topology, o->usable, &compact, diag, &order, &n);
    if (status) return status;
    for (int i = 0; i < n; i++) { /* second threads of a core are not another core */
        int core = sup_topology_core_of(o->topology, order[i]);
        bool seen = core < 0;
        for (int k = 0; k < kept && !seen; k++) seen = sup_topology_core_of(o->topology, order[k]) == core;
        if (!seen) order[kept++] = order[i];
    }
    if (kept == 0) {
        free(order);
        return sup_diag_set(diag, SUP_EINVAL, NULL, 0, "there is no core to measure on");
    }
    if (kept > o->usable->process_count) kept = o->usable->process_count; /* a quota feeds no more */
    *out = order;
    *count = kept;
    return SUP_OK;
}

static int class_of(const sup_topology *t, int cpu) { return t->cores[sup_topology_core_of(t, cpu)].core_class; }

/* Those of the class first, the others after them; returns how many are of the class. */
static int class_first(const sup_topology *t, const int *order, int count, int core_class, int *out) {
    int n = 0, own;
    for (int i = 0; i < count; i++)
        if (class_of(t, order[i]) == core_class) out[n++] = order[i];
    own = n;
    for (int i = 0; i < count; i++)
        if (class_of(t, order[i]) != core_class) out[n++] = order[i];
    return own;
}

/* ---- footprints ---- */

/* How many of the active cores use the copy of the last cache that the first one uses. */
static int last_sharers(const sup_topology *t, const sup_comp_setting *s) {
    const sup_level *last = sup_topology_last_level(t);
    int group = last->group_of[sup_topology_core_of(t, s->cpus[0])], users = 0;
    for (int i = 0; i < s->active; i++) users += last->group_of[sup_topology_core_of(t, s->cpus[i])] == group;
    return users > 0 ? users : 1;
}

static void footprints(const sup_measure_comp_options *o, sup_comp_job *job) {
    const sup_topology *t = o->topology;
    const sup_level *first = sup_topology_first_level(t), *last = sup_topology_last_level(t);
    size_t least = first->size_bytes / 8, beyond = last->size_bytes > LARGE ? BEYOND_LARGE : BEYOND;
    size_t most = beyond * (last->size_bytes / (size_t)last_sharers(t, &job->setting));
    const sup_level *below = last->child;
    if (below && most < 8 * below->size_bytes) most = 8 * below->size_bytes;
    size_t memory = o->usable->memory_bytes ? o->usable->memory_bytes : t->memory_bytes;
    if (memory && most > memory / MEMORY_SHARE / (size_t)job->setting.active)
        most = memory / MEMORY_SHARE / (size_t)job->setting.active;
    if (least < SMALLEST) least = SMALLEST;
    if (least < job->kernel.kernel->least_bytes) least = job->kernel.kernel->least_bytes;
    job->least = least;
    job->most = most > least ? most : least;
}

/* ---- jobs ---- */

static sup_status add_job(sup_comp_set *set, const sup_measure_comp_options *o, const sup_profile *profile,
                          const sup_comp_job *made, sup_diag *diag) {
    sup_comp_job *grown = realloc(set->jobs, (set->count + 1) * sizeof *grown);
    if (!grown) return sup_diag_set(diag, SUP_ENOMEM, NULL, 0, "out of memory");
    set->jobs = grown;
    sup_comp_job *job = &set->jobs[set->count++];
    *job = *made;
    job->prediction_error = job->prediction_length = job->long_run_error = NAN;
    footprints(o, job);
    const sup_kernel_profile *known = sup_profile_kernel(profile, job->kernel.kernel->name);
    const sup_kernel_rate *rate = known ? sup_comp_rate(known, job->kind, job->setting.active) : NULL;
    if (!rate) return SUP_OK;
    job->prediction_error = rate->prediction_error;
    job->prediction_length = rate->prediction_length;
    job->long_run_error = rate->long_run_error;
    if (rate->unit_s && rate->unit_s->points && sup_comp_curve_load(&job->curve, rate->unit_s->points))
        return sup_diag_set(diag, SUP_ENOMEM, NULL, 0, "out of memory");
    return SUP_OK;
}

static sup_status add_class(sup_comp_set *set, const sup_measure_comp_options *o, const sup_profile *profile,
                            const sup_comp_kernel *kernel, int core_class, sup_diag *diag) {
    const sup_topology *t = o->topology;
    const int *cpus = set->orders[core_class];
    int own = 0, most = set->cpu_count;
    while (own < set->cpu_count && class_of(t, cpus[own]) == core_class) own++;
    if (own == 0) return SUP_OK;
    for (int active = 1;; active = 2 * active < most ? 2 * active : most) {
        sup_comp_job job = {.kernel = *kernel, .core_class = core_class};
        job.kind = t->class_count > 1 ? t->classes[core_class].name : NULL;
        job.setting = (sup_comp_setting){kernel->kernel, cpus, active, active < own ? active : own};
        sup_status status = add_job(set, o, profile, &job, diag);
        if (status || active == most) return status;
    }
}

static sup_status make_orders(sup_comp_set *set, const sup_measure_comp_options *o, sup_diag *diag) {
    int *order = NULL, classes = o->topology->class_count;
    sup_status status = cpu_order(o, diag, &order, &set->cpu_count);
    if (status) return status;
    set->orders = calloc((size_t)classes, sizeof *set->orders);
    status = set->orders ? SUP_OK : SUP_ENOMEM;
    for (int k = 0; k < classes && !status; k++) {
        int *own = calloc((size_t)set->cpu_count + 1, sizeof *own);
        if (!own) {
            status = SUP_ENOMEM;
            break;
        }
        set->orders[set->order_count++] = own;
        class_first(o->topology, order, set->cpu_count, k, own);
    }
    free(order);
    return status ? sup_diag_set(diag, status, NULL, 0, "out of memory") : SUP_OK;
}

static sup_status add_kernel(sup_session *session, sup_comp_set *set, const sup_measure_comp_options *o,
                             const sup_profile *profile, const sup_comp_kernel *kernel, sup_diag *diag) {
    const sup_kernel *k = kernel->kernel;
    if (k->unavailable && k->unavailable()) {
        sup_session_warn(session, SUP_WARNING_KERNEL_NOT_AVAILABLE, &(sup_about){.kernel = k->name});
        return SUP_OK;
    }
    sup_status status = SUP_OK;
    for (int c = 0; c < o->topology->class_count && !status; c++) status = add_class(set, o, profile, kernel, c, diag);
    return status;
}

sup_status sup_comp_set_make(sup_session *session, const sup_measure_comp_options *o, const sup_profile *profile,
                             sup_diag *diag, sup_comp_set *out) {
    sup_comp_set set = {0};
    sup_status status = make_orders(&set, o, diag);
    for (size_t i = 0; !status && (o->kernel_count ? i < o->kernel_count : sup_kernels[i] != NULL); i++) {
        sup_comp_kernel kernel = o->kernel_count ? o->kernels[i] : (sup_comp_kernel){sup_kernels[i], NULL};
        status = add_kernel(session, &set, o, profile, &kernel, diag);
    }
    if (!status && set.count == 0)
        status = sup_diag_set(diag, SUP_ENOTSUP, NULL, 0, "none of the kernels can run here");
    if (status) {
        sup_comp_set_free(&set);
        return status;
    }
    *out = set;
    return SUP_OK;
}

void sup_comp_set_free(sup_comp_set *set) {
    for (size_t i = 0; i < set->count; i++) sup_comp_curve_clear(&set->jobs[i].curve);
    for (int i = 0; i < set->order_count; i++) free(set->orders[i]);
    free(set->orders);
    free(set->jobs);
    *set = (sup_comp_set){0};
}
