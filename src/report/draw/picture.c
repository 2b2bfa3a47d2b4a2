/* From a figure's script to a picture (figure.h): the terminal that gnuplot draws with, and what must change before its
 * SVG can stand inside a page. */
#include "report/draw/figure.h"
#include "report/draw/gnuplot.h"
#include "report/page/table.h"

#include <stdlib.h>
#include <string.h>

static const char *const terminals[] = {
    [SUP_PICTURE_SVG] = "set terminal svg size 640,440 noenhanced font 'sans-serif,15' background rgb 'white'\n",
    [SUP_PICTURE_PNG] = "set terminal pngcairo size 960,660 noenhanced font 'sans,13'\n",
    [SUP_PICTURE_INLINE] = "set terminal svg size 480,340 dynamic noenhanced font 'sans-serif,14'\n",
};

static sup_status make_script(const sup_figure *figure, const sup_profile *profile, sup_picture picture, char **out,
                              size_t *length) {
    FILE *script = open_memstream(out, length);
    if (!script) return SUP_ENOMEM;
    fputs("set encoding utf8\n", script);
    fputs(terminals[picture], script);
    figure->script(figure, profile, script);
    bool failed = ferror(script);
    if (fclose(script) || failed) {
        free(*out);
        return SUP_ENOMEM;
    }
    return SUP_OK;
}

/* ---- SVG inside a page ---- */

/* What gnuplot writes → what a page needs. Ids would be there once a figure; black is the colour of the text around. */
static const struct change {
    const char *from, *to;
    bool id; /* the figure's name follows */
} changes[] = {
    {"color=\"black\"", "", false},
    {"fill=\"black\"", "fill=\"currentColor\"", false},
    {"stroke='black'", "stroke='currentColor'", false},
    {"stroke=\"black\"", "stroke=\"currentColor\"", false},
    {" id='", " id='", true},
    {" id=\"", " id=\"", true},
    {"xlink:href='#", "href='#", true},
    {"xlink:href=\"#", "href=\"#", true},
    {"url(#", "url(#", true},
    {" xmlns:xlink=\"http://www.w3.org/1999/xlink\"", "", false},
    {" xmlns=\"http://www.w3.org/2000/svg\"", "", false},
    {" font-family=\"sans-serif\" ", " ", false},
    {"\t", " ", false},
};

static const struct change *change_at(const char *at) {
    for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++)
        if (!strncmp(at, changes[i].from, strlen(changes[i].from))) return &changes[i];
    return NULL;
}

/* Text of labels must stay as it is: changes are made inside tags only. */
static void put_body(const char *at, const char *name, FILE *out) {
    bool tag = false;
    while (*at) {
        const struct change *c = tag ? change_at(at) : NULL;
        if (c) {
            fputs(c->to, out);
            if (c->id) fprintf(out, "%s-", name);
            at += strlen(c->from);
            continue;
        }
        if (*at == '<') tag = true;
        if (*at == '>') tag = false;
        fputc(*at++, out);
    }
}

static sup_status inline_svg(const sup_figure *figure, char **picture, size_t *length, sup_diag *diag) {
    char *text = NULL;
    size_t size = 0;
    /* after the prologue and the file's own title, which a browser would show whenever the mouse rests on the figure */
    char *view = strstr(*picture, "viewBox=\"");
    char *view_end = view ? strchr(view + 9, '"') : NULL,
         *body = view ? strstr(view, "<g id=\"gnuplot_canvas\"") : NULL;
    if (!view_end || !body) return sup_diag_set(diag, SUP_EIO, NULL, 0, "gnuplot's SVG is not as expected");
    FILE *out = open_memstream(&text, &size);
    if (!out) return sup_diag_no_memory(diag);
    fprintf(out, "<svg %.*s\" role=\"img\" aria-label=\"", (int)(view_end - view), view);
    sup_html_text(figure->title, out);
    fputs("\">\n", out);
    put_body(body, figure->name, out);
    if (fclose(out)) {
        free(text);
        return sup_diag_no_memory(diag);
    }
    free(*picture);
    *picture = text;
    *length = size;
    return SUP_OK;
}

sup_status sup_figure_draw(const sup_figure *figure, const sup_profile *profile, sup_picture picture, sup_diag *diag,
                           char **out, size_t *length) {
    char *script = NULL, *drawn = NULL;
    size_t script_length = 0, drawn_length = 0;
    if (make_script(figure, profile, picture, &script, &script_length)) return sup_diag_no_memory(diag);
    sup_status status = sup_gnuplot_draw(script, script_length, diag, &drawn, &drawn_length);
    free(script);
    if (!status && picture == SUP_PICTURE_INLINE) status = inline_svg(figure, &drawn, &drawn_length, diag);
    if (status) {
        free(drawn);
        return status;
    }
    *out = drawn;
    *length = drawn_length;
    return SUP_OK;
}
