/* A pattern as a picture (pattern.h): a line from left to right for each process, a column for each stage, an arrow for
 * each signal from the left of the column, where it leaves, to the right, where it arrives. What one word tells many is
 * one thick stem with a branch to each reader, inside a host. Rows of a host are shaded. */
#include "report/draw/pattern.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { TOP = 62, LEFT = 46, HOST_LEFT = 92, RIGHT = 20, GAP = 26, BRANCH = 30 };

typedef struct canvas {
    const sup_pattern *p;
    const int *host_of;
    FILE *out;
    int rows, stages;      /* drawn */
    int left, row, column; /* where lines begin, their distance, width of a stage without the gap */
    size_t hidden;         /* signals of drawn stages that have an end outside */
    bool between, common;  /* there are signals between hosts; that all read */
} canvas;

static int row_y(const canvas *c, int64_t i) { return TOP + 26 + (int)i * c->row; }
static int stage_x(const canvas *c, int stage) { return c->left + GAP / 2 + stage * (c->column + GAP); }
static int right_end(const canvas *c) { return stage_x(c, c->stages) - GAP / 2; }

static bool same_host(const canvas *c, int64_t i, int64_t j) { return !c->host_of || c->host_of[i] == c->host_of[j]; }

/* ---- what does not move ---- */

static void put_head(const canvas *c, int width, int height) {
    char title[160];
    sup_pattern_draw_title(c->p, title, sizeof title);
    fprintf(c->out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" role=\"img\">\n"
            "<title>%s</title>\n"
            "<style>text{font:12px system-ui,sans-serif;fill:#333}.t{font-weight:600;font-size:15px}"
            ".p{stroke:#b8bec6;stroke-width:1}.s{fill:none;stroke-width:1.4}.n{stroke:#2f6fc0}.b{stroke:#d4620c}"
            ".w{stroke:#178a63;stroke-width:3.4;stroke-linecap:round}.r{stroke:#178a63}.m{text-anchor:middle}"
            ".e{text-anchor:end}.d{fill:#555}</style>\n<defs>\n",
            width, height, width, height, title);
    static const char *const heads[][2] = {{"hn", "#2f6fc0"}, {"hb", "#d4620c"}, {"hr", "#178a63"}};
    for (size_t k = 0; k < sizeof heads / sizeof *heads; k++)
        fprintf(c->out,
                "<marker id=\"%s\" viewBox=\"0 0 8 8\" refX=\"7.5\" refY=\"4\" markerWidth=\"7\" markerHeight=\"7\" "
                "orient=\"auto\" markerUnits=\"userSpaceOnUse\"><path d=\"M0 .8 8 4 0 7.2z\" fill=\"%s\"/></marker>\n",
                heads[k][0], heads[k][1]);
    fprintf(c->out, "</defs>\n<rect width=\"%d\" height=\"%d\" rx=\"6\" fill=\"#fff\"/>\n", width, height);
    fprintf(c->out, "<text class=\"t\" x=\"16\" y=\"26\">%s</text>\n", title);
}

/* Rows of one host that stand together are one band with its name. */
static void put_hosts(const canvas *c) {
    static const char *const tints[] = {"#e8f0fb", "#fdf0e2", "#e6f5ee", "#f6e9f3", "#eeeafa", "#faf4dc"};
    for (int i = 0, end; i < c->rows; i = end) {
        for (end = i + 1; end < c->rows && c->host_of[end] == c->host_of[i];) end++;
        int y = row_y(c, i) - c->row / 2, height = (end - i) * c->row;
        fprintf(c->out, "<rect x=\"12\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"%s\"/>\n", y, right_end(c) - 4,
                height, tints[(unsigned)c->host_of[i] % (sizeof tints / sizeof *tints)]);
        fprintf(c->out, "<text class=\"d\" x=\"18\" y=\"%d\">host %d</text>\n", y + height / 2 + 4, c->host_of[i]);
    }
}

static void put_lines(const canvas *c) {
    for (int s = 0; s < c->stages; s++) {
        int x = stage_x(c, s);
        fprintf(c->out, "<text class=\"m d\" x=\"%d\" y=\"%d\">stage %d</text>\n", x + c->column / 2, TOP - 8, s);
        if (s > 0)
            fprintf(c->out, "<path d=\"M%d %dV%d\" stroke=\"#d5d9df\" stroke-dasharray=\"3 4\"/>\n", x - GAP / 2, TOP,
                    row_y(c, c->rows - 1) + c->row / 2);
    }
    for (int i = 0; i < c->rows; i++) {
        int y = row_y(c, i);
        fprintf(c->out, "<text class=\"e\" x=\"%d\" y=\"%d\">%d</text>\n", c->left - 8, y + 4, i);
        fprintf(c->out, "<path class=\"p\" d=\"M%d %dH%d\"/>\n", c->left, y, right_end(c));
    }
}

/* ---- signals ---- */

static void put_arrow(const canvas *c, const sup_pattern_edge *e) {
    int x = stage_x(c, e->stage);
    bool near = same_host(c, e->from, e->to);
    fprintf(c->out, "<path class=\"s %s\" d=\"M%d %dL%d %d\" marker-end=\"url(#%s)\"/>\n", near ? "n" : "b", x,
            row_y(c, e->from), x + c->column, row_y(c, e->to), near ? "hn" : "hb");
}

/* The edges of one sender, which all read one word of it. */
static void put_fan(const canvas *c, const sup_pattern_edge *edges, size_t n) {
    int x = stage_x(c, edges[0].stage), bar = x + c->column - BRANCH, y = row_y(c, edges[0].from);
    int low = y, high = y;
    for (size_t e = 0; e < n; e++) {
        int to = row_y(c, edges[e].to);
        if (to < low) low = to;
        if (to > high) high = to;
        fprintf(c->out, "<path class=\"s r\" d=\"M%d %dH%d\" marker-end=\"url(#hr)\"/>\n", bar, to, x + c->column);
    }
    fprintf(c->out, "<path class=\"s w\" d=\"M%d %dH%d\"/>\n<path class=\"s w\" d=\"M%d %dV%d\"/>\n", x, y, bar, bar,
            low, high);
}

static void put_dots(const canvas *c, const sup_pattern_edge *edges, size_t n) {
    for (size_t e = 0; e < n; e++)
        if (e == 0 || edges[e].from != edges[e - 1].from)
            fprintf(c->out, "<circle cx=\"%d\" cy=\"%d\" r=\"2.6\" fill=\"#333\"/>\n", stage_x(c, edges[e].stage),
                    row_y(c, edges[e].from));
}

/* Edges with both ends among the rows move to the front; how many. */
static size_t keep_drawn(canvas *c, sup_pattern_edge *edges, size_t n) {
    size_t kept = 0;
    for (size_t e = 0; e < n; e++)
        if (edges[e].from < c->rows && edges[e].to < c->rows) edges[kept++] = edges[e];
    c->hidden += n - kept;
    return kept;
}

/* The edges of one sender: a fan where they are common and memory is shared, arrows otherwise. */
static void put_sender(canvas *c, sup_pattern_edge *edges, size_t n) {
    size_t fan = 0;
    for (size_t e = 0; e < n; e++) {
        bool near = same_host(c, edges[e].from, edges[e].to);
        c->between |= !near;
        if (near && edges[e].common)
            edges[fan++] = edges[e];
        else
            put_arrow(c, &edges[e]);
    }
    c->common |= fan > 0;
    if (fan) put_fan(c, edges, fan);
}

static void put_stage(canvas *c, sup_pattern_edge *edges, int stage) {
    size_t n = keep_drawn(c, edges, sup_pattern_stage(c->p, stage, edges));
    put_dots(c, edges, n);
    for (size_t e = 0, end; e < n; e = end) {
        for (end = e + 1; end < n && edges[end].from == edges[e].from;) end++;
        put_sender(c, edges + e, end - e);
    }
}

/* ---- below ---- */

static int put_key(const canvas *c, int x, int y, const char *class, const char *head, const char *text) {
    fprintf(c->out, "<path class=\"s %s\" d=\"M%d %dh26\"%s%s%s/>\n<text class=\"d\" x=\"%d\" y=\"%d\">%s</text>\n",
            class, x, y - 4, head ? " marker-end=\"url(#" : "", head ? head : "", head ? ")\"" : "", x + 33, y, text);
    return x + 48 + 7 * (int)strlen(text);
}

static void put_notes(const canvas *c, int y) {
    const sup_pattern *p = c->p;
    int x = put_key(c, 16, y, "n", "hn", c->between ? "signal inside a host" : "signal");
    if (c->between) x = put_key(c, x, y, "b", "hb", "between hosts");
    if (c->common) put_key(c, x, y, "w", NULL, "one word that all read");
    if (c->rows < p->processes)
        fprintf(c->out,
                "<text class=\"d\" x=\"16\" y=\"%d\">The first %d of %" PRId64
                " processes; %zu signals with others are not drawn.</text>\n",
                y += 20, c->rows, p->processes, c->hidden);
    if (c->stages < p->stages)
        fprintf(c->out, "<text class=\"d\" x=\"16\" y=\"%d\">The first %d of %d stages.</text>\n", y + 20, c->stages,
                p->stages);
}

sup_status sup_pattern_draw_svg(const sup_pattern *p, const int *host_of, char **out, size_t *length) {
    char *text = NULL;
    size_t size = 0;
    canvas c = {.p = p, .host_of = host_of, .left = host_of ? HOST_LEFT : LEFT};
    c.rows = p->processes < SUP_PATTERN_DRAW_SVG_MAX ? (int)p->processes : SUP_PATTERN_DRAW_SVG_MAX;
    c.stages = p->stages < SUP_PATTERN_DRAW_STAGES ? p->stages : SUP_PATTERN_DRAW_STAGES;
    c.row = c.rows <= 16 ? 28 : c.rows <= 32 ? 22 : 17;
    c.column = c.stages > 24 ? 52 : 70 + 3 * c.rows;
    sup_pattern_edge *edges = calloc(sup_pattern_widest(p) + 1, sizeof *edges);
    c.out = edges ? open_memstream(&text, &size) : NULL;
    if (!c.out) {
        free(edges);
        return SUP_ENOMEM;
    }
    int bottom = row_y(&c, c.rows - 1) + c.row / 2 + 28, width = right_end(&c) + RIGHT;
    int notes = (c.rows < p->processes) + (c.stages < p->stages);
    put_head(&c, width > 560 ? width : 560, bottom + 18 + 20 * notes);
    if (host_of) put_hosts(&c);
    put_lines(&c);
    for (int s = 0; s < c.stages; s++) put_stage(&c, edges, s);
    put_notes(&c, bottom);
    fputs("</svg>\n", c.out);
    bool failed = ferror(c.out);
    failed |= fclose(c.out) != 0;
    free(edges);
    if (failed) {
        free(text);
        return SUP_ENOMEM;
    }
    *out = text;
    *length = size;
    return SUP_OK;
}
