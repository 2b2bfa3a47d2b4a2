/* Rules by which a recorded program changes with the number of processes: a small language, read by recursive descent
 * and safe for whatever a user types. Requirements stage.
 *
 *     rule        = part { "," part }
 *     part        = ( "work" | "bytes" | "messages" | "times" ) "=" expression
 *                 | "partners" "=" ( "const" | "all" | "log2" ) | "n" "=" expression
 *     expression  = term { ("+" | "-") term }
 *     term        = power { ("*" | "/") power }
 *     power       = atom [ "^" power ] | "-" power
 *     atom        = number | "P" | "P0" | "n" | ("log2" | "sqrt") "(" expression ")" | "(" expression ")" */
#include "program/scale.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH = 40, LENGTH = 1000 };

typedef struct parser {
    const char *text;
    int at, end, depth;
    double p, p0, n;
    bool dry; /* the values are not asked for: only whether it can be read */
    sup_diag *diag;
    bool failed;
} parser;

static double fail(parser *q, const char *what) {
    if (!q->failed) sup_diag_set(q->diag, SUP_EINVAL, NULL, 0, "%.60s: column %d: %s", q->text, q->at + 1, what);
    q->failed = true;
    return 0;
}

static void blanks(parser *q) {
    while (q->at < q->end && (q->text[q->at] == ' ' || q->text[q->at] == '\t')) q->at++;
}

static bool take(parser *q, char c) {
    blanks(q);
    if (q->at >= q->end || q->text[q->at] != c) return false;
    q->at++;
    return true;
}

/* Letters and digits, beginning with a letter. */
static int word_length(parser *q) {
    int n = 0;
    blanks(q);
    if (q->at >= q->end || !isalpha((unsigned char)q->text[q->at])) return 0;
    while (q->at + n < q->end && isalnum((unsigned char)q->text[q->at + n])) n++;
    return n;
}

static bool is_word(const parser *q, int n, const char *word) {
    return n == (int)strlen(word) && !strncmp(q->text + q->at, word, (size_t)n);
}

static double expression(parser *q);

static double number(parser *q) {
    char *end;
    const char *begin = q->text + q->at;
    if (begin[0] == '0' && (begin[1] == 'x' || begin[1] == 'X')) return fail(q, "a decimal number is expected");
    double value = strtod(begin, &end);
    int n = (int)(end - begin);
    if (n <= 0 || q->at + n > q->end) return fail(q, "a number is expected");
    if (!isfinite(value)) return fail(q, "the number is too large");
    q->at += n;
    return value;
}

static double inside(parser *q) {
    double x = expression(q);
    if (!q->failed && !take(q, ')')) fail(q, "\")\" is missing");
    return x;
}

static double call(parser *q, int n) {
    bool logarithm = is_word(q, n, "log2"), root = is_word(q, n, "sqrt");
    int at = q->at;
    if (!logarithm && !root) return fail(q, "P, P0, n, log2(…) or sqrt(…) is expected");
    q->at += n;
    if (!take(q, '(')) return fail(q, "\"(\" is missing");
    double x = inside(q);
    if (q->failed || q->dry) return 1;
    bool good = logarithm ? x > 0 : x >= 0;
    q->at = good ? q->at : at;
    if (!good) return fail(q, logarithm ? "logarithm of a number that is not above 0" : "root of a negative number");
    return logarithm ? log2(x) : sqrt(x);
}

static double atom(parser *q) {
    blanks(q);
    if (q->at >= q->end) return fail(q, "the expression ends too early");
    if (take(q, '(')) return inside(q);
    int n = word_length(q);
    if (!n) return isdigit((unsigned char)q->text[q->at]) || q->text[q->at] == '.' ? number(q) : fail(q, "unexpected");
    double value;
    if (is_word(q, n, "P"))
        value = q->p;
    else if (is_word(q, n, "P0"))
        value = q->p0;
    else if (is_word(q, n, "n"))
        value = q->n;
    else
        return call(q, n);
    q->at += n;
    return value;
}

static double power(parser *q) {
    if (++q->depth > DEPTH) return fail(q, "nested too deeply");
    double x;
    if (take(q, '-')) {
        x = -power(q);
    } else {
        x = atom(q);
        if (!q->failed && take(q, '^')) x = pow(x, power(q));
    }
    q->depth--;
    return x;
}

static double term(parser *q) {
    double x = power(q);
    while (!q->failed) {
        if (take(q, '*')) {
            x *= power(q);
        } else if (take(q, '/')) {
            int at = q->at;
            double y = power(q);
            if (!q->failed && y == 0 && !q->dry) {
                q->at = at;
                return fail(q, "division by 0");
            }
            x /= y;
        } else {
            break;
        }
    }
    return x;
}

static double expression(parser *q) {
    double x = term(q);
    while (!q->failed) {
        if (take(q, '+'))
            x += term(q);
        else if (take(q, '-'))
            x -= term(q);
        else
            break;
    }
    return x;
}

static double whole(parser *q) {
    double x = expression(q);
    blanks(q);
    if (!q->failed && q->at < q->end) fail(q, "unexpected");
    return x;
}

/* ---- the parts of a rule ---- */

static const char *const quantities[SUP_RULE_QUANTITIES] = {"work", "bytes", "messages", "times"};

static void read_partners(parser *q, sup_rule *r) {
    static const char *const words[] = {"const", "all", "log2"};
    int n = word_length(q);
    for (int k = 0; k < 3; k++)
        if (is_word(q, n, words[k])) {
            r->partners = SUP_PARTNERS_CONST + k;
            q->at += n;
            blanks(q);
            if (q->at < q->end) fail(q, "unexpected");
            return;
        }
    fail(q, "partners are const, all or log2");
}

static void read_size(parser *q, sup_rule *r) {
    q->dry = false;
    r->n = whole(q);
    if (!q->failed && !(r->n > 0 && r->n < 1e300)) fail(q, "n must be above 0");
}

static void read_part(parser *q, sup_rule *r) {
    int n = word_length(q), which = 0, at = q->at;
    while (which < SUP_RULE_QUANTITIES && !is_word(q, n, quantities[which])) which++;
    bool partners = is_word(q, n, "partners"), size = is_word(q, n, "n");
    if (which == SUP_RULE_QUANTITIES && !partners && !size) {
        fail(q, "work, bytes, messages, times, partners or n is expected");
        return;
    }
    q->at += n;
    if (!take(q, '=')) {
        fail(q, "\"=\" is missing");
        return;
    }
    blanks(q);
    if (partners) {
        read_partners(q, r);
    } else if (size) {
        read_size(q, r);
    } else if (r->end[which]) {
        q->at = at;
        fail(q, "said twice");
    } else {
        r->begin[which] = q->at;
        r->end[which] = q->end;
        whole(q);
    }
}

sup_status sup_rule_parse(const char *text, sup_diag *diag, sup_rule *out) {
    size_t length = strlen(text);
    if (length > LENGTH || !length)
        return sup_diag_set(diag, SUP_EINVAL, NULL, 0, "a rule has 1 … %d characters", LENGTH);
    for (size_t k = 0; k < length; k++)
        if (!isprint((unsigned char)text[k]))
            return sup_diag_set(diag, SUP_EINVAL, NULL, 0, "column %zu of the rule is no character of it", k + 1);
    sup_rule r = {.text = strdup(text), .n = 1};
    if (!r.text) return sup_diag_no_memory(diag);
    bool failed = false;
    for (int at = 0; at <= (int)length && !failed;) {
        const char *comma = strchr(text + at, ',');
        int end = comma ? (int)(comma - text) : (int)length;
        parser q = {.text = r.text, .at = at, .end = end, .p = 4, .p0 = 2, .n = 1, .dry = true, .diag = diag};
        read_part(&q, &r);
        failed = q.failed;
        at = end + 1;
    }
    if (failed) {
        free(r.text);
        return SUP_EINVAL;
    }
    *out = r;
    return SUP_OK;
}

void sup_rule_free(sup_rule *rule) {
    free(rule->text);
    *rule = (sup_rule){0};
}

static sup_status value_at(const sup_rule *r, int which, double p0, double p, double n, sup_diag *diag, double *out) {
    parser q = {.text = r->text, .at = r->begin[which], .end = r->end[which], .p = p, .p0 = p0, .n = n, .diag = diag};
    double x = whole(&q);
    if (q.failed) return SUP_EINVAL;
    if (!isfinite(x) || x < 0 || x > 1e300)
        return sup_diag_set(diag, SUP_EINVAL, NULL, 0, "%.60s: %s is %g at P = %.0f", r->text, quantities[which], x, p);
    *out = x;
    return SUP_OK;
}

sup_status sup_rule_factor(const sup_rule *r, int which, double p0, double p, double n, sup_diag *diag, double *out) {
    double before = 1, after = 1;
    if (!r->end[which]) {
        *out = 1;
        return SUP_OK;
    }
    sup_status st = value_at(r, which, p0, p0, r->n, diag, &before);
    if (!st) st = value_at(r, which, p0, p, n, diag, &after);
    if (st) return st;
    if (!(before > 0) || !isfinite(after / before))
        return sup_diag_set(diag, SUP_EINVAL, NULL, 0,
                            "%.60s: %s is %g at the recorded P = %.0f, which cannot be scaled", r->text,
                            quantities[which], before, p0);
    *out = after / before;
    return SUP_OK;
}
