/* A number that says which schedule a choice is (digest.h): of few processes many algorithms are the same. */
#include "schedule/digest.h"

enum { LOOKED_AT = 4 }; /* ranks: the ends, and two between them */

typedef struct digesting {
    sup_walker walker;
    uint64_t value;
} digesting;

static uint64_t mix(uint64_t h, uint64_t v) { return (h ^ v) * UINT64_C(1099511628211) ^ h >> 29; }

static sup_status take(sup_walker *walker, const sup_action *a) {
    digesting *d = (digesting *)walker;
    const int64_t parts[] = {a->kind, a->stage, a->peer, a->buffer, a->to, a->at, a->to_at, a->bytes, a->before};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) d->value = mix(d->value, (uint64_t)parts[i]);
    return SUP_OK;
}

uint64_t sup_schedule_digest(const sup_algorithm *algorithm, const sup_job *job) {
    digesting d = {{take}, UINT64_C(14695981039346656037)};
    if (!algorithm || !algorithm->walk || algorithm->traits & SUP_ALGORITHM_SHARED) return 0;
    for (int i = 0; i < LOOKED_AT; i++) {
        int64_t rank = i * (job->processes - 1) / (LOOKED_AT - 1);
        d.value = mix(d.value, (uint64_t)rank);
        if (algorithm->walk(job, rank, &d.walker)) return 0;
    }
    return d.value ? d.value : 1;
}
