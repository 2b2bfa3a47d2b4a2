/* Placement policies as text. */
#include "machine/cpulist.h"
#include "machine/placement.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const policy_names[] = {"none", "compact", "scatter", "per-cache"};

static sup_status parse_depth(const char *text, size_t n, sup_diag *diag, int *depth) {
    bool good = n == 2 && (text[0] == 'L' || text[0] == 'l') && text[1] >= '1' && text[1] <= '0' + SUP_CACHE_DEPTH_MAX;
    if (!good)
        return sup_diag_set(diag, SUP_EPARSE, NULL, 0, "per-cache:%.*s: expected a cache level such as L2 or L3",
                            (int)(n < 40 ? n : 40), text);
    *depth = text[1] - '0';
    return SUP_OK;
}

static sup_status parse_list(const char *text, size_t n, sup_diag *diag, sup_policy *out) {
    char *copy = strndup(text, n);
    if (!copy) return sup_diag_set(diag, SUP_ENOMEM, NULL, 0, "out of memory");
    sup_status status = sup_cpulist_parse(copy, diag, &out->cpus, &out->count);
    free(copy);
    return status;
}

sup_status sup_policy_parse(const char *text, sup_diag *diag, sup_policy *out) {
    sup_policy policy = {.kind = SUP_PLACE_LIST};
    size_t n = strcspn(text, "/"), word = strcspn(text, "/:");
    if (text[n]) {
        policy.cyclic = !strcmp(text + n, "/cyclic");
        if (!policy.cyclic && strcmp(text + n, "/block") != 0)
            return sup_diag_set(diag, SUP_EPARSE, NULL, 0, "'%.40s': over hosts a placement is /block or /cyclic",
                                text + n);
    }
    for (int k = 0; k < 4; k++)
        if (strlen(policy_names[k]) == word && !strncmp(text, policy_names[k], word))
            policy.kind = (enum sup_policy_kind)k;
    sup_status status = SUP_OK;
    if (policy.kind == SUP_PLACE_PER_CACHE && word < n)
        status = parse_depth(text + word + 1, n - word - 1, diag, &policy.depth);
    else if (policy.kind == SUP_PLACE_LIST && text[0] >= '0' && text[0] <= '9')
        status = parse_list(text, n, diag, &policy);
    else if (policy.kind == SUP_PLACE_LIST || word < n)
        status =
            sup_diag_set(diag, SUP_EPARSE, NULL, 0,
                         "no such placement '%.*s': there are none, compact, scatter, per-cache, per-cache:L2, and "
                         "lists of cores such as 0,2,4-7",
                         (int)(n < 40 ? n : 40), text);
    if (!status) *out = policy;
    return status;
}

void sup_policy_free(sup_policy *policy) {
    if (!policy) return;
    free(policy->cpus);
    policy->cpus = NULL;
    policy->count = 0;
}

char *sup_policy_text(const sup_policy *policy, char *buf, size_t size) {
    if (!size) return buf;
    if (policy->kind == SUP_PLACE_LIST)
        sup_cpulist_format(policy->cpus, policy->count, buf, size);
    else if (policy->depth)
        snprintf(buf, size, "%s:L%d", policy_names[policy->kind], policy->depth);
    else
        snprintf(buf, size, "%s", policy_names[policy->kind]);
    size_t used = strlen(buf);
    if (policy->cyclic) snprintf(buf + used, size - used, "/cyclic");
    return buf;
}
