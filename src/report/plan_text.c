/* A plan for people (plan_text.h): its decisions with gains and reasons, then what the runtime will look up. */
#include "report/plan_text.h"

#include "base/text.h"
#include "report/draw/pattern.h"
#include "report/page/tables.h"
#include "report/page/units.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static double gain(const sup_plan_decision *d, double with, double without) {
    return sup_plan_decision_changes(d) && with > 0 && without > 0 ? without / with : NAN;
}

double sup_decision_predicted(const sup_plan_decision *d) { return gain(d, d->predicted_s, d->otherwise_s); }
double sup_decision_measured(const sup_plan_decision *d) { return gain(d, d->measured_s, d->measured_otherwise_s); }

double sup_decision_duel(const sup_plan_decision *d, double *half) {
    double sum = 0, off = 0, won = 0;
    for (size_t i = 0; i < d->duels_count; i++) {
        const sup_plan_duel *x = &d->duels[i];
        if (!x->won || !(x->seconds > 0)) continue;
        sum += log(x->otherwise_s / x->seconds);
        off += hypot(x->ci / x->seconds, x->otherwise_ci / x->otherwise_s);
        won++;
    }
    double gain = won > 0 && sup_plan_decision_changes(d) ? exp(sum / won) : NAN;
    *half = gain * off / won;
    return gain;
}

/* ---- decisions ---- */

static void cell_duel(sup_table *t, const sup_plan_decision *d) {
    double half, gain = sup_decision_duel(d, &half);
    if (isfinite(gain))
        sup_table_cell(t, "%.2f × ± %.2f", gain, half);
    else if (d->proposed && d->duels_count)
        sup_table_cell(t, "lost by %.30s", d->duels[0].choice);
    else
        sup_cell_text(t, sup_plan_decision_changes(d) || d->proposed ? "not confirmed" : NULL);
}

static void decision_table(const sup_plan *plan, sup_sink *sink) {
    sup_table *t = sup_table_new("decisions", "about", "choice", "instead of", "predicted gain>", "measured gain>",
                                 "interval>", "in a duel>", NULL);
    for (size_t i = 0; i < plan->decisions_count; i++) {
        const sup_plan_decision *d = &plan->decisions[i];
        sup_cell_text(t, d->about);
        sup_cell_text(t, d->choice);
        sup_cell_text(t, sup_plan_decision_changes(d) ? d->otherwise : NULL);
        sup_cell_factor(t, sup_decision_predicted(d));
        sup_cell_factor(t, sup_decision_measured(d));
        sup_cell_range(t, d->gain_low, d->gain_high);
        cell_duel(t, d);
    }
    sup_sink_put(sink, t);
}

static void duels(const sup_plan *plan, sup_sink *sink) {
    sup_table *t = sup_table_new("duels", "about", "of what", "choice", "takes>", "interval>", "instead of", "takes>",
                                 "interval>", "launches>", "won", NULL);
    for (size_t i = 0; i < plan->decisions_count; i++)
        for (size_t k = 0; k < plan->decisions[i].duels_count; k++) {
            const sup_plan_decision *d = &plan->decisions[i];
            const sup_plan_duel *x = &d->duels[k];
            sup_cell_text(t, d->about);
            sup_cell_text(t, x->where ? x->where : d->where);
            sup_cell_text(t, x->choice);
            sup_cell_seconds(t, x->seconds);
            sup_cell_interval(t, x->seconds, x->ci);
            sup_cell_text(t, x->otherwise);
            sup_cell_seconds(t, x->otherwise_s);
            sup_cell_interval(t, x->otherwise_s, x->otherwise_ci);
            sup_cell_count(t, x->launches);
            sup_cell_text(t, x->won ? "yes" : "no: the default stays");
        }
    sup_sink_put(sink, t);
}

enum { WIDTH = 100, INDENT = 2 }; /* the first line; others have twice as much */

/* Words on lines of at most WIDTH columns; they may be somebody else's. */
static void wrap(const char *text, FILE *out) {
    int column = 0, indent = INDENT;
    while (*text) {
        size_t length = strcspn(text, " ");
        char word[256];
        snprintf(word, sizeof word, "%.*s", length < sizeof word ? (int)length : (int)sizeof word - 1, text);
        int wide = (int)sup_text_width(sup_text_make_plain(word));
        if (column && column + 1 + wide > WIDTH) {
            fputc('\n', out);
            column = 0;
            indent = 2 * INDENT;
        }
        fprintf(out, "%*s%s", column ? 1 : indent, "", word);
        column += wide + (column ? 1 : indent);
        text += length + strspn(text + length, " ");
    }
    fputc('\n', out);
}

static void reasons(const sup_plan *plan, sup_sink *sink) {
    if (!plan->decisions_count) return;
    fputs("\nwhy\n", sink->out);
    for (size_t i = 0; i < plan->decisions_count; i++) {
        const sup_plan_decision *d = &plan->decisions[i];
        char text[2048];
        const char *apply = !sup_plan_decision_changes(d) ? NULL : d->command ? d->command : "superstep run --plan";
        snprintf(text, sizeof text, "%s%s%s%s: %s%s%s", d->about, d->where ? " (" : "", d->where ? d->where : "",
                 d->where ? ")" : "", d->reason ? d->reason : "no reason is given", apply ? "; apply it: " : "",
                 apply ? apply : "");
        wrap(text, sink->out);
    }
}

static void alternatives(const sup_plan *plan, sup_sink *sink) {
    sup_table *t = sup_table_new("alternatives", "about", "of what", "choice", "predicted>", "measured>", NULL);
    for (size_t i = 0; i < plan->decisions_count; i++) {
        const sup_plan_decision *d = &plan->decisions[i];
        if (!d->beaten_count) continue;
        sup_cell_text(t, d->about);
        sup_cell_text(t, d->where);
        sup_cell_text(t, d->choice);
        sup_cell_seconds(t, d->predicted_s);
        sup_cell_seconds(t, d->measured_s);
        for (size_t k = 0; k < d->beaten_count; k++) {
            sup_table_cell(t, "%s", "");
            sup_table_cell(t, "%s", "");
            sup_cell_text(t, d->beaten[k].choice);
            sup_cell_seconds(t, d->beaten[k].predicted_s);
            sup_cell_seconds(t, d->beaten[k].measured_s);
        }
    }
    sup_table_note(t, "The first of each is the one that was taken.");
    sup_sink_put(sink, t);
}

sup_status sup_plan_say_decisions(const sup_plan *plan, FILE *out) {
    sup_sink sink = {.write = sup_table_text, .out = out, .gap = true};
    decision_table(plan, &sink);
    reasons(plan, &sink);
    duels(plan, &sink);
    return sink.status;
}

/* ---- what it is of ---- */

static void head(const sup_plan *plan, sup_sink *sink) {
    const sup_origin *o = &plan->signature;
    sup_table *t = sup_table_new("plan", "", "", NULL);
    sup_table_row(t, "made", "%s by %s", plan->created, plan->tool);
    if (plan->profile) sup_table_row(t, "from the profile", "%s", plan->profile);
    sup_table_row(t, "machine", "%s", o->machine ? o->machine : o->cpu);
    sup_table_row(t, "topology", "%s", o->topology);
    sup_table_row(t, "processes", "%" PRId64 " on %" PRId64 " host%s over %s", o->processes, o->hosts,
                  o->hosts == 1 ? "" : "s", o->transport);
    sup_table_row(t, "placement", "%s", o->policy ? o->policy : "any");
    sup_sink_put(sink, t);
}

/* ---- barriers ---- */

static void range(sup_table *t, int64_t from, int64_t to) {
    if (to < 0 && from <= 0)
        sup_cell_text(t, "any");
    else if (to < 0)
        sup_table_cell(t, "%" PRId64 " and more", from);
    else if (to == from + 1)
        sup_table_cell(t, "%" PRId64, from);
    else
        sup_table_cell(t, "%" PRId64 " to %" PRId64, from, to - 1);
}

static void barrier_row(sup_table *t, const sup_plan_barrier *b) {
    int64_t hosts = b->hosts_count ? 0 : 1;
    for (size_t i = 1; i < b->hosts_count; i += 2)
        if (b->hosts[i] >= hosts) hosts = b->hosts[i] + 1;
    sup_cell_count(t, b->processes);
    sup_cell_count(t, hosts);
    sup_cell_text(t, b->transport ? b->transport : "any");
    sup_cell_text(t, b->algorithm);
    sup_cell_seconds(t, b->predicted_s);
}

static void levels(const sup_plan_barrier *b, sup_sink *sink) {
    sup_table *t =
        sup_table_new("levels of the barrier", "level>", "algorithm", "processes of a cluster>", "stride>", NULL);
    for (size_t i = 0; i < b->levels_count; i++) {
        sup_cell_count(t, (int64_t)i);
        sup_cell_text(t, b->levels[i].algorithm);
        b->levels[i].size ? sup_cell_count(t, b->levels[i].size) : sup_cell_text(t, "all that are left");
        sup_cell_count(t, b->levels[i].stride);
    }
    sup_sink_put(sink, t);
}

static void stages(const sup_plan_barrier *b, sup_sink *sink) {
    sup_table *t = sup_table_new("stages of the barrier", "stage>", "signals>", "how", "first of them", NULL);
    for (size_t i = 0; i < b->stages_count; i++) {
        const sup_plan_stage *s = &b->stages[i];
        char first[128];
        int used = 0;
        for (size_t k = 0; k + 1 < s->signals_count && k < 8; k += 2)
            used += snprintf(first + used, sizeof first - (size_t)used, "%s%" PRId64 " → %" PRId64, k ? ", " : "",
                             s->signals[k], s->signals[k + 1]);
        if (s->signals_count > 8) snprintf(first + used, sizeof first - (size_t)used, ", …");
        sup_cell_count(t, (int64_t)i);
        sup_cell_count(t, (int64_t)s->signals_count / 2);
        sup_cell_text(t, s->common ? "one word that all read" : "a word each");
        sup_cell_text(t, first);
    }
    sup_sink_put(sink, t);
}

enum { DRAWN_MAX = 16 }; /* processes: more are a page of lines */

static void draw(const sup_plan_barrier *b, sup_sink *sink) {
    sup_pattern pattern;
    int host[DRAWN_MAX], at = 0;
    if (b->processes > DRAWN_MAX || sink->status) return;
    for (size_t i = 0; i + 1 < b->hosts_count; i += 2)
        for (int64_t k = 0; k < b->hosts[i] && at < DRAWN_MAX; k++) host[at++] = (int)b->hosts[i + 1];
    sink->status = sup_plan_barrier_pattern(b, &pattern);
    if (sink->status) return;
    fputs("\nthe barrier, stage by stage\n", sink->out);
    sink->status = sup_pattern_draw_text(&pattern, at == b->processes ? host : NULL, sink->out);
    sup_pattern_free(&pattern);
}

static void barriers(const sup_plan *plan, sup_sink *sink) {
    sup_table *t = sup_table_new("barriers", "processes>", "hosts>", "transport", "algorithm", "predicted>", NULL);
    if (plan->barrier) barrier_row(t, plan->barrier);
    for (size_t i = 0; i < plan->barriers_count; i++) barrier_row(t, &plan->barriers[i]);
    sup_sink_put(sink, t);
    if (!plan->barrier) return;
    levels(plan->barrier, sink);
    stages(plan->barrier, sink);
    draw(plan->barrier, sink);
}

/* ---- the BSP runtime ---- */

static void counts_and_engines(const sup_plan_bsp *bsp, sup_sink *sink) {
    sup_table *t = sup_table_new("counts", "processes", "algorithm", NULL);
    for (size_t i = 0; i < bsp->counts_count; i++) {
        range(t, bsp->counts[i].processes_from, bsp->counts[i].processes_to);
        sup_cell_text(t, bsp->counts[i].algorithm);
    }
    sup_sink_put(sink, t);
    t = sup_table_new("engines", "messages", "bytes", "computation from>", "to>", "engine", NULL);
    for (size_t i = 0; i < bsp->engines_count; i++) {
        const sup_plan_engine_row *r = &bsp->engines[i];
        range(t, r->messages_from, r->messages_to);
        range(t, r->bytes_from, r->bytes_to);
        sup_cell_seconds(t, r->compute_from_s);
        sup_cell_seconds(t, r->compute_to_s);
        sup_cell_text(t, r->engine == SUP_PLAN_BULK ? "bulk" : "eager");
    }
    sup_sink_put(sink, t);
}

static void runtime(const sup_plan *plan, sup_sink *sink) {
    static const char *const progress[] = {"none", "on a core of the processes", "on a core of its own"};
    const sup_plan_bsp *bsp = plan->bsp;
    if (!bsp) return;
    counts_and_engines(bsp, sink);
    sup_table *t = sup_table_new("memory of others", "memory", "bytes", "method", NULL);
    for (size_t i = 0; i < bsp->staging_count; i++) {
        sup_cell_text(t, bsp->staging[i].memory);
        range(t, bsp->staging[i].bytes_from, bsp->staging[i].bytes_to);
        sup_cell_text(t, bsp->staging[i].method);
    }
    sup_sink_put(sink, t);
    char text[SUP_UNIT_TEXT];
    t = sup_table_new("runtime", "", "", NULL);
    sup_table_row(t, "progress thread", "%s", progress[bsp->progress]);
    sup_table_row(t, "looks before it sleeps", "%s",
                  isnan(bsp->spin_s) ? "as long as it learns" : sup_unit_seconds(bsp->spin_s, text, sizeof text));
    sup_sink_put(sink, t);
}

/* ---- programs ---- */

static void shape(sup_table *t, const int64_t *list, size_t count) {
    char text[128] = "–";
    int used = 0;
    for (size_t i = 0; i < count && used < 100; i++)
        used += snprintf(text + used, sizeof text - (size_t)used, "%s%" PRId64, i ? " × " : "", list[i]);
    sup_cell_text(t, text);
}

static void programs(const sup_plan *plan, sup_sink *sink) {
    sup_table *t = sup_table_new("tiles", "kernel", "size class", "strategy", "shape", "inside", NULL);
    for (size_t i = 0; i < plan->tiles_count; i++) {
        const sup_plan_tile *x = &plan->tiles[i];
        sup_cell_text(t, x->kernel);
        sup_cell_text(t, x->size_class);
        sup_cell_text(t, x->strategy);
        shape(t, x->shape, x->shape_count);
        shape(t, x->inner_shape, x->inner_shape_count);
    }
    sup_sink_put(sink, t);
    t = sup_table_new("collectives", "operation", "transport", "processes", "bytes", "algorithm", NULL);
    for (size_t i = 0; i < plan->collectives_count; i++)
        for (size_t k = 0; k < plan->collectives[i].rows_count; k++) {
            const sup_plan_collective_row *r = &plan->collectives[i].rows[k];
            sup_cell_text(t, plan->collectives[i].operation);
            sup_cell_text(t, plan->collectives[i].transport ? plan->collectives[i].transport : "any");
            range(t, r->processes_from, r->processes_to);
            range(t, r->bytes_from, r->bytes_to);
            sup_cell_text(t, r->algorithm);
        }
    sup_sink_put(sink, t);
    t = sup_table_new("vectors, partitions and ghosts", "what", "of", "processes>", NULL);
    for (size_t i = 0; i < plan->vectors_count; i++) {
        sup_cell_text(t, "vector protocols");
        sup_cell_text(t, plan->vectors[i].transport);
        sup_cell_text(t, NULL);
    }
    for (size_t i = 0; i < plan->partitions_count; i++) {
        sup_cell_text(t, "partition");
        sup_table_cell(t, "%s of size %" PRId64, plan->partitions[i].kernel, plan->partitions[i].size);
        sup_cell_count(t, plan->partitions[i].processes);
    }
    for (size_t i = 0; i < plan->ghosts_count; i++) {
        sup_table_cell(t, "border of depth %" PRId64, plan->ghosts[i].depth);
        sup_table_cell(t, "%s of size %" PRId64, plan->ghosts[i].program, plan->ghosts[i].size);
        sup_cell_count(t, plan->ghosts[i].processes);
    }
    sup_sink_put(sink, t);
}

sup_status sup_plan_say(const sup_plan *plan, FILE *out) {
    sup_sink sink = {.write = sup_table_text, .out = out, .gap = true};
    head(plan, &sink);
    decision_table(plan, &sink);
    reasons(plan, &sink);
    duels(plan, &sink);
    alternatives(plan, &sink);
    barriers(plan, &sink);
    runtime(plan, &sink);
    programs(plan, &sink);
    return sink.status;
}
