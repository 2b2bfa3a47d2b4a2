/* One line on standard error, where somebody asked for it, about what the preloaded library cannot do. */
#include "pmpi/pmpi.h"

#include "base/text.h"

#include <stdarg.h>
#include <stdio.h>

void sup_pmpi_say(const char *format, ...) {
    char text[1000];
    va_list list;
    if (!sup_pmpi_set.verbose) return;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    fprintf(stderr, "superstep: %s\n", sup_text_make_plain(text));
}
