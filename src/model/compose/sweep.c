/* Numbers of processes to predict for, as `superstep predict --sweep` takes them:
 *
 *     P=1..1024      1, 2, 4, … and the last one in any case
 *     P=4,6,16       these */
#include "model/compose/whatif.h"

#include "base/text.h"
#include "program/program.h"

#include <string.h>

static bool number(const char **text, int64_t *out) { return sup_text_int(text, 1, SUP_PROGRAM_PROCESSES_MAX, out); }

static bool range(const char *text, sup_sweep *s) {
    int64_t first = s->at[0], last;
    if (!number(&text, &last) || *text || last < first) return false;
    s->count = 0;
    for (int64_t p = first; p < last; p *= 2) s->at[s->count++] = p;
    s->at[s->count++] = last;
    return true;
}

static bool parse(const char *text, sup_sweep *s) {
    if (strncmp(text, "P=", 2) != 0) return false;
    text += 2;
    if (!number(&text, &s->at[s->count++])) return false;
    if (strncmp(text, "..", 2) == 0) return range(text + 2, s);
    while (*text == ',' && s->count < SUP_SWEEP_MAX) {
        text++;
        if (!number(&text, &s->at[s->count++])) return false;
    }
    return *text == 0;
}

sup_status sup_sweep_parse(const char *text, sup_diag *diag, sup_sweep *out) {
    sup_sweep s = {.count = 0};
    if (!parse(text, &s))
        return sup_diag_set(diag, SUP_EINVAL, NULL, 0, "%.40s: P=A..B or P=A,B,… is expected, 1 … 2^24, at most %d",
                            text, SUP_SWEEP_MAX);
    *out = s;
    return SUP_OK;
}
