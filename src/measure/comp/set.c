/* The jobs of a measurement of computation (comp/set.h; term Tcomp). */
#include "measure/comp/set.h"

#include "machine/place/placement.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SMALLEST 1024
#define BEYOND 4.0       /* times the last cache is well outside it … */
#define BEYOND_LARGE 1.5 /* … and that is enough of one above 64 MB, where filling memory is what takes the time */
#define LARGE ((size_t)64 << 20)
#define MEMORY_SHARE 8 /* of the memory: all teams together take less than half of it */
#define INNER 2.0      /* times the cache inside is the inner side of the last */
#define BESIDE 1.4     /* of a cache's size: steps are there, and every profile looks at both sides of them */
#define EDGES "copy"   /* the kernel that shows where caches end */
#define APART 1.6      /* footprints to begin with differ by more than this factor */

/* ---- cpus ---- */

/* One cpu a core, in the order in which they become active. */
static sup_status cpu_order(const sup_comp_options *o, sup_diag *diag, int **out, int *count) {
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

/* What one of the active cores has of a cache: its copy, divided by those of them that use it. */
static double share_of(const sup_topology *t, const sup_level *level, const sup_comp_setting *s) {
    int group = level->group_of[sup_topology_core_of(t, s->cpus[0])], users = 0;
    for (int i = 0; i < s->active; i++) users += level->group_of[sup_topology_core_of(t, s->cpus[i])] == group;
    return (double)level->size_bytes / (users > 0 ? users : 1);
}

static void bounds(const sup_comp_options *o, sup_comp_job *job) {
    const sup_topology *t = o->topology;
    const sup_level *first = sup_topology_first_level(t), *last = sup_topology_last_level(t);
    size_t least = first->size_bytes / 8;
    double beyond = last->size_bytes > LARGE ? BEYOND_LARGE : BEYOND;
    size_t most = (size_t)(beyond * share_of(t, last, &job->setting));
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

/* Not if it is out of bounds, or as good as there already. */
static void add_footprint(sup_comp_job *job, double bytes, double apart) {
    if (bytes < (double)job->least || bytes > (double)job->most || job->grid_count >= SUP_COMP_GRID) return;
    for (int i = 0; i < job->grid_count; i++)
        if (bytes < apart * (double)job->grid[i] && (double)job->grid[i] < apart * bytes) return;
    job->grid[job->grid_count++] = (size_t)bytes;
}

/* Where a core's data lie in a cache outside of the first. The last is others' as well, who push out what lies there
 * for long: where all cores are active, its inner side is what they keep. */
static double middle_of(const sup_topology *t, const sup_level *level, const sup_comp_job *job) {
    double outer = share_of(t, level, &job->setting), inner = share_of(t, level->child, &job->setting);
    double middle = sqrt(outer * fmin(outer, inner));
    bool side = job->all && job->setting.active > 1 && level == sup_topology_last_level(t);
    return side ? fmin(middle, INNER * inner) : middle;
}

/* Beyond all caches, the middle of the first one, and of each other from the outermost inwards. One kernel also has
 * both sides of each cache's size, where its rates step, with all cores. Where some cores are active the first two are
 * enough: whoever chooses a number of processes looks at those. All of a machine: the least as well, and the sides for
 * every kernel. */
static void make_grid(const sup_topology *t, bool deep, sup_comp_job *job) {
    double inner = share_of(t, sup_topology_first_level(t), &job->setting);
    add_footprint(job, (double)job->most, APART);
    add_footprint(job, 0.5 * inner, APART);
    for (const sup_level *level = t->levels; level->child && (deep || job->end); level = level->child)
        add_footprint(job, middle_of(t, level, job), APART);
    if ((job->end && deep) || job->grid_count == 0) add_footprint(job, (double)job->least, APART);
    job->base_count = job->grid_count;
    if (!deep && (!job->all || strcmp(job->kernel.kernel->name, EDGES) != 0)) return;
    for (const sup_level *level = t->levels; level; level = level->child)
        for (int side = -1; side <= 1; side += 2) {
            bool last = level == t->levels; /* beyond it there is a footprint already; a large one takes too long */
            if (last && (side > 0 || level->size_bytes > LARGE)) continue;
            if (!job->end && side < 0) continue;
            add_footprint(job, share_of(t, level, &job->setting) * pow(BESIDE, side), BESIDE);
        }
}

/* ---- jobs ---- */

static sup_status add_job(sup_comp_set *set, const sup_comp_options *o, const sup_comp_job *made, sup_diag *diag) {
    sup_comp_job *grown = realloc(set->jobs, (set->count + 1) * sizeof *grown);
    if (!grown) return sup_diag_no_memory(diag);
    set->jobs = grown;
    sup_comp_job *job = &set->jobs[set->count++];
    *job = *made;
    bounds(o, job);
    make_grid(o->topology, o->deep, job);
    return SUP_OK;
}

static sup_status add_class(sup_comp_set *set, const sup_comp_options *o, const sup_comp_kernel *kernel, int core_class,
                            sup_diag *diag) {
    const sup_topology *t = o->topology;
    const int *cpus = set->orders[core_class];
    int own = 0, most = set->cpu_count;
    while (own < set->cpu_count && class_of(t, cpus[own]) == core_class) own++;
    if (own == 0) return SUP_OK;
    int step = o->deep ? 2 : 4; /* what lies between is between them */
    for (int active = 1;; active = step * active < most ? step * active : most) {
        sup_comp_job job = {.kernel = *kernel, .core_class = core_class};
        job.kind = t->class_count > 1 ? t->classes[core_class].name : NULL;
        job.setting = (sup_comp_setting){kernel->kernel, cpus, active, active < own ? active : own};
        job.all = active == most;
        job.end = job.all || active == 1;
        sup_status status = add_job(set, o, &job, diag);
        if (status || active == most) return status;
    }
}

static sup_status make_orders(sup_comp_set *set, const sup_comp_options *o, sup_diag *diag) {
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

/* One of the user's takes the place of ours of the same name. */
static bool is_replaced(const sup_comp_options *o, size_t i) {
    bool found = false;
    for (size_t k = 0; k < o->kernel_count && !found; k++)
        found = k != i && o->kernels[k].source && (!o->kernels[i].source || k > i) &&
                strcmp(o->kernels[k].kernel->name, o->kernels[i].kernel->name) == 0;
    return found;
}

static sup_status add_kernel(sup_session *session, sup_comp_set *set, const sup_comp_options *o,
                             const sup_comp_kernel *kernel, sup_diag *diag) {
    const sup_kernel *k = kernel->kernel;
    if (k->unavailable && k->unavailable()) {
        sup_session_warn(session, SUP_WARNING_KERNEL_NOT_AVAILABLE, &(sup_about){.kernel = k->name});
        return SUP_OK;
    }
    sup_status status = SUP_OK;
    for (int c = 0; c < o->topology->class_count && !status; c++) status = add_class(set, o, kernel, c, diag);
    return status;
}

sup_status sup_comp_set_make(sup_session *session, const sup_comp_options *o, sup_diag *diag, sup_comp_set *out) {
    sup_comp_set set = {0};
    if (!o->topology || !o->usable)
        return sup_diag_set(diag, SUP_EINVAL, NULL, 0, "measuring computation needs a topology and its usable cores");
    sup_status status = make_orders(&set, o, diag);
    for (size_t i = 0; !status && i < o->kernel_count; i++)
        if (!is_replaced(o, i)) status = add_kernel(session, &set, o, &o->kernels[i], diag);
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
    for (int i = 0; i < set->order_count; i++) free(set->orders[i]);
    free(set->orders);
    free(set->jobs);
    *set = (sup_comp_set){0};
}

/* ---- trials ---- */

/* What predictions use most often: all cores active, and kernels that memory decides. */
static double use_of(const sup_comp_job *job) {
    static const struct {
        const char *name;
        double use;
    } more[] = {{"copy", 1.5}, {"triad", 1.5}, {"daxpy", 1.5}, {"dgemm", 1.2}, {"dgemm_blas", 1.2}};
    double use = job->all ? 1.3 : job->end ? 1.0 : 0.8;
    for (size_t i = 0; i < sizeof more / sizeof *more; i++)
        if (!strcmp(job->kernel.kernel->name, more[i].name)) use *= more[i].use;
    return use;
}

sup_trial sup_comp_trial(const sup_comp_job *job, sup_trial_kind kind, size_t bytes) {
    sup_trial trial = sup_trial_of(kind, NULL, 1, job->setting.active, bytes);
    trial.kernel = job->kernel.kernel->name;
    trial.number = job->core_class;
    trial.use = use_of(job);
    return trial;
}

const sup_comp_job *sup_comp_set_find(const sup_comp_set *set, const sup_trial *trial) {
    for (size_t i = 0; i < set->count; i++) {
        const sup_comp_job *job = &set->jobs[i];
        if (job->setting.active == trial->group && job->core_class == trial->number && trial->kernel &&
            !strcmp(job->kernel.kernel->name, trial->kernel))
            return job;
    }
    return NULL;
}
