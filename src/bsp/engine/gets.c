/* Lists of gets in program order, which both engines keep (log.h). */
#include "bsp/engine/log.h"

void bsp_get_list_close(bsp_runtime *b, bsp_get_list *l) {
    if (b->get_cursor) l->count = (size_t)(b->get_cursor - l->at);
    b->get_cursor = b->get_limit = NULL;
}

bsp_short_get *bsp_get_list_add(bsp_runtime *b, bsp_get_list *l) {
    bsp_get_list_close(b, l);
    BSP_ROOM_FOR_ONE(l->at, l->count, l->room, 256, "bsp_get");
    return &l->at[l->count++];
}

bool bsp_get_list_overlaps(const bsp_get_list *l, size_t most, const void *notes, uint64_t own,
                           bsp_region (*place)(const void *notes, uint64_t number)) {
    if (l->count > most) return true;
    bsp_region mine = place(notes, own);
    for (size_t i = 0; i < l->count; i++) {
        const bsp_short_get *s = &l->at[i];
        bsp_region other = {(uintptr_t)(s->place & BSP_ADDR_MASK), (size_t)(s->place >> BSP_ADDR_BITS)};
        if (other.len == BSP_LONG_RECORD) {
            if (s->value == own) continue;
            other = place(notes, s->value);
        }
        if (other.len && other.at < mine.at + mine.len && mine.at < other.at + other.len) return true;
    }
    return false;
}
