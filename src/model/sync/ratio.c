/* What a barrier takes beside what its signals add up to: Tsync. A barrier of a kind that was measured takes what was
 * measured. Any other takes what those took that are most alike: whose time depends in the same way on sending,
 * travelling, receiving and common words, inside hosts and between them, in as many stages. */
#include "model/equation/model.h"

#include <math.h>
#include <stdlib.h>

#define STEP 0.02    /* by which a part is made dearer, to see what depends on it */
#define WIDTH 0.15   /* difference of traits at which another barrier says less */
#define STAGES 0.08  /* of traits, for twice as many stages */
#define NOTHING 0.05 /* weight of knowing nothing: then signals are all there is */
enum { TRAITS_MOST = 2048 };

static double longest(const sup_platform *m, const sup_pattern *p, sup_path_list *list, sup_signal *signals,
                      double *t) {
    sup_path path = {.signals = signals, .words = m->words, .list = list};
    double most = 0;
    memset(t, 0, (size_t)p->processes * sizeof *t);
    if (sup_path_run(m, p, &path, t)) return NAN;
    for (int64_t i = 0; i < p->processes; i++) most = fmax(most, t[i]);
    return most;
}

sup_status sup_pattern_traits(const sup_platform *m, const sup_pattern *p, const sup_signal *signals,
                              double traits[SUP_PATTERN_TRAITS]) {
    double *t = malloc((size_t)p->processes * sizeof *t);
    sup_signal *dearer = calloc(m->class_count + 1, sizeof *dearer);
    sup_path_list *list = NULL;
    double whole = NAN;
    if (t && dearer && !sup_path_list_make(m, p, &list)) {
        memcpy(dearer, signals, m->class_count * sizeof *dearer);
        whole = longest(m, p, list, dearer, t);
        for (int part = 0; part < SUP_SIGNAL_PARTS; part++) {
            memcpy(dearer, signals, m->class_count * sizeof *dearer);
            sup_signals_scale(m, dearer, part, 1 + STEP);
            traits[part] = (longest(m, p, list, dearer, t) / whole - 1) / STEP;
        }
        traits[SUP_SIGNAL_PARTS] = STAGES * log2(p->stages > 0 ? p->stages : 1);
    }
    sup_path_list_free(list);
    free(dearer);
    free(t);
    return isnan(whole) ? SUP_ENOMEM : SUP_OK;
}

double sup_pattern_ratio_like(const sup_platform *m, const double traits[SUP_PATTERN_TRAITS],
                              const sup_pattern_ratio *but) {
    double weights = NOTHING, sum = 0;
    for (size_t i = 0; i < m->ratio_count; i++) {
        const sup_pattern_ratio *r = &m->ratios[i];
        double apart = 0;
        if (r == but) continue;
        for (int k = 0; k < SUP_PATTERN_TRAITS; k++) apart += (traits[k] - r->traits[k]) * (traits[k] - r->traits[k]);
        double weight = exp(-apart / (2 * WIDTH * WIDTH));
        weights += weight;
        sum += weight * log(r->ratio);
    }
    return sum / weights;
}

double sup_pattern_ratio_of(const sup_platform *m, const sup_pattern *p, const sup_pattern_ratio **known) {
    double traits[SUP_PATTERN_TRAITS] = {0};
    *known = NULL;
    for (size_t i = 0; i < m->ratio_count; i++) {
        if (!sup_pattern_ratio_is(&m->ratios[i], p)) continue;
        *known = &m->ratios[i];
        return m->ratios[i].ratio;
    }
    if (!m->ratio_count || p->processes > TRAITS_MOST || sup_pattern_traits(m, p, m->signals, traits)) return 1;
    return exp(sup_pattern_ratio_like(m, traits, NULL));
}
