/* Memory of τ-Lop expressions (taulop/arena.h): chunks that grow with what is in use. Tcomm, model stage. */
#include "model/taulop/arena.h"

#include <stdint.h>
#include <stdlib.h>

#define FIRST ((size_t)4096)
#define LARGEST ((size_t)1 << 20)
#define ALIGNMENT _Alignof(max_align_t)

struct sup_arena_chunk {
    struct sup_arena_chunk *before;
    size_t used, size;
    _Alignas(max_align_t) unsigned char data[];
};

void *sup_arena_take(sup_arena *a, size_t size) {
    struct sup_arena_chunk *c = a->last;
    if (size > SIZE_MAX / 2) return NULL;
    size = (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    if (!c || c->size - c->used < size) {
        size_t next = !c ? FIRST : c->size < LARGEST ? 2 * c->size : LARGEST;
        if (next < size) next = size;
        c = malloc(sizeof *c + next);
        if (!c) return NULL;
        *c = (struct sup_arena_chunk){.before = a->last, .size = next};
        a->last = c;
    }
    void *piece = c->data + c->used;
    c->used += size;
    return piece;
}

void sup_arena_free(sup_arena *a) {
    while (a->last) {
        struct sup_arena_chunk *c = a->last;
        a->last = c->before;
        free(c);
    }
}
