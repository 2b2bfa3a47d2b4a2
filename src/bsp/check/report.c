/* Check mode, what the programmer sees: one line in the manner of a compiler, so that editors find the place. */
#include "bsp/calls/last_words.h"
#include "bsp/check/check.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { REMEMBERED = 256 }; /* pairs of places that have been warned of */

static void say(bsp_site site, int rank, const char *call, const char *format, va_list args) {
    char where[600], reason[1400], text[2400];
    bsp_site_text(site, where, sizeof where);
    vsnprintf(reason, sizeof reason, format, args);
    snprintf(text, sizeof text, "%s: warning: %s: %s (rank %d, superstep %llu)\n", where, call, reason, rank,
             (unsigned long long)bsp_rt.superstep);
    bsp_say(text);
}

void bsp_check_error(bsp_site site, int rank, const char *call, const char *format, ...) {
    bsp_words w = {.site = site, .superstep = bsp_rt.superstep, .kind = BSP_WORDS_CHECK, .rank = rank};
    va_list args;
    va_start(args, format);
    vsnprintf(w.text, sizeof w.text, format, args);
    va_end(args);
    snprintf(w.call, sizeof w.call, "%s", call);
    bsp_last_words(&w);
}

void bsp_check_warn(bsp_site site, bsp_site other, int rank, const char *call, const char *format, ...) {
    static struct {
        bsp_site site, other;
        const char *call;
    } seen[REMEMBERED];
    static int count;
    for (int i = 0; i < count; i++)
        if (seen[i].site.at == site.at && seen[i].other.at == other.at && !strcmp(seen[i].call, call)) return;
    if (count == REMEMBERED) return;
    seen[count].site = site;
    seen[count].other = other;
    seen[count++].call = call;
    va_list args;
    va_start(args, format);
    say(site, rank, call, format, args);
    va_end(args);
}
