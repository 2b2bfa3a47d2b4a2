/* Memory of τ-Lop expressions: many small pieces that go together. */
#ifndef SUP_MODEL_TAULOP_ARENA_H
#define SUP_MODEL_TAULOP_ARENA_H

#include <stddef.h>

typedef struct sup_arena {
    struct sup_arena_chunk *last;
} sup_arena; /* {0}: empty */

/* Aligned for anything, not cleared. NULL: no memory. */
void *sup_arena_take(sup_arena *arena, size_t size);
void sup_arena_free(sup_arena *arena);

#endif
