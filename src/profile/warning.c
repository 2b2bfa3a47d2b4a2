/* Warnings as data (warning.h): the table of kinds, and how a text comes from a row. */
#include "profile/warning.h"

#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_SIZE 640

/* In a text {name} is a string of the scope, `reason`, or a number of the row, which is written
 *     {load:1} with so many decimals    {share:%} in percent    {bytes:K} in units of 1024    {least_s:u} in
 * microseconds    {rare_s:g} with three digits    {cores:s} as the "s" of a plural, or nothing. */
const sup_warning_kind sup_warning_kinds[SUP_WARNING_KINDS] = {
    [SUP_WARNING_MACHINE_LOAD] = {"machine-load", "machine", false, "load", "machine busy: load {load:1}"},
    [SUP_WARNING_MACHINE_DISTURBED] =
        {"machine-disturbed", "machine", false, "share",
         "machine busy: something else ran during {share:%} % of the batches, which do not count"},
    [SUP_WARNING_MACHINE_STOLEN] = {"machine-stolen", "machine", false, "share",
                                    "machine busy: its host gave {share:%} % of its time to others"},
    [SUP_WARNING_MACHINE_OTHERS] = {"machine-others", "machine", false, "share",
                                    "machine busy: other programs used {share:%} % of its time"},
    [SUP_WARNING_CLOCK_SET] = {"clock-set", "machine", false, "seconds",
                               "the time of day moved by {seconds:0} s while measuring; no number depends on it"},
    [SUP_WARNING_CORES_TAKEN] = {"cores-taken", "machine", false, "before after",
                                 "cpus were taken away while measuring, {after} of {before} are left: it ended there"},
    [SUP_WARNING_FREQUENCY_CHANGED] =
        {"frequency-changed", "machine", false, "least_s most_s",
         "clock frequency changed: the same loop took between {least_s:u} and {most_s:u} us"},
    [SUP_WARNING_ONE_PROCESS] = {"one-process", "run", false, NULL,
                                 "one process: there is nobody to communicate with, so only computation was measured"},
    [SUP_WARNING_RATES_OF_ONE_HOST] = {"rates-of-one-host", "run", false, NULL,
                                       "rates of computation are those of this host; the others are taken to be alike"},
    [SUP_WARNING_PROCESSES_TAKE_TURNS] =
        {"processes-take-turns", "run", false, "processes cores",
         "{processes} processes on {cores} core{cores:s}: they take turns, and times of communication contain that"},
    [SUP_WARNING_CPU_QUOTA] = {"cpu-quota", "run", false, "quota cores",
                               "a control group allows {quota:1} cpus of time on {cores} core{cores:s}: what uses more "
                               "is stopped now and then"},
    [SUP_WARNING_NOT_PINNED] = {"not-pinned", "processes", false, NULL, "processes are not pinned: not permitted"},
    [SUP_WARNING_LOCK_NOT_PERMITTED] = {"lock-not-permitted", "processes", false, NULL,
                                        "memory is not locked: not permitted (see ulimit -l)"},
    [SUP_WARNING_LOCK_OVER_LIMIT] = {"lock-over-limit", "processes", false, NULL,
                                     "memory is not locked: over the limit of locked memory (see ulimit -l)"},
    [SUP_WARNING_KERNEL_NOT_AVAILABLE] = {"kernel-not-available", "kernels", false, NULL,
                                          "kernel {kernel} is not available here"},
    [SUP_WARNING_KERNEL_NOT_MEASURED] = {"kernel-not-measured", "kernels", false, "bytes active",
                                         "kernel {kernel}, {bytes:K} KB, {active} active: not measured: {reason}"},
    [SUP_WARNING_RATES_MISSING] = {"rates-missing", "kernels", false, "measured rates",
                                   "computation: time for {measured} of {rates} rates only"},
    [SUP_WARNING_RATES_UNCERTAIN] =
        {"rates-uncertain", "kernels", false, "uncertain rates wanted bytes active worst",
         "computation: {uncertain} of {rates} rates are less certain than {wanted:%} %; worst: {kernel} at {bytes:K} "
         "KB, {active} active: +-{worst:%} %"},
    [SUP_WARNING_SHORT_OF_CORES] = {"short-of-cores", "pairs", false, NULL,
                                    "{transport}: more processes than cores: being switched out is part of every time"},
    [SUP_WARNING_PAIRS_WITHOUT_RULE] =
        {"pairs-without-rule", "pairs", false, "processes",
         "{transport}: {processes} processes are placed by no rule: all pairs are taken for \"{class}\""},
    [SUP_WARNING_PAIRS_DIFFER] = {"pairs-differ", "pairs", false, "share",
                                  "{transport}: pairs of class \"{class}\" differ by {share:%} %"},
    [SUP_WARNING_PAIRS_ASYMMETRIC] =
        {"pairs-asymmetric", "pairs", false, "first second there_s back_s differ pairs",
         "{transport}: {reason} depends on the direction for {differ} of {pairs} pair{pairs:s}; most: from process "
         "{first} to {second} {there_s:g} us, back {back_s:g} us"},
    [SUP_WARNING_TWO_LEVELS] =
        {"two-levels", "pairs", false, "first second rare_s usual_s rare launches",
         "{transport}: processes {first} and {second}: {rare_s:g} us instead of {usual_s:g} us a message in {rare} of "
         "{launches} launches{reason}"},
    [SUP_WARNING_TWO_LEVELS_OF_RATES] =
        {"two-levels-of-rates", "kernels", false, "active ratio rare launches split points",
         "computation on {active} core{active:s}: {split} of {points} rates took {ratio:2} times as long in {rare} of "
         "{launches} launches; first {kernel}"},
    [SUP_WARNING_TRANSFERS_OUT_OF_BOUNDS] =
        {"transfers-out-of-bounds", "channels", false, "times",
         "{transport}: L(m,tau) leaves its bounds {times} time{times:s} ({channel}, {setup})"},
    [SUP_WARNING_NO_BROADCAST] = {"no-broadcast", "channels", false, NULL,
                                  "{transport}: no broadcast setup: the processes share no memory"},
    [SUP_WARNING_ONE_PROCESS_A_HOST] =
        {"one-process-a-host", "channels", false, NULL,
         "{transport}: one process a host: transfers inside hosts are part of the network's"},
    [SUP_WARNING_INTERRUPTED] = {"interrupted", "pairs", true, NULL,
                                 "{transport}: interrupted before everything was measured"},
    [SUP_WARNING_LAUNCH_FAILED] = {"launch-failed", "pairs", false, "launch",
                                   "{transport}: launch {launch} of the processes failed: {reason}"},
    [SUP_WARNING_NOT_MEASURED] = {"not-measured", "pairs", false, NULL, "{transport} was not measured: {reason}"},
    [SUP_WARNING_LEFT_OUT] = {"left-out", "pairs", false, "left points",
                              "{transport}: {left} of {points} points of section {reason} are beyond its share of the "
                              "time and were left out (--deep {reason})"},
};

/* ---- records ---- */

static const sup_field scope_fields[] = {
    SUP_F_STRING_MAYBE(sup_warning_scope, section, "section"),
    SUP_F_STRING_MAYBE(sup_warning_scope, transport, "transport"),
    SUP_F_STRING_MAYBE(sup_warning_scope, kernel, "kernel"),
    SUP_F_STRING_MAYBE(sup_warning_scope, class, "class"),
    SUP_F_STRING_MAYBE(sup_warning_scope, channel, "channel"),
    SUP_F_STRING_MAYBE(sup_warning_scope, setup, "setup"),
    SUP_F_END,
};
static SUP_RECORD(scope_record, "scope of a warning", sup_warning_scope, scope_fields, NULL);

static char **scope_member(sup_warning_scope *scope, const sup_field *f) {
    return (char **)(void *)((char *)scope + f->offset);
}

static const sup_field warning_fields[] = {
    SUP_F_STRING(sup_warning, code, "code"),
    SUP_F_BOOL_OR(sup_warning, earlier, "earlier", false),
    SUP_F_MAYBE(sup_warning, scope, "scope", &scope_record),
    SUP_F_NUMBERS(sup_warning, numbers, "numbers"),
    SUP_F_STRING(sup_warning, text, "text"),
    SUP_F_END,
};

static sup_status check_warning(const sup_where *w, const void *object) {
    const sup_warning *warning = object;
    if (strspn(warning->code, "abcdefghijklmnopqrstuvwxyz0123456789-") == strlen(warning->code)) return SUP_OK;
    return sup_where_fail(w, "code", -1, "\"code\" is no word of lower-case letters, digits and -");
}

SUP_RECORD(sup_warning_record, "warning", sup_warning, warning_fields, check_warning);

/* ---- texts ---- */

static const char *string_of(const sup_warning *w, const char *reason, const char *name, size_t length) {
    if (length == 6 && !strncmp(name, "reason", length)) return reason;
    for (const sup_field *f = scope_fields; w->scope && f->type; f++)
        if (strlen(f->key) == length && !strncmp(f->key, name, length)) return *scope_member(w->scope, f);
    return NULL;
}

static int put_number(char *out, size_t size, double x, char style) {
    switch (style) {
    case '%': return snprintf(out, size, "%.0f", 100.0 * x);
    case 'K': return snprintf(out, size, "%.0f", x / 1024.0);
    case 'g': return snprintf(out, size, "%.3g", 1e6 * x);
    case 'u': return snprintf(out, size, "%.0f", 1e6 * x);
    case 's': return snprintf(out, size, "%s", x == 1.0 ? "" : "s");
    default: return snprintf(out, size, "%.*f", style >= '0' && style <= '9' ? style - '0' : 0, x);
    }
}

/* What stands for "name" or "name:style". */
static int put_name(const sup_warning *w, const char *reason, const char *name, size_t length, char *out, size_t size) {
    size_t bare = strcspn(name, ":}");
    for (size_t i = 0; i < w->numbers_count; i++)
        if (strlen(w->numbers[i].name) == bare && !strncmp(w->numbers[i].name, name, bare))
            return put_number(out, size, w->numbers[i].value, bare < length ? name[bare + 1] : 0);
    const char *text = string_of(w, reason, name, bare);
    return snprintf(out, size, "%s", text ? text : "?");
}

static void put_text(const sup_warning *w, const char *format, const char *reason, char text[TEXT_SIZE]) {
    size_t used = 0;
    for (const char *at = format; *at && used < TEXT_SIZE - 1;) {
        if (*at != '{') {
            text[used++] = *at++;
            continue;
        }
        size_t length = strcspn(at + 1, "}");
        int put = put_name(w, reason, at + 1, length, text + used, TEXT_SIZE - used);
        used += put > 0 ? (size_t)put : 0;
        at += length + 2;
    }
    text[used < TEXT_SIZE - 1 ? used : TEXT_SIZE - 1] = 0;
    sup_text_make_plain(text); /* an error's text need not be UTF-8, which a file must be */
}

/* ---- lists ---- */

static sup_status fill(sup_warning *w, const sup_warning_kind *kind, const sup_about *about) {
    char text[TEXT_SIZE];
    sup_status status = sup_record_set_string(&w->code, kind->code);
    if (kind->section && !status) {
        w->scope = sup_record_make(&scope_record);
        if (!w->scope) return SUP_ENOMEM;
        const char *values[] = {kind->section, about->transport, about->kernel,
                                about->class,  about->channel,   about->setup};
        for (int i = 0; scope_fields[i].type && !status; i++)
            status = sup_record_set_string(scope_member(w->scope, &scope_fields[i]), values[i]);
    }
    const char *names = kind->numbers ? kind->numbers : "";
    for (int i = 0; i < SUP_WARNING_NUMBERS && *names && !status; i++) {
        char name[32];
        snprintf(name, sizeof name, "%.*s", (int)strcspn(names, " "), names);
        status = sup_named_append(&w->numbers, &w->numbers_count, name, about->number[i]);
        names += strlen(name) + (names[strlen(name)] == ' ');
    }
    if (status) return status;
    put_text(w, kind->text, about->reason, text);
    return sup_record_set_string(&w->text, text);
}

/* The last of the list has just been filled: it stays if that went well and it is new. */
static sup_status settle(sup_warning *list, size_t *count, sup_status status) {
    const sup_warning *last = &list[*count - 1];
    bool known = false;
    for (size_t i = 0; i + 1 < *count && !status && !known; i++)
        known = !strcmp(list[i].code, last->code) && !strcmp(list[i].text, last->text);
    if (status || known) sup_warning_drop(list, count, *count - 1);
    return status;
}

sup_status sup_warning_add(sup_warning **list, size_t *count, sup_warning_code code, const sup_about *about) {
    static const sup_about nothing = {0};
    sup_warning *w = SUP_APPEND(&sup_warning_record, *list, *count);
    if (!w) return SUP_ENOMEM;
    return settle(*list, count, fill(w, &sup_warning_kinds[code], about ? about : &nothing));
}

sup_status sup_warning_add_copy(sup_warning **list, size_t *count, const sup_warning *warning) {
    sup_warning *w = SUP_APPEND(&sup_warning_record, *list, *count);
    return w ? settle(*list, count, sup_record_copy(&sup_warning_record, warning, w)) : SUP_ENOMEM;
}

void sup_warning_drop(sup_warning *list, size_t *count, size_t at) {
    sup_record_clear(&sup_warning_record, &list[at]);
    memmove(list + at, list + at + 1, (--*count - at) * sizeof *list);
}

/* ---- questions ---- */

const sup_warning_kind *sup_warning_kind_of(const sup_warning *w) {
    for (int i = 0; i < SUP_WARNING_KINDS; i++)
        if (!strcmp(sup_warning_kinds[i].code, w->code)) return &sup_warning_kinds[i];
    return NULL;
}

bool sup_warning_in(const sup_warning *w, const char *section) {
    return w->scope && w->scope->section && !strcmp(w->scope->section, section);
}

bool sup_warning_over(const sup_warning *w, const char *transport) {
    return w->scope && w->scope->transport && !strcmp(w->scope->transport, transport);
}

sup_status sup_warning_age(sup_warning *w) {
    static const char mark[] = "earlier: ";
    char *text;
    if (w->earlier) return SUP_OK;
    w->earlier = true;
    if (strlen(w->text) + strlen(mark) > SUP_STRING_LIMIT) return SUP_OK;
    if (asprintf(&text, "%s%s", mark, w->text) < 0) return SUP_ENOMEM;
    free(w->text);
    w->text = text;
    return SUP_OK;
}
