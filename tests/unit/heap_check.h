/* Whether the tables of the heap (bsp/heap/heap.h) agree with each other, and what they say. */
#ifndef SUP_TEST_HEAP_CHECK_H
#define SUP_TEST_HEAP_CHECK_H

#include "bsp/heap/heap.h"

typedef struct sup_heap_figures {
    size_t pages;   /* of 64 KiB, in all */
    size_t reached; /* pages that were ever in use: the rest has never been touched */
    size_t free;    /* of the reached ones */
    size_t dirty;   /* of the free ones, at most: those that may hold memory */
    size_t slabs;   /* pages cut into small blocks */
    size_t blocks;  /* in use, small and large */
} sup_heap_figures;

/* Walks all of the heap's tables (takes time). SUP_EINVAL and what is wrong where. out may be NULL. */
sup_status sup_heap_check(sup_diag *diag, sup_heap_figures *out);

#endif
