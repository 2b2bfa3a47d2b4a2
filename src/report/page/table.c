/* Tables as text and as HTML (table.h). */
#include "report/page/table.h"

#include "base/list.h"
#include "base/text.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { CELL = 1024, NOTE_WIDTH = 98 };

struct sup_table {
    char *title;
    char **columns; /* without the mark of alignment */
    bool *right;
    size_t column_count;
    char **cells; /* row by row */
    size_t cell_count;
    char **notes;
    size_t note_count;
    sup_status status;
};

/* Appends a text to cells or notes. */
static void append(sup_table *t, char ***list, size_t *count, const char *format, va_list args) {
    char text[CELL];
    if (t->status) return;
    vsnprintf(text, sizeof text, format, args);
    sup_text_make_plain(text); /* names in a file of somebody else must not command the terminal */
    char *made = sup_list_room(list, *count, sizeof **list) ? strdup(text) : NULL;
    if (made)
        (*list)[(*count)++] = made;
    else
        t->status = SUP_ENOMEM;
}

void sup_table_column(sup_table *t, const char *name) {
    if (!t || t->status || t->cell_count) return;
    size_t count = t->column_count;
    bool room =
        sup_list_room(&t->columns, count, sizeof *t->columns) && sup_list_room(&t->right, count, sizeof *t->right);
    char *text = room ? strdup(name) : NULL;
    if (!text) {
        t->status = SUP_ENOMEM;
        return;
    }
    size_t length = strlen(sup_text_make_plain(text));
    t->right[t->column_count] = length && text[length - 1] == '>';
    if (t->right[t->column_count]) text[length - 1] = 0;
    t->columns[t->column_count++] = text;
}

sup_table *sup_table_new(const char *title, ...) {
    sup_table *t = calloc(1, sizeof *t);
    if (!t) return NULL;
    t->title = strdup(title);
    if (t->title)
        sup_text_make_plain(t->title);
    else
        t->status = SUP_ENOMEM;
    va_list names;
    va_start(names, title);
    for (const char *name; (name = va_arg(names, const char *));) sup_table_column(t, name);
    va_end(names);
    return t;
}

void sup_table_free(sup_table *t) {
    if (!t) return;
    for (size_t i = 0; i < t->note_count; i++) free(t->notes[i]);
    for (size_t i = 0; i < t->cell_count; i++) free(t->cells[i]);
    for (size_t i = 0; i < t->column_count; i++) free(t->columns[i]);
    free(t->notes);
    free(t->cells);
    free(t->right);
    free(t->columns);
    free(t->title);
    free(t);
}

void sup_table_cell(sup_table *t, const char *format, ...) {
    va_list args;
    va_start(args, format);
    if (t) append(t, &t->cells, &t->cell_count, format, args);
    va_end(args);
}

void sup_table_note(sup_table *t, const char *format, ...) {
    va_list args;
    va_start(args, format);
    if (t) append(t, &t->notes, &t->note_count, format, args);
    va_end(args);
}

size_t sup_table_rows(const sup_table *t) { return t && t->column_count ? t->cell_count / t->column_count : 0; }

sup_status sup_table_status(const sup_table *t) { return t ? t->status : SUP_ENOMEM; }

/* ---- text ---- */

size_t sup_text_width(const char *text) {
    size_t width = 0;
    for (; *text; text++) width += ((unsigned char)*text & 0xc0) != 0x80;
    return width;
}

static void pad(size_t count, FILE *out) {
    while (count--) fputc(' ', out);
}

/* Under the table, in lines that fit a terminal. */
static void put_note(const char *text, FILE *out) {
    size_t column = 0;
    while (*text) {
        size_t length = strcspn(text, " ");
        char word[CELL];
        snprintf(word, sizeof word, "%.*s", (int)length, text);
        size_t width = sup_text_width(word);
        if (!column || column + 1 + width > NOTE_WIDTH) {
            fputs(column ? "\n  " : "  ", out);
            column = 1;
        } else {
            fputc(' ', out);
            column++;
        }
        fputs(word, out);
        column += width;
        text += length;
        text += strspn(text, " ");
    }
    fputc('\n', out);
}

static bool has_names(const sup_table *t) {
    for (size_t c = 0; c < t->column_count; c++)
        if (*t->columns[c]) return true;
    return false;
}

static void text_row(const sup_table *t, char *const *cells, const size_t *widths, FILE *out) {
    for (size_t c = 0; c < t->column_count; c++) {
        size_t gap = widths[c] - sup_text_width(cells[c]);
        fputs("  ", out);
        if (t->right[c]) pad(gap, out);
        fputs(cells[c], out);
        if (!t->right[c] && c + 1 < t->column_count) pad(gap, out);
    }
    fputc('\n', out);
}

void sup_table_text(const sup_table *t, FILE *out) {
    if (sup_table_status(t)) return;
    size_t *widths = calloc(t->column_count + 1, sizeof *widths);
    if (!widths) return;
    for (size_t c = 0; c < t->column_count; c++) widths[c] = sup_text_width(t->columns[c]);
    for (size_t i = 0; i < sup_table_rows(t) * t->column_count; i++) {
        size_t width = sup_text_width(t->cells[i]), c = i % t->column_count;
        if (width > widths[c]) widths[c] = width;
    }
    fputs(t->title, out);
    fputc('\n', out);
    if (has_names(t)) text_row(t, t->columns, widths, out);
    for (size_t r = 0; r < sup_table_rows(t); r++) text_row(t, t->cells + r * t->column_count, widths, out);
    for (size_t i = 0; i < t->note_count; i++) {
        put_note(t->notes[i], out);
    }
    free(widths);
}

/* ---- HTML ---- */

void sup_html_text(const char *text, FILE *out) {
    bool plain;
    for (size_t length; *text; text += length) {
        length = sup_text_character(text, &plain);
        switch (*text) {
        case '&': fputs("&amp;", out); break;
        case '<': fputs("&lt;", out); break;
        case '>': fputs("&gt;", out); break;
        case '"': fputs("&quot;", out); break;
        case '\'': fputs("&#39;", out); break;
        default: plain || *text == '\n' || *text == '\t' ? fwrite(text, 1, length, out) : fwrite("?", 1, 1, out);
        }
    }
}

/* What stands between backquotes is a command. */
static void html_cell(const char *text, FILE *out) {
    size_t length = strlen(text);
    bool command = length > 2 && text[0] == '`' && strchr(text + 1, '`') == text + length - 1;
    char *inside = command ? strndup(text + 1, length - 2) : NULL;
    if (inside) fputs("<code>", out);
    sup_html_text(inside ? inside : text, out);
    if (inside) fputs("</code>", out);
    free(inside);
}

static void html_row(const sup_table *t, char *const *cells, const char *tag, FILE *out) {
    fputs("<tr>", out);
    for (size_t c = 0; c < t->column_count; c++) {
        const char *scope = *tag == 'h' ? " scope=\"col\"" : "";
        fprintf(out, "<t%s%s%s>", tag, scope, t->right[c] ? " class=\"r\"" : "");
        html_cell(cells[c], out);
        fprintf(out, "</t%s>", tag);
    }
    fputs("</tr>\n", out);
}

void sup_table_heading(const sup_table *t, FILE *out) {
    const char *title = t && t->title ? t->title : "";
    bool letter = *title >= 'a' && *title <= 'z';
    if (letter) fputc(*title - 'a' + 'A', out);
    sup_html_text(title + letter, out);
}

void sup_table_html(const sup_table *t, FILE *out) {
    if (sup_table_status(t)) return;
    fputs("<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"", out);
    sup_html_text(t->title, out);
    fputs("\"><table>\n<caption>", out);
    sup_table_heading(t, out);
    fputs("</caption>\n", out);
    if (has_names(t)) {
        fputs("<thead>\n", out);
        html_row(t, t->columns, "h", out);
        fputs("</thead>\n", out);
    }
    fputs("<tbody>\n", out);
    for (size_t r = 0; r < sup_table_rows(t); r++) html_row(t, t->cells + r * t->column_count, "d", out);
    fputs("</tbody>\n</table></div>\n", out);
    for (size_t i = 0; i < t->note_count; i++) {
        fputs("<p class=\"note\">", out);
        sup_html_text(t->notes[i], out);
        fputs("</p>\n", out);
    }
}
