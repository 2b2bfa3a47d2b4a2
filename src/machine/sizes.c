/* Sizes as people write them: caches have whole kilobytes, memories need two decimals. */
#include "machine/sizes.h"

#include <stdio.h>

char *sup_size_text(size_t bytes, char *buf, size_t size) {
    static const char *const unit[] = {"B", "KB", "MB", "GB", "TB", "PB"};
    double value = (double)bytes;
    int u = 0;
    while (value >= 1024 && u < 5) {
        value /= 1024;
        u++;
    }
    if (value >= 999.5) /* "%.3g" would say 1e+03 */
        snprintf(buf, size, "%.0f %s", value, unit[u]);
    else
        snprintf(buf, size, "%.3g %s", value, unit[u]);
    return buf;
}
