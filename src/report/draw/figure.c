/* The list of figures (figure.h), which sections fill. */
#include "report/draw/figure.h"

#include "base/list.h"

#include <ctype.h>
#include <stdarg.h>
#include <string.h>

/* A name that somebody else chose becomes part of a file name: only letters, digits and "-" remain. */
static void clean(const char *from, char *to, size_t size) {
    size_t used = 0;
    for (; *from && used + 1 < size; from++) {
        unsigned char c = (unsigned char)*from;
        bool plain = c < 0x80 && isalnum(c);
        if (plain || (used && to[used - 1] != '-')) to[used++] = plain ? (char)c : '-';
    }
    while (used && to[used - 1] == '-') used--;
    to[used] = 0;
}

void sup_figure_add(sup_figure_list *l, const sup_figure *figure, const char *name, const char *title, ...) {
    if (!sup_list_room(&l->at, l->count, sizeof *l->at)) {
        l->failed = true;
        return;
    }
    sup_figure *f = &l->at[l->count];
    *f = *figure;
    clean(name, f->name, sizeof f->name - 8);
    for (size_t i = 0; i < l->count; i++)
        if (!strcmp(l->at[i].name, f->name)) { /* two kernels of one name, from two files */
            snprintf(f->name + strlen(f->name), 8, "-%zu", l->count);
            break;
        }
    va_list args;
    va_start(args, title);
    vsnprintf(f->title, sizeof f->title, title, args);
    va_end(args);
    l->count++;
}
