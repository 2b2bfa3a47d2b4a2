/* Placement `per-cache` and `per-cache:L2`: one process per copy of a cache, round robin. */
#include "machine/place/placement_kind.h"

#include <stdio.h>
#include <string.h>

#define NAME "per-cache"
#define NAME_LENGTH (sizeof NAME - 1)

static bool is_per_cache(const char *text, size_t n) {
    return n >= NAME_LENGTH && !strncmp(text, NAME, NAME_LENGTH) && (n == NAME_LENGTH || text[NAME_LENGTH] == ':');
}

static sup_status parse_depth(const char *text, size_t n, sup_diag *diag, sup_policy *out) {
    if (n == NAME_LENGTH) return SUP_OK;
    text += NAME_LENGTH + 1;
    n -= NAME_LENGTH + 1;
    bool good = n == 2 && (text[0] == 'L' || text[0] == 'l') && text[1] >= '1' && text[1] <= '0' + SUP_CACHE_DEPTH_MAX;
    if (!good)
        return sup_diag_set(diag, SUP_EPARSE, NULL, 0, NAME ":%.*s: expected a cache level such as L2 or L3",
                            (int)(n < 40 ? n : 40), text);
    out->depth = text[1] - '0';
    return SUP_OK;
}

static void format(const sup_policy *policy, char *buf, size_t size) {
    if (policy->depth)
        snprintf(buf, size, NAME ":L%d", policy->depth);
    else
        snprintf(buf, size, NAME);
}

static sup_status order_per_cache(const sup_topology *t, const sup_usable *u, const sup_policy *policy, sup_diag *diag,
                                  int **order, int *count) {
    const sup_level *level =
        policy->depth ? sup_topology_cache(t, policy->depth) : sup_level_first_shared(sup_topology_last_level(t));
    if (!level && policy->depth) {
        char names[64];
        sup_topology_level_names(t, names, sizeof names);
        return sup_diag_set(diag, SUP_EINVAL, NULL, 0, NAME ":L%d: no such cache, this machine has %s", policy->depth,
                            names);
    }
    /* Without a shared cache every core has its own, and all orders are per cache. */
    sup_domain domain = {SUP_DOMAIN_CACHE, level, level ? level->group_count : 0};
    return sup_place_interleaved(t, u, &domain, level != NULL, diag, order, count);
}

const sup_placement_kind sup_place_per_cache = {.name = NAME,
                                                .written = "per-cache, per-cache:L2",
                                                .is_written = is_per_cache,
                                                .parse = parse_depth,
                                                .format = format,
                                                .order = order_per_cache};
