/* superstep predict --sweep: one program on many numbers of processes, as a table, JSON or a figure, with where it
 * stops scaling and why. Model stage of the flow, once for each number. */
#include "base/text.h"
#include "cli/frame/cli.h"
#include "cli/predict/predict.h"
#include "report/data.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VERB "predict"

typedef struct sweeper {
    const sup_predict_request *q;
    sup_predict_input *in;
    const sup_model *model;
    sup_predict_scale scale;
    sup_sweep_result result;
    char notes[8][160];
    int note_count;
} sweeper;

static void add_note(sweeper *w, const char *note) {
    for (int k = 0; k < w->note_count; k++)
        if (!strcmp(w->notes[k], note)) return;
    if (*note && w->note_count < 8) snprintf(w->notes[w->note_count++], sizeof w->notes[0], "%s", note);
}

/* ---- one number of processes ---- */

/* Footprint and time of a unit of each kernel, by which a change of them is explained. */
static void look_at_kernels(const sup_platform *m, const sup_program *p, sup_sweep_row *r) {
    for (size_t s = 0; s < p->step_count; s++)
        for (size_t k = 0; k < p->steps[s].work_count && r->kernel_count < SUP_SWEEP_KERNELS; k++) {
            const sup_work *w = &p->steps[s].works[k];
            sup_sweep_kernel *out = &r->kernels[r->kernel_count++];
            double units = sup_work_units(w, m->processes, 0);
            *out = (sup_sweep_kernel){.unit_s = 1};
            const sup_kernel_profile *known = w->kernel ? sup_profile_kernel(m->profile, w->kernel) : NULL;
            if (known) {
                sup_prediction unit = {0};
                sup_diag quiet;
                snprintf(out->name, sizeof out->name, "%s", w->kernel);
                out->footprint = sup_vector_at(&w->bytes, 0);
                if (out->footprint < 0) out->footprint = units * known->bytes_per_unit;
                if (!sup_comp_unit(m, w->kernel, out->footprint, &quiet, &unit)) out->unit_s = unit.value;
            }
            out->all_s = (double)p->steps[s].repeat * units * out->unit_s;
        }
}

static sup_status predict_at(sweeper *w, int64_t processes, sup_diag *diag) {
    sup_program *own = w->in->program, *made = NULL;
    sup_platform *m = NULL;
    sup_program_cost c = {0};
    sup_status st = sup_predict_scale_at(&w->scale, w->in, processes, diag, &made);
    if (!st && made) w->in->program = made;
    if (!st) st = sup_predict_platform(w->q, w->in, processes, true, diag, &m);
    if (!st) st = sup_model_program(w->model, m, w->in->program, diag, &c);
    if (!st) {
        sup_sweep_row *r = &w->result.rows[w->result.count++];
        *r = (sup_sweep_row){.processes = processes, .time = sup_predict_time(&c), .bound = c.bound, .tie = c.tie};
        memcpy(r->part_s, c.part_s, sizeof c.part_s);
        double calm = 0;
        for (int k = 0; k < SUP_SWEEP_NOISE; k++) calm += r->part_s[k];
        r->part_s[SUP_SWEEP_NOISE] = fmax(0, r->time.value - calm);
        if (r->part_s[SUP_SWEEP_NOISE] > r->part_s[r->bound]) {
            r->bound = SUP_SWEEP_NOISE;
            r->tie = false;
        }
        look_at_kernels(m, w->in->program, r);
        if (w->q->json) r->json = sup_predict_json(w->in, m, w->model, &c);
        for (int k = 0; k < m->note_count; k++) add_note(w, m->notes[k]);
        const char *machine = w->in->profile->signature.machine, *name = own->name ? own->name : own->file;
        snprintf(w->result.title, sizeof w->result.title, "%.60s%s%.60s over %s: %s scaling", name,
                 machine ? " on " : "", machine ? machine : "", m->transport ? m->transport : "self",
                 w->result.strong ? "strong" : "weak");
    }
    sup_program_cost_free(&c);
    sup_platform_free(m);
    w->in->program = own;
    sup_program_free(made);
    return st;
}

/* ---- text ---- */

static void print_row(const sup_sweep_row *r) {
    const double whole[] = {r->time.value, r->time.low, r->time.high};
    char text[24];
    printf("%10" PRId64, r->processes);
    for (int k = 0; k < 3; k++) printf(" %10s", sup_time_text(whole[k], text, sizeof text));
    for (int k = 0; k < SUP_SWEEP_PARTS; k++)
        printf(" %*s", k ? 10 : 11, sup_time_text(r->part_s[k], text, sizeof text));
    printf(" %8.3g %6.2f  %s%s\n", r->speedup, r->efficiency, sup_sweep_parts[r->bound], r->tie ? " ~" : "");
}

static void print_laws(const sweeper *w) {
    char text[400];
    if (!w->scale.law) return;
    for (size_t s = 0; s < sup_scaling_steps(w->scale.law); s++) {
        const char *name = w->in->program->steps[s].name;
        sup_text_print(stdout, "superstep %zu%s%s: %s\n", s, name ? ", " : "", name ? name : "",
                       sup_scaling_text(w->scale.law, s, text, sizeof text));
    }
    printf("\n");
}

static void print_table(const sweeper *w) {
    const sup_sweep_result *s = &w->result;
    if (!s->count) return;
    sup_text_print(stdout, "%s, model %s\n", s->title, w->model->name);
    sup_predict_machine(w->in->profile);
    print_laws(w);
    printf("%10s %10s %10s %10s %11s %10s %10s %10s %10s %8s %6s  %s\n", "processes", "total", "from", "to",
           "computation", "bandwidth", "latency", "sync", "noise", "speedup", "effic.", "bound by");
    for (int k = 0; k < s->count; k++) print_row(&s->rows[k]);
    if (s->why[0]) sup_text_print(stdout, "\n%s\n", s->why);
    for (int k = 0; k < s->count; k++)
        if (s->rows[k].reason[0])
            sup_text_print(stdout, "%s%s\n", s->rows[k].unexplained ? "warning: " : "", s->rows[k].reason);
    for (int k = 0; k < w->note_count; k++) sup_text_print(stdout, "note: %s\n", w->notes[k]);
}

/* ---- JSON ---- */

static json_t *stop_json(const sup_sweep_result *s) {
    json_t *j = json_pack("{s:s}", "text", s->why);
    json_object_set_new(j, "processes", s->stops < 0 ? json_null() : json_integer(s->rows[s->stops].processes));
    return j;
}

static json_t *whole_json(sweeper *w) {
    sup_sweep_result *s = &w->result;
    json_t *all = json_array(), *laws = json_array(), *notes = json_array();
    for (int k = 0; k < s->count; k++) {
        sup_sweep_row *r = &s->rows[k];
        json_object_set_new(r->json, "speedup", sup_data_real(r->speedup));
        json_object_set_new(r->json, "efficiency", sup_data_real(r->efficiency));
        json_object_set_new(r->json, "noise_s", sup_data_real(r->part_s[SUP_SWEEP_NOISE]));
        if (r->reason[0]) json_object_set_new(r->json, r->unexplained ? "warning" : "reason", json_string(r->reason));
        json_array_append(all, r->json);
    }
    for (size_t k = 0; w->scale.law && k < sup_scaling_steps(w->scale.law); k++) {
        char text[400];
        json_array_append_new(laws, json_string(sup_scaling_text(w->scale.law, k, text, sizeof text)));
    }
    for (int k = 0; k < w->note_count; k++) json_array_append_new(notes, json_string(w->notes[k]));
    return json_pack("{s:s, s:o, s:o, s:o, s:o}", "scaling", s->strong ? "strong" : "weak", "sweep", all, "stops",
                     stop_json(s), "laws", laws, "notes", notes);
}

/* ---- the whole ---- */

static int ascending(const void *a, const void *b) {
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* Numbers that could be predicted are shown even if a later one could not. */
static int show(sweeper *w, sup_diag *diag, sup_status st) {
    json_t *check = NULL;
    sup_sweep_judge(&w->result);
    if (w->scale.law) add_note(w, sup_scaling_note(w->scale.law));
    if (!w->q->json) print_table(w);
    if (!st && w->q->check) st = sup_predict_check(w->q, w->in, &w->scale, w->model, diag, w->q->json ? &check : NULL);
    if (st) {
        fflush(stdout);
        return sup_cli_fail_diag(VERB, diag);
    }
    int code = w->q->plot ? sup_sweep_plot(&w->result, w->q->plot, w->q->force) : SUP_EXIT_OK;
    if (code || !w->q->json) {
        json_decref(check);
        return code;
    }
    json_t *all = whole_json(w);
    if (check) json_object_set_new(all, "check", check);
    return sup_cli_emit(VERB, all);
}

int sup_predict_sweep(const sup_predict_request *q, sup_predict_input *in, const sup_model *model) {
    sup_sweep s;
    sup_diag diag = {0};
    sweeper w = {.q = q, .in = in, .model = model};
    int code = q->plot ? sup_sweep_plot_check(q->plot, q->force) : SUP_EXIT_OK;
    if (code) return code;
    if (sup_sweep_parse(q->sweep, &diag, &s)) return sup_cli_usage(VERB, "--sweep %s", diag.text);
    qsort(s.at, (size_t)s.count, sizeof *s.at, ascending);
    if (sup_predict_scale_open(q, in, &s, &diag, &w.scale)) return sup_cli_fail_diag(VERB, &diag);
    w.result.rows = calloc((size_t)s.count, sizeof *w.result.rows);
    w.result.strong = w.scale.kind != SUP_SCALING_WEAK;
    sup_status st = w.result.rows ? SUP_OK : sup_diag_no_memory(&diag);
    for (int k = 0; k < s.count && !st; k++) st = predict_at(&w, s.at[k], &diag);
    code = w.result.rows ? show(&w, &diag, st) : sup_cli_fail_diag(VERB, &diag);
    for (int k = 0; w.result.rows && k < w.result.count; k++) json_decref(w.result.rows[k].json);
    free(w.result.rows);
    sup_predict_scale_close(&w.scale);
    return code;
}
