/* The library that keeps an MPI's launcher to the loopback device (loopback.c): its name, and taking it out of the
 * environment again, for the launcher and whoever it starts. */
#ifndef SUP_NET_MPI_LOOPBACK_H
#define SUP_NET_MPI_LOOPBACK_H

#include <stdlib.h>
#include <string.h>

#define SUP_LOOPBACK_FILE "libsuperstep-loopback.so"

/* It is the first of the list, or not there. */
static inline void sup_loopback_forget(void) {
    static const char name[] = "/" SUP_LOOPBACK_FILE;
    const char *list = getenv("LD_PRELOAD");
    size_t first = list ? strcspn(list, ":") : 0, length = sizeof name - 1;
    if (first < length || strncmp(list + first - length, name, length) != 0) return;
    char *rest = list[first] ? strdup(list + first + 1) : NULL;
    if (rest)
        setenv("LD_PRELOAD", rest, 1);
    else
        unsetenv("LD_PRELOAD");
    free(rest);
}

#endif
