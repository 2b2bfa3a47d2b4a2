/* τ-Lop expressions as text (taulop.h): as the papers write them, 2 ‖ T⁰(64K) + T¹(1M), and with the characters of a
 * keyboard, 2 || T0(64K) + T1(1M). Both are read back as they were, but for τ of a transmission, which the papers write
 * before it. Tcomm, model stage. */
#include "model/taulop/taulop.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct writer {
    bool plain;
    char *text;
    size_t size, length;
} writer;

__attribute__((format(printf, 2, 3))) static void say(writer *w, const char *format, ...) {
    va_list args;
    va_start(args, format);
    bool room = w->length < w->size;
    int n = vsnprintf(room ? w->text + w->length : NULL, room ? w->size - w->length : 0, format, args);
    va_end(args);
    if (n > 0) w->length += (size_t)n;
}

/* As short as it can be so that it is read back the same. */
static void say_number(writer *w, double x) {
    char text[40];
    if (x == floor(x) && x < 0x1p53) {
        say(w, "%.0f", x);
        return;
    }
    for (int digits = 6; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, x);
        if (strtod(text, NULL) == x) break;
    }
    say(w, "%s", text);
}

static void say_size(writer *w, double bytes) {
    static const char letters[] = "\0KMGT";
    int k = 0;
    while (k < 4 && bytes >= 1024 && fmod(bytes, 1024) == 0) {
        bytes /= 1024;
        k++;
    }
    say_number(w, bytes);
    if (k) say(w, "%c", letters[k]);
}

static void say_channel(writer *w, int channel) {
    static const char *const raised[] = {"\u2070", "\u00b9", "\u00b2", "\u00b3", "\u2074",
                                         "\u2075", "\u2076", "\u2077", "\u2078", "\u2079"};
    char digits[16];
    snprintf(digits, sizeof digits, "%d", channel);
    for (const char *s = digits; *s; s++)
        if (w->plain)
            say(w, "%c", *s);
        else
            say(w, "%s", raised[*s - '0']);
}

static const char *beside(const writer *w) { return w->plain ? " || " : " \u2016 "; }

/* How tightly what is printed holds together: 0 +, 1 ‖ between parts, 2 a number before a part, 3 by itself. */
static int level_of(const writer *w, const sup_expr *e) {
    switch (e->kind) {
    case SUP_EXPR_SEQUENCE: return e->count ? 0 : 2;
    case SUP_EXPR_TOGETHER: return 1;
    case SUP_EXPR_TIMES:
    case SUP_EXPR_MANY: return 2;
    case SUP_EXPR_SEND: return !w->plain && e->tau > 1 && e->tau == floor(e->tau) ? 2 : 3;
    default: return 3;
    }
}

static void say_leaf(writer *w, const sup_expr *e) {
    double tau = e->tau;
    if (level_of(w, e) == 2) {
        say_number(w, tau);
        say(w, "%s", beside(w));
        tau = 1;
    }
    if (e->kind == SUP_EXPR_WAIT) {
        say(w, "W(");
        say_number(w, e->seconds);
        say(w, ")");
        return;
    }
    say(w, "%s", e->kind == SUP_EXPR_SEND ? "T" : e->kind == SUP_EXPR_TRANSFER ? "L" : w->plain ? "G" : "\u03b3");
    if (e->kind != SUP_EXPR_FOLD) say_channel(w, e->channel);
    say(w, "(");
    say_size(w, e->bytes);
    if (tau != 1 || e->kind != SUP_EXPR_SEND) {
        say(w, ", ");
        say_number(w, tau);
    }
    say(w, ")");
}

static void say_expr(writer *w, const sup_expr *e, int level);

static void say_parts(writer *w, const sup_expr *e) {
    for (size_t i = 0; i < e->count; i++) {
        const sup_expr *part = e->parts[i];
        if (i) say(w, "%s", e->kind == SUP_EXPR_SEQUENCE ? " + " : beside(w));
        /* X ‖ Y in a sequence stands in brackets, though it need not, and 2 ‖ X beside others: so do the papers. */
        int level = e->kind == SUP_EXPR_SEQUENCE || part->kind == SUP_EXPR_TIMES ? 2 : 3;
        say_expr(w, part, level);
    }
}

static void say_expr(writer *w, const sup_expr *e, int level) {
    bool brackets = level_of(w, e) < level;
    if (brackets) say(w, "%s", w->plain ? "(" : "[");
    switch (e->kind) {
    case SUP_EXPR_SEQUENCE:
        if (!e->count) say(w, "0");
        say_parts(w, e);
        break;
    case SUP_EXPR_TOGETHER: say_parts(w, e); break;
    case SUP_EXPR_TIMES:
    case SUP_EXPR_MANY:
        say_number(w, e->times);
        say(w, "%s", e->kind == SUP_EXPR_MANY ? beside(w) : w->plain ? " * " : " \u00b7 ");
        say_expr(w, e->parts[0], 3);
        break;
    default: say_leaf(w, e);
    }
    if (brackets) say(w, "%s", w->plain ? ")" : "]");
}

size_t sup_expr_print(const sup_expr *e, bool plain, char *text, size_t size) {
    writer w = {.plain = plain, .text = text, .size = size};
    if (size) text[0] = '\0';
    say_expr(&w, e, 0);
    return w.length;
}
