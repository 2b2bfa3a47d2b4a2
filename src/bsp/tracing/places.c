/* The call sites of a trace as lines of the source, looked up by rank 0 when the trace is written.
 *
 * A site travels as object and offset, which mean the same on every process wherever it was loaded. Here the object is
 * found again among those that this process has loaded, and the symbols of its file are asked for all of its sites at
 * once. Where that tells nothing the site stays what it was. */
#include "base/text.h"
#include "bsp/calls/site.h"
#include "bsp/tracing/trace.h"

#include <errno.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct object {
    const char *name; /* wanted: its length is to the '+' */
    size_t length;
    char file[PATH_MAX];
    uint64_t first; /* what the symbols call the place where it begins */
} object;

static const char *base_of(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static bool is_called(const object *o, const char *name) {
    return strlen(name) == o->length && !memcmp(name, o->name, o->length);
}

static int look(struct dl_phdr_info *info, size_t size, void *arg) {
    object *o = arg;
    (void)size;
    if (info->dlpi_name[0]) {
        if (!is_called(o, base_of(info->dlpi_name))) return 0;
        snprintf(o->file, sizeof o->file, "%s", info->dlpi_name);
    } else { /* the program, whose name may be that of a link */
        ssize_t n = readlink("/proc/self/exe", o->file, sizeof o->file - 1);
        o->file[n > 0 ? n : 0] = 0;
        if (!is_called(o, base_of(o->file)) && !is_called(o, program_invocation_short_name)) return 0;
    }
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    o->first = UINT64_MAX;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *h = &info->dlpi_phdr[i];
        if (h->p_type == PT_LOAD && h->p_vaddr < o->first) o->first = h->p_vaddr / page * page;
    }
    return o->first != UINT64_MAX;
}

/* ---- those that are known ---- */

typedef struct known {
    struct known *next;
    char *place;
    bsp_line line;
} known;

/* A trace is written at the end of every section, and most of its sites are those of the last. */
static known *all;

static known *find(const char *place) {
    known *k = all;
    while (k && strcmp(k->place, place) != 0) k = k->next;
    return k;
}

static void keep(const char *place, const bsp_line *line) {
    known *k = malloc(sizeof *k);
    char *copy = strdup(place);
    if (!k || !copy) {
        free(k);
        free(copy);
        return;
    }
    *k = (known){all, copy, *line};
    all = k;
}

/* ---- the sites ---- */

/* All sites of the object of site `from` that are not known yet. */
static void look_up(const sup_trace *t, size_t from) {
    object o = {.name = t->sites[from].place, .length = strcspn(t->sites[from].place, "+")};
    bsp_line *lines = calloc(t->sites_count, sizeof *lines);
    size_t *site = calloc(t->sites_count, sizeof *site), count = 0;
    bool there = dl_iterate_phdr(look, &o) != 0;
    for (size_t i = from; lines && site && i < t->sites_count; i++) {
        const char *place = t->sites[i].place;
        if (strncmp(place, o.name, o.length) != 0 || place[o.length] != '+' || find(place)) continue;
        /* the byte before the one where the call returns to is inside the call */
        lines[count].offset = o.first + strtoull(place + o.length + 1, NULL, 16) - 1;
        site[count++] = i;
    }
    if (there && count) bsp_site_lines(o.file, lines, count);
    for (size_t i = 0; i < count; i++) keep(t->sites[site[i]].place, &lines[i]);
    free(lines);
    free(site);
}

sup_status bsp_trace_places(sup_trace *t) {
    sup_status status = SUP_OK;
    for (size_t i = 0; i < t->sites_count && !status; i++) {
        sup_trace_site *s = &t->sites[i];
        if (!strchr(s->place, '+')) continue;
        if (!find(s->place)) look_up(t, i);
        known *k = find(s->place);
        if (!k) continue;
        sup_text_make_plain(k->line.text);
        sup_text_make_plain(k->line.function);
        if (k->line.text[0]) status = sup_record_set_string(&s->line, k->line.text);
        if (!status && !s->symbol && k->line.function[0]) status = sup_record_set_string(&s->symbol, k->line.function);
    }
    return status;
}
