/* superstep predict --sweep --check TRACE: how far what was concluded from some traces, or said by a rule, is off what
 * another trace holds: work, messages and bytes of each superstep, and the time that follows from them. */
#include "base/text.h"
#include "cli/predict/predict.h"
#include "report/data.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What the process with the most of it has in a superstep. */
typedef struct needs {
    double work, messages, bytes;
} needs;

typedef struct tally {
    double *messages[2], *bytes[2];
} tally;

static void add(void *context, const sup_edge *e) {
    tally *t = context;
    t->messages[0][e->from] += e->messages;
    t->messages[1][e->to] += e->messages;
    t->bytes[0][e->from] += e->bytes;
    t->bytes[1][e->to] += e->bytes;
}

static bool needs_of(const sup_step *s, int64_t processes, needs *out) {
    size_t n = (size_t)processes;
    double *memory = calloc(4 * n, sizeof *memory);
    if (!memory) return false;
    tally t = {{memory, memory + n}, {memory + 2 * n, memory + 3 * n}};
    *out = (needs){0};
    for (size_t f = 0; f < s->flow_count; f++)
        for (int64_t p = 0; p < processes; p++) sup_flow_visit(&s->flows[f], processes, p, 0, add, &t);
    for (size_t p = 0; p < n; p++) {
        double work = 0;
        for (size_t w = 0; w < s->work_count; w++) work += sup_work_units(&s->works[w], processes, (int64_t)p);
        out->work = fmax(out->work, work);
        for (int end = 0; end < 2; end++) {
            out->messages = fmax(out->messages, t.messages[end][p]);
            out->bytes = fmax(out->bytes, t.bytes[end][p]);
        }
    }
    free(memory);
    return true;
}

static double off(double predicted, double found) {
    return found > 0 ? predicted / found - 1 : predicted > 0 ? INFINITY : 0;
}

static json_t *triple(double predicted, double found) {
    return json_pack("{s:o, s:o, s:o}", "predicted", sup_data_real(predicted), "recorded", sup_data_real(found), "off",
                     sup_data_real(off(predicted, found)));
}

static sup_status compare_steps(const sup_program *made, const sup_program *found, sup_diag *diag, json_t *steps) {
    if (made->step_count != found->step_count)
        return sup_diag_set(diag, SUP_EINVAL, NULL, 0, "%zu kinds of supersteps, %zu in the others", found->step_count,
                            made->step_count);
    if (!steps) printf("%-30s %9s %9s %9s\n", "superstep", "work", "bytes", "messages");
    for (size_t s = 0; s < made->step_count; s++) {
        needs a, b;
        const char *name = found->steps[s].name;
        if (!needs_of(&made->steps[s], found->processes, &a) || !needs_of(&found->steps[s], found->processes, &b))
            return sup_diag_no_memory(diag);
        if (!steps)
            sup_text_print(stdout, "%-30.30s %+8.1f%% %+8.1f%% %+8.1f%%\n", name ? name : "-",
                           100 * off(a.work, b.work), 100 * off(a.bytes, b.bytes), 100 * off(a.messages, b.messages));
        else
            json_array_append_new(steps, json_pack("{s:s?, s:o, s:o, s:o}", "name", name, "work",
                                                   triple(a.work, b.work), "bytes", triple(a.bytes, b.bytes),
                                                   "messages", triple(a.messages, b.messages)));
    }
    return SUP_OK;
}

static sup_status time_of(const sup_predict_request *q, sup_predict_input *in, sup_program *program,
                          const sup_model *model, sup_diag *diag, double *out) {
    sup_program *own = in->program;
    sup_platform *m = NULL;
    sup_program_cost c = {0};
    in->program = program;
    sup_status st = sup_predict_platform(q, in, program->processes, true, diag, &m);
    if (!st) st = sup_model_program(model, m, program, diag, &c);
    *out = sup_predict_time(&c).value;
    sup_program_cost_free(&c);
    sup_platform_free(m);
    in->program = own;
    return st;
}

static void compare_times(const sup_predict_request *q, sup_predict_input *in, sup_program *made, sup_program *found,
                          const sup_model *model, json_t *json) {
    double a, b;
    char ta[24], tb[24];
    sup_diag why = {0};
    sup_status st = time_of(q, in, made, model, &why, &a);
    if (!st) st = time_of(q, in, found, model, &why, &b);
    if (st && json)
        json_object_set_new(json, "time_error", json_string(why.text));
    else if (st)
        sup_text_print(stdout, "no time: %s\n", why.text);
    else if (json)
        json_object_set_new(json, "time_s", triple(a, b));
    else
        printf("time: %s, %s with what this trace asks for: %+.1f %%\n", sup_time_text(a, ta, sizeof ta),
               sup_time_text(b, tb, sizeof tb), 100 * off(a, b));
}

sup_status sup_predict_check(const sup_predict_request *q, sup_predict_input *in, const sup_predict_scale *s,
                             const sup_model *model, sup_diag *diag, json_t **json) {
    sup_predict_request other = *q;
    sup_predict_input found = {0};
    sup_program *made = NULL;
    other.program = q->check;
    sup_status st = sup_predict_open(&other, diag, &found);
    if (st) return st;
    json_t *steps = json ? json_array() : NULL;
    if (!found.trace) st = sup_diag_set(diag, SUP_EINVAL, q->check, 0, "--check wants a trace");
    if (!st) st = sup_scaling_at(s->law, found.program->processes, diag, &made);
    if (!st) st = sup_program_fit(made, made->processes, diag);
    if (!st) st = sup_program_fit(found.program, made->processes, diag);
    if (!st && !json) sup_text_print(stdout, "\nchecked on %" PRId64 " processes, %s:\n", made->processes, q->check);
    if (!st) st = compare_steps(made, found.program, diag, steps);
    if (!st) {
        json_t *all =
            json ? json_pack("{s:I, s:O}", "processes", (json_int_t)made->processes, "supersteps", steps) : NULL;
        compare_times(q, in, made, found.program, model, all);
        if (json) *json = all;
    } else if (!diag->file[0]) {
        snprintf(diag->file, sizeof diag->file, "%s", q->check);
    }
    json_decref(steps);
    sup_program_free(made);
    sup_predict_close(&found);
    return st;
}
