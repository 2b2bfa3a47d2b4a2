/* The parser of every verb's command line, which works on the verb's table of options. As in getopt_long options and
 * arguments may be mixed, names may be cut as long as they are unique, a value follows its option behind "=" or as the
 * next word, and "--" ends the options; the last of repeated options counts. */
#include "cli/frame/options.h"

#include "base/file/json.h"
#include "cli/frame/cli.h"
#include "report/page/units.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SHOWN = 40, OPTIONS_MAX = 64 };

bool sup_option_has(const char *list, const char *word) {
    size_t length = strlen(word);
    for (const char *at = list; *at; at += strcspn(at, ","), at += *at == ',')
        if (!strncmp(at, word, length) && (at[length] == ',' || !at[length])) return true;
    return false;
}

/* ---- values ---- */

/* An option on the command line. */
typedef struct given {
    const sup_verb *verb;
    const sup_option *option;
    char shown[SHOWN]; /* as messages call it */
    const char *value; /* NULL: none with it */
} given;

static int refuse(const given *g, const char *what) {
    return sup_cli_usage(g->verb->name, "%s: \"%.64s\" is not %s", g->shown, g->value, what);
}

static int refuse_number(const given *g) {
    const sup_option *o = g->option;
    char what[128];
    const char *noun = o->what ? o->what : "a number";
    if (isfinite(o->high))
        snprintf(what, sizeof what, "%s from %.15g to %.15g", noun, o->low, o->high);
    else
        snprintf(what, sizeof what, "%s", noun);
    return refuse(g, what);
}

static int refuse_word(const given *g, const char *word, size_t length) {
    char list[512];
    sup_option_list(g->option, list, sizeof list);
    return sup_cli_usage(g->verb->name, "%s: \"%.*s\" is none of %s", g->shown, (int)(length < 64 ? length : 64), word,
                         list);
}

static bool has_word(const sup_option *o, const char *word, size_t length) {
    const char *known;
    for (size_t i = 0; (known = sup_option_word(o, i)); i++)
        if (strlen(known) == length && !strncmp(known, word, length)) return true;
    return false;
}

static int check_words(const given *g) {
    const char *at = g->value;
    if (g->option->kind == SUP_VALUE_WORD)
        return has_word(g->option, at, strlen(at)) ? 0 : refuse_word(g, at, strlen(at));
    size_t count = 0, length;
    for (; *at; at += length + (at[length] == ',')) {
        length = strcspn(at, ",");
        if (!length) continue;
        if (!has_word(g->option, at, length)) return refuse_word(g, at, length);
        count++;
    }
    return count ? 0 : refuse_word(g, g->value, strlen(g->value));
}

/* A number with its unit. */
static int store_measure(const given *g, double *place) {
    const sup_option *o = g->option;
    bool time = o->kind == SUP_VALUE_TIME, ranged = o->high > 0;
    double value = 0;
    bool none = ranged && !(o->low > 0) && g->value[0] == '0' && !g->value[strspn(g->value, "0.s")];
    if (!none && !(time ? sup_unit_parse_duration : sup_unit_parse_rate)(g->value, &value))
        return refuse(g, o->what ? o->what : "a time such as 30s or 5m");
    if (ranged && !(value >= o->low && value <= o->high)) {
        char what[128];
        snprintf(what, sizeof what, "from %.15g to %.15g %s", o->low, o->high, time ? "seconds" : "bytes a second");
        return refuse(g, what);
    }
    *place = value;
    return 0;
}

static int store_real(const given *g, double *place) {
    const sup_option *o = g->option;
    char *end;
    if (o->kind == SUP_VALUE_TIME || o->kind == SUP_VALUE_RATE) return store_measure(g, place);
    double value = strtod(g->value, &end);
    if (!strchr("+-.0123456789", g->value[0]) || end == g->value || *end || !isfinite(value) ||
        !(value >= o->low && value <= o->high))
        return refuse_number(g);
    *place = value;
    return 0;
}

static int store_whole(const given *g, void *place) {
    const sup_option *o = g->option;
    long value;
    if (!sup_cli_int(g->value, (long)o->low, (long)o->high, &value)) return refuse_number(g);
    if (o->store == SUP_STORE_INT)
        *(int *)place = (int)value;
    else
        *(long *)place = value;
    return 0;
}

static int store_text(const given *g, void *place) {
    const sup_option *o = g->option;
    bool words = o->kind == SUP_VALUE_WORD || o->kind == SUP_VALUE_WORDS;
    int code = words ? check_words(g) : 0;
    if (code) return code;
    if (!g->value[0]) return sup_cli_usage(g->verb->name, "%s: the value is empty", g->shown);
    if (o->store == SUP_STORE_TEXT) {
        *(const char **)place = g->value;
        return 0;
    }
    if (strlen(g->value) >= o->size)
        return sup_cli_usage(g->verb->name, "%s: the value is longer than %zu characters", g->shown, o->size - 1);
    memcpy(place, g->value, strlen(g->value) + 1);
    return 0;
}

static int store(const given *g, void *request) {
    const sup_option *o = g->option;
    char *place = (char *)request + o->at;
    switch (o->store) {
    case SUP_STORE_FLAG: *(bool *)place = true; return 0;
    case SUP_STORE_REAL: return store_real(g, (double *)(void *)place);
    case SUP_STORE_INT:
    case SUP_STORE_LONG: return store_whole(g, place);
    case SUP_STORE_TEXT:
    case SUP_STORE_CHARS: return store_text(g, place);
    default: break;
    }
    if (!g->value[0]) return sup_cli_usage(g->verb->name, "%s: the value is empty", g->shown);
    return o->set(request, g->value);
}

/* ---- which option ---- */

static bool is_last(const sup_option *o) { return !o->name && !o->letter; }

static int unknown(const sup_verb *verb, const char *arg) {
    const char *names[OPTIONS_MAX + 1] = {NULL}, *word = arg + strspn(arg, "-");
    size_t count = 0;
    int length = (int)strcspn(arg, "=");
    char name[SHOWN];
    for (const sup_option *o = verb->options; !is_last(o) && count < OPTIONS_MAX; o++)
        if (o->name && !o->hidden) names[count++] = o->name;
    snprintf(name, sizeof name, "%.*s", (int)strcspn(word, "="), word);
    const char *meant = sup_nearest(name, names);
    if (!meant || length > SHOWN) return sup_cli_usage(verb->name, "unknown option %.80s", arg);
    return sup_cli_usage(verb->name, "unknown option %.*s: did you mean --%s?", length, arg, meant);
}

/* An option by its name or the beginning of it; two if that is not enough to tell. */
static const sup_option *find_name(const sup_verb *verb, const char *name, size_t length, const sup_option **second) {
    const sup_option *found = NULL;
    for (const sup_option *o = verb->options; !is_last(o); o++) {
        if (!o->name || strncmp(o->name, name, length) != 0) continue;
        if (!o->name[length]) {
            *second = NULL;
            return o;
        }
        if (o->hidden) continue;
        if (found) *second = o;
        if (!found) found = o;
    }
    return found;
}

/* "-np" as a whole, or "-n" with or without the value behind it. */
static const sup_option *find_letter(const sup_verb *verb, const char *arg) {
    const sup_option *found = NULL;
    for (const sup_option *o = verb->options; !is_last(o); o++) {
        if (o->also && !strcmp(o->also, arg)) return o;
        if (o->letter == arg[1] && (!arg[2] || o->value)) found = o;
    }
    return found;
}

/* Exit code; -1: go on. */
static int find(const sup_verb *verb, const char *arg, given *out) {
    bool dashes = arg[1] == '-';
    size_t length = strcspn(arg + 2, "=");
    const sup_option *second = NULL, *o = dashes ? find_name(verb, arg + 2, length, &second) : find_letter(verb, arg);
    if (!o || (dashes && !length)) return unknown(verb, arg);
    if (second) return sup_cli_usage(verb->name, "%.40s may be --%s or --%s", arg, o->name, second->name);
    *out = (given){.verb = verb, .option = o};
    if (dashes) {
        snprintf(out->shown, sizeof out->shown, "--%s", o->name);
        if (arg[2 + length]) out->value = arg + 2 + length + 1;
    } else if (o->also && !strcmp(o->also, arg)) {
        snprintf(out->shown, sizeof out->shown, "%s", arg);
    } else {
        snprintf(out->shown, sizeof out->shown, "-%c", o->letter);
        if (arg[2]) out->value = arg + 2;
    }
    return -1;
}

/* One option, with the next word of the command line if its value stands there. */
static int take(const sup_verb *verb, void *request, const char *arg, char ***next) {
    given g;
    int code = find(verb, arg, &g);
    if (code >= 0) return code;
    if (g.value && !g.option->value) return sup_cli_usage(verb->name, "%s takes no value", g.shown);
    if (!g.option->value && g.option->store == SUP_STORE_NONE) return sup_options_help(verb);
    if (g.option->value && !g.value) {
        if (!**next) return sup_cli_usage(verb->name, "%s needs a value", g.shown);
        g.value = *(*next)++;
    }
    code = store(&g, request);
    return code ? code : -1;
}

int sup_options_parse(const sup_verb *verb, void *request, int *argc, char ***argv) {
    char **arguments = *argv, **end = arguments, **next = *argv + 1; /* arguments move to the front */
    bool ended = false;
    while (*next) {
        char *arg = *next++;
        if (ended || arg[0] != '-' || !arg[1]) {
            if (verb->most >= 0 && end - arguments >= verb->most)
                return sup_cli_usage(verb->name, "unexpected argument \"%.64s\"", arg);
            *end++ = arg;
            ended |= verb->stops;
        } else if (!strcmp(arg, "--")) {
            ended = true;
        } else {
            int code = take(verb, request, arg, &next);
            if (code >= 0) return code;
        }
    }
    *end = NULL;
    *argc = (int)(end - arguments);
    return -1;
}
