/* τ-Lop expressions from text (taulop.h has the syntax). Tcomm, model stage. */
#include "model/taulop/taulop.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NESTED_MAX (2 * SUP_EXPR_DEPTH_MAX) /* a number and brackets at each level: what is printed can be read */
#define BEFORE 40 /* columns of the text that a message shows before its caret, and behind it */
#define BEHIND 30

typedef struct reader {
    sup_exprs *x;
    const char *text, *at;
    int depth;
    sup_diag *diag;
    sup_status status;
} reader;

/* ---- mistakes ---- */

/* Bytes of the character there, as far as it is one that takes one column of a terminal; 0: show a question mark. */
static size_t column(const char *s) {
    unsigned char a = (unsigned char)s[0], b = a ? (unsigned char)s[1] : 0;
    if (a < 0x80) return a >= ' ' && a != 0x7f;
    if (a >= 0xc3 && a <= 0xcb && b >> 6 == 2) return 2;
    if ((a == 0xc2 && b >= 0xa0 && b < 0xc0 && b != 0xad) || (a >= 0xce && a <= 0xd1 && b >> 6 == 2)) return 2;
    if (a != 0xe2 || b < 0x80 || b > 0x92) return 0;
    unsigned char c = (unsigned char)s[2];
    if (b == 0x80) return c >= 0x90 && c <= 0xa7 ? 3 : 0;
    if (b == 0x81 && c >= 0xa0 && c <= 0xaf) return 0; /* they change the direction of what follows */
    return c >> 6 == 2 ? 3 : 0;
}

static const char *next_character(const char *s) {
    size_t n = column(s);
    for (s += n ? n : 1; !n && ((unsigned char)*s) >> 6 == 2;) s++; /* what cannot be shown, as a whole */
    return s;
}

/* The text around `at`, a line of its own, and a caret under it. */
static void show_place(sup_diag *diag, const char *text, const char *at) {
    char line[4 * (BEFORE + BEHIND) + 16];
    size_t length = 0, columns = 0, caret, n = strlen(diag->text);
    const char *from = text;
    for (const char *s = text; s < at; s = next_character(s))
        if (++columns > BEFORE) from = next_character(from);
    caret = columns > BEFORE ? BEFORE : columns;
    if (from > text) {
        length = (size_t)snprintf(line, sizeof line, "\u2026");
        caret++;
    }
    columns = 0;
    for (const char *s = from; *s && columns < BEFORE + BEHIND; s = next_character(s), columns++) {
        size_t bytes = column(s);
        if (bytes)
            memcpy(line + length, s, bytes);
        else
            line[length] = '?';
        length += bytes ? bytes : 1;
    }
    snprintf(diag->text + n, sizeof diag->text - n, "\n  %.*s\n  %*s^", (int)length, line, (int)caret, "");
}

__attribute__((format(printf, 3, 4))) static sup_expr *wrong(reader *r, const char *at, const char *format, ...) {
    char what[160];
    if (r->status) return NULL;
    r->status = SUP_EINVAL;
    if (!r->diag) return NULL;
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    sup_diag_set(r->diag, SUP_EINVAL, NULL, 0, "%s", what);
    show_place(r->diag, r->text, at);
    return NULL;
}

/* What a constructor made; where it made nothing, it says why, and the place is added. */
static sup_expr *made(reader *r, const char *at, sup_expr *e) {
    sup_diag diag = {0};
    if (e || r->status) return r->status ? NULL : e;
    sup_status status = sup_exprs_status(r->x, &diag);
    if (status == SUP_EINVAL) return wrong(r, at, "%s", diag.text);
    r->status = status ? status : SUP_ENOMEM;
    sup_diag_set(r->diag, r->status, NULL, 0, "out of memory");
    return NULL;
}

/* ---- characters ---- */

static void skip(reader *r) {
    while (*r->at == ' ' || *r->at == '\t' || *r->at == '\n' || *r->at == '\r') r->at++;
}

/* One of several spellings. */
static bool take(reader *r, const char *const *spellings) {
    skip(r);
    for (; *spellings; spellings++)
        if (!strncmp(r->at, *spellings, strlen(*spellings))) {
            r->at += strlen(*spellings);
            return true;
        }
    return false;
}
#define TAKE(r, ...) take(r, (const char *const[]){__VA_ARGS__, NULL})
#define TAKE_BESIDE(r) TAKE(r, "||", "\u2016", "\u2225")
#define TAKE_TIMES(r) TAKE(r, "*", "\u00b7", "\u00d7", "\u22c5")

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

static bool number_begins(const char *s) { return is_digit(*s) || (*s == '.' && is_digit(s[1])); }

/* Digits with a point and an exponent, nothing else that strtod takes. */
static bool number(reader *r, const char *what, double *out) {
    char digits[64];
    size_t n = 0;
    skip(r);
    const char *s = r->at;
    if (!number_begins(s)) return wrong(r, s, "%s is missing here", what);
    for (; is_digit(s[n]) || s[n] == '.'; n++) {
    }
    if ((s[n] == 'e' || s[n] == 'E') && is_digit(s[n + 1 + (s[n + 1] == '-' || s[n + 1] == '+')]))
        for (n += 2; is_digit(s[n]); n++) {
        }
    if (n >= sizeof digits) return wrong(r, s, "a number of %zu digits", n);
    memcpy(digits, s, n);
    digits[n] = '\0';
    char *end;
    *out = strtod(digits, &end);
    if (*end) return wrong(r, s + (end - digits), "this belongs to no number");
    if (!isfinite(*out)) return wrong(r, s, "too large a number");
    r->at = s + n;
    return true;
}

/* Bytes. */
static bool size(reader *r, double *out) {
    if (!number(r, "a size", out)) return false;
    const char *place = r->at;
    skip(r);
    static const char letters[] = "KMGT";
    for (int k = 0; letters[k]; k++)
        if ((*r->at & ~0x20) == letters[k]) {
            *out = ldexp(*out, 10 * (k + 1));
            r->at++;
            if (*r->at == 'i' && r->at[1] == 'B') r->at++;
            if (*r->at == 'B') r->at++;
            return true;
        }
    if (*r->at == 'B')
        r->at++;
    else
        r->at = place;
    return true;
}

static bool duration(reader *r, double *out) {
    static const struct {
        const char *name;
        double seconds;
    } units[] = {{"ns", 1e-9}, {"us", 1e-6}, {"\u00b5s", 1e-6}, {"\u03bcs", 1e-6}, {"ms", 1e-3}, {"s", 1}};
    if (!number(r, "a time", out)) return false;
    for (size_t k = 0; k < sizeof units / sizeof *units; k++)
        if (TAKE(r, units[k].name)) {
            *out *= units[k].seconds;
            break;
        }
    return true;
}

/* A channel behind its letter: 1, ^1, ¹; none is 0. */
static bool channel(reader *r, int *out) {
    static const char *const raised[] = {"\u2070", "\u00b9", "\u00b2", "\u00b3", "\u2074",
                                         "\u2075", "\u2076", "\u2077", "\u2078", "\u2079"};
    const char *place = r->at;
    bool sign = *r->at == '^', any = false;
    long c = 0;
    if (sign) r->at++;
    for (int digit = 0; digit >= 0;) {
        digit = is_digit(*r->at) ? *r->at - '0' : -1;
        size_t length = 1;
        for (int k = 0; digit < 0 && !sign && k < 10; k++)
            if (!strncmp(r->at, raised[k], strlen(raised[k]))) {
                digit = k;
                length = strlen(raised[k]);
            }
        if (digit < 0) break;
        r->at += length;
        any = true;
        c = 10 * c + digit;
        if (c > SUP_EXPR_CHANNEL_MAX) return wrong(r, place, "channels are 0 to %d", SUP_EXPR_CHANNEL_MAX);
    }
    if (sign && !any) return wrong(r, r->at, "the number of a channel is missing here");
    *out = (int)c;
    return true;
}

/* ---- expressions ---- */

typedef struct parts {
    const sup_expr **at;
    size_t count, room;
} parts;

static bool add_part(reader *r, parts *p, const sup_expr *e) {
    if (!e) return false;
    if (p->count == p->room) {
        size_t room = p->room ? 2 * p->room : 8;
        const sup_expr **more = realloc(p->at, room * sizeof *more);
        if (!more) {
            r->status = sup_diag_no_memory(r->diag);
            return false;
        }
        p->at = more;
        p->room = room;
    }
    p->at[p->count++] = e;
    return true;
}

static sup_expr *read_sequence(reader *r);

static bool open_bracket(reader *r) {
    skip(r);
    if (*r->at != '(') return wrong(r, r->at, "( is missing here");
    r->at++;
    return true;
}

static bool close_bracket(reader *r, char which, const char *opened) {
    skip(r);
    if (*r->at == which) {
        r->at++;
        return true;
    }
    if (!*r->at) return wrong(r, opened, "nothing closes this bracket");
    return wrong(r, r->at, "%c, + or \u2016 is missing here", which);
}

/* What is between the brackets of T, L and γ. */
static sup_expr *read_leaf(reader *r, int kind, const char *begin) {
    int c = 0;
    double bytes = 0, tau = 1;
    if (kind != SUP_EXPR_FOLD && !channel(r, &c)) return NULL;
    const char *opened = r->at;
    if (!open_bracket(r)) return NULL;
    skip(r);
    const char *size_at = r->at;
    if (!size(r, &bytes)) return NULL;
    if (bytes > 0x1p60) return wrong(r, size_at, "so large a size is no message's");
    if (TAKE(r, ",")) {
        skip(r);
        const char *tau_at = r->at;
        if (!number(r, "\u03c4", &tau)) return NULL;
        if (!(tau >= 1)) return wrong(r, tau_at, "\u03c4 is at least 1");
    }
    skip(r);
    if (*r->at && *r->at != ')') return wrong(r, r->at, "%s is missing here", tau > 1 ? ")" : ") or ,");
    if (!close_bracket(r, ')', opened)) return NULL;
    if (kind == SUP_EXPR_FOLD) return made(r, begin, sup_expr_fold(r->x, bytes, tau));
    return made(r, begin,
                kind == SUP_EXPR_SEND ? sup_expr_send(r->x, c, bytes, tau) : sup_expr_transfer(r->x, c, bytes, tau));
}

static sup_expr *read_wait(reader *r, const char *begin) {
    double seconds;
    const char *opened = r->at;
    if (!open_bracket(r) || !duration(r, &seconds) || !close_bracket(r, ')', opened)) return NULL;
    return made(r, begin, sup_expr_wait(r->x, seconds));
}

static sup_expr *read_brackets(reader *r) {
    const char *opened = r->at;
    char close = *r->at == '(' ? ')' : ']';
    r->at++;
    sup_expr *e = read_sequence(r);
    return e && close_bracket(r, close, opened) ? e : NULL;
}

static sup_expr *read_atom(reader *r) {
    skip(r);
    const char *begin = r->at;
    if (*begin == '(' || *begin == '[') return read_brackets(r);
    if (TAKE(r, "T")) return read_leaf(r, SUP_EXPR_SEND, begin);
    if (TAKE(r, "L")) return read_leaf(r, SUP_EXPR_TRANSFER, begin);
    if (TAKE(r, "G", "\u03b3")) return read_leaf(r, SUP_EXPR_FOLD, begin);
    if (TAKE(r, "W")) return read_wait(r, begin);
    if (!*begin) return wrong(r, begin, "a transmission such as T0(64K) is missing here");
    return wrong(r, begin, "here a transmission begins, T0(64K), L0(8K, 2), G(8K) or W(1us), or a bracket");
}

static sup_expr *read_factor(reader *r);

/* "2 ‖ X", "3 · X", "3 X", "0". */
static sup_expr *read_counted(reader *r) {
    const char *begin = r->at;
    double n;
    if (!number(r, "a number", &n)) return NULL;
    skip(r);
    bool beside = TAKE_BESIDE(r), times = !beside && TAKE_TIMES(r);
    if (n == 0 && !beside && !times && !strchr("([TLGW", *r->at ? *r->at : '!'))
        return made(r, begin, sup_expr_sequence(r->x, NULL, 0));
    if (!(n >= 1 && n <= 0x1p53 && n == floor(n))) return wrong(r, begin, "how many is a whole number, 1 or more");
    sup_expr *e = read_factor(r);
    if (!e) return NULL;
    return made(r, begin, beside ? sup_expr_many(r->x, n, e) : sup_expr_times(r->x, n, e));
}

static sup_expr *read_factor(reader *r) {
    skip(r);
    if (r->depth >= NESTED_MAX) return wrong(r, r->at, "nested more than %d deep", NESTED_MAX);
    r->depth++;
    sup_expr *e = number_begins(r->at) ? read_counted(r) : read_atom(r);
    r->depth--;
    return e;
}

static sup_expr *read_together(reader *r) {
    parts p = {0};
    sup_expr *e = NULL;
    skip(r);
    const char *begin = r->at;
    bool good;
    do good = add_part(r, &p, read_factor(r));
    while (good && TAKE_BESIDE(r));
    if (good) e = made(r, begin, sup_expr_together(r->x, p.at, p.count));
    free(p.at);
    return e;
}

static sup_expr *read_sequence(reader *r) {
    parts p = {0};
    sup_expr *e = NULL;
    skip(r);
    const char *begin = r->at;
    bool good;
    do good = add_part(r, &p, read_together(r));
    while (good && TAKE(r, "+"));
    if (good) e = made(r, begin, sup_expr_sequence(r->x, p.at, p.count));
    free(p.at);
    return e;
}

sup_status sup_expr_read(sup_exprs *x, const char *text, sup_diag *diag, const sup_expr **out) {
    reader r = {.x = x, .text = text, .at = text, .diag = diag};
    sup_status before = sup_exprs_status(x, diag);
    if (before) return before;
    sup_expr *e = read_sequence(&r);
    if (e) {
        skip(&r);
        if (*r.at == '|') return wrong(&r, r.at, "at the same time is written || or \u2016"), r.status;
        if (*r.at == ')' || *r.at == ']') return wrong(&r, r.at, "no bracket is open here"), r.status;
        if (*r.at) return wrong(&r, r.at, "+ or \u2016 is missing here"), r.status;
        *out = e;
    }
    return r.status;
}
