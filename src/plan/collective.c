/* Which collective algorithm holds where (collective.h): the plan's rows for one number of processes as ranges of bytes
 * without gaps, the defaults where the plan is silent or names what cannot work there. */
#include "plan/collective.h"

#include "plan/defaults.h"

#include <string.h>

/* ---- what can work there ---- */

/* A job of so many bytes in all. */
static sup_job job_of(const sup_choices_for *what, int64_t processes, int64_t total) {
    sup_job job = {.operation = what->operation, .processes = processes, .element = 1, .bytes = 1};
    int64_t parts = processes > 0 ? sup_job_total(&job) : 1; /* of one byte a block: how many blocks count */
    job.bytes = parts > 0 ? total / parts : total;
    return job;
}

static bool works(const sup_choices_for *what, const sup_choice *choice, int64_t total) {
    if (!choice->algorithm) return what->mpi;
    bool shared = choice->algorithm->traits & SUP_ALGORITHM_SHARED;
    if (choice->hosts && (!what->memory || what->hosts < 2 || what->hosts >= what->processes || shared)) return false;
    if (shared && !(what->memory && what->hosts == 1)) return false;
    sup_job job = job_of(what, choice->hosts ? what->hosts : what->processes, total);
    job.segment_bytes = choice->segment_bytes;
    job.radix = choice->radix;
    return sup_algorithm_fits(choice->algorithm, &job);
}

/* ---- defaults ---- */

static bool by_default(const sup_choices_for *what, int64_t bytes, sup_choice *out) {
    for (const sup_default_choice *d = sup_default_choices; d->choice; d++) {
        if (d->operation != what->operation || !sup_default_is_for(d, what->processes)) continue;
        int64_t to = sup_default_border(d, what->processes, d->to);
        if (bytes < sup_default_border(d, what->processes, d->from) || (to >= 0 && bytes >= to)) continue;
        if (!sup_choice_read(d->operation, d->choice, NULL, out) && works(what, out, bytes)) return true;
    }
    /* No row names one that works here: any that does. */
    for (const sup_algorithm *const *a = sup_algorithms; *a; a++) {
        *out = (sup_choice){.algorithm = *a};
        if ((*a)->operation == what->operation && works(what, out, bytes)) return true;
    }
    *out = (sup_choice){0};
    return false;
}

/* ---- the plan's rows ---- */

static bool row_is_for(const sup_plan_collective_row *row, int64_t processes) {
    return processes >= row->processes_from && (row->processes_to < 0 || processes < row->processes_to);
}

/* The first table that is for these processes. */
static const sup_plan_collective *table_for(const sup_plan *plan, const sup_choices_for *what) {
    for (size_t i = 0; plan && i < plan->collectives_count; i++) {
        const sup_plan_collective *c = &plan->collectives[i];
        if (sup_operation_find(c->operation) != what->operation) continue;
        if (c->transport && what->transport && strcmp(c->transport, what->transport) != 0) continue;
        if (c->hosts && c->hosts != what->hosts) continue;
        for (size_t k = 0; k < c->rows_count; k++)
            if (row_is_for(&c->rows[k], what->processes)) return c;
    }
    return NULL;
}

/* What a row of a plan says. SUP_EINVAL: there is no such algorithm. */
static sup_status row_choice(int operation, const sup_plan_collective_row *row, sup_diag *diag, sup_choice *out) {
    sup_status st = sup_choice_read(operation, row->algorithm, diag, out);
    if (!st && row->segment_bytes > 0) out->segment_bytes = row->segment_bytes;
    return st;
}

static void choice_at(const sup_plan_collective *table, const sup_choices_for *what, int64_t bytes, sup_choice *out) {
    for (size_t k = 0; table && k < table->rows_count; k++) {
        const sup_plan_collective_row *row = &table->rows[k];
        if (!row_is_for(row, what->processes) || bytes < row->bytes_from ||
            (row->bytes_to >= 0 && bytes >= row->bytes_to))
            continue;
        if (!row_choice(what->operation, row, NULL, out) && works(what, out, bytes)) return;
    }
    by_default(what, bytes, out);
}

/* ---- ranges ---- */

enum { BORDERS_MOST = 128 };

typedef struct borders {
    int count;
    int64_t at[BORDERS_MOST]; /* ascending */
} borders;

static void add_border(borders *b, int64_t bytes) {
    int i = b->count;
    if (bytes <= 0 || b->count == BORDERS_MOST) return;
    while (i > 0 && b->at[i - 1] > bytes) i--;
    if (i > 0 && b->at[i - 1] == bytes) return;
    memmove(b->at + i + 1, b->at + i, (size_t)(b->count - i) * sizeof *b->at);
    b->at[i] = bytes;
    b->count++;
}

static bool alike(const sup_choice *a, const sup_choice *b) {
    return a->algorithm == b->algorithm && a->segment_bytes == b->segment_bytes && a->radix == b->radix &&
           a->hosts == b->hosts;
}

static void add_range(sup_choices *out, int64_t from, const sup_choice *choice) {
    if (out->count && alike(&out->choice[out->count - 1], choice)) return;
    if (out->count == SUP_CHOICES_MOST) return;
    out->from[out->count] = from;
    out->choice[out->count++] = *choice;
}

/* The least number of bytes of a step of sup_choices_at. */
static int64_t step_begins(int step) {
    int top = step / 4;
    if (step < 8) return step < 4 ? step : 4; /* 4 … 7 are no steps */
    return (int64_t)((UINT64_C(4) + (uint64_t)(step & 3)) << (top - 2));
}

static void index_ranges(sup_choices *c) {
    int last_step = 62 * 4 + 3;
    for (int step = 0; step < SUP_CHOICE_STEPS; step++) {
        int64_t begins = step_begins(step < last_step ? step : last_step);
        int k = 0;
        while (k + 1 < c->count && c->from[k + 1] <= begins) k++;
        c->first[step] = (uint8_t)k;
    }
}

void sup_plan_choices(const sup_plan *plan, const sup_choices_for *what, sup_choices *out) {
    const sup_plan_collective *table = table_for(plan, what);
    borders b = {.count = 1, .at = {0}};
    sup_choice choice;
    for (const sup_default_choice *d = sup_default_choices; d->choice; d++)
        if (d->operation == what->operation && sup_default_is_for(d, what->processes)) {
            add_border(&b, sup_default_border(d, what->processes, d->from));
            add_border(&b, sup_default_border(d, what->processes, d->to));
        }
    for (size_t k = 0; table && k < table->rows_count; k++)
        if (row_is_for(&table->rows[k], what->processes)) {
            add_border(&b, table->rows[k].bytes_from);
            add_border(&b, table->rows[k].bytes_to);
        }
    out->count = 0;
    for (int i = 0; i < b.count; i++) {
        choice_at(table, what, b.at[i], &choice);
        add_range(out, b.at[i], &choice);
    }
    index_ranges(out);
}
