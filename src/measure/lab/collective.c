/* Trials of collective operations (lab/net.h): by one algorithm, over messages or in shared memory, as coll/coll.h runs
 * them. Stage "measure", Tcomm. All begin together, as barriers are timed (lab/body.c), and the slowest process's time
 * counts. Buffers are the processes' own, as a program's are. */
#include "measure/collective/word.h"
#include "measure/lab/net.h"

#include <string.h>

/* One process's part in a repetition. */
static sup_status prepare(const sup_participants *p, sup_choice *choice, sup_coll_call *call) {
    int operation;
    sup_status status = sup_collective_word_read(p->trial.kernel, &operation, choice);
    if (status) return status;
    *call = (sup_coll_call){.operation = operation,
                            .in = p->lab->out.data,
                            .out = p->lab->in.data,
                            .bytes = (int64_t)p->trial.bytes,
                            .choice = choice,
                            .fold = sup_fold_find(SUP_TYPE_DOUBLE, SUP_SUM)};
    return SUP_OK;
}

size_t sup_body_collective_blocks(const sup_trial *t) {
    int operation;
    sup_choice choice;
    if (sup_collective_word_read(t->kernel, &operation, &choice)) return 1;
    return sup_collective_has_blocks(operation) ? (size_t)t->group : 1;
}

bool sup_body_collective_can(const sup_participants *p) {
    int operation;
    sup_choice choice;
    if (!p->lab->coll || sup_collective_word_read(p->trial.kernel, &operation, &choice)) return false;
    sup_job job = {.operation = operation,
                   .processes = p->trial.group,
                   .bytes = (int64_t)p->trial.bytes,
                   .element = sup_collective_element(operation),
                   .segment_bytes = choice.segment_bytes,
                   .radix = choice.radix};
    return job.bytes % job.element == 0 && sup_coll_can(p->lab->coll, &job, &choice);
}

sup_status sup_body_collective(sup_participants *p, uint64_t repetitions, double *elapsed) {
    const sup_clock *clock = p->lab->clock;
    sup_choice choice;
    sup_coll_call call;
    int64_t cost = sup_lab_clock_cost(p->lab), spent = 0;
    sup_status status = prepare(p, &choice, &call);
    for (uint64_t r = 0; r < repetitions && !status; r++) {
        if (p->trial.number == 1) call.root = (int)(r % (uint64_t)p->trial.group);
        status = sup_barrier_run(p->lab->together, 0, NULL);
        int64_t together = clock->now_ns(clock->context);
        if (!status) status = sup_coll_run(p->lab->coll, &call);
        int64_t done = clock->now_ns(clock->context);
        spent += done - together - cost;
    }
    *elapsed = spent > 0 ? (double)spent * 1e-9 : 0.0; /* the clock is only known on average */
    return status;
}
