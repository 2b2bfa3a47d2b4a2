/* T'comm: how much of communication goes on while processes compute, as it was measured for the transport and the
 * runtime's engine (section "overlap"), between its sizes along their logarithm. */
#include "model/equation/model.h"

#include <math.h>
#include <string.h>

static bool of_transport(const sup_platform *m, const sup_overlap *o) {
    return o->share && o->transport && !strcmp(o->transport, m->transport);
}

/* What was not measured: copies that processes make themselves hide nothing, nor does an engine that starts at the
 * sync; messages go on by themselves. */
static double assumed(const sup_platform *m, const char *engine) {
    return sup_platform_shared_memory(m) || !strcmp(engine, "bulk") ? 0 : 1;
}

double sup_overlap_share(const sup_platform *m, double bytes) {
    const char *engine = m->engine && strcmp(m->engine, "auto") != 0 ? m->engine : "eager";
    const sup_overlap *low = NULL, *high = NULL;
    for (size_t i = 0; i < m->profile->overlap_count; i++) {
        const sup_overlap *o = &m->profile->overlap[i];
        bool other = o->engine && strcmp(o->engine, engine) != 0 && !sup_platform_shared_memory(m);
        if (!of_transport(m, o) || other) continue;
        double b = (double)o->bytes;
        if (b <= bytes && (!low || o->bytes > low->bytes)) low = o;
        if (b > bytes && (!high || o->bytes < high->bytes)) high = o;
    }
    if (!low && !high) return assumed(m, engine);
    double share = (low ? low : high)->share->value;
    if (low && high) {
        double a = log(fmax(1, (double)low->bytes)), b = log((double)high->bytes);
        double w = b > a ? (log(fmax(1, bytes)) - a) / (b - a) : 0;
        share += fmin(1, fmax(0, w)) * (high->share->value - share);
    }
    return fmin(1, fmax(0, share));
}
