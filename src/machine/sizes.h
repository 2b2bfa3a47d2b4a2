/* Sizes as people write them. */
#ifndef SUP_MACHINE_SIZES_H
#define SUP_MACHINE_SIZES_H

#include <stddef.h>

/* "64 KB", "1.5 MB", "3.36 GB"; units of 1024. Returns buf. */
char *sup_size_text(size_t bytes, char *buf, size_t size);

#endif
