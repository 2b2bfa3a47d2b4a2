/* Ranks in words, for what is said about several processes. */
#include "bsp/engine/state.h"

#include <stdarg.h>
#include <stdio.h>

void bsp_text_add(char *text, size_t size, size_t *used, const char *format, ...) {
    va_list args;
    va_start(args, format);
    int n = vsnprintf(text + *used, size - *used, format, args);
    va_end(args);
    if (n > 0) *used += (size_t)n < size - *used ? (size_t)n : size - *used - 1;
}

void bsp_ranks_text(const bool *in, int n, char *text, size_t size) {
    int count = 0;
    size_t used = 0;
    for (int r = 0; r < n; r++) count += in[r];
    if (count == n && n > 1) {
        bsp_text_add(text, size, &used, "all %d ranks", n);
        return;
    }
    bsp_text_add(text, size, &used, count == 1 ? "rank" : "ranks");
    const char *between = " ";
    for (int r = 0; r < n; r++) {
        if (!in[r]) continue;
        int last = r;
        while (last + 1 < n && in[last + 1]) last++;
        if (last - r >= 2)
            bsp_text_add(text, size, &used, "%s%d-%d", between, r, last);
        else
            bsp_text_add(text, size, &used, "%s%d", between, last = r);
        between = ", ";
        r = last;
    }
}
