/* Memory for measurements and buffers: aligned, zero, present before the first use, kept present where that is allowed
 * (BSP §4.1). Locking is wished for, not required: a refusal is recorded in the result, for the caller to say once. */
#ifndef SUP_BASE_MEMORY_H
#define SUP_BASE_MEMORY_H

#include "base/status.h"

#include <stddef.h>

enum {
    SUP_MEMORY_PREFAULT = 1, /* touch every page now */
    SUP_MEMORY_LOCK = 2,     /* keep it resident (implies PREFAULT) */
    SUP_MEMORY_HUGE = 4      /* advise huge pages; takes effect from 2 MiB on, where the kernel has them */
};

typedef struct sup_memory {
    void *data;  /* aligned, zeroed; NULL for size 0 */
    size_t size; /* as asked for */
    sup_status
        locked; /* SUP_OK: locked. SUP_EBUSY: not asked for. SUP_EPERM: not permitted. SUP_ENOMEM: over the limit */
    sup_status huge; /* SUP_OK: advice taken. SUP_EBUSY: not asked for. SUP_ENOTSUP: the kernel has none */
    void *mapping;   /* private to the module */
    size_t mapped;
} sup_memory;

/* align: a power of two, 0 for a cache line's 64. SUP_EINVAL for another alignment or unknown flags, SUP_ENOMEM if the
 * memory is not to be had or the size overflows. A refused lock or advice is not a failure. */
sup_status sup_memory_alloc(size_t size, size_t align, unsigned flags, sup_diag *diag, sup_memory *out);

/* Gives it back and empties *memory; harmless on an empty one ({0}). */
void sup_memory_free(sup_memory *memory);

#endif
