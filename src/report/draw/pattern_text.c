/* A pattern as text (pattern.h):
 *
 *     process   stage 0    stage 1
 *     0         ← 1-3      ⇒ 1-3
 *     1         → 0        ⇐ 0
 */
#include "report/draw/pattern.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 110, CELL = 96, RUNS_SHOWN = 12, PEERS_SHOWN = 3 };

void sup_pattern_draw_title(const sup_pattern *p, char *text, size_t size) {
    char word[SUP_PATTERN_WORD];
    size_t signals = 0;
    for (int s = 0; s < p->stages; s++) signals += sup_pattern_stage(p, s, NULL);
    sup_pattern_kind_word((sup_pattern_kind){p->generator, p->radix}, word);
    snprintf(text, size, "%s of %" PRId64 " process%s: %d stage%s, %zu signal%s", p->edges ? "pattern" : word,
             p->processes, p->processes == 1 ? "" : "es", p->stages, p->stages == 1 ? "" : "s", signals,
             signals == 1 ? "" : "s");
}

/* ---- a line for each process ---- */

static int by_value(const void *a, const void *b) {
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* "1-3 8": neighbours together; many are counted. */
static void put_peers(int64_t *peers, size_t n, FILE *f) {
    size_t groups = 0;
    qsort(peers, n, sizeof *peers, by_value);
    for (size_t k = 0, end; k < n; k = end) {
        for (end = k + 1; end < n && peers[end] == peers[end - 1] + 1;) end++;
        if (groups++ == PEERS_SHOWN) {
            fprintf(f, " +%zu", n - k);
            return;
        }
        fprintf(f,
                end - k > 2    ? " %" PRId64 "-%" PRId64
                : end - k == 2 ? " %" PRId64 " %" PRId64
                               : " %" PRId64,
                peers[k], peers[end - 1]);
    }
}

static bool is_common(const sup_pattern_edge *edges, size_t n, int64_t rank, bool receives) {
    for (size_t e = 0; e < n; e++)
        if ((receives ? edges[e].to : edges[e].from) == rank) return edges[e].common;
    return false;
}

/* What a process does in a stage. */
static void put_cell(const sup_pattern *p, int stage, int64_t rank, const sup_pattern_edge *edges, size_t edge_count,
                     FILE *f) {
    static const char *const signs[2][2] = {{"→", "←"}, {"⇒", "⇐"}};
    int64_t peers[SUP_PATTERN_DRAW_TEXT_MAX];
    bool any = false;
    for (int receives = 0; receives < 2; receives++) {
        size_t n = sup_pattern_peers(p, stage, rank, receives, NULL);
        if (!n || n > SUP_PATTERN_DRAW_TEXT_MAX) continue;
        sup_pattern_peers(p, stage, rank, receives, peers);
        fprintf(f, "%s%s", any ? "  " : "", signs[is_common(edges, edge_count, rank, receives)][receives]);
        put_peers(peers, n, f);
        any = true;
    }
    if (!any) fputs("·", f);
}

/* Columns that a text takes: its characters, not its bytes. */
static int columns_of(const char *text) {
    int n = 0;
    for (; *text; text++) n += (*text & 0xc0) != 0x80;
    return n;
}

typedef struct column {
    char cells[SUP_PATTERN_DRAW_TEXT_MAX][CELL];
    int width;
} column;

/* false: out of memory. */
static bool fill_column(const sup_pattern *p, int stage, sup_pattern_edge *edges, column *c) {
    char head[CELL];
    size_t n = sup_pattern_stage(p, stage, edges);
    c->width = snprintf(head, sizeof head, "stage %d", stage);
    for (int64_t i = 0; i < p->processes; i++) {
        FILE *f = fmemopen(c->cells[i], CELL, "w");
        if (!f) return false;
        put_cell(p, stage, i, edges, n, f);
        fclose(f);
        c->cells[i][CELL - 1] = 0;
        int width = columns_of(c->cells[i]);
        if (width > c->width) c->width = width;
    }
    return true;
}

static void pad(FILE *out, int count) { fprintf(out, "%*s", count > 0 ? count : 0, ""); }

/* As many stages as fit beside each other, from `first` on; how many. 0: out of memory. */
static int put_block(const sup_pattern *p, const int *host_of, int first, int stages, sup_pattern_edge *edges,
                     column *columns, FILE *out) {
    int shown = 0, width = host_of ? 16 : 10;
    for (; first + shown < stages; shown++) {
        column *c = &columns[shown];
        if (!fill_column(p, first + shown, edges, c)) return 0;
        width += c->width + 3;
        if (shown && width > WIDTH) break;
    }
    fputs(host_of ? "process  host" : "process", out);
    for (int k = 0; k < shown; k++) {
        int used = fprintf(out, "   stage %d", first + k) - 3;
        if (k + 1 < shown) pad(out, columns[k].width - used);
    }
    fputc('\n', out);
    for (int64_t i = 0; i < p->processes; i++) {
        fprintf(out, "%7" PRId64, i);
        if (host_of) fprintf(out, "  %4d", host_of[i]);
        for (int k = 0; k < shown; k++) {
            fprintf(out, "   %s", columns[k].cells[i]);
            if (k + 1 < shown) pad(out, columns[k].width - columns_of(columns[k].cells[i]));
        }
        fputc('\n', out);
    }
    return shown;
}

static sup_status put_lines(const sup_pattern *p, const int *host_of, int stages, FILE *out) {
    sup_pattern_edge *edges = calloc(sup_pattern_widest(p) + 1, sizeof *edges);
    column *columns = calloc(WIDTH, sizeof *columns);
    sup_status st = edges && columns ? SUP_OK : SUP_ENOMEM;
    for (int first = 0, shown; first < stages && !st; first += shown) {
        fputc('\n', out);
        shown = put_block(p, host_of, first, stages, edges, columns, out);
        if (!shown) st = SUP_ENOMEM;
    }
    free(columns);
    free(edges);
    return st;
}

/* ---- runs ---- */

static void put_end(FILE *out, int64_t first, int64_t step, int64_t count, int64_t processes) {
    int64_t last = (first + (count - 1) * step) % processes;
    fprintf(out, "%" PRId64, first);
    if (count > 1 && step) fprintf(out, "…%" PRId64, last);
    if (count > 1 && step > 1) fprintf(out, " by %" PRId64, step);
}

/* Does a run go on with the next? One sender with receivers side by side; single edges with the steps of the first two.
 */
static bool joins(sup_pattern_run *run, const sup_pattern_run *next) {
    bool single = next->count == 1, first = run->count == 1;
    int64_t from = first ? next->from - run->from : run->from_step, to = first ? next->to - run->to : run->to_step;
    if (run->common != next->common || from < 0 || to < 0) return false;
    if (next->from != run->from + run->count * from || next->to != run->to + run->count * to) return false;
    if (!single && (from != 0 || to != 1 || next->from_step != 0 || next->to_step != 1)) return false;
    run->from_step = from;
    run->to_step = to;
    run->count += next->count;
    return true;
}

static void put_run(const sup_pattern *p, const sup_pattern_run *run, FILE *out) {
    if (run->count == p->processes && run->from_step == 1 && run->to_step == 1) {
        fprintf(out, "    i → i + %" PRId64 " mod %" PRId64 "\n", run->to, p->processes);
        return;
    }
    fputs("    ", out);
    put_end(out, run->from, run->from_step, run->count, p->processes);
    fputs(run->common ? " ⇒ " : " → ", out);
    put_end(out, run->to, run->to_step, run->count, p->processes);
    fputc('\n', out);
}

static void put_stage(const sup_pattern *p, int stage, FILE *out) {
    sup_pattern_run run = {0}, next;
    size_t signals = sup_pattern_stage(p, stage, NULL), shown = 0, told = 0;
    fprintf(out, "\nstage %d: %zu signal%s\n", stage, signals, signals == 1 ? "" : "s");
    for (size_t index = 0; shown < RUNS_SHOWN && sup_pattern_run_at(p, stage, index, &next); index++) {
        if (!next.count || (run.count && joins(&run, &next))) continue;
        if (run.count) put_run(p, &run, out), shown++, told += (size_t)run.count;
        run = next;
    }
    if (run.count && shown < RUNS_SHOWN) put_run(p, &run, out), told += (size_t)run.count;
    if (told < signals) fprintf(out, "    and %zu signals more\n", signals - told);
}

sup_status sup_pattern_draw_text(const sup_pattern *p, const int *host_of, FILE *out) {
    char title[160];
    sup_status st = SUP_OK;
    int stages = p->stages < SUP_PATTERN_DRAW_STAGES ? p->stages : SUP_PATTERN_DRAW_STAGES;
    sup_pattern_draw_title(p, title, sizeof title);
    fprintf(out, "%s\n", title);
    if (p->processes <= SUP_PATTERN_DRAW_TEXT_MAX)
        st = put_lines(p, host_of, stages, out);
    else
        for (int s = 0; s < stages; s++) put_stage(p, s, out);
    if (stages < p->stages) fprintf(out, "\nand %d stages more\n", p->stages - stages);
    return st ? st : ferror(out) ? SUP_EIO : SUP_OK;
}
