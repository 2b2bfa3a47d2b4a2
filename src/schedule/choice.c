/* Which algorithm, and how, as text: "ring", "pipeline/64K", "shared:4", "hosts binomial", "mpi". */
#include "schedule/schedule.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char hosts_word[] = "hosts ", suffixes[] = "KMG";

#define FAIL(...) sup_diag_set(diag, SUP_EINVAL, NULL, 0, __VA_ARGS__)

/* Digits from *at on; false: none, or too large a number. */
static bool read_number(const char **at, int64_t *out) {
    const char *begin = *at;
    for (*out = 0; isdigit((unsigned char)**at); ++*at)
        if (__builtin_mul_overflow(*out, 10, out) || __builtin_add_overflow(*out, **at - '0', out)) return false;
    return *at > begin;
}

static bool read_size(const char **at, int64_t *out) {
    if (!read_number(at, out)) return false;
    const char *suffix = **at ? strchr(suffixes, **at) : NULL;
    if (!suffix) return true;
    ++*at;
    return !__builtin_mul_overflow(*out, (int64_t)1 << (10 * (suffix - suffixes + 1)), out);
}

/* "linear, chain, …": those that there are. */
static void list_names(int operation, char *text, size_t size) {
    size_t used = 0;
    for (const sup_algorithm *const *a = sup_algorithms; *a; a++)
        if ((*a)->operation == operation && used < size)
            used += (size_t)snprintf(text + used, size - used, "%s, ", (*a)->name);
    if (used < size) snprintf(text + used, size - used, "mpi");
}

static sup_status read_radix(const char *text, const char **at, sup_diag *diag, sup_choice *out) {
    int64_t radix;
    if (!out->algorithm->radix_most) return FAIL("\"%.60s\": %s has no radix", text, out->algorithm->name);
    ++*at;
    if (!read_number(at, &radix) || radix < 2 || radix > out->algorithm->radix_most)
        return FAIL("\"%.60s\": the radix of %s is from 2 to %d", text, out->algorithm->name,
                    out->algorithm->radix_most);
    out->radix = (int)radix;
    return SUP_OK;
}

static sup_status read_segment(const char *text, const char **at, sup_diag *diag, sup_choice *out) {
    if (!(out->algorithm->traits & SUP_ALGORITHM_SEGMENTS))
        return FAIL("\"%.60s\": %s does not cut into segments", text, out->algorithm->name);
    ++*at;
    if (!read_size(at, &out->segment_bytes) || !out->segment_bytes)
        return FAIL("\"%.60s\": a segment is a number of bytes, such as 64K", text);
    return SUP_OK;
}

sup_status sup_choice_read(int operation, const char *text, sup_diag *diag, sup_choice *out) {
    *out = (sup_choice){.algorithm = NULL};
    if (operation < 0 || operation >= SUP_OPERATIONS) return FAIL("no such operation: %d", operation);
    if (!strcmp(text, "mpi")) return SUP_OK;
    const char *at = text;
    if (!strncmp(at, hosts_word, strlen(hosts_word))) {
        out->hosts = true;
        at += strlen(hosts_word);
    }
    char name[SUP_CHOICE_TEXT] = "", names[256];
    size_t length = strcspn(at, ":/ ");
    if (length < sizeof name) memcpy(name, at, length);
    out->algorithm = sup_algorithm_find(operation, name);
    if (!out->algorithm) {
        list_names(operation, names, sizeof names);
        return FAIL("\"%.60s\" is no algorithm of %s: %s", at, sup_operation_names[operation], names);
    }
    if (out->hosts && out->algorithm->traits & SUP_ALGORITHM_SHARED)
        return FAIL("\"%.60s\": between hosts there is no memory to share", text);
    at += length;
    sup_status status = *at == ':' ? read_radix(text, &at, diag, out) : SUP_OK;
    if (!status && *at == '/') status = read_segment(text, &at, diag, out);
    if (!status && *at) status = FAIL("\"%.60s\": not understood from \"%.60s\" on", text, at);
    return status;
}

const char *sup_choice_text(const sup_choice *choice, char text[SUP_CHOICE_TEXT]) {
    if (!choice->algorithm) return strcpy(text, "mpi");
    int used = snprintf(text, SUP_CHOICE_TEXT, "%s%s", choice->hosts ? hosts_word : "", choice->algorithm->name);
    if (choice->radix) used += snprintf(text + used, SUP_CHOICE_TEXT - (size_t)used, ":%d", choice->radix);
    if (!choice->segment_bytes) return text;
    int64_t bytes = choice->segment_bytes;
    const char *suffix = suffixes;
    while (*suffix && bytes % 1024 == 0) bytes /= 1024, suffix++;
    int shown = suffix > suffixes;
    snprintf(text + used, SUP_CHOICE_TEXT - (size_t)used, "/%" PRId64 "%.*s", bytes, shown, suffix - shown);
    return text;
}
