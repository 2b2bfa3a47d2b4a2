/* Users' kernels from shared objects, `--kernel ./mine.so` (term Tcomp, stage measure; <superstep/kernel.h> is the
 * contract). What a stranger wrote may crash, hang or compute nonsense: all of that happens in a child first. */
#ifndef SUP_MEASURE_COMP_USER_H
#define SUP_MEASURE_COMP_USER_H

#include "base/status.h"

#include <superstep/kernel.h>

#include <stdbool.h>

typedef struct sup_user_kernel {
    const sup_kernel *kernel;
    char *path; /* as given: the profile's `source` */
    void *object;
} sup_user_kernel;

typedef struct sup_user_options {
    double limit_s;    /* for the whole trial; 0: 20 s */
    size_t most_bytes; /* largest footprint to try, the one that will be measured; 0: 16 MB */
    bool tried;        /* by another process of ours, a moment ago: only load it */
} sup_user_options;

/* Tries the kernel in a child at several footprints, with memory that ends at an inaccessible page, then loads it here.
 * options may be NULL. SUP_ENOENT: no such file; SUP_EPARSE: no shared object, or nothing exported; SUP_EVERSION: made
 * for another version of the contract; SUP_EINVAL: it crashed, ended the process, returned wrong results or described
 * impossible work; SUP_ETIMEOUT: it hung. The diag names the file, the call and the footprint. */
sup_status sup_user_kernel_load(const char *path, const sup_user_options *options, sup_diag *diag,
                                sup_user_kernel *out);
void sup_user_kernel_unload(sup_user_kernel *kernel);

#endif
