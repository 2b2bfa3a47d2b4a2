/* Which layers a section of the program has, and how a transfer goes through them (layer.h). */
#include "bsp/engine/state.h"

/* From the program to the net. Engines come last. */
static const bsp_layer *const rows[BSP_LAYERS] = {&bsp_layer_watchdog, &bsp_layer_trace,  &bsp_layer_check,
                                                  &bsp_layer_auto,     &bsp_layer_shared, &bsp_layer_message};

static void pass_transfer(bsp_runtime *b, const bsp_transfer *t) {
    for (int i = 0; i < b->layers; i++)
        if (b->layer[i]->transfer[t->kind]) b->layer[i]->transfer[t->kind](b, t);
    for (int i = b->layers - 1; i >= 0; i--)
        if (b->layer[i]->called && b->layer[i]->transfer[t->kind]) b->layer[i]->called(b, t);
}

static void pass_sync(bsp_runtime *b, bool ending) {
    for (int i = 0; i < b->layers; i++)
        if (b->layer[i]->sync) b->layer[i]->sync(b, ending);
    for (int i = b->layers - 1; i >= 0; i--)
        if (b->layer[i]->synced) b->layer[i]->synced(b, ending);
}

static const bsp_layer *engine_of(const bsp_runtime *b) { return b->layer[b->layers - 1]; }

sup_status bsp_chain_open(bsp_runtime *b, sup_diag *diag) {
    b->layers = 0;
    for (int i = 0; i < BSP_LAYERS; i++)
        if (rows[i]->wanted(b)) b->layer[b->layers++] = rows[i];
    const bsp_layer *engine = engine_of(b);
    b->sync = b->layers > 1 ? pass_sync : engine->sync;
    b->seen = 0;
    for (int k = 0; k < BSP_KINDS; k++) {
        b->transfer[k] = engine->transfer[k];
        for (int i = 0; i < b->layers - 1; i++)
            if (b->layer[i]->transfer[k]) b->seen |= 1u << k;
        if (b->seen >> k & 1) b->transfer[k] = pass_transfer;
    }
    sup_status st = SUP_OK;
    for (int i = b->layers - 1; i >= 0 && !st; i--)
        if (b->layer[i]->open) st = b->layer[i]->open(b, diag);
    return st;
}

void bsp_chain_close(bsp_runtime *b) {
    for (int i = b->layers - 1; i >= 0; i--)
        if (b->layer[i]->close) b->layer[i]->close(b);
}
