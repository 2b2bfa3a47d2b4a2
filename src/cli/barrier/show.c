/* superstep barrier show: a pattern stage by stage, as text, as a picture, or as JSON. */
#include "base/file/file.h"
#include "base/text.h"
#include "cli/barrier/barrier.h"
#include "report/draw/pattern.h"

#include <inttypes.h>
#include <stdlib.h>

#define VERB SUP_BARRIER_VERB

static json_t *stages_json(const sup_pattern *p) {
    json_t *stages = json_array();
    sup_pattern_edge *edges = calloc(sup_pattern_widest(p) + 1, sizeof *edges);
    for (int s = 0; edges && s < p->stages; s++) {
        json_t *signals = json_array();
        size_t n = sup_pattern_stage(p, s, edges);
        for (size_t e = 0; e < n; e++)
            json_array_append_new(signals, json_pack("{s:I,s:I,s:b}", "from", (json_int_t)edges[e].from, "to",
                                                     (json_int_t)edges[e].to, "common", edges[e].common));
        json_array_append_new(stages, signals);
    }
    free(edges);
    return stages;
}

static int say_json(const sup_barrier_given *b) {
    const sup_pattern *p = &b->pattern;
    json_t *hosts = b->host_of ? json_array() : json_null();
    for (int64_t i = 0; b->host_of && i < p->processes; i++) json_array_append_new(hosts, json_integer(b->host_of[i]));
    return sup_cli_emit(VERB,
                        json_pack("{s:o,s:I,s:i,s:I,s:I,s:o,s:o}", "barrier", sup_cli_name(b->name), "processes",
                                  (json_int_t)p->processes, "stages", p->stages, "signals",
                                  (json_int_t)sup_barrier_signals(p), "widest_fan", (json_int_t)sup_barrier_fan(p),
                                  "host_of", hosts, "signals_of_stages", stages_json(p)));
}

static int draw_svg(const char *file, bool force, const sup_barrier_given *b) {
    char *svg = NULL;
    size_t length = 0;
    if (sup_pattern_draw_svg(&b->pattern, b->host_of, &svg, &length)) return sup_cli_no_memory(VERB);
    int code = sup_cli_write(VERB, file, svg, length, force);
    free(svg);
    return code;
}

static void head(const sup_barrier_given *b, FILE *out) {
    const sup_pattern *p = &b->pattern;
    size_t signals = sup_barrier_signals(p);
    sup_text_print(out, "%s: %" PRId64 " process%s, %d stage%s, %zu signal%s, at most %zu of one process in a stage\n",
                   b->name, p->processes, p->processes == 1 ? "" : "es", p->stages, p->stages == 1 ? "" : "s", signals,
                   signals == 1 ? "" : "s", sup_barrier_fan(p));
}

static int show(const sup_barrier_request *r, const sup_barrier_given *b) {
    int code = r->svg ? draw_svg(r->svg, r->force, b) : SUP_EXIT_OK;
    if (code || r->json) return code ? code : say_json(b);
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    if (!out) return sup_cli_no_memory(VERB);
    sup_status status = r->svg ? SUP_OK : sup_pattern_draw_text(&b->pattern, b->host_of, out);
    head(b, out);
    if (fclose(out) || status) {
        free(text);
        return sup_cli_no_memory(VERB);
    }
    return sup_barrier_put(r, text, length);
}

int sup_barrier_show(const sup_barrier_request *r) {
    sup_barrier_given b;
    int code = sup_cli_check_out(VERB, r->svg, SUP_FILE_FIGURE, r->force);
    if (!code) code = sup_cli_check_out(VERB, r->out, SUP_FILE_TEXT, r->force);
    if (code) return code;
    code = sup_barrier_open(r, r->given[0], r->processes, &b);
    if (code >= 0) return code;
    code = show(r, &b);
    sup_barrier_close(&b);
    return code;
}
