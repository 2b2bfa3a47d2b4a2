/* trace_totals FILE: what a trace says in all, in the words of traffic.c, and then its shape on lines that start with
 * '#'. Reads strictly, and adds the communication up twice: by steps and by the unrolled sequence. */
#include "../../trace_walk.h"

#include "trace/trace.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static const char *const names[SUP_TRACE_KINDS] = {"puts", "hpputs", "gets", "hpgets", "sends"};

static int print_steps(const sup_trace *t) {
    size_t cells = t->processes_count * SUP_TRACE_KINDS;
    for (size_t r = 0; r < t->processes_count; r++) {
        double *sum = calloc(2 * cells + 1, sizeof *sum);
        if (!sum) return 1;
        for (size_t i = 0; i < t->processes[r].steps_count; i++) {
            const sup_trace_step *s = &t->processes[r].steps[i];
            for (size_t k = 0; k < s->items_count; k++) {
                size_t at = 2 * ((size_t)s->items[k].peer * SUP_TRACE_KINDS + (size_t)s->items[k].kind);
                sum[at] += s->items[k].messages * (double)s->count;
                sum[at + 1] += s->items[k].bytes * (double)s->count;
            }
        }
        for (size_t at = 0; at < cells; at++)
            if (sum[2 * at] > 0)
                printf("%zu %zu %s %.0f %.0f\n", r, at / SUP_TRACE_KINDS, names[at % SUP_TRACE_KINDS], sum[2 * at],
                       sum[2 * at + 1]);
        free(sum);
    }
    return 0;
}

/* Times that a step cannot have: calls without a transfer, computation behind unbuffered ones that there are not. */
static bool has_wrong_times(const sup_trace_step *s) {
    bool unbuffered = false;
    for (size_t k = 0; k < s->items_count; k++) unbuffered = unbuffered || s->items[k].overlappable;
    if (!s->calls_s || !s->behind_s) return true;
    return (!s->items_count && s->calls_s->max > 0) || (!unbuffered && s->behind_s->max > 0) ||
           s->behind_s->max > s->compute_s.max;
}

static void print_times(const sup_trace *t) {
    int wrong = 0, behind = 0;
    for (size_t r = 0; r < t->processes_count; r++)
        for (size_t i = 0; i < t->processes[r].steps_count; i++) {
            const sup_trace_step *s = &t->processes[r].steps[i];
            wrong += has_wrong_times(s);
            behind += s->behind_s && s->behind_s->max > 0;
        }
    printf("# wrong_times %d\n# behind %d\n# last_steps %zu\n", wrong, behind,
           t->processes_count ? t->processes[t->processes_count - 1].steps_count : 0);
}

static int print_shape(const sup_trace *t) {
    double messages = 0, bytes = 0, by_steps[2] = {0, 0};
    int64_t merged = 0, early = 0, length = 0;
    size_t which;
    for (trace_walk c = trace_begin(t); trace_next(&c, &which); length++) {
        for (size_t r = 0; r < t->processes_count; r++) {
            const sup_trace_step *s = sup_trace_step_of(t, which, (int64_t)r);
            for (size_t k = 0; k < s->items_count; k++) {
                messages += s->items[k].messages;
                bytes += s->items[k].bytes;
            }
        }
    }
    for (size_t r = 0; r < t->processes_count; r++)
        for (size_t i = 0; i < t->processes[r].steps_count; i++) {
            const sup_trace_step *s = &t->processes[r].steps[i];
            merged += s->merged;
            early += s->early_bytes;
            for (size_t k = 0; k < s->items_count; k++) {
                by_steps[0] += s->items[k].messages * (double)s->count;
                by_steps[1] += s->items[k].bytes * (double)s->count;
            }
        }
    printf("# transport %s\n# processes %zu\n# runs %zu\n# length %" PRId64 "\n# left_out %" PRId64
           "\n# merged %" PRId64 "\n# early %" PRId64 "\n# same %d\n",
           t->signature.transport, t->processes_count, t->sequence_count, length, t->left_out, merged, early,
           (long)(messages + 0.5) == (long)(by_steps[0] + 0.5) && (long)(bytes + 0.5) == (long)(by_steps[1] + 0.5));
    return 0;
}

int main(int argc, char **argv) {
    sup_trace *t = NULL;
    sup_diag diag = {0};
    if (argc != 2 || sup_trace_read(argv[1], true, &diag, &t)) {
        fprintf(stderr, "%s:%d: %s\n", argc == 2 ? argv[1] : "?", diag.line, diag.text);
        return 3;
    }
    int wrong = print_steps(t);
    printf("supersteps %" PRId64 "\n", t->supersteps);
    if (!wrong) wrong = print_shape(t);
    print_times(t);
    sup_trace_free(t);
    return wrong;
}
