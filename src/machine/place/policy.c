/* Placement policies as text: the table of their kinds. */
#include "machine/place/placement_kind.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const sup_placement_kind *const kinds[] = {&sup_place_none, &sup_place_compact, &sup_place_scatter,
                                                  &sup_place_per_cache, &sup_place_list};
#define KIND_COUNT (sizeof kinds / sizeof *kinds)

static bool is_written(const sup_placement_kind *kind, const char *text, size_t n) {
    if (kind->is_written) return kind->is_written(text, n);
    return strlen(kind->name) == n && !strncmp(text, kind->name, n);
}

static sup_status refuse(const char *text, size_t n, sup_diag *diag) {
    char list[200] = "";
    for (size_t k = 0, used = 0; k < KIND_COUNT && used < sizeof list; k++)
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", k + 1 < KIND_COUNT ? k ? ", " : "" : ", and ",
                                 kinds[k]->written);
    return sup_diag_set(diag, SUP_EPARSE, NULL, 0, "no such placement '%.*s': there are %s", (int)(n < 40 ? n : 40),
                        text, list);
}

const char *sup_policy_word(size_t index) {
    for (size_t k = 0; k < KIND_COUNT; k++)
        if (!kinds[k]->names_cpus && !index--) return kinds[k]->name;
    return NULL;
}

sup_status sup_policy_parse(const char *text, sup_diag *diag, sup_policy *out) {
    sup_policy policy = {0};
    size_t n = strcspn(text, "/");
    if (text[n]) {
        policy.cyclic = !strcmp(text + n, "/cyclic");
        if (!policy.cyclic && strcmp(text + n, "/block") != 0)
            return sup_diag_set(diag, SUP_EPARSE, NULL, 0, "'%.40s': over hosts a placement is /block or /cyclic",
                                text + n);
    }
    for (size_t k = 0; k < KIND_COUNT && !policy.kind; k++)
        if (is_written(kinds[k], text, n)) policy.kind = kinds[k];
    if (!policy.kind) return refuse(text, n, diag);
    sup_status status = policy.kind->parse ? policy.kind->parse(text, n, diag, &policy) : SUP_OK;
    if (!status) *out = policy;
    return status;
}

void sup_policy_free(sup_policy *policy) {
    if (!policy) return;
    free(policy->cpus);
    policy->cpus = NULL;
    policy->count = 0;
}

/* Adds what is said about hosts. */
static char *finish(const sup_policy *policy, char *buf, size_t size) {
    size_t used = strlen(buf);
    if (policy->cyclic) snprintf(buf + used, size - used, "/cyclic");
    return buf;
}

char *sup_policy_text(const sup_policy *policy, char *buf, size_t size) {
    if (!size) return buf;
    if (policy->kind->format)
        policy->kind->format(policy, buf, size);
    else
        snprintf(buf, size, "%s", policy->kind->name);
    return finish(policy, buf, size);
}

char *sup_policy_signature(const sup_policy *policy, char *buf, size_t size) {
    if (!policy->kind->names_cpus) return sup_policy_text(policy, buf, size);
    snprintf(buf, size, "%s", policy->kind->name);
    return finish(policy, buf, size);
}
