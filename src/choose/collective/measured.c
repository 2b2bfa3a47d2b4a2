/* Times of collectives that a profile has measured (collective/measured.h): straight between neighbours on logarithmic
 * scales, nothing beyond the first and the last. */
#include "choose/collective/measured.h"
#include "choose/decide.h"

#include <math.h>
#include <string.h>

static const sup_collective_time *record_of(const sup_profile *profile, const char *transport, const sup_coll_set *set,
                                            const char *choice) {
    for (size_t i = 0; profile && i < profile->collectives_count; i++) {
        const sup_collective_time *t = &profile->collectives[i];
        if (t->processes == set->processes && t->hosts == set->hosts && t->bytes_count &&
            sup_operation_find(t->operation) == set->operation && !strcmp(t->transport, transport) &&
            !strcmp(t->algorithm, choice))
            return t;
    }
    return NULL;
}

/* Between two positive numbers at the share w of the way. */
static double between(double a, double b, double w) {
    return a > 0 && b > 0 ? exp((1 - w) * log(a) + w * log(b)) : (1 - w) * a + w * b;
}

bool sup_coll_measured(const sup_profile *profile, const char *transport, const sup_coll_set *set, const char *choice,
                       int64_t bytes, sup_prediction *out) {
    const sup_collective_time *t = record_of(profile, transport, set, choice);
    if (!t || bytes < t->bytes[0] || bytes > t->bytes[t->bytes_count - 1]) return false;
    size_t k = 0;
    while (k + 1 < t->bytes_count && t->bytes[k + 1] <= bytes) k++;
    size_t n = k + 1 < t->bytes_count ? k + 1 : k;
    double low = (double)t->bytes[k], high = (double)t->bytes[n];
    double w = n == k || low <= 0 ? 0 : log((double)bytes / low) / log(high / low);
    double value = between(t->seconds[k], t->seconds[n], w);
    double ci = t->ci_count == t->bytes_count ? between(t->ci[k], t->ci[n], w) : SUP_CHOOSE_UNSURE * value;
    *out = (sup_prediction){value, value > ci ? value - ci : 0, value + ci};
    return value > 0;
}
