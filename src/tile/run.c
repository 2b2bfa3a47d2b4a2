/* The public calls: open, run through the stages with each of them timed, close (CACHE §4.1.3, §4.1.4). */
#include "tile/strategy.h"

#include "base/clock.h"
#include "machine/signature.h"

#include <stdlib.h>
#include <string.h>

/* ---- open and close -----------------------------------------------------------------------------------------------*/

static sup_status load_machine(const sup_tile_options *options, sup_diag *diag, sup_tile *tile) {
    sup_status status = sup_topology_load(0, diag, &tile->machine);
    if (status) return status;
    tile->hierarchy = tile->machine;
    if (options->topology_file) status = sup_topology_from_file(options->topology_file, 0, diag, &tile->hierarchy);
    if (!status) status = sup_usable_read(tile->machine, diag, &tile->usable);
    return status;
}

sup_status sup_tile_origin(const sup_tile *tile, sup_diag *diag, sup_origin *here) {
    sup_record_init(&sup_origin_record, here);
    sup_status status = sup_origin_set(here, tile->hierarchy, NULL, NULL, NULL);
    return status ? sup_diag_set(diag, status, NULL, 0, "cannot describe this machine") : SUP_OK;
}

/* A plan of another machine is refused; one that does not exist yet will be written. */
static sup_status load_plan(const char *path, sup_diag *diag, sup_tile *tile) {
    if (!path) return SUP_OK;
    tile->plan_file = strdup(path);
    if (!tile->plan_file) return sup_diag_set(diag, SUP_ENOMEM, NULL, 0, "no memory");
    sup_diag why = {0};
    sup_origin here;
    sup_status status = sup_plan_read(path, false, &why, &tile->plan);
    if (status == SUP_ENOENT) return SUP_OK;
    if (!status) {
        status = sup_tile_origin(tile, &why, &here);
        if (!status) status = sup_origin_match(&tile->plan->signature, &here, SUP_SIGNATURE_ANY_RUN, &why);
        sup_record_clear(&sup_origin_record, &here);
    }
    if (status && diag) *diag = why;
    return status;
}

static sup_status place_groups(sup_tile *tile) {
    int workers = tile->pool.workers, *core = calloc((size_t)workers, sizeof *core);
    if (!core) return SUP_ENOMEM;
    for (int w = 0; w < workers; w++)
        core[w] = tile->hierarchy == tile->machine ? tile->pool.core[w] : w % tile->hierarchy->core_count;
    sup_status status = sup_siblings_make(tile->hierarchy, core, workers, &tile->siblings);
    free(core);
    return status;
}

/* What there is before the workers. */
static void release(sup_tile *tile) {
    sup_tile_forget(tile);
    free(tile->plan_file);
    sup_usable_free(&tile->usable);
    if (tile->hierarchy != tile->machine) sup_topology_free(tile->hierarchy);
    sup_topology_free(tile->machine);
    free(tile);
}

sup_status sup_tile_start(const sup_tile_options *options, sup_diag *diag, sup_tile **out) {
    if (options->workers < 0 || options->workers > SUP_TILE_WORKERS)
        return sup_diag_set(diag, SUP_EINVAL, NULL, 0, "%d workers; there may be 0 to %d", options->workers,
                            SUP_TILE_WORKERS);
    sup_tile *tile = calloc(1, sizeof *tile);
    if (!tile) return sup_diag_set(diag, SUP_ENOMEM, NULL, 0, "no memory");
    for (int i = 0; i < SUP_TILE_RECALL; i++) tile->recalled[i].index = -1;
    sup_status status = load_machine(options, diag, tile);
    if (status) goto machine;
    status = load_plan(options->plan_file, diag, tile);
    if (status) goto machine;
    int workers = options->workers ? options->workers : tile->usable.process_count;
    status = sup_pool_open(tile->machine, &tile->usable, workers, options->affinity, diag, &tile->pool);
    if (status) goto machine;
    status = place_groups(tile);
    if (status) goto pool;
    sup_pool_barrier_init(&tile->phase);
    pthread_mutex_init(&tile->one_at_a_time, NULL);
    *out = tile;
    return SUP_OK;
pool:
    sup_diag_set(diag, status, NULL, 0, "no memory for %d workers", workers);
    sup_siblings_free(&tile->siblings);
    sup_pool_close(&tile->pool);
machine:
    release(tile);
    return status;
}

SUP_API void sup_tile_close(sup_tile *tile) {
    if (!tile) return;
    pthread_mutex_destroy(&tile->one_at_a_time);
    sup_pool_close(&tile->pool);
    sup_siblings_free(&tile->siblings);
    free(tile->victims);
    free(tile->range);
    sup_memory_free(&tile->scratch);
    sup_memory_free(&tile->results);
    release(tile);
}

SUP_API int sup_tile_workers(const sup_tile *tile) { return tile ? tile->pool.workers : 0; }

SUP_API sup_status sup_tile_save(sup_tile *tile, sup_diag *diag) {
    if (!tile || !tile->plan_file) return sup_diag_set(diag, SUP_EINVAL, NULL, 0, "no plan file was named");
    sup_status status = SUP_OK;
    pthread_mutex_lock(&tile->one_at_a_time);
    if (!tile->plan) status = sup_plan_new(-1, diag, &tile->plan);
    if (!status && !tile->plan->signature.topology)
        status = sup_origin_set(&tile->plan->signature, tile->hierarchy, NULL, NULL, NULL);
    if (!status) status = sup_plan_write(tile->plan, tile->plan_file, diag);
    pthread_mutex_unlock(&tile->one_at_a_time);
    return status;
}

/* ---- run ----------------------------------------------------------------------------------------------------------*/

/* Seconds since *mark, which moves on. */
static double lap(int64_t *mark) {
    int64_t now = sup_clock_ns();
    double s = sup_clock_seconds(*mark, now);
    *mark = now;
    return s;
}

/* Asked for; or where it costs next to nothing and helps when a core is slower or busy: many chains of one phase, and
 * no results whose bits would depend on who did what. */
static bool wants_stealing(const sup_tile_call *call) {
    const sup_tile_op *op = call->op;
    sup_tile_stealing stealing = sup_tile_method_of(call->report.strategy)->stealing;
    if ((op->flags & SUP_TILE_IRREGULAR) || stealing == SUP_STEAL_ALWAYS) return true;
    return stealing == SUP_STEAL_IF_MANY && op->phases <= 1 && !op->result_bytes &&
           call->chains >= 4 * (int64_t)call->tile->pool.workers;
}

static sup_status make_schedule(sup_tile_call *call, sup_diag *diag) {
    sup_tile *tile = call->tile;
    int workers = tile->pool.workers;
    const sup_tile_method *method = sup_tile_method_of(call->report.strategy);
    call->schedule =
        sup_schedule_make(call->chains, workers, method->cluster ? method->cluster(call) : 0, &tile->siblings);
    /* Ends of a share are 32 bits each; with more chains than that the shares are even anyway. */
    call->steal = wants_stealing(call) && workers > 1 && call->chains < INT32_MAX;
    if (!call->steal) return SUP_OK;
    sup_status status = sup_tile_victims(tile);
    if (status) return sup_diag_set(diag, status, NULL, 0, "no memory for the schedule");
    call->range = tile->range;
    sup_tile_deal(call);
    return SUP_OK;
}

/* Supplied data sets are decomposed and combined when a part is needed: only lists take time for that. */
static sup_status prepare(sup_tile_call *call, int64_t *mark, sup_diag *diag) {
    sup_tile_report *r = &call->report;
    sup_status status = sup_tile_decide(call, diag);
    r->estimate_s = lap(mark);
    r->decompose_s = r->combine_s = 0;
    if (!status && call->listed) {
        status = sup_tile_list_make(call, diag);
        r->decompose_s = lap(mark);
        if (!status) status = sup_tile_list_combine(call, diag);
        r->tasks = call->list.tasks;
        r->combine_s = lap(mark);
    }
    if (!status && (call->op->flags & SUP_TILE_CHECK)) {
        status = sup_tile_check_overlap(call, diag);
        *mark = sup_clock_ns();
    }
    if (!status) status = make_schedule(call, diag);
    if (!status) status = sup_tile_room(call, diag);
    r->schedule_s = lap(mark);
    return status;
}

static int finish(sup_tile_call *call, sup_diag *diag) {
    int code = atomic_load(&call->code);
    if (!code) return SUP_OK;
    int64_t task = atomic_load(&call->failed);
    sup_diag_set(diag, code, NULL, 0,
                 task >= 0 ? "the kernel failed in task %lld with code %d" : "stopped %lld with code %d",
                 (long long)task, code);
    return code;
}

enum { BRIEF_US = 1000 }; /* a call for which a microsecond more would count */

static int run_locked(sup_tile *tile, const sup_tile_op *op, sup_diag *diag, sup_tile_report *report) {
    sup_tile_call call = {.tile = tile, .op = op, .record = -1};
    int64_t begin = sup_clock_ns(), mark = begin;
    call.brief = tile->last_s > 0 && tile->last_s < BRIEF_US * 1e-6;
    call.report.workers = tile->pool.workers;
    int rc = prepare(&call, &mark, diag);
    if (!rc) {
        if (call.chains) sup_tile_execute(&call);
        call.report.run_s = lap(&mark);
        if (op->result_bytes && !atomic_load(&call.code)) {
            sup_tile_reduce(&call);
            call.report.reduce_s = lap(&mark);
        }
        call.report.total_s = sup_clock_seconds(begin, mark);
        tile->last_s = call.report.total_s;
        rc = finish(&call, diag);
        if (!rc) sup_tile_learn(&call);
    }
    sup_tile_list_free(&call.list);
    if (report && !rc) *report = call.report;
    return rc;
}

SUP_API int sup_tile_run(sup_tile *tile, const sup_tile_op *op, sup_diag *diag, sup_tile_report *report) {
    if (!tile || !op) return sup_diag_set(diag, SUP_EINVAL, NULL, 0, "no pool or no operation");
    if (sup_tile_inside)
        return sup_diag_set(diag, SUP_EBUSY, NULL, 0, "an operation cannot be run from inside a kernel");
    sup_status status = sup_tile_validate(op, diag);
    if (status) return status;
    pthread_mutex_lock(&tile->one_at_a_time);
    int rc = run_locked(tile, op, diag, report);
    pthread_mutex_unlock(&tile->one_at_a_time);
    return rc;
}

/* ---- first touch --------------------------------------------------------------------------------------------------*/

typedef struct touch_job {
    char *data;
    size_t rows, row_bytes;
    int workers;
} touch_job;

static void touch(void *context, int worker) {
    const touch_job *t = context;
    sup_span span = sup_cluster_contiguous((int64_t)t->rows, t->workers, worker);
    memset(t->data + (size_t)span.first * t->row_bytes, 0, (size_t)span.count * t->row_bytes);
}

SUP_API sup_status sup_tile_touch(sup_tile *tile, void *data, size_t rows, size_t row_bytes) {
    size_t bytes;
    if (!tile || (!data && rows && row_bytes) || __builtin_mul_overflow(rows, row_bytes, &bytes) ||
        bytes > (size_t)INT64_MAX || sup_tile_inside)
        return SUP_EINVAL;
    if (!bytes) return SUP_OK;
    touch_job job = {data, rows, row_bytes, tile->pool.workers};
    pthread_mutex_lock(&tile->one_at_a_time);
    sup_pool_run(&tile->pool, touch, &job, false);
    pthread_mutex_unlock(&tile->one_at_a_time);
    return SUP_OK;
}
