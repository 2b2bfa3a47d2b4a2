/* superstep barrier emit: a barrier as C source of its own (choose/barrier/emit.h). */
#include "choose/barrier/emit.h"
#include "base/file/file.h"
#include "base/text.h"
#include "cli/barrier/barrier.h"

#include <inttypes.h>
#include <stdlib.h>

#define VERB SUP_BARRIER_VERB
#define FUNCTION "superstep_barrier"

/* The same without its k-th signal, which makes it no barrier: a test of barriers has to notice. */
static int drop_signal(sup_barrier_given *b, long k) {
    const sup_pattern *p = &b->pattern;
    size_t n = 0, all = sup_barrier_signals(p);
    if ((size_t)k > all) return sup_cli_usage(VERB, "--drop: it has %zu signals", all);
    sup_pattern_edge *edges = calloc(all + 1, sizeof *edges);
    if (!edges) return sup_cli_no_memory(VERB);
    for (int s = 0; s < p->stages; s++) n += sup_pattern_stage(p, s, edges + n);
    edges[k - 1] = edges[--n];
    sup_pattern less;
    if (sup_pattern_from_edges(p->processes, p->stages, edges, n, &less)) return sup_cli_no_memory(VERB);
    sup_pattern_free(&b->pattern);
    b->pattern = less;
    return -1;
}

static int say(const sup_barrier_request *r, const sup_barrier_given *b, const sup_emit_form *form,
               const char *function) {
    if (r->json)
        return sup_cli_emit(VERB,
                            json_pack("{s:o,s:s,s:s,s:I,s:i,s:I,s:o}", "barrier", sup_cli_name(b->name), "form",
                                      form->name, "function", function, "processes", (json_int_t)b->pattern.processes,
                                      "stages", b->pattern.stages, "signals",
                                      (json_int_t)sup_barrier_signals(&b->pattern), "file", sup_cli_name(r->out)));
    sup_text_print(stdout, "%s: %s, for %" PRId64 " processes, over %s\n", r->out, function, b->pattern.processes,
                   form->name);
    return SUP_EXIT_OK;
}

static int emit(const sup_barrier_request *r, sup_barrier_given *b) {
    const sup_emit_form *form = r->shm ? &sup_emit_shm : &sup_emit_mpi;
    const char *function = r->function ? r->function : FUNCTION;
    int code = r->drop ? drop_signal(b, r->drop) : sup_barrier_check(b);
    if (code >= 0) return code;
    sup_diag diag = {0};
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    if (!out) return sup_cli_no_memory(VERB);
    sup_status status = sup_emit_barrier(form, &b->pattern, function, b->name, out, &diag);
    if (fclose(out) && !status) status = sup_diag_no_memory(&diag);
    if (status) {
        free(text);
        return sup_cli_fail_diag(VERB, &diag);
    }
    code = sup_barrier_put(r, text, length);
    return code || !r->out ? code : say(r, b, form, function);
}

int sup_barrier_emit(const sup_barrier_request *r) {
    if (r->mpi && r->shm) return sup_cli_usage(VERB, "--mpi and --shm exclude each other");
    if (r->json && !r->out) return sup_cli_usage(VERB, "emit: --json needs --out FILE: the source goes there");
    int code = sup_cli_check_out(VERB, r->out, SUP_FILE_SOURCE, r->force);
    if (code) return code;
    sup_barrier_given b;
    code = sup_barrier_open(r, r->given[0], r->processes, &b);
    if (code >= 0) return code;
    code = emit(r, &b);
    sup_barrier_close(&b);
    return code;
}
