/* Lists of cpu numbers: the form of taskset, of cpuset files and of explicit placements. */
#include "machine/cpulist.h"

#include "base/list.h"
#include "machine/topology/topology.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool number(const char **p, long *out) {
    const char *s = *p;
    if (*s < '0' || *s > '9') return false;
    long n = 0;
    for (; *s >= '0' && *s <= '9'; s++) {
        n = n * 10 + (*s - '0');
        if (n > SUP_CPU_MAX) return false;
    }
    *p = s;
    *out = n;
    return true;
}

/* One part, "4", "4-7" or "4-7:2". Leaves *p behind it. */
static bool part(const char **p, long *first, long *last, long *step) {
    *step = 1;
    if (!number(p, first)) return false;
    *last = *first;
    if (**p != '-') return true;
    ++*p;
    if (!number(p, last) || *last < *first) return false;
    if (**p != ':') return true;
    ++*p;
    return number(p, step) && *step > 0;
}

sup_status sup_cpulist_parse(const char *text, sup_diag *diag, int **cpus, int *count) {
    int *list = NULL;
    size_t used = 0;
    sup_status status;
    for (const char *p = text;;) {
        const char *start = p;
        long first, last, step;
        if (!part(&p, &first, &last, &step) || (*p && *p != ',')) {
            status = sup_diag_set(diag, SUP_EPARSE, NULL, 0,
                                  "'%.*s' is no core or range of cores, such as 3 or 4-7 or 0-14:2 (0 … %d)",
                                  (int)strcspn(start, ","), start, SUP_CPU_MAX);
            goto free_list;
        }
        for (long c = first; c <= last; c += step) {
            if (used == SUP_CPU_MAX) {
                status = sup_diag_set(diag, SUP_EPARSE, NULL, 0, "more than %d cores listed", SUP_CPU_MAX);
                goto free_list;
            }
            if (!sup_list_room(&list, used, sizeof *list)) {
                status = sup_diag_set(diag, SUP_ENOMEM, NULL, 0, "out of memory for a list of cores");
                goto free_list;
            }
            list[used++] = (int)c;
        }
        if (!*p) break;
        p++;
    }
    *cpus = list;
    *count = (int)used;
    return SUP_OK;
free_list:
    free(list);
    return status;
}

#define STEP_WORTH 7 /* "0,2,4,6" reads better than "0-6:2", but not for ever */

/* The part of the list that starts at i, as text; returns where the next one starts. */
static int format_part(const int *cpus, int count, int i, char *text, size_t size) {
    int step = i + 1 < count ? cpus[i + 1] - cpus[i] : 0, last = i + 1;
    while (step > 0 && last + 1 < count && cpus[last + 1] - cpus[last] == step) last++;
    const char *glue = i ? "," : "";
    if (step == 1) {
        snprintf(text, size, "%s%d-%d", glue, cpus[i], cpus[last]);
    } else if (step > 1 && last - i + 1 >= STEP_WORTH) {
        snprintf(text, size, "%s%d-%d:%d", glue, cpus[i], cpus[last], step);
    } else {
        snprintf(text, size, "%s%d", glue, cpus[i]);
        last = i;
    }
    return last + 1;
}

char *sup_cpulist_format(const int *cpus, int count, char *buf, size_t size) {
    size_t used = 0;
    if (size) buf[0] = 0;
    for (int i = 0; i < count;) {
        char text[48];
        i = format_part(cpus, count, i, text, sizeof text);
        size_t n = strlen(text);
        if (used + n + sizeof ",…" > size) {
            snprintf(buf + used, size - used, "%s", ",…");
            break;
        }
        memcpy(buf + used, text, n + 1);
        used += n;
    }
    return buf;
}
