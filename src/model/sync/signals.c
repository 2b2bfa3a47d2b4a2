/* What a signal of the barrier interpreter costs by the profile's section signals: Tsync. Rows are of levels of the
 * topology; a class of pairs has the row of its level, one that has none the row whose latency is nearest, scaled by
 * the latencies. */
#include "model/equation/model.h"

#include <math.h>
#include <stdlib.h>

static bool is_of(const sup_platform *m, const sup_signal_time *s) { return !strcmp(s->transport, m->transport); }

/* "host", and with kinds and deviations "host fast-slow", "host deviating 1". */
static const sup_signal_time *row_named(const sup_platform *m, const char *class) {
    for (size_t i = 0; class && i < m->profile->signals_count; i++) {
        const sup_signal_time *s = &m->profile->signals[i];
        size_t length = strlen(s->class);
        if (is_of(m, s) && !strncmp(s->class, class, length) && (!class[length] || class[length] == ' ')) return s;
    }
    return NULL;
}

static double latency_of(const sup_class_cost *c) { return c->known ? c->latency / c->latency_f : 0; }

/* The class with a row whose latency is nearest, of pairs inside or between hosts alike. */
static const sup_class_cost *nearest(const sup_platform *m, const sup_class_cost *to) {
    const sup_class_cost *best = NULL;
    double far = INFINITY;
    for (size_t c = 0; c < m->class_count; c++) {
        const sup_class_cost *k = &m->classes[c];
        if (!k->known || k->network != to->network || !row_named(m, k->name) || !(latency_of(k) > 0)) continue;
        double d = fabs(log(latency_of(k) / latency_of(to)));
        if (d >= far) continue;
        far = d;
        best = k;
    }
    return best;
}

/* Busy at the sender and at the receiver, travelling; without what-ifs. */
sup_signal sup_signals_message(const sup_class_cost *c) {
    double o = c->overhead / c->overhead_f, l = c->latency / c->latency_f;
    return (sup_signal){.gap = 0.5 * o, .wire = l, .recv = 0.5 * o, .word = 1};
}

bool sup_signals_measured(const sup_platform *m, sup_signal *out, const sup_signal_time **words) {
    bool all = true, any = false;
    for (size_t c = 0; c < m->class_count; c++) {
        const sup_class_cost *k = &m->classes[c];
        const sup_signal_time *row = row_named(m, k->name);
        double scale = 1;
        if (!k->known) continue; /* of a process with itself */
        if (!row && latency_of(k) > 0) {
            const sup_class_cost *like = nearest(m, k);
            row = like ? row_named(m, like->name) : NULL;
            if (like) scale = latency_of(k) / latency_of(like);
        }
        if (!row && k->network && sup_platform_nodes(m)) { /* nobody sent a signal over a link that was added */
            out[c] = sup_signals_message(k);
            continue;
        }
        all &= row != NULL;
        if (!row) continue;
        any = true;
        out[c] = (sup_signal){.gap = scale * sup_platform_number(m, row->send_s).value,
                              .wire = scale * sup_platform_number(m, row->travel_s).value,
                              .recv = scale * sup_platform_number(m, row->receive_s).value,
                              .word = scale};
        words[c] = row->readers_count ? row : NULL;
    }
    return all && any;
}

void sup_signals_scale(const sup_platform *m, sup_signal *signals, int part, double factor) {
    for (size_t c = 0; c < m->class_count; c++) {
        if (m->classes[c].network != (part > 3)) continue;
        switch (part > 3 ? part - 4 : part) {
        case 0: signals[c].gap *= factor; break;
        case 1: signals[c].wire *= factor; break;
        case 2: signals[c].recv *= factor; break;
        default: signals[c].word *= factor; break;
        }
    }
}
